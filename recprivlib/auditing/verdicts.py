"""From three numbers to one word: broken, holds, open.

broken  the attack certifies more than is claimed (at α = 10⁻⁶), or an exact channel proves that ε exceeds it
holds   counted ≤ claimed at the same terms, which is proved: arithmetic about the ledger; and the code was checked: in
        the worlds that were played it agrees with the ledger, and at least half of what each line states was reached
open    anything else, with the reason

What is proved speaks of the ledger alone, what is checked of this code in these worlds, what is measured (the attack)
holds with its confidence. Nothing here speaks of time, memory or files that are read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from recprivlib.mechanisms.losses import Channel, LaplaceShift, NoBound
from recprivlib.protocols import Change, Claim, Guarantee, Ledger, Relation, Unit, View

Verdict = Literal["broken", "holds", "open"]
Played = Literal["whole run", "one release, as the ledger states it"]
WHOLE: Played
ONE: Played
WHOLE, ONE = get_args(Played)
SLACK = 1 + 1e-9  # sums of floats
ENOUGH = 0.5  # of what a line states: code that was never moved so far has not been checked
UNSEEN = ("time", "memory", "files that are read")  # what no check of ours looks at
SEES: tuple[View, ...] = ("model", "shuffled", "server")  # each sees what those before it see, and more


@dataclass(frozen=True)
class Checked:
    """What of the code was looked at, beside its answers: in which worlds, and how far neighbours moved each line."""

    runs: int = 0  #: how often the code ran
    worlds: str = ""  #: in which worlds, in words
    found: tuple[str, ...] = ()  #: in what it does not agree with its ledger
    reach: Mapping[str, float] = field(default_factory=dict)  #: line of the ledger to the share of it that was reached
    never: Mapping[str, str] = field(default_factory=dict)  #: line to why nothing reaches it, where the ledger says so

    @property
    def short(self) -> tuple[str, float] | None:
        """The line that was reached least, if that is not enough and the ledger does not say why."""
        below = [(share, line) for line, share in self.reach.items() if share < ENOUGH and line not in self.never]
        return (min(below)[1], min(below)[0]) if below else None

    @property
    def said(self) -> str:
        """All of it, in words."""
        if not self.runs:
            return ""
        least = min((share for line, share in self.reach.items() if line not in self.never), default=None)
        far = "" if least is None else f", and neighbours moved at least {least:.0%} of what each line states"
        return f"in {self.runs} runs nothing but the answers moved{far}"


def verdict(
    claimed: Claim | None, counted: Guarantee, certified: float, exact: float | None, *, whole: bool = False,
    found: Sequence[str] = (), played: Played = ONE, ceiling: float = math.inf, trials: int = 0,
    checked: Checked | None = None,
) -> tuple[Verdict, str]:  # fmt: skip
    """`certified` is the attack's bound at α = 10⁻⁶; `exact` an ε that is exactly reached, where one is known.

    `whole`: the claim adds up everything that is released, whatever it says it counts. `found`: in what the code
    does not agree with its ledger. `ceiling`: the most that `trials` could have shown. `checked`: how the code was
    looked at; None where there is no code but a mechanism's.
    """
    if claimed is None:
        return "open", found[0] if found else "nothing is claimed"
    if (claimed.unit, claimed.relation) != (counted.unit, counted.relation):
        return "open", f"the claim is for {claimed.unit}/{claimed.relation}, another unit or relation"
    if claimed.counts != "whole run" and not whole:
        return "open", f"the claim counts {claimed.counts}"
    if claimed.delta != counted.delta:
        return "open", f"the claim is at δ = {claimed.delta:g}, the bill at δ = {counted.delta:g}"
    seen = claimed.view or counted.view
    if certified > claimed.epsilon and SEES.index(counted.view) <= SEES.index(seen):
        return "broken", f"the attack certifies ε ≥ {certified:.2f} (α = 10⁻⁶), above the claimed {claimed.epsilon:g}"
    if exact is not None and exact > claimed.epsilon * SLACK and SEES.index(counted.view) <= SEES.index(seen):
        worth = "is infinite" if math.isinf(exact) else f"is {exact:.3g}"
        return "broken", f"the exact ε {worth}" + (f": {counted.why_infinite}" if counted.why_infinite else "")
    if found:
        return "open", f"the code does not do what its ledger says: {found[0]}"
    if SEES.index(counted.view) < SEES.index(seen):
        return "open", f"the claim is against the {seen}, the bill against the {counted.view} view, which sees less"
    if counted.epsilon <= claimed.epsilon * SLACK:
        if checked and checked.short:
            line, share = checked.short
            return "open", f"never reached: no change that was tried moved more than {share:.0%} of {line}, as stated"
        return "holds", _holds(claimed, counted, played, ceiling, trials, checked)
    return "open", "not broken by our attack, not proven" + (
        f": {counted.why_infinite}" if counted.why_infinite else ""
    )


def _holds(
    claimed: Claim, counted: Guarantee, played: Played, ceiling: float, trials: int, checked: Checked | None
) -> str:
    """What is proved and of what; what was checked; and what so many trials cannot see: shares below five standard
    errors."""
    what = "the whole run was" if played == WHOLE else "its answers were"
    limits = "" if ceiling > claimed.epsilon else f"; these trials could not have shown more than {ceiling:.1f}"
    rare = int(math.sqrt(trials) / 2.5)
    limits += f"; what befalls fewer than one answer in {rare:,} may go unseen" if rare > 1 else ""
    looked = ""
    if checked and checked.runs:
        looked = f"; checked on this code: {checked.said}; not looked at: {', '.join(UNSEEN)}"
    return (
        f"counted {counted.epsilon:.3g} ≤ claimed {claimed.epsilon:.3g} is the ledger's arithmetic; {what} attacked "
        f"and gave nothing more{limits}{looked}"
    )


def exact_epsilon(ledger: Ledger, unit: Unit, relation: Relation) -> float | None:
    """The true ε at δ = 0 of a ledger with one release, where its loss is known exactly: ∞, or ε · count.

    Every one of `count` answers about one input can be the most telling one, so that what is exact adds up.
    """
    if len(ledger.releases) != 1:
        return None
    release = ledger.releases[0]
    change = release.neighbours.get((unit, relation))
    if not isinstance(change, Change) or change.inputs < 1:
        return None
    each = _exact(release.mechanism.loss(change.distance))
    if each is None or math.isinf(each):
        return each
    return each * release.count if change.inputs == 1 else None


def _exact(loss: Any) -> float | None:
    """The largest log-ratio of one release, if the loss states it and not a bound."""
    if isinstance(loss, NoBound):
        return math.inf
    if isinstance(loss, LaplaceShift):
        return loss.epsilon
    return channel_epsilon(loss) if isinstance(loss, Channel) else None


def channel_epsilon(channel: Channel) -> float:
    """The largest log-ratio of any output over all neighbouring inputs, in both orders."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = np.log(channel.matrix)
        ratios = [np.abs(rows[i] - rows[j]) for i, j in channel.pairs]
    return float(np.nanmax(ratios)) if ratios else 0.0
