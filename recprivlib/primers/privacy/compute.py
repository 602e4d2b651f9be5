"""What a move at dashboard `privacy` computes: settings become a `Result`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from recprivlib.accounting.curves import accountants, over_counts
from recprivlib.auditing import Certificate, certify, mechanism_ledger, roc
from recprivlib.auditing.bounds import SHOWN, lower_limit, upper_limit
from recprivlib.dashboard import bills
from recprivlib.dashboard.bills import BillLabel, ThreeNumbers
from recprivlib.dashboard.memory import MEMORY
from recprivlib.mechanisms.losses import NoBound
from recprivlib.primers.privacy import figures as plots
from recprivlib.primers.privacy import lab
from recprivlib.primers.privacy.lab import SUBJECTS

TERMS = {
    ("interaction", "add-remove"): "one click, there or not",
    ("rating", "replace-value"): "one number, changed",
}


COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    mechanism: str
    epsilon: float
    releases: int
    delta: float  # what counts here: 0 for one answer
    tries: int
    seed: int
    attack: str
    right: float  # how often our attacker was right about a fair coin
    seen: plots.Seen
    bill: ThreeNumbers
    bills: dict[str, tuple[float, ...]]
    zero: tuple[float, ...]
    one: tuple[float, ...]

    @property
    def subject(self) -> lab.Subject:
        return SUBJECTS[self.mechanism]


def compute(
    mechanism: str = "randomized-response",
    epsilon: float = 1.0,
    releases: int = 1,
    tries: int = 10_000,
    delta: float = 1e-5,
    seed: int = 0,
    alarms: float = 0.0,
) -> Result:
    """Release in both worlds, attack, certify; count what the mechanism states, and what it claims."""
    subject = SUBJECTS[mechanism]
    made = subject.make(epsilon)
    here = delta if releases > 1 else 0.0  # one answer of pure ε needs no δ
    tries = lab.affordable(mechanism, tries, releases)
    attack, worlds = bills.worlds(made, releases, tries, seed)
    played = lab.ruled(made, releases, alarms, seed, worlds) if alarms else worlds
    ledger = mechanism_ledger(mechanism, made, releases)
    pair = (made.claimed.unit, made.claimed.relation)
    # Whoever claims ε for one answer claims n·ε for n of them, at every δ.
    claim = replace(made.claimed, epsilon=releases * made.claimed.epsilon, delta=here, counts="whole run")
    bill = bills.of_worlds(ledger, BillLabel(*pair, TERMS[pair], tries=tries), played, here, claim)
    return Result(
        mechanism, epsilon, releases, here, tries, seed, attack, lab.right_guesses(*worlds),
        _seen(worlds, certify(played, here, SHOWN)), replace(bill, why_infinite=subject.leak), _bills(made, delta),
        *lab.shares(subject, made, seed),
    )  # fmt: skip


def _seen(worlds: Any, shown: Certificate) -> plots.Seen:
    """The attacker's curve, and the certified event with the hits on the upright axis."""
    false, hits = roc(worlds)
    most = upper_limit(shown.misses, shown.trials, SHOWN / 2)
    least = lower_limit(shown.hits, shown.trials, SHOWN / 2)
    event, corner = (shown.false_positive_rate, shown.true_positive_rate), (most, least)
    if shown.event.side == "low":  # it names world 0: the same event, told as an alarm for world 1
        event, corner = (1 - event[1], 1 - event[0]), (1 - corner[1], 1 - corner[0])
    return plots.Seen(tuple(map(float, false)), tuple(map(float, hits)), event, corner)


def _bills(made: Any, delta: float) -> dict[str, tuple[float, ...]]:
    """The claim and three accountants over `COUNTS`; ∞ where there is nothing finite, or δ = 0 leaves no room."""

    def make() -> dict[str, tuple[float, ...]]:
        loss, claimed = made.loss(1.0), made.claimed.epsilon
        bills = {"basic": tuple(count * claimed for count in COUNTS)}
        if isinstance(loss, NoBound):
            return bills | {name: (math.inf,) * len(COUNTS) for name in plots.METHODS if name != "basic"}
        if delta == 0:
            pure = over_counts(loss, COUNTS, made.claimed.relation, 0.0)
            return bills | {"advanced": (math.inf,) * len(COUNTS), "RDP": (math.inf,) * len(COUNTS)} | {
                "tightest": tuple(map(float, pure))}  # fmt: skip
        found = accountants(loss, COUNTS, made.claimed.relation, delta)
        return bills | {name: tuple(map(float, found[name])) for name in plots.METHODS if name != "basic"}

    return MEMORY.get(("lab bills", made, delta), make)
