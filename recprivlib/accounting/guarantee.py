"""From a ledger to a guarantee: which releases count, what they cost, and why there may be no finite ε."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from recprivlib.accounting.compose import tightest, why_bound
from recprivlib.accounting.disjoint import Disjoint, Part, choices
from recprivlib.accounting.dominating import Pair
from recprivlib.accounting.pairs import pair
from recprivlib.accounting.shuffle import shuffled
from recprivlib.mechanisms.common import undrawn
from recprivlib.mechanisms.losses import GaussianShift, NoBound, NotKnown, Pure, Sampled, SubsampledGaussian
from recprivlib.mechanisms.special import Exact, Unknown
from recprivlib.parameters import UserError
from recprivlib.protocols import (
    Change,
    DrawsItself,
    Guarantee,
    HasChannel,
    Ledger,
    LiesAlike,
    Relation,
    Release,
    SharesADraw,
    Unbounded,
    Unit,
    View,
)


@dataclass(frozen=True)
class Run:
    """A ledger at stated terms: what is composed, in every choice of a part of the disjoint data."""

    choices: tuple[tuple[Part, ...], ...]
    why_infinite: str = ""  # why nothing finite can be said at any small δ
    crowds: tuple[int, ...] = ()  # of the shufflers that count
    touched: int = 0  # how many parts of disjoint data neighbours differ in at most; 0: there are none

    @property
    def pure(self) -> bool:
        """Whether δ = 0 says all there is to say."""
        pairs = [one for choice in self.choices for one, _ in choice]
        return bool(self.why_infinite) or (not self.crowds and all(math.isfinite(p.pure) or p.certain for p in pairs))


def guarantee(ledger: Ledger, unit: Unit, relation: Relation, delta: float, view: View) -> Guarantee:
    """(ε, δ) of a whole run at stated terms, against whoever has a view of it: the tightest of the library's bounds.

    Parameters
    ----------
    ledger
        What the run releases: `system.ledger(sizes)`.
    unit
        Whose presence or value is protected: "interaction", "rating" or "user".
    relation
        How two neighbouring data sets differ in one such unit: "add-remove", "replace-value", "swap" or "replace".
    delta
        δ, from 0 up to but not including 1.
    view
        Who sees the release: "server", "shuffled" (a server behind an honest shuffler) or "model" (everybody).

    Returns
    -------
    Guarantee
        ε is infinite where no bound exists or none is known; `why_infinite` then says why.

    Raises
    ------
    UserError
        A word is unknown, δ is out of range, or the ledger does not state these terms for this view.

    Examples
    --------
    >>> from recprivlib import get
    >>> from recprivlib.protocols import Sizes
    >>> ledger = get("dplcf-sp").system.ledger(Sizes(943, 1682))
    >>> found = guarantee(ledger, "user", "replace", 0.0, "server")
    >>> found.epsilon, found.how
    (1682.0, '1,682 × randomised response (ε = 1): pure ε added up')
    """
    if not 0 <= delta < 1:
        raise UserError(f"delta is {delta!r}, but must be at least 0 and below 1")
    run = resolved(ledger, unit, relation, view)
    trust = "an honest shuffler" if run.crowds else ledger.trust
    if run.why_infinite:
        said = _assumptions(ledger, run, view)
        return Guarantee(math.inf, delta, unit, relation, view, trust, "no finite ε", said, run.why_infinite)
    epsilon, how, parts = max(((*tightest(parts, delta), parts) for parts in run.choices), key=lambda found: found[0])
    epsilon = float(f"{epsilon:.12g}")  # further digits are floating-point noise
    why = "" if math.isfinite(epsilon) else _no_bound_at(delta, parts)
    if run.touched:
        how += "; of disjoint data the dearest part" + ("s" if run.touched > 1 else "")
    said = _assumptions(ledger, run, view, parts)
    bound = "" if why else why_bound(parts, delta, how)
    return Guarantee(epsilon, delta, unit, relation, view, trust, how, said, why, bound)


def resolved(ledger: Ledger, unit: Unit, relation: Relation, view: View) -> Run:
    """What `view` sees at the stated terms."""
    _check(unit, relation, view)
    _one_line_a_draw(ledger)
    seen = visible(ledger, view)
    changed = [(release, change_of(release, seen, unit, relation)) for release in seen]
    changed = [(release, change) for release, change in changed if not untouched(change)]
    why = _why_infinite(changed, told_apart(ledger, relation))
    if why:
        return Run((), why)
    fixed: list[Part] = []
    disjoint: dict[str, Disjoint] = {}
    for release, change in changed:
        if part := _part(release, change, unit, relation, view):
            if release.partition:
                assert isinstance(change, Change)
                disjoint.setdefault(release.partition, Disjoint()).add(part, change, relation)
            else:
                fixed += _in_order(part, release, change)
    options = tuple((*fixed, *choice) for choice in choices(disjoint.values()))
    crowds = {part[0].crowd for choice in options for part in choice} - {1}
    touched = max((one.touched for one in disjoint.values()), default=0)
    return Run(options, "", tuple(sorted(crowds)), touched)


def certain(ledger: Ledger, unit: Unit, relation: Relation, view: View) -> float:
    """How likely an output that proves an input is, where one release of one input is all there is; else 0.

    From that δ on ε is finite: what remains of a guarantee that is broken at δ = 0.
    """
    run = resolved(ledger, unit, relation, view)
    parts = [part for choice in run.choices for part in choice]
    if len(parts) != 1 or parts[0][1] != 1 or not parts[0][0].certain:
        return 0.0
    proof = float(parts[0][0].profile(np.array([700.0]))[0])
    return min(proof * (1 + 1e-9), math.nextafter(1.0, 0.0))


def visible(ledger: Ledger, view: View) -> list[Release]:
    """The releases that `view` sees; refused where the ledger prices none, for that would read as ε = 0."""
    if not ledger:
        raise UserError("nothing is promised about privacy here, so there is nothing to count")
    seen = [release for release in ledger.releases if view in release.seen_by]
    if not seen:
        views = [v for v in get_args(View) if any(v in release.seen_by for release in ledger.releases)]
        raise UserError(f"the view {view!r} is not priced here; choose from {', '.join(views)}")
    return seen


def supported(ledger: Ledger, view: View) -> list[tuple[Unit, Relation]]:
    """The (unit, relation) that every release seen by `view` states."""
    stated = [release.neighbours for release in visible(ledger, view) if not _always_counts(release)]
    return [terms for terms in (stated[0] if stated else {}) if all(terms in other for other in stated)]


def _check(unit: str, relation: str, view: str) -> None:
    for word, value, kind in (("unit", unit, Unit), ("relation", relation, Relation), ("view", view, View)):
        if value not in get_args(kind):
            raise UserError(f"the {word} is {value!r}, but must be one of {', '.join(get_args(kind))}")


def _one_line_a_draw(ledger: Ledger) -> None:
    """Two lines on one cohort would each be billed as if it had a draw of its own, at a fraction of what both cost."""
    draws = [
        release.mechanism.name if isinstance(release.mechanism, SharesADraw) else "the cohort"
        for release in ledger.releases
        if not (isinstance(release.mechanism, DrawsItself) and release.mechanism.draws_itself)
        and isinstance(release.mechanism.loss(), Sampled | SubsampledGaussian)
    ]
    if twice := [name for name in draws if draws.count(name) > 1]:
        raise UserError(
            f"two releases name {twice[0]!r}: what is released on one draw is one Cohort with several parts;"
            " cohorts that are drawn apart need names of their own"
        )


def untouched(change: Change | Unbounded) -> bool:
    """Nothing that the release reads differs between neighbours."""
    return isinstance(change, Change) and (change.inputs == 0 or change.distance == 0)


def _always_counts(release: Release) -> bool:
    """An exact or unknown release that states no terms counts at all of them."""
    return isinstance(release.mechanism, (Exact, Unknown)) and not release.neighbours


def change_of(release: Release, seen: list[Release], unit: Unit, relation: Relation) -> Change | Unbounded:
    """How far neighbours are apart in a release, beside all others that are seen; refused where that is not stated."""
    if _always_counts(release):
        return Change()
    if (unit, relation) not in release.neighbours:
        terms = [t for t in release.neighbours if all(t in r.neighbours for r in seen if not _always_counts(r))]
        allowed = ", ".join(f"{u}/{r}" for u, r in terms) or "none: its releases share no terms"
        raise UserError(f"{unit}/{relation} is not stated for {release.what!r}; choose from {allowed}")
    return release.neighbours[unit, relation]


def told_apart(ledger: Ledger, relation: Relation) -> str:
    """By what of the public these neighbours are told apart, whatever noise there is; nothing where they share it."""
    if ledger.rated_public and relation != "replace-value":
        return "who rated what is public, and these neighbours differ in it"
    return ""


def _why_infinite(changed: Iterable[tuple[Release, Change | Unbounded]], told: str) -> str:
    """Why nothing finite can be said, or nothing. A proof that ε is infinite goes before a lack of proof."""
    infinite = [told] if told else []
    unknown: list[str] = []
    for release, change in changed:
        loss = change if isinstance(change, Unbounded) else release.mechanism.loss(change.billed)
        if isinstance(loss, (Unbounded, NoBound)):
            infinite.append(loss.reason)
        elif isinstance(loss, NotKnown):
            unknown.append(loss.reason)
    if infinite:
        return "; ".join(dict.fromkeys(infinite))
    return "not known: " + "; ".join(dict.fromkeys(unknown)) if unknown else ""


def _part(release: Release, change: Change | Unbounded, unit: Unit, relation: Relation, view: View) -> Part | None:
    """The pair of a release and how often it counts: `count` times `inputs`, for each is noised on its own."""
    assert isinstance(change, Change)
    one = pair(loss_of(release, change, relation), relation)
    if one is None:
        return None
    # Clones hide a changed report, not a missing one: a person who comes or goes is counted without them.
    joins = unit == "user" and relation == "add-remove"
    if view == "shuffled" and release.crowd > 1 and math.isfinite(one.pure) and not joins:
        # However little the one report changed, the others' are any reports: clones are as rare as the whole ε says.
        whole = pair(release.mechanism.loss(max(change.billed, 1.0)), relation)
        assert whole is not None
        if release.batch > 1:
            return _whole_messages(release, whole, change)
        one = shuffled(whole, release.crowd, symbols=_symbols(release))
    return one, release.count * change.inputs


def _whole_messages(release: Release, whole: Pair, change: Change) -> Part:
    """k reports of one person that stay together in one message are not k shuffles: whoever reads two side by side
    reads them as hers. A message is one report that is kε₀-DP, so one shuffle at kε₀ is an upper bound.

    Where messages are split, `batch` is 1 and `count` is k times the messages: report j of everybody is a shuffle, each
    with fresh noise, so k of them compose; one heap of all reports is those k outcomes, mixed once more.
    """
    together = pair(Pure(release.batch * whole.pure), "replace")
    assert together is not None
    return shuffled(together, release.crowd), -(-release.count * change.inputs // release.batch)


def _in_order(part: Part, release: Release, change: Change | Unbounded) -> list[Part]:
    """Where it is known how many inputs change which way: so many of the pair, so many of it flipped."""
    one, _ = part
    if not isinstance(change, Change) or change.back is None or one.ordered is None or one.crowd > 1:
        return [part]
    ways = ((one.ordered, change.inputs - change.back), (one.ordered.flipped, change.back))
    return [(way, release.count * inputs) for way, inputs in ways if inputs]


def loss_of(release: Release, change: Change, relation: Relation) -> Any:
    """What one of the `count` times costs: several records of one person share the noise of the sum they are in."""
    loss = release.mechanism.loss(change.billed)
    sampled = isinstance(loss, Sampled | SubsampledGaussian)
    if sampled and change.inputs > 1:
        raise UserError(
            f"{change.inputs} inputs of {release.what!r} lie in one sampled sum and share its noise, so they do not"
            f" compose one by one: state Change(records={change.inputs})"
        )
    if change.records == 1:
        return loss
    if not sampled:
        raise UserError(f"{release.what!r} is no sampled sum: what several records move it by is its distance")
    if isinstance(loss, SubsampledGaussian):
        mu = 1 / loss.noise / (1 if relation == "add-remove" else 2)
        loss = Sampled(GaussianShift(mu), GaussianShift(2 * mu), loss.rate, loss.scheme)
    return replace(loss, records=change.records)


def _symbols(release: Release) -> int:
    """How many symbols a report may be, where all lies are alike or there are two symbols; else 0. The loss may have
    merged outputs, the mechanism's channel has not."""
    if isinstance(release.mechanism, LiesAlike):
        return release.mechanism.lies + 1
    return 2 if isinstance(release.mechanism, HasChannel) and release.mechanism.channel.shape[-1] == 2 else 0


