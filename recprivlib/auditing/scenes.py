"""The worlds that a run is played in, as data: a base, and others that differ from it in one person's data or in all.

    who she is     WHOLE, PLACES, VALUES below: one line for each history that she has here and has there
    who is beside  CROWDS: who all the others are
    elsewhere      real_run.py has the same for the data set that one names

A neighbour differs in one person's data (`who`); in a far world everything that is secret is another. A new suspicion
is a new line here, never a new rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from recprivlib.mechanisms.common import STARS
from recprivlib.protocols import Array, Interactions

if TYPE_CHECKING:
    from recprivlib.auditing.neighbours import Stage

WHO = 1  # the person whose data neighbours differ in, where people are made up
GENRES = 19
FEW, LENGTHS = (
    25,
    (2, 3, 5, 8, 13, 21, 34),
)  # lengths of histories; FEW: items that everybody met at least, where nobody has a short history


@dataclass(frozen=True)
class Scene:
    """A base and what it is compared with: (in words, the world, whether it is a neighbour)."""

    what: str
    base: Interactions
    others: tuple[tuple[str, Interactions, bool], ...]
    who: int = WHO


# ------------------------------------------------------------------------------------ histories, by their names


def spread(length: int, items: int, cap: int) -> Array:
    """So many items, from the first to the last."""
    return np.isin(np.arange(items), np.linspace(0, items - 1, length).astype(int))


HISTORIES: dict[str, Callable[[int, int], Array]] = {  # of so many items, with a cap (or none: all of them)
    "everything": lambda n, cap: np.ones(n, bool),
    "nothing": lambda n, cap: np.zeros(n, bool),
    "the last item": lambda n, cap: np.arange(n) == n - 1,
    "every other item": lambda n, cap: np.arange(n) % 2 == 0,
    "the items between": lambda n, cap: np.arange(n) % 2 == 1,
    "the first half": lambda n, cap: np.arange(n) < n // 2,
    "the other half": lambda n, cap: np.arange(n) >= n // 2,
    "as many as the cap": lambda n, cap: np.arange(n) < cap,
    "other ones, as many": lambda n, cap: np.arange(n) >= n - cap,
    "two items": lambda n, cap: np.arange(n) < 2,
    **{f"{length} items": partial(spread, length) for length in LENGTHS},
    "one more than the cap": lambda n, cap: np.arange(n) < cap + 1,
}
SAID: dict[str, Callable[[Array, float, float], Array]] = {  # of items by their numbers, on a scale from low to high
    "in turn": lambda at, low, high: np.where(at % 2, high, low),
    "the other way": lambda at, low, high: np.where(at % 2, low, high),
    "low": lambda at, low, high: np.full(at.shape, low),
    "high": lambda at, low, high: np.full(at.shape, high),
}
CROWDS: dict[str, Callable[[Array, np.random.Generator], Array]] = {  # who met what, from chances that rise by item
    "people": lambda chance, rng: rng.random(chance.shape) < chance,
    "heavy people": lambda chance, rng: (rng.random(chance.shape) < chance) | (np.arange(chance.shape[1]) < FEW),
    "people who met everything": lambda chance, rng: np.ones(chance.shape, bool),
    "people who met one thing": lambda chance, rng: np.arange(chance.shape[1])[None, :] == (0 * chance + 3),
    "people of one mind": lambda chance, rng: rng.random(chance.shape) < chance,
}
Told = tuple[str, str]  # a history, and what was said of it

WHOLE: dict[str, tuple[tuple[str, Told, tuple[Told, ...], str], ...]] = {  # a whole person, by relation
    "add-remove": (
        ("everything", ("everything", "in turn"), (("nothing", "in turn"),), "people"),
        ("everything, one rating", ("everything", "low"), (("nothing", "low"),), "people"),
        ("as many as the cap", ("as many as the cap", "high"), (("nothing", "high"),), "people"),
        ("one more than the cap", ("one more than the cap", "low"), (("nothing", "low"),), "people"),
        ("every other item", ("every other item", "low"), (("nothing", "low"),), "people"),
        ("one item", ("the last item", "high"), (("nothing", "low"),), "people"),
        ("everything beside heavy people", ("everything", "high"), (("nothing", "low"),), "heavy people"),
        ("everything beside people of one thing", ("everything", "high"), (("nothing", "low"),),
         "people who met one thing"),
        ("nothing beside people of everything", ("nothing", "high"), (("everything", "low"),),
         "people who met everything"),
        ("nothing", ("nothing", "high"), tuple((f"{length} items", "high") for length in LENGTHS), "people"),
        ("half beside people of one mind", ("the first half", "high"), (("nothing", "high"),), "people of one mind"),
    ),
    "replace": (
        ("everything", ("everything", "in turn"),
         (("the last item", "in turn"), ("everything", "the other way"), ("nothing", "low")), "people"),
        ("every other item", ("every other item", "high"), (("the items between", "high"),), "people"),
        ("half", ("the first half", "in turn"), (("the other half", "the other way"), ("the other half", "in turn")),
         "people"),
        ("as many as the cap", ("as many as the cap", "high"), (("other ones, as many", "high"),), "people"),
        ("one item", ("the last item", "high"), (("nothing", "low"), ("every other item", "low")), "people"),
        ("half beside heavy people", ("the first half", "low"), (("the other half", "high"),), "heavy people"),
        ("half beside people of one thing", ("the first half", "high"), (("the other half", "high"),),
         "people who met one thing"),
        ("nothing", ("nothing", "high"), tuple((f"{length} items", "high") for length in LENGTHS), "people"),
        ("half beside people of one mind", ("the first half", "high"), (("the other half", "high"),),
         "people of one mind"),
    ),
    "swap": (
        ("half", ("the first half", "in turn"), (("the other half", "the other way"),), "people"),
        ("as many as the cap", ("as many as the cap", "high"), (("other ones, as many", "high"),), "people"),
    ),
    "replace-value": (
        ("everything", ("everything", "in turn"), (("everything", "the other way"),), "people"),
        ("one rating", ("everything", "low"), (("everything", "high"),), "people"),
        ("half", ("the first half", "low"), (("the first half", "high"),), "heavy people"),
    ),
}  # fmt: skip
PLACES: tuple[tuple[str, str, str], ...] = (  # one interaction: how much else she met, who is beside her
    ("nearly everything", "everything", "people"),
    ("as many as the cap", "as many as the cap", "people"),
    ("two items", "two items", "people"),
    ("nearly everything beside heavy people", "everything", "heavy people"),
    ("nearly nothing beside people of one thing", "two items", "people who met one thing"),
    ("two items beside people of one mind", "two items", "people of one mind"),
)
VALUES: tuple[tuple[str, str, str, str, int], ...] = (  # one rating: what she met and said; who is beside her, what
    # they say; and their features and times, which are public: 0: no times
    ("ends in turn", "everything", "in turn", "anything", 0),
    ("two ratings", "two items", "low", "anything", 0),
    ("everything", "everything", "low", "anything", 0),
    ("two ratings, ends in turn", "two items", "in turn", "anything", 0),
    ("one rating", "the last item", "low", "anything", 0),
    ("half of everything", "the other half", "low", "anything", 0),
    ("all alike", "everything", "low", "low", 0),
    ("everything beside heavy people, with times", "everything", "low", "heavy people", 1),
)


# --------------------------------------------------------------------------------------------- made-up people


class Features(dict):
    """What people say of themselves: whatever else is asked for, everybody has an answer."""

    def __init__(self, known: dict[str, Array], people: int, turn: int) -> None:
        super().__init__(known)
        self.people, self.turn = people, turn

    def __missing__(self, name: str) -> Array:
        return np.arange(self.people) + self.turn

    def get(self, name: str, other: Any = None) -> Array:
        return self[name]


def made(met: Array, stars: Array, turn: int = 0, timed: bool = True) -> Interactions:
    """People of a table who met what, with times and features that go with `turn`."""
    people, items = met.shape
    users, at = np.nonzero(met)
    times = np.random.default_rng(11 + turn).integers(1, 10**6, met.shape)[users, at]
    times = times if timed else np.zeros(len(users), np.int64)
    order = np.lexsort((at, times, users))
    genres = np.zeros((items, GENRES), bool)
    genres[np.arange(items), 1 + np.arange(items) % (GENRES - 1)] = True
    some = np.random.default_rng(13 + turn)
    genders, trades = np.array(["F", "M"]), np.array(["writer", "doctor", "artist", "farmer"])
    said = {
        "age": some.integers(15, 45 + 35 * (turn % 2), people), "gender": some.choice(genders, people),
        "occupation": some.choice(trades, people),
    }  # fmt: skip
    return Interactions(
        users[order].astype(np.int32), at[order].astype(np.int32), stars[users, at][order].astype(np.float32),
        times[order], people, items, STARS, Features(said, people, turn), {"genres": genres},
    )  # fmt: skip


def made_up(stage: Stage) -> Iterator[Scene]:
    """Every scene of these terms, the farthest change first; each has a far world beside its neighbours."""
    kind = _values if stage.unit == "rating" else _whole if stage.unit == "user" else _places
    return kind(stage)


def crowd(stage: Stage, kind: str = "people") -> tuple[Array, Array]:
    """Who the others are: items from rare to common; one met everything, one a single item; the last is hers alone."""
    rng = np.random.default_rng(7)
    steps = np.linspace(0.05, 0.95, stage.items) if stage.even else np.geomspace(2 / stage.people, 0.95, stage.items)
    chance = np.broadcast_to(steps, (stage.people, stage.items))
    met = CROWDS[kind](chance, rng)
    if kind == "people":
        met[0] = True
        met[2 % stage.people] = np.arange(stage.items) == 3
    met[:, -1] = False
    stars = rng.choice(STARS, met.shape)
    return met, np.full(met.shape, stage.ends[1]) if kind == "people of one mind" else stars


def far(stage: Stage, met: Array, turn: int = 0) -> Interactions:
    """Everything that is secret is another, of all people at once; what is public stays (`turn`: which features)."""
    rng = np.random.default_rng(8)
    valued = stage.relation == "replace-value"
    if stage.relation == "swap":
        met = rng.permuted(met, axis=1)  # how much somebody met is public
    elif not valued:
        met = ~met & (rng.random(met.shape) < 0.3)
    return made(met, rng.choice(STARS, met.shape), turn if valued else 1, timed=not valued or turn > 0)


def _history(stage: Stage, name: str) -> Array:
    return HISTORIES[name](stage.items, min(stage.cap or stage.items // 2, stage.items - 1))


def _with_her(stage: Stage, met: Array, stars: Array, hers: Array, said: Array, turn: int = 0) -> Interactions:
    now, all_ = met.copy(), stars.copy()
    now[WHO], all_[WHO] = hers, said
    return made(now, all_, turn, timed=stage.relation != "replace-value" or turn > 0)


def _whole(stage: Stage) -> Iterator[Scene]:
    at = np.arange(stage.items)
    for what, here, there, beside in WHOLE[stage.relation]:
        met, stars = crowd(stage, beside)

        def of(told: Told, met: Array = met, stars: Array = stars) -> Interactions:
            return _with_her(stage, met, stars, _history(stage, told[0]), SAID[told[1]](at, *stage.ends))

        others = [(" ".join(told), of(told), True) for told in there]
        base = of(here)
        others.append(("everything else", far(stage, _table(base)), False))
        yield Scene(what, base, tuple(others))


def _all_say(data: Interactions, stars: float) -> Interactions:
    """Sums as small and as large as they can be: whatever happens at some line between, they cross it."""
    return replace(data, ratings=np.full_like(data.ratings, stars))


def _table(data: Interactions) -> Array:
    return np.asarray(data.matrix.toarray() > 0)


def _places(stage: Stage) -> Iterator[Scene]:
    """One interaction of hers comes, or (swap) comes for another: a rare item, two others, the last."""
    places = (0, 7, 23, stage.items - 1)
    high = np.full(stage.items, stage.ends[1])
    for what, history, beside in PLACES:
        met, stars = crowd(stage, beside)
        free = np.setdiff1d(np.arange(stage.items), places)
        many = len(free) if history == "everything" else int(_history(stage, history).sum())
        mine = np.zeros(stage.items, bool)
        mine[free[:many]] = True

        def of(place: int | None, met: Array = met, stars: Array = stars, mine: Array = mine) -> Interactions:
            hers = mine.copy()
            if place is not None:
                hers[place] = True
                hers[np.flatnonzero(mine)[0]] &= stage.relation != "swap"
            return _with_her(stage, met, stars, hers, high)

        others = [(f"item {place} more", of(place), True) for place in places]
        base = of(None)
        others.append(("everything else", _without(far(stage, _table(base)), stage.items - 3), False))
        yield Scene(what, base, tuple(others))


def _without(data: Interactions, first: int) -> Interactions:
    """Nobody has met the items from `first` on: the rarest become rarer."""
    return data.take(data.items < first)


def _values(stage: Stage) -> Iterator[Scene]:
    at = np.arange(stage.items)
    for what, history, said, others_say, turn in VALUES:
        met, stars = crowd(stage, others_say if others_say in CROWDS else "people")
        met[:, -1] |= what == "one rating"
        hers = _history(stage, history)
        stars = SAID[others_say](at, *stage.ends) + 0 * stars if others_say in SAID else stars
        low = SAID[said](at, *stage.ends)

        def of(
            place: int | None, met: Array = met, stars: Array = stars, hers: Array = hers, low: Array = low,
            turn: int = turn,
        ) -> Interactions:  # fmt: skip
            now = low.copy()
            if place is not None:
                now[place] = sum(stage.ends) - now[place]
            return _with_her(stage, met, stars, hers, now, turn)

        inside = np.flatnonzero(hers)
        places = dict.fromkeys(int(inside[min(place, len(inside) - 1)]) for place in (0, 7, 23, len(inside) - 1))
        others = [(f"rating {place}", of(place), True) for place in places]
        base = of(None)
        others.append(("everything else", far(stage, _table(base), turn), False))
        if what == VALUES[0][0]:
            others += [(f"all say {end}", _all_say(base, end), False) for end in stage.ends]
        yield Scene(what, base, tuple(others))
