"""One form for every data set, so that one checksum says whether two copies are the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from recprivlib.data.moments import day
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions

Array = np.ndarray


@dataclass(frozen=True)
class Origin:
    """The file that rows came from: row r stands in line r + `first`."""

    path: Path
    first: int = 1

    def error(self, row: int, sentence: str) -> UserError:
        return UserError(f"{self.path}, line {int(row) + self.first}: {sentence}")


def canonical(
    origin: Origin,
    users: Array,
    items: Array,
    ratings: Array,
    times: Array,
    *,
    grid: tuple[float, ...] | None,
    user_features: Mapping[str, Array],
    item_features: Mapping[str, Array],
    n_users: int,
    n_items: int,
) -> Interactions:
    """Rows sorted by (user, time, item), each pair once, every rating on the grid, in read-only arrays."""
    if grid is not None:
        off = ~np.isin(ratings, np.asarray(grid, ratings.dtype))
        if off.any():
            row = np.flatnonzero(off)[0]
            allowed = ", ".join(f"{g:g}" for g in grid)
            raise origin.error(row, f"the rating is {ratings[row]:g}, but must be one of {allowed}")
    row = repeated(users.astype(np.int64) * n_items + items)
    if row is not None:
        raise origin.error(row, "this user has rated this item before; each pair may occur once")
    order = np.lexsort((items, times, users))
    return Interactions(
        frozen(users[order], np.int32),
        frozen(items[order], np.int32),
        frozen(ratings[order], np.float32),
        frozen(times[order], np.int64),
        n_users,
        n_items,
        grid,
        {name: frozen(value, value.dtype) for name, value in user_features.items()},
        {name: frozen(value, value.dtype) for name, value in item_features.items()},
    )


def frozen(array: Array, kind: np.dtype | type) -> Array:
    out = np.ascontiguousarray(array, kind)
    out.setflags(write=False)
    return out


def repeated(keys: Array) -> int | None:
    """The first row whose key stood in an earlier row."""
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return None
    order = np.argsort(keys, kind="stable")
    again = keys[order][1:] == keys[order][:-1]
    return int(order[1:][again].min())


def rows_of(origin: Origin, what: str, known: Array, wanted: Array) -> Array:
    """The index of each wanted identifier among the known ones; an unknown one is an error with its line."""
    order = np.argsort(known, kind="stable")
    found = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)]
    missing = known[found] != wanted
    if missing.any():
        row = np.flatnonzero(missing)[0]
        raise origin.error(row, f"there is no {what} {wanted[row]} in the {what} file")
    return found.astype(np.int32)


def checksum(data: Interactions) -> str:
    """SHA-256 of the canonical arrays: the same on every machine, whatever the source."""
    digest = hashlib.sha256(f"recprivlib 1 {data.n_users} {data.n_items}".encode())
    for array, kind in ((data.users, "<i4"), (data.items, "<i4"), (data.ratings, "<f4"), (data.times, "<i8")):
        digest.update(np.ascontiguousarray(array, kind).data)
    return digest.hexdigest()


def details(data: Interactions, titles: Sequence[str]) -> str:
    """SHA-256 of what comes along with the ratings: titles and features, the same on every machine."""
    digest = hashlib.sha256("\0".join(titles).encode())
    for kind, features in (("user", data.user_features), ("item", data.item_features)):
        for name in sorted(features):
            value = features[name]
            letters = value.dtype.kind == "U"
            digest.update(f"\n{kind} {name} {value.shape}\n".encode())
            digest.update("\0".join(value.tolist()).encode() if letters else np.ascontiguousarray(value, "<i8").data)
    return digest.hexdigest()


@dataclass(frozen=True, repr=False)
class Dataset:
    """A data set as everything else wants it.

    >>> from recprivlib import load
    >>> load("synthetic", users=60, items=100)
    Dataset(synthetic: 60 people, 100 items, ... rows, ...)
    """

    name: str  #: under which it was loaded
    interactions: Interactions  #: who met what
    titles: tuple[str, ...]  #: of the items, in their order
    checksum: str  #: SHA-256 of the interactions: two copies with the same one are the same
    source: str = field(compare=False)  #: where this copy came from
    notes: tuple[str, ...] = field(default=(), compare=False)  #: what was decided when it was read

    def __repr__(self) -> str:
        x = self.interactions
        return f"Dataset({self.name}: {x.n_users:,} people, {x.n_items:,} items, {len(x):,} rows, {self.span})"

    @property
    def span(self) -> str:
        """From when to when its rows are."""
        times = self.interactions.times
        return f"{day(times.min())} to {day(times.max())}" if times.any() else "no times"


def most_met(data: Dataset, items: int) -> Dataset:
    """The same people with the `items` that most of them met; of ties, those that come first in the catalogue."""
    whole = data.interactions
    if not 1 <= items <= whole.n_items:
        raise UserError(f"items is {items}, but must be a whole number from 1 to {whole.n_items}")
    kept = np.sort(np.argsort(-np.bincount(whole.items, minlength=whole.n_items), kind="stable")[:items])
    number = np.full(whole.n_items, -1, np.int32)
    number[kept] = np.arange(items, dtype=np.int32)
    fewer = replace(whole.take(number[whole.items] >= 0), n_items=items)
    fewer = replace(
        fewer, items=number[fewer.items], item_features={n: v[kept] for n, v in whole.item_features.items()}
    )
    for column in (fewer.users, fewer.items, fewer.ratings, fewer.times):
        column.setflags(write=False)
    titles = tuple(data.titles[item] for item in kept)
    return Dataset(data.name, fewer, titles, narrowed(data.checksum, items), data.source, data.notes)


def narrowed(whole: str, items: int) -> str:
    """The checksum of the most met `items` of a data set, from that of the whole."""
    return hashlib.sha256(f"{whole} most met {items}".encode()).hexdigest()
