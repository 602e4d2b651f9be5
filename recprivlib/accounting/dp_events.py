"""Ledgers as dp-accounting's events, and back: what leaves, at stated terms, in the language of another accountant.

    our loss                              event
    GaussianShift(μ), LaplaceShift(ε)     GaussianDpEvent(1/μ), LaplaceDpEvent(1/ε)
    DiscreteLaplaceShift                  DiscreteLaplaceDpEvent
    one of k symbols, lies alike; Pure    RandomizedResponseDpEvent(k/(e^ε+k−1), k); of a pure ε, k = 2
    a Poisson sample of one of these      PoissonSampledDpEvent(rate, …)
    a Gaussian on a cohort of fixed size  SampledWithoutReplacementDpEvent(people, cohort, …)
    other channels, discrete Gaussian     ChannelDpEvent, DiscreteGaussianDpEvent: ours, which their accountants refuse
    no bound, not known                   NonPrivateDpEvent, UnsupportedDpEvent

Noise multipliers are over what neighbours differ by at the stated terms, so an accountant is asked about a record
that is there or not (ADD_OR_REMOVE_ONE, REPLACE_SPECIAL); about REPLACE_ONE where the event is a randomised response, a
fixed cohort, or a Poisson sample under replace, whose multiplier is over one contribution. dp-accounting is imported
here, when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from recprivlib.accounting.bills import default_view
from recprivlib.accounting.guarantee import change_of, loss_of, told_apart, untouched, visible
from recprivlib.mechanisms.losses import (
    Channel,
    DiscreteGaussianShift,
    DiscreteLaplaceShift,
    GaussianShift,
    LaplaceShift,
    NoBound,
    NotKnown,
    Pure,
    Sampled,
    SubsampledGaussian,
)
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Change, Ledger, Relation, Release, Unbounded, Unit, View

PEOPLE = 10**7  # the most that a rate is taken to be a share of
ALIKE = 1e-9  # relative: what the last bits of a channel may be off


def to_dp_events(ledger: Ledger, unit: Unit, relation: Relation, view: View | None = None) -> Any:
    """What `view` sees of a run, at stated terms, as one `ComposedDpEvent`: an event a line, self-composed as often as
    its inputs differ."""
    view = view or default_view(ledger)
    seen = visible(ledger, view)
    known, listed = events(), []
    if told_apart(ledger, relation):
        listed.append(known.NonPrivateDpEvent())
    for release in seen:
        change = change_of(release, seen, unit, relation)
        if untouched(change):
            continue
        if release.partition or (view == "shuffled" and release.crowd > 1):
            raise UserError(f"{release.what!r} is a part of disjoint data or shuffled, for which there is no DpEvent")
        event, times = _of_release(release, change, relation)
        if event is not None:
            listed.append(known.SelfComposedDpEvent(event, times) if times > 1 else event)
    return known.ComposedDpEvent(listed)


def from_dp_events(event: Any, unit: Unit = "user", relation: Relation = "add-remove") -> Ledger:
    """A ledger of what an event releases, stated at these terms; whoever sees it sees all of it."""
    return Ledger(tuple(_lines(event, 1, (unit, relation))), trust="as the event has it")


@dataclass(frozen=True, eq=False)
class Stated:
    """A mechanism of which nothing is known but its loss."""

    value: Any
    mode = "as an event has it"

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """A ledger's line only."""
        raise UserError("this release is known by its privacy loss alone: nothing can be drawn from it")

    def loss(self, distance: float = 1.0) -> Any:
        return self.value


# ------------------------------------------------------------------------------------------- to events


def _of_release(release: Release, change: Change | Unbounded, relation: Relation) -> tuple[Any, int]:
    """(the event, how often)."""
    known = events()
    if isinstance(change, Unbounded):
        return known.NonPrivateDpEvent(), 1
    loss, times = loss_of(release, change, relation), release.count * change.inputs
    ordered = change.back is not None and isinstance(loss, Channel) and _symbols(loss) is None and len(loss.pairs) == 1
    if ordered and not isinstance(loss, DiscreteLaplaceShift):
        return _channel(loss, change.inputs, change.back), release.count
    return _of_loss(loss, relation), times


