"""Worlds in which neighbours are as far apart as the noise of a run is made for: an attack shows no more than they are.

A person whose stars go from end to end and back, film by film, fills clipping bounds and covariances; as many films as
her cap allows fill sums. Which of these worlds is the loudest one run tells: its questions, with neighbours' answers
alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from recprivlib.auditing.adaptive import shift, unit
from recprivlib.auditing.neighbours import WHO, Stage
from recprivlib.auditing.redraw import Passage
from recprivlib.protocols import Array, Interactions

LENGTHS = (48, 8, 2)  # of her history, beside the cap
MANY = 30  # people who all found everything middling
WIDEST, SPARE = 150, 2  # the longest history that is tried, and items beyond it
LOUDER = 1.05  # what comes later in the list has to be so much louder

Pair = tuple[Interactions, Interactions]


def loudest(stage: Stage, place: int, cap: int | None, asked: Callable[[Pair], Sequence[Passage]]) -> Pair:
    """The neighbours whose questions are farthest apart; `asked` plays a run on both."""
    best = stage.world(item=place), stage.world(True, place)
    most = far(asked(best))
    if most is None:
        return best
    for pair in pairs(stage, place, cap):
        now = far(asked(pair)) or 0.0
        if now > LOUDER * most:
            best, most = pair, now
    return best


def far(passages: Sequence[Passage]) -> float | None:
    """How far all answers together are apart, squared, in units of their noise; None if it is not added."""
    added = [shift(passage) for passage in passages if not passage.n and unit(passage) > 0]
    return float(sum((each**2).sum() for each in added)) if added and len(added) == len(passages) else None


def pairs(stage: Stage, place: int, cap: int | None) -> Iterator[Pair]:
    """Neighbours whose stars alternate, in histories of several lengths."""
    if (stage.unit, stage.relation) not in _KNOWN:
        return
    longest = min(cap, WIDEST) if cap and stage.unit == "user" else LENGTHS[0]
    lengths = sorted({longest, *LENGTHS}, reverse=True)
    own = widened(stage.world(item=place), max(lengths) + SPARE)
    for base, length in product((middling(own), own) if stage.unit == "rating" else (own,), lengths):
        items = np.concatenate([[place], np.setdiff1d(np.arange(base.n_items), [place])[: length - 1]])
        stars = np.where(np.arange(length) % 2, *stage.ends[::-1])
        yield tuple(_with(base, items[there], each) for there, each in _KNOWN[stage.unit, stage.relation](stars))  # type: ignore[misc]


def _rating(stars: Array) -> Iterator[tuple[slice, Array]]:
    """One rating from one end to the other."""
    other = stars.copy()
    other[0] = stars[1] if len(stars) > 1 else stars[0]
    yield slice(None), stars
    yield slice(None), other


def _there(stars: Array) -> Iterator[tuple[slice, Array]]:
    """Not there, and there."""
    yield slice(0), stars[:0]
    yield slice(None), stars


def _turned(stars: Array) -> Iterator[tuple[slice, Array]]:
    """All stars turned round."""
    yield slice(None), stars
    yield slice(None), stars.min() + stars.max() - stars


_KNOWN = {("rating", "replace-value"): _rating, ("user", "add-remove"): _there, ("user", "replace-value"): _turned,
          ("user", "replace"): _turned}  # fmt: skip


def widened(data: Interactions, items: int) -> Interactions:
    """The same people before a catalogue of at least so many items."""
    items = max(items, data.n_items)
    again = np.arange(items) % data.n_items
    return Interactions(
        data.users, data.items, data.ratings, data.times, data.n_users, items, data.grid, data.user_features,
        {name: values[again] for name, values in data.item_features.items()},
    )  # fmt: skip


def middling(data: Interactions) -> Interactions:
    """More people before the same catalogue, who have all met everything and found it middling: what is learnt of it
    first is then hardly moved by noise, and the same questions follow."""
    pairs = MANY * data.n_items
    stars = np.full(pairs, np.median(data.grid) if data.grid else 1.0)
    twice = np.arange(MANY) % data.n_users
    return Interactions(
        np.repeat(np.arange(MANY, dtype=np.int32), data.n_items),
        np.tile(np.arange(data.n_items, dtype=np.int32), MANY),
        stars.astype(np.float32), np.zeros(pairs, np.int64), MANY, data.n_items, data.grid,
        {name: values[twice] for name, values in data.user_features.items()}, data.item_features,
    )  # fmt: skip


def _with(data: Interactions, items: Array, stars: Array) -> Interactions:
    """Her history put in the place of what it was."""
    order = np.argsort(items)
    before, after = data.users < WHO, data.users > WHO

    def joined(kept: Array, hers: Array) -> Array:
        return np.concatenate([kept[before], hers, kept[after]]).astype(kept.dtype)

    return Interactions(
        joined(data.users, np.full(len(items), WHO)), joined(data.items, items[order]),
        joined(data.ratings, stars[order]), joined(data.times, np.zeros(len(items))), data.n_users, data.n_items,
        data.grid, data.user_features, data.item_features,
    )  # fmt: skip
