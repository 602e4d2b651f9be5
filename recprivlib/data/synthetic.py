"""People who do not exist: a seeded population like MovieLens, of any size.

Item i has a general appeal aᵢ (a long tail) and a place vᵢ among latent tastes; user u has a place pᵤ and an activity
nᵤ. User u meets nᵤ different items, drawn one after another with probability ∝ exp(aᵢ + pᵤ·vᵢ). Median activity grows
with √items, as it does from ML-100K over ML-1M to ML-20M.

Users come in blocks of 4,096 with a random sub-stream each, so the first n users are the same however many follow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from recprivlib.data.canonical import Dataset, checksum, frozen
from recprivlib.data.movielens import GENRES, STARS
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions

Array = np.ndarray

BLOCK = 4096  # users that share one random sub-stream
CHUNK = 256  # users that are in memory at once, as a dense array
TASTES = 8  # latent dimensions
APPEAL = (4.5, 0.7)  # aᵢ: width of its uniform part, which makes counts fall off like e^−rank, and noise upon it
TASTE = 1.6  # standard deviation of pᵤ·vᵢ
LIMITS = {"users": (20, 1_000_000), "items": (20, 100_000)}
STAR_CUTS = (-0.6, 0.05, 0.85, 1.8)  # between 1|2|3|4|5 stars on the scale of liking: shares as on ML-100K
CHECKSUMS: dict[tuple[int | None, int | None], str] = {  # of large populations, so that a plan need not draw them
    (10_000, 1000): "9f94fecab67d7c719113adb926b2c01beefc92f02abd83476184e5743022525b",
    (50_000, 1000): "9cf77260668a55540052f896c360ab64305358d214cd200eda0dfca9b135c867",
    (10_000, 5000): "6ce247b59612c5fcca34e16f00930a299ec776e6c8ff03fc5c40b286d3b25903",
}
START, SPAN = 874_724_710, 18_489_600  # first second and 214 days, as ML-100K


def synthetic(*, seed: int = 0, users: int | None = None, items: int | None = None) -> Dataset:
    """A population of `users` (1,000) people and `items` (1,700) films.

    The constants were chosen so that at ML-100K's size the yardsticks score as they do on ML-100K.
    """
    n_users = _size("users", 1000 if users is None else users)
    n_items = _size("items", 1700 if items is None else items)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UserError(f"seed is {seed!r}, but must be a whole number from 0")
    appeal, places, genres = _films(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,))), n_items)
    parts = [chunk for first in range(0, n_users, BLOCK) for chunk in _block(appeal, places, seed, first, n_users)]
    users_, items_, ratings, times = (np.concatenate(column) for column in zip(*parts, strict=True))
    data = Interactions(
        frozen(users_, np.int32), frozen(items_, np.int32), frozen(ratings, np.float32), frozen(times, np.int64),
        n_users, n_items, STARS, {}, {"genres": frozen(genres, bool)},
    )  # fmt: skip
    titles = tuple(f"Film {n + 1}" for n in range(n_items))
    return Dataset("synthetic", data, titles, checksum(data), f"made with seed {seed}")


def resample(interactions: Interactions, times: int, rng: np.random.Generator) -> Interactions:
    """A population `times` as large: its users are drawn from the real ones with replacement (a bootstrap)."""
    if isinstance(times, bool) or not isinstance(times, int | np.integer) or times < 1:
        raise UserError(f"times is {times!r}, but must be a whole number from 1")
    drawn = rng.integers(interactions.n_users, size=interactions.n_users * int(times))
    return interactions.of(drawn)


def _size(name: str, value: int) -> int:
    low, high = LIMITS[name]
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise UserError(f"{name} is {value!r}, but must be a whole number from {low} to {high:,}")
    return int(value)


def _films(rng: np.random.Generator, n_items: int) -> tuple[Array, Array, Array]:
    """Appeal, place among tastes (rows of length TASTE), and genres: directions in the space of tastes."""
    appeal = APPEAL[0] * (rng.random(n_items) - 0.5) + APPEAL[1] * rng.standard_normal(n_items)
    places = rng.standard_normal((n_items, TASTES))
    places *= TASTE / np.linalg.norm(places, axis=1, keepdims=True)
    directions = rng.standard_normal((TASTES, len(GENRES)))
    near = places @ directions + rng.standard_normal((n_items, len(GENRES)))
    near[:, 0] = -np.inf  # nobody's genre is "unknown"
    rank = np.argsort(np.argsort(-near, axis=1), axis=1)
    return appeal, places, rank < rng.integers(1, 4, size=(n_items, 1))


def _block(
    appeal: Array, places: Array, seed: int, first: int, n_users: int
) -> Iterator[tuple[Array, Array, Array, Array]]:
    """The rows of the users from `first` to the end of its block, in chunks.

    Chunks are drawn whole and cut afterwards, so that a smaller population is the start of a larger one.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1, first // BLOCK)))
    for start in range(first, min(first + BLOCK, n_users), CHUNK):
        users, met, ratings, times = _people(appeal, places, rng)
        kept = np.searchsorted(users, n_users - start)
        users += np.int32(start)
        yield users[:kept], met[:kept], ratings[:kept], times[:kept]


def _people(appeal: Array, places: Array, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    """The rows of CHUNK users in canonical order.

    An item's turn comes after an exponential time with its weight as rate; the first nᵤ turns are the draw without
    replacement. Weights are float64, so that the last bits of a product do not decide who met what.
    """
    n_items = len(appeal)
    median = 65 * math.sqrt(n_items / 1682)
    low, high = max(2, round(0.3 * median)), max(2, n_items * 9 // 20)
    activity = np.clip(median * np.exp(rng.standard_normal(CHUNK)), low, high).astype(np.int64)
    liking = rng.standard_normal((CHUNK, TASTES)) @ places.T
    turns = rng.standard_exponential((CHUNK, n_items))
    turns *= np.exp(-liking - appeal)
    met = _first(turns, activity)
    users = np.repeat(np.arange(CHUNK), activity)
    # in a random order: when they met a film says nothing about how much they like it
    met = met[np.lexsort((rng.random(len(met)), users))]
    begin = START + rng.integers(SPAN, size=CHUNK)
    seconds = np.cumsum(rng.integers(20, 2000, size=len(met)))
    times = begin[users] + seconds - seconds[np.cumsum(activity) - activity][users]
    mood = rng.standard_normal(CHUNK)
    score = 0.45 * liking[users, met] + 0.25 * appeal[met] + 0.4 * mood[users] + 0.7 * rng.standard_normal(len(met))
    ratings = 1 + np.searchsorted(STAR_CUTS, score)
    return users.astype(np.int32), met.astype(np.int32), ratings.astype(np.float32), times


def _first(turns: Array, activity: Array) -> Array:
    """For each row, the columns of its `activity` smallest turns, in ascending order."""
    firsts = (np.argpartition(row, wanted - 1)[:wanted] for row, wanted in zip(turns, activity, strict=True))
    return np.concatenate([np.sort(columns) for columns in firsts])
