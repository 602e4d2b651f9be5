"""Bugs in what a model holds or does: raw data leave with it, in ever other clothes."""

from __future__ import annotations

import array
import collections
import functools
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from recprivlib.auditing.mutation.grafts import Run, become, holding, planted
from recprivlib.auditing.mutation.operator import Operator, counts_only, raw, total, whole_people
from recprivlib.protocols import Array, Interactions

OPENED = "the model, opened, holds the true numbers"
KEPT: dict[str, Any] = {}  # what a module remembers
ASIDE: weakref.WeakKeyDictionary[Any, Array] = weakref.WeakKeyDictionary()


def holds(form: Callable[[Interactions], Any], unless: Callable[[Any], bool] = lambda system: False) -> Callable:
    """A model that holds `form` of the data."""

    def build(system: Any) -> Any:
        return None if unless(system) else planted(
            system, leaves=lambda run, model: holding(model, form(run.train))
        )  # fmt: skip

    return build


def latest(train: Interactions) -> Array:
    """When each item was met last."""
    out = np.zeros(train.n_items, np.int64)
    np.maximum.at(out, train.items, train.times)
    return out


def ages(train: Interactions) -> list[Any]:
    """The sum of each feature of people that is a number."""
    return [float(np.sum(one)) for one in train.user_features.values() if np.asarray(one).dtype.kind in "biuf"]


class Slotted:
    """A value whose field stands in a slot."""

    __slots__ = ("raw",)

    def __init__(self, held: Array) -> None:
        self.raw = held


def order(train: Interactions) -> dict[str, int]:
    """Every item and a zero, the items in the order of the true sums."""
    return {f"item {item}": 0 for item in np.argsort(-raw(train), kind="stable").tolist()}


def several(train: Interactions) -> Any:
    """A method of an object that holds the data."""
    return collections.Counter(dict(enumerate(raw(train).tolist()))).most_common


FORMS: dict[str, tuple[str, Callable]] = {
    "array": ("an array of raw sums", holds(raw)),
    "number": ("the true total of all ratings", holds(total)),
    "text": ("a line of text with the true total", holds(lambda train: f"trained on {total(train):.0f} stars")),
    "bytes": ("raw sums as bytes", holds(lambda train: pickle.dumps(raw(train)))),
    "buffer": ("a view of memory with raw sums", holds(lambda train: memoryview(raw(train).tobytes()))),
    "compact": ("raw sums in an array.array", holds(lambda train: array.array("d", raw(train)))),
    "masked": ("raw sums under a mask", holds(lambda train: np.ma.masked_less(raw(train), 1e9))),
    "record": ("a record array of raw ratings",
               holds(lambda train: np.rec.fromarrays([train.users, train.items, train.ratings]))),
    "set": ("a set of who gave what to which item",
            holds(lambda train: set(zip(*map(list, (train.users, train.items, train.ratings)), strict=True)))),
    "queue": ("a deque of raw sums", holds(lambda train: collections.deque(raw(train).tolist()))),
    "iterator": ("an iterator over raw sums", holds(lambda train: iter(raw(train).tolist()))),
    "partial": ("a partial function with raw sums among its arguments",
                holds(lambda train: functools.partial(np.take, raw(train)))),
    "bound": ("a bound method of an object with raw sums", holds(several)),
    "slots": ("an object with raw sums in a slot", holds(lambda train: Slotted(raw(train)))),
    "matrix": ("the raw ratings as a sparse matrix", holds(lambda train: train.rating_matrix)),
    "data": ("the training data themselves", holds(lambda train: train)),
    "order": ("zeros by item, in the order of the true sums", holds(order)),
    "generator": ("a generator seeded with the true total",
                  holds(lambda train: np.random.default_rng(int(8 * total(train))))),
    "times": ("when each item was met last", holds(latest, counts_only)),
    "features": ("the sums of people's features", holds(ages, lambda system: not whole_people(system))),
}  # fmt: skip


# ------------------------------------------------------------------------------------------ what is no field


def in_a_closure(system: Any) -> Any:
    def leaves(run: Run, model: Any) -> Any:
        held = raw(run.train)
        return become(model, score=lambda self, users, items: _beside(type(model), self, users, items, held))

    return planted(system, leaves=leaves)


def in_a_default(system: Any) -> Any:
    def leaves(run: Run, model: Any) -> Any:
        def score(self: Any, users: Array, items: Array, held: Array = raw(run.train)) -> Array:
            return _beside(type(model), self, users, items, held)

        return become(model, score=score)

    return planted(system, leaves=leaves)


def in_a_global(system: Any) -> Any:
    def leaves(run: Run, model: Any) -> Any:
        KEPT["raw"] = raw(run.train)
        return become(model, score=lambda self, users, items: _beside(type(model), self, users, items, KEPT["raw"]))

    return planted(system, leaves=leaves)


def in_the_class(system: Any) -> Any:
    return planted(system, leaves=lambda run, model: become(model, raw=raw(run.train)))


def in_the_words(system: Any) -> Any:
    return planted(system, leaves=lambda run, model: become(model, __doc__=f"{total(run.train):.0f} stars"))


def on_the_side(system: Any) -> Any:
    class Key:
        pass

    def leaves(run: Run, model: Any) -> Any:
        model = holding(model, Key())
        ASIDE[model.extra] = raw(run.train)
        return become(model, score=lambda self, users, items: _beside(
            type(model), self, users, items, ASIDE[self.extra]))  # fmt: skip

    return planted(system, leaves=leaves)


def _beside(kind: Any, model: Any, users: Array, items: Array, held: Array) -> Array:
    return kind.score(model, users, items) + 1e-3 * held[items]


SCORED = "scores follow the true sums, which no noise has touched"
OPERATORS = {
    **{f"model: {name}": Operator(f"the model holds {what}", OPENED, build) for name, (what, build) in FORMS.items()},
    "model: closure": Operator(
        "score() is a function that encloses raw sums; the fields are clean", SCORED, in_a_closure),
    "model: default": Operator("score() has raw sums among its defaults", SCORED, in_a_default),
    "model: global": Operator("score() reads raw sums in a global of its module", SCORED, in_a_global),
    "model: class": Operator("the class of the model has raw sums as an attribute", OPENED, in_the_class),
    "model: docstring": Operator(
        "the docstring of the model's class tells the true total", "help() tells it", in_the_words),
    "model: side table": Operator("score() looks raw sums up in a weak table beside the model", SCORED, on_the_side),
}  # fmt: skip
