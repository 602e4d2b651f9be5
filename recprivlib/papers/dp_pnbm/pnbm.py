"""Similarities that are learned: the gradient of probabilistic neighbourhoods (Wang & Tang 2017, eqs. 3 to 5).

For person u and an item i she rated, over the other items j she rated:

    D = max(Σ_j |s_ij|, floor)      ρ = Σ_j s_ij x_uj / D      e = ρ − x_ui, cut to [−clamp, clamp]

    G_ij(u) = e (x_uj − sgn(s_ij) ρ) / D          and without the second term where the floor stands for the sum

A person touches the n × n pairs of items that she rated, so her part is made alone, in arrays of that size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recprivlib.papers.dp_pnbm.weighted import Rated
from recprivlib.protocols import Array


@dataclass(frozen=True)
class Bounds:
    """What keeps one entry of a gradient small."""

    clamp: float = np.inf  # the most that an error counts
    floor: float = 0.0  # the least that weights are taken to add up to
    norm: float = np.inf  # the most that one person's gradient may be long, in L2: else it is shrunk


def of_person(similarity: Array, x: Array, modelled: Array, bounds: Bounds) -> Array:
    """G(u): a row for each of the `modelled` items (places in x), a column for each item she rated.

    `similarity` (…, m, n) are the s_ij of those; leading axes are other similarities for the same person.
    """
    rows = np.arange(len(modelled))
    similarity[..., rows, modelled] = 0
    total = np.abs(similarity).sum(axis=-1)
    below = np.maximum(total, bounds.floor)
    below[below == 0] = np.inf
    guess = (similarity @ x) / below
    step = np.clip(guess - x[modelled], -bounds.clamp, bounds.clamp) / below
    out = np.sign(similarity)
    out *= np.where(total >= bounds.floor, -guess, 0)[..., None]
    out += x
    out *= step[..., None]
    out[..., rows, modelled] = 0
    return out


def gradient(
    similarity: Array, rated: Rated, bounds: Bounds, chosen: Array | None = None, weights: Array | None = None
) -> Array:
    """G = Σ_u weights_u G(u), float32 (n_items, n_items). `chosen`: which ratings are modelled; else all.

    Where people's parts are clipped, lengths and sums are of doubles: what rounding adds to them is billed.
    """
    n, clipped = len(similarity), np.isfinite(bounds.norm)
    out, flat = np.zeros((n, n), float if clipped else np.float32), similarity.ravel()
    into = out.ravel()
    for user in rated.people:
        items, x = rated.of(user)
        modelled = np.arange(len(x))
        if chosen is not None:
            modelled = modelled[chosen[rated.rows.indptr[user] : rated.rows.indptr[user + 1]]]
        weight = 1.0 if weights is None else float(weights[user])
        if len(x) < 2 or not len(modelled) or not weight:
            continue
        place = items[modelled, None].astype(np.int64) * n + items
        part = of_person(flat.take(place), x, modelled, bounds)
        if clipped:
            length = float(np.einsum("ij,ij", part, part, dtype=float)) ** 0.5
            weight *= min(1.0, bounds.norm / max(length, 1e-12))
        into[place] += part if weight == 1 else part * out.dtype.type(weight)
    return out


def loss(similarity: Array, rated: Rated, floor: float = 0.0) -> float:
    """½ Σ (r̂_ui − r_ui)² over the ratings: what the gradient is the slope of (eq. 3 without its prior)."""
    total = 0.0
    for user in rated.people:
        items, x = rated.of(user)
        part = similarity[np.ix_(items, items)].astype(float)
        np.fill_diagonal(part, 0)
        below = np.maximum(np.abs(part).sum(axis=1), floor)
        below[below == 0] = np.inf
        total += 0.5 * float((((part @ x) / below - x) ** 2).sum())
    return total


def symmetric(matrix: Array) -> Array:
    """(S + Sᵀ)/2 in place, tile by tile."""
    n, step = len(matrix), 512
    for i in range(0, n, step):
        for j in range(i, n, step):
            here, there = matrix[i : i + step, j : j + step], matrix[j : j + step, i : i + step]
            middle = (here + there.T) / 2
            here[:], there[:] = middle, middle.T
    return matrix


def beginning(n: int, start: str, scale: float, rng: np.random.Generator) -> Array:
    """S before any learning: `scale` everywhere, or uniform on [−.1, .1] times `scale`, symmetric."""
    if start == "even":
        return np.full((n, n), scale, np.float32)
    return symmetric((rng.random((n, n), np.float32) - np.float32(0.5)) * np.float32(0.2 * scale))