def _of_loss(loss: Any, relation: Relation) -> Any:
    known = events()
    match loss:
        case Pure(epsilon=epsilon):
            return _response(epsilon, 2) if epsilon else None
        case GaussianShift(mu=mu):
            return known.GaussianDpEvent(1 / mu) if mu else None
        case LaplaceShift(epsilon=epsilon):
            return known.LaplaceDpEvent(1 / epsilon) if epsilon else None
        case DiscreteLaplaceShift(decay=decay, shift=shift):
            return known.DiscreteLaplaceDpEvent(decay, shift)
        case DiscreteGaussianShift(sigma=sigma, shift=shift):
            return known.DiscreteGaussianDpEvent(sigma, shift)
        case Channel():
            found = _symbols(loss)
            return _response(*found) if found else _channel(loss)
        case SubsampledGaussian(noise=noise, rate=rate, scheme=scheme):
            alone = scheme == "poisson" and relation != "add-remove"
            return _sampled(known.GaussianDpEvent(2 * noise if alone else noise), rate, scheme)
        case Sampled() if loss.records == 1:
            base = loss.moved if loss.scheme == "fixed-size" else loss.there
            return _sampled(_of_loss(base, relation), loss.rate, loss.scheme)
        case NoBound():
            return known.NonPrivateDpEvent()
    return known.UnsupportedDpEvent()


def _response(epsilon: float, k: int) -> Any:
    """The chance of an answer that is drawn uniformly, k/(e^ε+k−1)."""
    shrunk = math.exp(-epsilon)
    return events().RandomizedResponseDpEvent(k * shrunk / (1 + (k - 1) * shrunk), k)


def _symbols(loss: Channel) -> tuple[float, int] | None:
    """(ε, k) of a channel that tells one of k symbols apart as randomised response does, the other k − 2 merged."""
    matrix = loss.matrix
    if matrix.shape[0] != 2 or matrix.shape[1] not in (2, 3) or not matrix[:, :2].all():
        return None
    (truth, lie), rest = matrix[0, :2], matrix[0, 2] if matrix.shape[1] == 3 else 0.0
    swapped = np.allclose(matrix[1], [lie, truth, rest][: matrix.shape[1]], rtol=ALIKE, atol=0)
    truth, lie = max(truth, lie), min(truth, lie)
    others = round(rest / lie)
    if not swapped or abs(rest / lie - others) > ALIKE * (1 + others):
        return None
    return math.log(truth / lie), 2 + others


def _channel(loss: Channel, inputs: int = 1, back: int | None = None) -> Any:
    rows = tuple(tuple(float(p) for p in row) for row in loss.matrix)
    return events().ChannelDpEvent(rows, tuple(loss.pairs), inputs, back)


def _sampled(event: Any, rate: float, scheme: Literal["poisson", "fixed-size"]) -> Any:
    known = events()
    if event is None or isinstance(event, known.UnsupportedDpEvent | known.NonPrivateDpEvent):
        return event
    if scheme == "poisson":
        return known.PoissonSampledDpEvent(rate, event)
    share = Fraction(rate).limit_denominator(PEOPLE)
    return known.SampledWithoutReplacementDpEvent(share.denominator, share.numerator, event)


# ----------------------------------------------------------------------------------------- from events


def _lines(event: Any, count: int, terms: tuple[Unit, Relation]) -> Iterator[Release]:
    known = events()
    if isinstance(event, known.ComposedDpEvent):
        for each in event.events:
            yield from _lines(each, count, terms)
    elif isinstance(event, known.SelfComposedDpEvent):
        yield from _lines(event.event, count * event.count, terms)
    elif not isinstance(event, known.NoOpDpEvent):
        change = Change()
        if isinstance(event, known.ChannelDpEvent):
            change = Change(inputs=event.inputs, back=event.back)
        yield Release(type(event).__name__, _Drawn(_loss(event, terms[1])), {terms: change}, count)


@dataclass(frozen=True, eq=False)
class _Drawn(Stated):
    """An event that has a draw of people of its own, if it has one."""

    draws_itself = True


