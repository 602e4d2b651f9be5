"""Whether answers are drawn as their mechanism says: every answer on its own, and any two of one event together.

A bill prices the law that a mechanism states (`log_density`). An attack on ε sees a mechanism that departs from it only
where the departure costs more than ε; a test of the law sees it long before. The cells of a law (atoms, and bins of
equal weight) are laid out by answers of their own; how often each is met is binomial, exactly.

    what it sees    another scale or another p, tails that are cut, rounding, a truth told now and then, an answer that
                    cannot occur, noise that two people or two calls share, answers on a coarser grid than doubles
    what it cannot  a departure in fewer than about thirty of the answers that were drawn: `Heard.resolution`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc

from recprivlib.auditing.lookup import few, looked_up, tally
from recprivlib.mechanisms.secure import Secure
from recprivlib.models.similarity import gram
from recprivlib.protocols import Array, DrawsExactly

ALPHA = 1e-7  # of one family of tests; several are made, so that an honest audit is safe at the deciding level
BINS, FINE, ATOMS, COARSE = 10, 4000, 64, 4
EDGE = 2e-3  # how far a sum over a fine grid may be from the integral

Law = Callable[[Array], Array]  # log-density of one answer; the mass where an answer is an atom


@dataclass(frozen=True, eq=False)
class Cells:
    """A finite partition of the answers and what the law says of each part."""

    atoms: Array
    edges: Array
    masses: Array  # atoms, then bins from edge to edge, then all that lies outside
    slack: Array  # how far each mass may be from the truth, for it is a sum over a fine grid

    def level(self, y: Array) -> Array:
        """The number of each answer's cell."""
        return looked_up(self._level, y)

    def counts(self, y: Array) -> Array:
        """How often each cell is met in each column of `y`: (columns, cells)."""
        y = np.ascontiguousarray(y.T)
        size, values = len(self.masses), few(y)
        if values is None:
            own = self.level(y) + size * np.arange(len(y))[:, None]
            return np.bincount(own.ravel(), minlength=size * len(y)).reshape(len(y), size)
        out = np.zeros((len(y), size), np.intp)
        for value, cell in zip(values, self.level(values), strict=True):
            out[:, cell] += np.count_nonzero(y == value, axis=1)
        return out

    def grouped(self, y: Array) -> Array:
        """The number of each answer's coarse group."""
        group = self.coarse[0]
        return looked_up(lambda values: group[self._level(values)], y)

    def _level(self, y: Array) -> Array:
        y = np.asarray(y, float)
        place = np.minimum(np.searchsorted(self.atoms, y), max(len(self.atoms) - 1, 0))
        atom = self.atoms[place] == y if len(self.atoms) else np.zeros(y.shape, bool)
        inside = len(self.edges) - 1
        bins = np.searchsorted(self.edges, y, side="right") - 1
        outside = (bins < 0) | (bins >= inside) if inside > 0 else np.ones(y.shape, bool)
        rest = np.where(outside, len(self.atoms) + max(inside, 0), len(self.atoms) + bins)
        return np.where(atom, place, rest)

    @property
    def coarse(self) -> tuple[Array, Array, Array]:
        """At most four groups of cells of about equal weight: each cell's group, and the groups' weights and slack."""
        middle = np.cumsum(self.masses) - self.masses / 2
        group = np.clip((COARSE * middle).astype(int), 0, COARSE - 1)
        return group, np.bincount(group, self.masses, COARSE), np.bincount(group, self.slack, COARSE)


def cells(law: Law, pilot: Array, finite: bool) -> Cells:
    """Cells laid out by `pilot`, answers that are not tested. `finite`: nothing but atoms can occur."""
    values, counts = tally(pilot)
    often = values if finite and len(values) <= ATOMS else values[counts > 1]
    atoms = np.sort(often[np.argsort(-counts[np.isin(values, often)], kind="stable")][:ATOMS])
    rest = values[~np.isin(values, atoms)]
    edges = np.zeros(0)
    if not finite and len(rest) > 5 * BINS:
        edges = np.unique(np.quantile(rest, np.linspace(0, 1, BINS + 1)))
    inside = atom_masses(law, atoms, finite)
    slack = inside * 1e-9
    if len(edges) > 1:
        widths = np.diff(edges)
        points = edges[:-1, None] + widths[:, None] * (np.arange(FINE) + 0.5) / FINE
        heights = np.nan_to_num(np.exp(law(points.ravel()))).reshape(points.shape)
        inside = np.append(inside, heights.mean(axis=1) * widths)
        wrong = np.abs(np.diff(heights, axis=1)).sum(axis=1) * widths / FINE
        slack = np.append(slack, wrong + EDGE * inside[len(atoms) :])
    return Cells(atoms, edges, np.append(inside, max(0.0, 1 - inside.sum())), np.append(slack, slack.sum()))


def atom_masses(law: Law, atoms: Array, finite: bool) -> Array:
    """What the law says of each value by itself: nothing, where it is as likely as its neighbours on the line."""
    if not len(atoms):
        return np.zeros(0)
    here = law(atoms)
    if finite:
        return np.exp(here)
    step = 1e-7 * (1 + np.abs(atoms))
    with np.errstate(invalid="ignore"):
        apart = [np.nan_to_num(np.abs(here - law(atoms + side * step)), nan=0.0) > 1e-3 for side in (-1, 1)]
    return np.where(apart[0] | apart[1], np.exp(here), 0.0)


