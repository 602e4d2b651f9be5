"""People who do not exist: a seeded population like MovieLens, of any size.

Item i has a general appeal aᵢ (a long tail) and a place vᵢ among latent tastes, of which each matters less than the
one before; user u has a place pᵤ and an activity nᵤ. User u meets nᵤ different items, drawn one after another with
probability ∝ exp(aᵢ + pᵤ·vᵢ), on the whole the appealing ones first: so the latest is harder to find than a random
one. Median activity grows with √items, as it does from ML-100K over ML-1M to ML-20M.

The constants were fitted to ML-100K, at its size. How close it comes (three seeds; HR@10, loo-latest unless said):

                                                          ML-100K                     here
    share of the top 1, 5, 10, 25, 50 % of the films      .076 .264 .427 .721 .927    .076 .270 .429 .724 .925
    singular values 1, 2, 3, 5, 8, 20, 100 of R           172 67 57 40 32 20 13       167 66 51 42 29 18 13
    popularity, by chance and the latest                  .559 .407                   .557 .457
    item-knn; ease                                        .617; .668                  .579; .616
    dplcf-sp at ε = .5, 1, 2, 4; dplcf-spectral at 1      .137 .286 .502 .614; .509   .135 .287 .498 .567; .531
    RMSE of global-mean, item-mean, svd                   1.126 1.022 .935            1.114 1.031 .931

Users come in blocks of 4,096 with a random sub-stream each, so the first n users are the same however many follow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from recprivlib.data.canonical import Dataset, checksum, frozen
from recprivlib.data.movielens import GENRES, STARS
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions, Volume

Array = np.ndarray

BLOCK = 4096  # users that share one random sub-stream
CHUNK = 256  # users that are in memory at once, as a dense array
TASTES = 12  # latent dimensions
FADING = 0.82  # what a taste matters, beside the one before
APPEAL = (5.5, 1.2)  # aᵢ: width of its uniform part, which makes counts fall off like e^−rank, and noise upon it
TASTE = 1.6  # standard deviation of pᵤ·vᵢ
ORDER = 0.1  # how much earlier an appealing film is met, in deviations of chance
USERS, ITEMS = 1000, 1700  # where nobody says
QUANTILES = 500  # of people's activity, by which their mean is reckoned
LIMITS = {"users": (20, 1_000_000), "items": (20, 100_000)}
STAR_CUTS = (-0.44, 0.19, 0.98, 1.91)  # between 1|2|3|4|5 stars on the scale of liking: shares as on ML-100K
CHECKSUMS: dict[tuple[int | None, int | None], str] = {  # of large populations, so that a plan need not draw them
    (10_000, 1000): "747316ec956fd1054fb62f05cd17c5c650550d4f3ea0837a3a6843f37f1c47d2",
    (50_000, 1000): "8c11cb095d7b8ea0707871c8ca1d20146b21bddd8786d34125934aca919dc888",
    (1000, 5000): "163528fff0d90468e021a2283b6612529acf630c72fa3bc81ae56da5a3e1b0bb",
    (1000, 9781): "42602ea732e6c96ee0d258794899592021f1b005f1ba4b7ec24c273d7105101f",
    (10_000, 5000): "b5793f754d7cf3dbaf5c199b468436ee1b8f6a097b34184956833ceb134d1da3",
    (10_000, 9781): "d3ccf50537a96161076cd54037bc5008e478c1504d5fc78a2374b68c9dd30f88",
    (50_000, 5000): "2640f9aab11f33ea9b43a555e7d2cd81ab1cf5712914e61abf686fc8a7d5ad22",
    (50_000, 9781): "20607d5c7e0e689672f906a8da076a9dec1fe2a4c6fff7e30eeda7d8cac51601",
    (75_040, 9781): "69f36a6063d35205609f2bb830ac533d718a1db11490bb6db798edb0f63ee065",
}
START, SPAN = 874_724_710, 18_489_600  # first second and 214 days, as ML-100K


def synthetic(*, seed: int = 0, users: int | None = None, items: int | None = None) -> Dataset:
    """A population of `users` (1,000) people and `items` (1,700) films."""
    n_users = _size("users", USERS if users is None else users)
    n_items = _size("items", ITEMS if items is None else items)
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


def expected(users: int | None = None, items: int | None = None) -> Volume:
    """How much data a population of this size is going to be, before it is drawn."""
    n_users = _size("users", USERS if users is None else users)
    n_items = _size("items", ITEMS if items is None else items)
    median, low, high = _activity(n_items)
    shares = ((step + 0.5) / QUANTILES for step in range(QUANTILES))
    lengths = [min(max(median * math.exp(NormalDist().inv_cdf(share)), low), high) for share in shares]
    longest = median * math.exp(NormalDist().inv_cdf(1 - 0.5 / n_users))
    return Volume(n_users, n_items, round(n_users * sum(lengths) / QUANTILES), round(min(max(longest, low), high)))


def drawing(size: Volume) -> tuple[float, float]:
    """Bytes that drawing a population holds: what grows with it, and what passes with each chunk."""
    return 40.0 * size.interactions, 32.0 * CHUNK * size.items


def resample(interactions: Interactions, times: int, rng: np.random.Generator) -> Interactions:
    """A population `times` as large, whose users are drawn from the real ones with replacement (a bootstrap).

    Parameters
    ----------
    interactions
        The real ones.
    times
        A whole number from 1; 1 resamples a population of the same size.
    rng
        Decides who is drawn.

    Returns
    -------
    Interactions
        Of `times * interactions.n_users` people over the same items; who is drawn twice is there twice.

    Raises
    ------
    UserError
        `times` is no whole number from 1.

    Examples
    --------
    >>> met = synthetic(users=60, items=100).interactions
    >>> resample(met, 3, np.random.default_rng(0)).n_users
    180
    """
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
    """Appeal, place among tastes (rows of length about TASTE), and genres: directions in the space of tastes."""
    appeal = APPEAL[0] * (rng.random(n_items) - 0.5) + APPEAL[1] * rng.standard_normal(n_items)
    places = rng.standard_normal((n_items, TASTES))
    places *= TASTE / np.linalg.norm(places, axis=1, keepdims=True)
    matters = FADING ** np.arange(TASTES)
    places *= matters / np.sqrt(np.mean(matters**2))
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
    median, low, high = _activity(n_items)
    activity = np.clip(median * np.exp(rng.standard_normal(CHUNK)), low, high).astype(np.int64)
    liking = rng.standard_normal((CHUNK, TASTES)) @ places.T
    turns = rng.standard_exponential((CHUNK, n_items))
    turns *= np.exp(-liking - appeal)
    met = _first(turns, activity)
    users = np.repeat(np.arange(CHUNK), activity.astype(np.intp))
    # by appeal and chance: when they met a film says nothing about how much they like it more than others do
    met = met[np.lexsort((rng.standard_normal(len(met)) - ORDER * appeal[met], users))]
    begin = START + rng.integers(SPAN, size=CHUNK)
    seconds = np.cumsum(rng.integers(20, 2000, size=len(met)))
    times = begin[users] + seconds - seconds[np.cumsum(activity) - activity][users]
    mood = rng.standard_normal(CHUNK)
    score = 0.3 * liking[users, met] + 0.33 * appeal[met] + 0.4 * mood[users] + 0.7 * rng.standard_normal(len(met))
    ratings = 1 + np.searchsorted(STAR_CUTS, score)
    return users.astype(np.int32), met.astype(np.int32), ratings.astype(np.float32), times


def _activity(n_items: int) -> tuple[float, int, int]:
    """How many films the median person meets, and the least and the most that anybody does."""
    median = 65 * math.sqrt(n_items / 1682)
    return median, max(2, round(0.3 * median)), max(2, n_items * 9 // 20)


def _first(turns: Array, activity: Array) -> Array:
    """For each row, the columns of its `activity` smallest turns, in ascending order."""
    firsts = (np.argpartition(row, wanted - 1)[:wanted] for row, wanted in zip(turns, activity, strict=True))
    return np.concatenate([np.sort(columns) for columns in firsts])
