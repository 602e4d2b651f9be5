"""The bill of a dashboard: claimed, counted and attacked at one unit, and the strip that shows them.

Both ways play the real release now: `of_system` attacks everything a system's ledger states, `of_worlds` takes two
worlds that were played already, so that a figure can show how the bound climbs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.accounting import guarantee
from recprivlib.accounting.bills import default_view
from recprivlib.accounting.claims import claimed_at
from recprivlib.accounting.guarantee import never_drawn
from recprivlib.auditing import audit, ceiling, mechanism_game, play
from recprivlib.auditing.bounds import DECIDES, SHOWN
from recprivlib.auditing.events import certificates
from recprivlib.auditing.run_attack import Rehearsed, rehearse
from recprivlib.auditing.verdicts import ONE, exact_epsilon, verdict
from recprivlib.dashboard.contract import Appearance
from recprivlib.dashboard.memory import MEMORY
from recprivlib.mechanisms import Unknown
from recprivlib.parameters import parameters
from recprivlib.plots.strip import Strip, strip
from recprivlib.protocols import Array, Claim, Ledger, Relation, Sizes, Unit


@dataclass(frozen=True)
class BillLabel:
    """What a bill is about, and how a reader calls it."""

    unit: Unit
    relation: Relation
    said: str  # "one click, there or not"
    other: str = ""  # what the claim counts instead: "one click"
    tries: int = 100_000
    delta: float = 0.0


@dataclass(frozen=True)
class ThreeNumbers:
    """The three numbers and their terms."""

    claimed: Any  # None: nothing is claimed
    counted: float
    why_infinite: str
    attacked: Any  # None: nobody has attacked it yet
    ceiling: Any
    tries: int
    verdict: str
    unit: str  # in words
    trust: str  # as the ledger says it
    other_terms: str = ""
    delta: float = 0.0
    rungs: tuple[tuple[int, float], ...] = ()  # tries -> the bound that so many of them show; the last is `attacked`
    played: str = ""  # what was attacked
    undrawn: str = ""  # what doubles cannot draw

    def drawn(self, span: str = "whole run", aside: str = "") -> str:
        """The strip, as HTML."""
        return strip(Strip(
            claimed=self.claimed, counted=self.counted, attacked=self.attacked, ceiling=self.ceiling,
            tries=self.tries, delta=self.delta, why_infinite=self.why_infinite, verdict=self.verdict,
            other_terms=self.other_terms, unit=self.unit, trust=self.trust, span=span, played=self.played,
            aside=" · ".join(said for said in (aside, self.undrawn) if said),
        ))  # fmt: skip

    def climbed(self, note: str = "") -> list[tuple]:
        """Rows of a table: the bound as it climbs, and what stands beside it."""
        rows = [("bound", "attacked, at least", tries, bound, "") for tries, bound in self.rungs]
        numbers: Mapping[str, Any] = {
            name: getattr(self, name) for name in ("claimed", "counted", "attacked", "ceiling")
        }
        return rows + [("bound", name, self.tries, number, note) for name, number in numbers.items()]


def draw_strip(result: Any, view: Appearance) -> str:
    """The strip of a result that has a bill."""
    return result.bill.drawn()


def of_system(system: Any, name: str, sizes: Sizes, terms: BillLabel) -> ThreeNumbers:
    """What a system costs at these terms; the attack runs once for all who ask."""

    def make() -> ThreeNumbers:
        done = audit(
            system, name=name, sizes=sizes, unit=terms.unit, relation=terms.relation, delta=terms.delta,
            trials=terms.tries, rehearsed=_rehearsed(system, sizes, terms),
        )  # fmt: skip
        counted, attacked = done.counted, done.attacked
        return ThreeNumbers(
            done.claimed.epsilon if done.claimed else None, counted.epsilon, counted.why_infinite,
            attacked.epsilon_lower, attacked.ceiling, terms.tries, done.verdict, terms.said, counted.trust, terms.other,
            terms.delta, played=attacked.played, undrawn=never_drawn(ledger, counted.view),
        )  # fmt: skip

    ledger = system.ledger(sizes)
    if all(isinstance(release.mechanism, Unknown) for release in ledger.releases):
        return _unplayed(ledger, terms)
    return MEMORY.get(_key(system, name, sizes, terms), make)


def in_turn(system: Any, name: str, sizes: Sizes, terms: BillLabel) -> Iterator[ThreeNumbers]:
    """What is promised, at once; then the whole bill. Of a system that was attacked before, the whole bill alone."""
    known = MEMORY.known(_key(system, name, sizes, terms))
    if known is None:
        yield promised(system, sizes, terms)
    yield known or of_system(system, name, sizes, terms)


def _key(system: Any, name: str, sizes: Sizes, terms: BillLabel) -> tuple:
    """What is attacked, and nothing else."""
    return "bill", name, repr(system.ledger(sizes)), sizes, terms


FEWEST = 100  # tries that a climb begins with
BUDGETS = ("epsilon", "epsilon1", "epsilon2", "noise_multiplier")


def _rehearsed(system: Any, sizes: Sizes, terms: BillLabel) -> Rehearsed:
    """The replay of a system, once for all budgets that a reader may drag."""
    usual = replace(system, **{name: meta.default for name, meta in parameters(system).items() if name in BUDGETS})
    view = default_view(usual.ledger(sizes))
    return MEMORY.get(("replay", repr(usual), sizes, terms.unit, terms.relation),
                      lambda: rehearse(usual, sizes, terms.unit, terms.relation, view, 0))  # fmt: skip


def _unplayed(ledger: Ledger, terms: BillLabel) -> ThreeNumbers:
    """Of what nobody knows the law of: there is nothing to weigh, and nothing to count."""
    counted = guarantee(ledger, terms.unit, terms.relation, terms.delta, default_view(ledger))
    claimed = claimed_at(ledger.claimed, terms.delta).epsilon if ledger.claimed else None
    return ThreeNumbers(claimed, counted.epsilon, counted.why_infinite, 0.0, 0.0, 0, "open", terms.said, counted.trust,
                terms.other, terms.delta, undrawn=never_drawn(ledger, counted.view))  # fmt: skip


def promised(system: Any, sizes: Sizes, terms: BillLabel) -> ThreeNumbers:
    """Before anybody has attacked it: what is claimed and what is counted."""
    return replace(_unplayed(system.ledger(sizes), terms), attacked=None, ceiling=None)


def of_worlds(
    ledger: Ledger, terms: BillLabel, worlds: tuple[Array, Array], delta: float = 0.0, claim: Claim | None = None
) -> ThreeNumbers:
    """What these two worlds show beside the ledger's bill; `claim` stands in for the ledger's own."""
    claim = claim or ledger.claimed
    counted = guarantee(ledger, terms.unit, terms.relation, delta, "server")
    shown, decisive = certificates(worlds, delta, (SHOWN, DECIDES))
    exact = exact_epsilon(ledger, terms.unit, terms.relation) if delta == 0 else None
    word, _ = verdict(claim, counted, decisive.epsilon(DECIDES), exact)
    said = claimed_at(claim, delta).epsilon if claim else None
    return ThreeNumbers(
        said, counted.epsilon, counted.why_infinite, shown.epsilon(SHOWN),
        ceiling(shown.trials, delta), terms.tries, word, terms.said, counted.trust, terms.other, delta,
        (*_rungs(worlds, delta), (terms.tries, shown.epsilon(SHOWN))), ONE, never_drawn(ledger, "server"),
    )  # fmt: skip


def _rungs(worlds: tuple[Array, Array], delta: float) -> Iterator[tuple[int, float]]:
    """The bound of ever more of these tries, each as if the attack had ended there: as a strip says it of so many."""
    tries = FEWEST
    while tries < len(worlds[0]):
        (shown,) = certificates((worlds[0][:tries], worlds[1][:tries]), delta, (SHOWN,))
        yield tries, shown.epsilon(SHOWN)
        tries *= 2


def worlds(mechanism: Any, releases: int, tries: int, seed: int) -> tuple[str, tuple[Array, Array]]:
    """(the attack's name, its statistic in `tries` runs of either world)."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))  # as `audit` does: its numbers are these
    game = mechanism_game(mechanism, releases, tries, rng)
    return game.attack, play(game, tries, rng)
