"""A trusted server counts at most τ interactions of each person and adds Laplace noise to every count, once.

A person moves at most τ counts, each by 1; with noise of ε/τ for each she costs ε, by adding up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recprivlib.mechanisms import Laplace
from recprivlib.mechanisms.gate import released
from recprivlib.models import held
from recprivlib.models.constants import PerItem
from recprivlib.parameters import BUDGET, check, dial, parameter
from recprivlib.population import capped
from recprivlib.protocols import Change, Claim, Entry, Interactions, Ledger, Relation, Release, Sizes, Unit, Volume

BILL: tuple[Unit, Relation] = ("user", "add-remove")


@dataclass(frozen=True)
class NoisyCounts:
    """How many met each item, with noise."""

    epsilon: float = parameter(1.0, 0.05, 20.0, "ε of a person over the whole run", tune=BUDGET)
    cap: int = parameter(5, 1, 50, "τ, the most interactions of one person that are used", tune=dial(2, 50))

    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> PerItem:
        used = capped(train, self.cap, rng)
        counts = np.bincount(used.items, minlength=train.n_items).astype(float)
        return PerItem(released(self._noise, counts).astype(np.float32))

    def holds(self, size: Volume) -> float:
        return held.little(self, size) + 40.0 * size.interactions  # what `capped` sorts

    def ledger(self, sizes: Sizes) -> Ledger:
        touched = Change(inputs=min(self.cap, sizes.items))
        return Ledger(
            releases=(Release("how often each item was met", self._noise, {BILL: touched}),),
            public=("the catalogue", "a cap on every history"),
            assumed=("one list for everybody",),
            trust="the server",
            claimed=Claim(self.epsilon, 0.0, *BILL, where="put the theorem here"),
        )

    @property
    def _noise(self) -> Laplace:
        return Laplace(self.epsilon / self.cap)


SYSTEMS = {
    "new-paper": Entry(
        NoisyCounts(), "ranking", "paper", "what most people met, counted with noise", personalised=False, terms=BILL
    ),
}
