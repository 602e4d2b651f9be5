"""Data, splits and similarities that every dashboard and every reader of one process share.

Keys are the checksum of the data and the seed, so that two names of the same data meet and two seeds do not.
"""

from __future__ import annotations

from typing import cast

from recprivlib.data import Dataset, load
from recprivlib.evaluation import RankingSplit, split
from recprivlib.live.contract import Card
from recprivlib.live.memory import MEMORY
from recprivlib.models.neighbours import Ranked, rank_neighbours
from recprivlib.models.similarity import gram, jaccard
from recprivlib.parameters import UserError

MOST = 500  # neighbours kept, nearest first: every smaller neighbourhood is a slice


def dataset(name: str) -> Dataset:
    """A data set, loaded once; if it cannot be had, a card that offers the synthetic one."""
    try:
        return MEMORY.get(("data", name), lambda: load(name))
    except UserError as reason:
        if name == "synthetic":
            raise
        raise Card(str(reason), cure={"data": "synthetic"}, cure_label="use synthetic people") from None


def holdout(data: Dataset, seed: int) -> RankingSplit:
    """The leave-one-out split of a seed."""
    held_out = MEMORY.get(("split", data.checksum, seed), lambda: split(data.interactions, "loo-latest", seed)[0])
    return cast(RankingSplit, held_out)


def ranked(data: Dataset, seed: int) -> Ranked:
    """The nearest items of every item by Jaccard similarity, as ItemKNN ranks them."""

    def make() -> Ranked:
        shared = gram(holdout(data, seed).train.matrix)
        return rank_neighbours(jaccard(shared, shared.diagonal().copy(), out=shared), MOST)

    return MEMORY.get(("ranked", data.checksum, seed), make)


def film(title: str) -> str:
    """A title as it is spoken: "Princess Bride, The (1987)" is The Princess Bride (1987)."""
    name, bracket, year = title.rpartition(" (")
    for article in ("The", "A", "An", "Le", "La", "Les", "Il", "Das", "Der", "Die"):
        if name.endswith(f", {article}"):
            return f"{article} {name.removesuffix(f', {article}')}{bracket}{year}"
    return title
