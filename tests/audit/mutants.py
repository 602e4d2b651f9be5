"""Bugs that any private system can have, put into it by machinery: no system is named here.

What leaves a system passes `released` (recprivlib/mechanisms/gate.py), so a bug in what phones send is another
`released` in every module that imported it; a bug in what a server keeps is another `fit`.
"""

from __future__ import annotations

import copy
import dataclasses
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from recprivlib import population
from recprivlib.auditing import USUAL
from recprivlib.mechanisms import gate

ITEM, FIFTY = 7, 50


def truth(mechanism: Any, x: Any) -> Any:
    """The input, in the form of an answer."""
    if isinstance(x, tuple):
        return mechanism.sums(x)
    y = np.array(mechanism.release(x, np.random.default_rng(0)))
    if y.ndim > np.ndim(x):
        y[..., 0] = x
        return y
    outputs = np.asarray(getattr(mechanism, "outputs", ()))
    if y.dtype != np.asarray(x).dtype and outputs.ndim == 1 and len(outputs):
        likely = np.stack([mechanism.log_density(np.full(np.shape(x), one, y.dtype), x) for one in outputs])
        return outputs[likely.argmax(axis=0)].astype(y.dtype)
    return np.array(mechanism.clipped(x) if hasattr(mechanism, "clipped") else x, y.dtype)


def weaker(mechanism: Any) -> Any:
    """The same mechanism with half the noise, from some field of its own."""
    for field, factor in (("epsilon", 2), ("epsilon1", 2), ("noise_multiplier", 0.5)):
        if hasattr(mechanism, field) and field in {one.name for one in dataclasses.fields(mechanism)}:
            return dataclasses.replace(mechanism, **{field: factor * getattr(mechanism, field)})
    if hasattr(mechanism, "parts"):
        return dataclasses.replace(mechanism, parts=tuple(weaker(part) for part in mechanism.parts))
    return mechanism


def bare(y: Any, real: Any) -> Any:
    """One item in fifty without its noise: a column of a table, else every fiftieth answer."""
    if isinstance(y, tuple):
        return (bare(y[0], real[0]), *y[1:])
    y = np.array(y)
    if y.ndim == 2 and y.shape[1] == FIFTY:
        y[:, ITEM] = real[:, ITEM]
    elif y.ndim:
        y[ITEM % len(y) :: FIFTY] = real[ITEM % len(y) :: FIFTY]
    return y


def phones_send_the_truth(mechanism, x):
    return truth(mechanism, x)


def noise_is_drawn_and_thrown_away(mechanism, x):
    gate.released(mechanism, x)
    return truth(mechanism, x)


def noise_comes_from_another_field(mechanism, x):
    return gate.released(weaker(mechanism), x)


def one_item_in_fifty_has_no_noise(mechanism, x):
    return bare(gate.released(mechanism, x), truth(mechanism, x))


def a_report_goes_out_twice(mechanism, x):
    first, second = (gate.released(mechanism, x) for _ in range(2))
    return (first + second) / 2 if isinstance(first, np.ndarray) and first.dtype.kind == "f" else first


def noise_has_a_seed_of_its_own(mechanism, x):
    return mechanism.release(x, np.random.default_rng(5))


def the_data_choose_the_seed(mechanism, x):
    total = sum(int(np.abs(np.asarray(part)).sum() * 8) for part in (x if isinstance(x, tuple) else (x,)))
    return mechanism.release(x, np.random.default_rng(total))


def answers_go_around_the_gate(mechanism, x):
    return mechanism.release(x, np.random.default_rng())


SENT: dict[str, Callable] = {
    bug.__name__: bug for bug in (
        phones_send_the_truth, noise_comes_from_another_field, one_item_in_fifty_has_no_noise,
        a_report_goes_out_twice, noise_is_drawn_and_thrown_away, noise_has_a_seed_of_its_own,
        the_data_choose_the_seed, answers_go_around_the_gate,
    )
}  # fmt: skip


def other_fit(system: Any, after: Callable) -> Any:
    """The same system; `after(model, train)` has the last word on its model."""

    def fit(self, train, rng):
        return after(super(kind, self).fit(train, rng), train)

    kind = type(type(system).__name__, (type(system),), {"fit": fit})
    return kind(**{one.name: getattr(system, one.name) for one in dataclasses.fields(system)})


