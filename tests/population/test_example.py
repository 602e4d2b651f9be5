"""A federated system from nothing, as CONTRIBUTING describes it. It is no good recommender; it shows what a system has
to say, and that all the rest (shards, steps, bill, attack) then needs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from recprivlib import population
from recprivlib.accounting import guarantee
from recprivlib.auditing import audit
from recprivlib.data import load
from recprivlib.mechanisms import UnarySymmetric
from recprivlib.mechanisms.gate import released
from recprivlib.models.constants import PerItem
from recprivlib.parameters import check, parameter
from recprivlib.population import learnt, steps
from recprivlib.protocols import Array, Change, Claim, Interactions, Ledger, Model, Release, Sizes
from recprivlib.training import followed, trained


@dataclass(frozen=True)
class Polls:
    """Each round asks about another tenth of the catalogue: one flipped bit an item, and how many met it is known."""

    epsilon: float = parameter(1.0, 0.05, 20.0, "ε of one reported bit")
    rounds: int = parameter(5, 1, 10, "how often a phone is asked, each time about other items")
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        return learnt(self, train, rng)

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]:
        return steps(self, train, rng)

    def start(self, sizes: Sizes, rng: np.random.Generator) -> dict[str, Array]:
        """What everybody is told: the scores so far, and the items that are asked about next, round by round."""
        return {"scores": np.zeros(sizes.items, np.float32), "items": rng.permutation(sizes.items), "turn": 0}

    def collect(self, block: Interactions, told: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Array]:
        asked = told["items"][told["turn"] :: 10]
        heard = released(UnarySymmetric(self.epsilon), block.matrix[:, asked].toarray() > 0)
        return {"heard": heard.sum(axis=0, dtype=np.int64), "users": np.array(block.n_users)}

    def learn(self, told: Mapping[str, Any], sums: Mapping[str, Array], rng: np.random.Generator) -> dict[str, Any]:
        scores = told["scores"].copy()
        scores[told["items"][told["turn"] :: 10]] = UnarySymmetric(self.epsilon).estimate(sums["heard"] / sums["users"])
        return {**told, "scores": scores, "turn": told["turn"] + 1}

    def model(self, told: Mapping[str, Any], train: Interactions) -> PerItem:
        return PerItem(told["scores"])

    def ledger(self, sizes: Sizes) -> Ledger:
        asked = [len(range(turn, sizes.items, 10)) for turn in range(self.rounds)]
        bit = Release(
            "one flipped bit for each item that is asked about", UnarySymmetric(self.epsilon),
            {("interaction", "add-remove"): Change(), ("user", "replace"): Change(sum(asked))},
        )  # fmt: skip
        claim = Claim(self.epsilon, 0.0, "interaction", "add-remove", "no item is asked about twice")
        return Ledger((bit,), ("the catalogue", "who takes part"), (), "nobody (local)", claim)


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch) -> Interactions:
    monkeypatch.setattr(population, "BLOCK", 32)
    return load("synthetic", users=128, items=60).interactions


def test_four_shards_give_the_bytes_of_one(train: Interactions) -> None:
    one, four = (learnt(Polls(), train, np.random.default_rng(3), shards=shards).scores.tobytes() for shards in (1, 4))
    assert one == four


def test_it_streams_and_its_last_step_is_its_fit(train: Interactions) -> None:
    found = list(followed(Polls(), train, 3))
    assert [progress for progress, _ in found] == [0.2, 0.4, 0.6, 0.8, 1.0]
    known = [np.count_nonzero(model.scores) for _, model in found]  # type: ignore[attr-defined]
    assert known == sorted(set(known))  # each round tells of other items
    fit: Any = trained(Polls(), train, 3)
    assert (found[-1][1].scores == fit.scores).all()  # type: ignore[attr-defined]


def test_it_hears_what_people_met(train: Interactions) -> None:
    fit: Any = trained(Polls(epsilon=8.0, rounds=10), train, 3)
    truth = np.bincount(train.items, minlength=train.n_items)
    assert np.corrcoef(fit.scores, truth)[0, 1] > 0.95


def test_it_is_billed_for_an_interaction_and_for_a_person(train: Interactions) -> None:
    ledger = Polls(epsilon=0.5).ledger(train.sizes)
    assert guarantee(ledger, "interaction", "add-remove", 0.0, "server").epsilon == pytest.approx(0.5)
    assert guarantee(ledger, "user", "replace", 0.0, "server").epsilon == pytest.approx(0.5 * 5 * 6)


def test_it_is_attacked_without_a_word_of_its_own() -> None:
    found = audit(Polls(), name="polls", sizes=Sizes(200, 50), trials=20_000)
    assert found.attacked.decisive <= found.counted.epsilon == pytest.approx(1.0)
    assert found.verdict == "holds"
