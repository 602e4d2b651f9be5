"""From three numbers to one word: broken, holds, open.

broken  the attack certifies more than is claimed (at α = 10⁻⁶), or an exact channel proves that ε exceeds it
holds   not broken, and counted ≤ claimed at the same terms: a proof, never "we saw no attack"
open    anything else, with the reason
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from recprivlib.mechanisms.losses import Channel, LaplaceShift, NoBound
from recprivlib.protocols import Change, Claim, Guarantee, Ledger, Relation, Unit

Verdict = Literal["broken", "holds", "open"]
SLACK = 1 + 1e-9  # sums of floats


def verdict(
    claimed: Claim | None, counted: Guarantee, certified: float, exact: float | None, *, whole: bool = False
) -> tuple[Verdict, str]:
    """`certified` is the attack's bound at α = 10⁻⁶; `exact` the true ε where one is known.

    `whole`: the claim adds up everything that is released, whatever it says it counts.
    """
    if claimed is None:
        return "open", "nothing is claimed"
    if (claimed.unit, claimed.relation) != (counted.unit, counted.relation):
        return "open", f"the claim is for {claimed.unit}/{claimed.relation}, another unit or relation"
    if claimed.counts != "whole run" and not whole:
        return "open", f"the claim counts {claimed.counts}"
    if claimed.delta != counted.delta:
        return "open", f"the claim is at δ = {claimed.delta:g}, the bill at δ = {counted.delta:g}"
    if certified > claimed.epsilon:
        return "broken", f"the attack certifies ε ≥ {certified:.2f} (α = 10⁻⁶), above the claimed {claimed.epsilon:g}"
    if exact is not None and exact > claimed.epsilon * SLACK:
        worth = "is infinite" if math.isinf(exact) else f"is {exact:.3g}"
        return "broken", f"the exact ε {worth}" + (f": {counted.why_infinite}" if counted.why_infinite else "")
    if counted.epsilon <= claimed.epsilon * SLACK:
        return "holds", f"counted {counted.epsilon:.3g} ≤ claimed {claimed.epsilon:.3g}: a proof"
    return "open", "not broken by our attack, not proven" + (
        f": {counted.why_infinite}" if counted.why_infinite else ""
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