def come_back(law: Law, y: Array) -> bool:
    """Whether real numbers repeat that are no atoms: noise that is shared, rounded, missing, or on a coarse grid."""
    values, counts = np.unique(y, return_counts=True)
    again = values[counts > 1]
    if len(again) < 5:
        return False
    again = again[atom_masses(law, again, False) == 0]
    width = float(np.subtract(*np.quantile(y, [0.75, 0.25])))
    chance = y.size**2 * float(np.spacing(np.abs(y).max())) / width if width > 0 else np.inf
    return len(again) > 5 + 10 * chance


def odd(counts: Array, trials: int, masses: Array, slack: Array) -> Array:
    """How unlikely each count is, on the nearer side, if its mass is known up to `slack`."""
    counts, high, low = np.broadcast_arrays(
        counts, np.clip(masses + slack + 1e-12, 0, 1), np.clip(masses - slack, 0, 1)
    )
    out = np.ones(counts.shape)
    met = (counts > 0) | (low > 0)  # what need not occur, and does not, is never odd
    counts, high, low = counts[met], high[met], low[met]
    many = np.where(counts > 0, betainc(np.maximum(counts, 1), trials - counts + 1.0, high), 1.0)
    few = np.where(counts < trials, betainc(np.maximum(trials - counts, 1), counts + 1.0, 1 - low), 1.0)
    out[met] = np.minimum(many, few)
    return out


@dataclass(frozen=True)
class JointDraw:
    """Answers that were drawn together, many times over: `y` (runs, places), and the law of each place."""

    name: str
    y: Array
    laws: Sequence[tuple[Law, Any]]  # the law of each place, and a key that places of one law share
    finite: bool
    paired: Sequence[int] | None = None  # places that are also taken two by two; None: all


def departures(event: JointDraw) -> list[str]:
    """In what the answers differ from their law, in words; the first fifth of the runs lays out the cells."""
    places = event.y.shape[1]
    cut = max(len(event.y) // 5, 1)
    two = np.arange(places) if event.paired is None else np.asarray(event.paired, np.intp)
    found, coarse = [], np.zeros((len(event.y) - cut, len(two)), np.int8)
    weights, slack = np.zeros((2, places, COARSE))
    for alike in _alike(event.laws):
        law, y = event.laws[alike[0]][0], event.y[:, alike]
        parts = cells(law, y[:cut], event.finite)
        if not event.finite and come_back(law, y):
            found.append(f"{event.name}: its answers are real numbers, and come back")
        found += _alone(event.name, parts.counts(y[cut:]), parts, places)
        _, weights[alike], slack[alike] = parts.coarse
        here = np.flatnonzero(np.isin(two, alike))
        coarse[:, here] = parts.grouped(event.y[cut:, two[here]])
    found += _together(event.name, coarse, weights[two], slack[two])
    return list(dict.fromkeys(found))


def _alike(laws: Sequence[tuple[Law, Any]]) -> list[Array]:
    """The places that share each law."""
    groups: dict[Any, list[int]] = {}
    for place, (_, key) in enumerate(laws):
        groups.setdefault(key, []).append(place)
    return [np.array(places) for places in groups.values()]


def _alone(name: str, counts: Array, parts: Cells, places: int) -> list[str]:
    """Each place by itself, and all places of one law as one."""
    tests = 2 * len(parts.masses) * (places + 1)
    if (odd(counts, counts[0].sum(), parts.masses, parts.slack) < ALPHA / tests).any():
        return [f"{name}: its answers are not drawn as it says"]
    if (odd(counts.sum(axis=0), counts.sum(), parts.masses, parts.slack) < ALPHA / tests).any():
        return [f"{name}: its answers, taken together, are not drawn as it says"]
    return []


def _together(name: str, coarse: Array, weights: Array, slack: Array) -> list[str]:
    """All pairs of places: noise that two of them share makes some pair of answers too frequent."""
    runs, places = coarse.shape
    if places < 2:
        return []
    counts = np.zeros((COARSE * places,) * 2, int)
    met = np.flatnonzero([(coarse == group).any() for group in range(COARSE)])
    columns = (met[:, None] * places + np.arange(places)).ravel()  # of a group, all its places
    counts[np.ix_(columns, columns)] = gram(np.hstack([coarse == group for group in met]))
    weight, off = weights.T.ravel(), np.outer(weights.T, slack.T)
    expected = np.outer(weight, weight)
    other = np.arange(places)[:, None] < np.arange(places)
    pairs = np.kron(np.ones((COARSE, COARSE), bool), other)
    strange = odd(counts[pairs], runs, expected[pairs], (off + off.T)[pairs]) < ALPHA / (2 * pairs.sum())
    return [f"{name}: two of its answers share their noise"] if strange.any() else []


def on_doubles(mechanism: Any) -> bool:
    """Whether its answers are real numbers, and not a finite set of them."""
    return not isinstance(mechanism, Secure) and not isinstance(mechanism, DrawsExactly)