def _no_bound_at(delta: float, run: Iterable[Part]) -> str:
    """Why the tightest sum of a run is infinite."""
    if delta == 0:
        return "; ".join(dict.fromkeys(one.unbounded for one, _ in run if one.unbounded))
    return f"an output that only one of two neighbours can give is likelier than δ = {delta:g}"


def never_drawn(ledger: Ledger, view: View) -> str:
    """What doubles cannot draw of all that `view` sees, in words; nothing where they can draw all of it."""
    rarest = max((undrawn(release.mechanism) for release in visible(ledger, view)), default=0.0)
    if not rarest:
        return ""
    return f"doubles never draw an answer of probability {rarest:.0e}, so the other is proof; secure does"


def _assumptions(ledger: Ledger, run: Run, view: View, parts: Iterable[Part] = ()) -> tuple[str, ...]:
    """What a reader must believe: the ledger's own, what is public, the shuffler, that all can be drawn, the proof."""
    said = list(ledger.assumed) + [f"public: {what}" for what in ledger.public]
    said += [f"tuned on data, which is not priced: {what}" for what in ledger.tuned]
    said += [
        f"the shuffler is honest, and {crowd:,} honest people report in every round, in a shuffle of its own"
        for crowd in run.crowds
    ]
    said += [f"the noise is drawn as stated, but {lost}"] if (lost := never_drawn(ledger, view)) else []
    said += [one.note for one, _ in parts if one.note]
    return tuple(dict.fromkeys(said))
