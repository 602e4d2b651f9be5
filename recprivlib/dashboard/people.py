"""Films as a dashboard speaks of them: titles, Ada's eight, and pairs of films that are more or less alike."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from recprivlib.dashboard.contract import Card
from recprivlib.dashboard.folds import holdout
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset
from recprivlib.plots.numerals import count
from recprivlib.protocols import Array

PAIRS = 2000  # pairs of films in a scatter
ADA = (
    "Brazil (1985)", "Blade Runner (1982)", "Alien (1979)", "2001: A Space Odyssey (1968)", "Delicatessen (1991)",
    "Trainspotting (1996)", "Fargo (1996)", "City of Lost Children, The (1995)",
)  # fmt: skip


def film(title: str) -> str:
    """A title as it is spoken: "Princess Bride, The (1987)" is The Princess Bride (1987)."""
    name, bracket, year = title.rpartition(" (")
    for article in ("The", "A", "An", "Le", "La", "Les", "Il", "Das", "Der", "Die"):
        if name.endswith(f", {article}"):
            return f"{article} {name.removesuffix(f', {article}')}{bracket}{year}"
    return title


def spoken(data: Dataset, items: Array) -> tuple[str, ...]:
    """Titles as one says them."""
    return tuple(film(data.titles[item]) for item in items)


def adas(data: Dataset) -> Array:
    """The films of Ada, who is invented; where the data does not have them, some that are well known."""

    def make() -> Array:
        numbers = {title: item for item, title in enumerate(data.titles)}
        return np.array([numbers[title] for title in ADA if title in numbers] or popular(data)[40:360:40], np.int32)

    return MEMORY.get(("ada", data.checksum), make)


def popular(data: Dataset) -> Array:
    """All films, those that most people met first."""
    return np.argsort(-np.bincount(data.interactions.items, minlength=data.interactions.n_items), kind="stable")


def shown(data: Dataset, seed: int, tiles: int) -> tuple[Array, Array, np.random.Generator]:
    """So many films in some order, which of them are Ada's, and the generator to draw on with."""
    hers, rng = adas(data), np.random.default_rng([seed, tiles])
    others = [item for item in popular(data)[: 4 * tiles : 4] if item not in hers][: tiles - len(hers)]
    films = rng.permutation(np.r_[hers, others])
    return films, np.isin(films, hers), rng


def pairs(data: Dataset, seed: int) -> tuple[Array, Array]:
    """The same pairs of films always: half of them any two, half two that somebody met both of."""

    def make() -> tuple[Array, Array]:
        rng, matrix = np.random.default_rng(0), holdout(data, seed).train.matrix
        n = matrix.shape[1]
        first = rng.integers(0, n, PAIRS)
        second = (first + rng.integers(1, n, PAIRS)) % n
        both = (matrix.T @ matrix).tocoo()
        met = rng.choice(np.flatnonzero(both.row != both.col), PAIRS // 2, replace=False)
        first[: PAIRS // 2], second[: PAIRS // 2] = both.row[met], both.col[met]
        return first, second

    return MEMORY.get(("pairs", data.checksum, seed), make)


def alike(data: Dataset, seed: int) -> tuple[Array, Array]:
    """How alike the films of each pair are, and how many people met the rarer of the two."""

    def make() -> tuple[Array, Array]:
        matrix = holdout(data, seed).train.matrix.tocsc()
        first, second = pairs(data, seed)
        counts = np.diff(matrix.indptr)
        both = np.asarray(matrix[:, first].multiply(matrix[:, second]).sum(axis=0)).ravel()
        union = counts[first] + counts[second] - both
        return both / np.maximum(union, 1), np.minimum(counts[first], counts[second])

    return MEMORY.get(("alike", data.checksum, seed), make)


def history(data: Dataset, liked: tuple[int, ...]) -> tuple[sp.csr_array, str]:
    """One row with the films you liked, or those of Ada, who is invented; and whose it is."""
    n = data.interactions.n_items
    beyond = [item for item in liked if item >= n]
    if beyond:
        what = f"film {beyond[0]} is not in {data.name}: its films are numbered 0 to {count(n - 1)}"
        raise Card(what, cure={"liked": ()}, cure_label="take Ada's films")
    items, whose = (np.array(liked, np.int32), "Your") if liked else (adas(data), "Ada's")
    return sp.csr_array((np.ones(len(items), np.float32), items, [0, len(items)]), shape=(1, n)), whose