def with_statistic(what: Callable) -> Callable:
    """A model that also holds a statistic of the true data."""

    def after(model, train):
        model = copy.copy(model)
        object.__setattr__(model, "liked", what(train))
        return model

    return after


def means(train):
    return np.bincount(train.items, train.ratings, train.n_items) / np.maximum(
        1, np.bincount(train.items, minlength=train.n_items)
    )


KEPT: dict[str, Callable] = {
    "the_model_holds_true_means": with_statistic(means),
    "the_model_holds_a_true_total": with_statistic(lambda train: float(train.ratings.sum()) + len(train)),
}  # fmt: skip
MET: dict[str, Callable] = {  # what is public where only the value of a rating is secret
    "the_model_holds_true_popularity": with_statistic(lambda train: np.bincount(train.items, minlength=train.n_items)),
    "the_model_holds_who_rated_what": with_statistic(lambda train: np.stack([train.users, train.items])),
}


@contextmanager
def patched(name: str, true: Any, other: Any) -> Iterator[list]:
    """`name` is `other` in every module of the library that imported `true`; the list grows with its calls."""
    calls: list = []

    def noted(*args, **rest):
        calls.append(args)
        return other(*args, **rest)

    modules = [module for key, module in list(sys.modules.items()) if key.startswith("recprivlib")
               and not key.startswith("recprivlib.auditing") and module is not gate
               and getattr(module, name, None) is true]  # fmt: skip
    for module in modules:
        setattr(module, name, noted)
    try:
        yield calls
    finally:
        for module in modules:
            setattr(module, name, true)


def sent_wrongly(bug: Callable) -> Any:
    return patched("released", gate.released, bug)


def without_a_cap() -> Any:
    return patched("capped", population.capped, lambda train, cap, rng: train)


# ----------------------------------------------------------------- mechanisms that lie, and that the ledger names too


def silent(release: Callable) -> Callable:
    """No noise at all; the random numbers are drawn all the same."""

    def lie(self, x, rng):
        release(self, x, rng)
        return truth_of(self, release, x)

    return lie


def one_noise_for_all(release: Callable) -> Callable:
    """Everybody is given the noise of the first; so is every coordinate of a cohort's sum."""

    def lie(self, x, rng):
        if isinstance(x, tuple):
            sums = zip(self.sums(x), release(self, x, rng), strict=True)
            return tuple(total + np.ravel(y - total)[0] for total, y in sums)
        if np.ndim(x) == 0:
            return release(self, x, rng)
        rows = [release(self, x[at : at + 1], copy.deepcopy(rng)) for at in range(len(x))]
        rng.random()
        return np.concatenate(rows)

    return lie


def one_in_fifty_bare(release: Callable) -> Callable:
    """One item in fifty is given no noise."""

    def lie(self, x, rng):
        return bare(release(self, x, rng), truth_of(self, release, x))

    return lie


def truth_of(mechanism: Any, release: Callable, x: Any) -> Any:
    """`truth`, for a mechanism whose own `release` is being replaced."""
    lying, kind = type(mechanism).release, type(mechanism)
    kind.release = release
    try:
        return truth(mechanism, x)
    finally:
        kind.release = lying


LIES: dict[str, Callable] = {bug.__name__: bug for bug in (silent, one_noise_for_all, one_in_fifty_bare)}


@contextmanager
def lying(bug: Callable, system: Any, sizes: Any) -> Iterator[list]:
    """Every priced mechanism that the ledger of `system` names lies."""
    kinds = {type(release.mechanism) for release in system.ledger(sizes).releases}
    true = {kind: kind.release for kind in kinds}
    for kind in kinds:
        kind.release = bug(true[kind])
    try:
        yield []
    finally:
        for kind, release in true.items():
            kind.release = release


def bug_in(name: str, system: Any) -> Any:
    """The bug of that name, put into whatever `system` uses."""
    if name in SENT:
        return sent_wrongly(SENT[name])
    return lying(LIES[name], system, USUAL) if name in LIES else nullcontext([])