def _loss(event: Any, relation: Relation) -> Any:
    known = events()
    if isinstance(event, known.GaussianDpEvent):
        return GaussianShift(1 / event.noise_multiplier) if event.noise_multiplier else NoBound("noise of deviation 0")
    if isinstance(event, known.LaplaceDpEvent):
        return LaplaceShift(1 / event.noise_multiplier) if event.noise_multiplier else NoBound("noise of scale 0")
    if isinstance(event, known.DiscreteLaplaceDpEvent):
        return _whole_laplace(event.noise_parameter, event.sensitivity)
    if isinstance(event, known.DiscreteGaussianDpEvent):
        return DiscreteGaussianShift(event.sigma, event.shift)
    if isinstance(event, known.RandomizedResponseDpEvent):
        return _told(event.noise_parameter, event.num_buckets)
    if isinstance(event, known.ChannelDpEvent):
        return Channel(np.array(event.matrix), event.pairs)
    if isinstance(event, known.NonPrivateDpEvent):
        return NoBound("the event is not private")
    if isinstance(event, known.PoissonSampledDpEvent):
        there = _loss(event.event, relation)
        moved = there if relation == "add-remove" else _twice(there)
        return Sampled(there, moved, event.sampling_probability, "poisson")
    if isinstance(event, known.SampledWithoutReplacementDpEvent):
        moved = _loss(event.event, relation)
        return Sampled(moved, moved, event.sample_size / event.source_dataset_size, "fixed-size")
    return NotKnown(f"no loss of ours for a {type(event).__name__}")


def _whole_laplace(decay: float, shift: int) -> DiscreteLaplaceShift:
    from recprivlib.mechanisms import DiscreteLaplace

    made = DiscreteLaplace(min(max(decay * shift, 0.001), 50.0), shift).loss()
    if not isinstance(made, DiscreteLaplaceShift) or not math.isclose(made.decay, decay, rel_tol=ALIKE):
        raise UserError(f"discrete Laplace noise of ε = {decay * shift:g} is beyond the range from 0.001 to 50")
    return made


def _told(uniform: float, k: int) -> Channel | NoBound | Pure:
    """The channel of x, x′ and all others, where an answer is uniform with a chance."""
    if k == 1 or uniform == 1:
        return Pure(0.0)
    lie = uniform / k
    rows = np.array([[1 - uniform + lie, lie, (k - 2) * lie], [lie, 1 - uniform + lie, (k - 2) * lie]])
    return Channel(rows[:, : 2 + (k > 2)], ((0, 1),)) if uniform else NoBound("every answer is the truth")


def _twice(loss: Any) -> Any:
    """Between opposite contributions."""
    match loss:
        case GaussianShift(mu=mu):
            return GaussianShift(2 * mu)
        case LaplaceShift(epsilon=epsilon):
            return LaplaceShift(2 * epsilon)
        case DiscreteGaussianShift(sigma=sigma, shift=shift):
            return DiscreteGaussianShift(sigma, 2 * shift)
        case DiscreteLaplaceShift(decay=decay, shift=shift):
            return _whole_laplace(decay, 2 * shift)
    return loss


@lru_cache(maxsize=1)
def events() -> Any:
    """dp-accounting's events, and two of ours."""
    try:
        import attr
        from dp_accounting import dp_event
    except ImportError:
        raise UserError("dp-accounting is not installed here; install it with: pip install dp-accounting") from None

    @attr.s(frozen=True, auto_attribs=True)
    class ChannelDpEvent(dp_event.DpEvent):
        """A finite mechanism: matrix[x][y] = P(y | x), `pairs` of inputs that may be neighbours. `inputs` of them
        differ, each answered on its own, `back` of them the other way round (None: nobody knows)."""

        matrix: tuple[tuple[float, ...], ...]
        pairs: tuple[tuple[int, int], ...]
        inputs: int = 1
        back: int | None = None

    @attr.s(frozen=True, auto_attribs=True)
    class DiscreteGaussianDpEvent(dp_event.DpEvent):
        """Whole-number noise P(n) ∝ e^(−n²/2σ²) on a value that moves by `shift`."""

        sigma: float
        shift: int

    theirs = {name: value for name, value in vars(dp_event).items() if name.endswith("DpEvent")}
    ours = {"ChannelDpEvent": ChannelDpEvent, "DiscreteGaussianDpEvent": DiscreteGaussianDpEvent}
    return SimpleNamespace(**theirs, **ours)
