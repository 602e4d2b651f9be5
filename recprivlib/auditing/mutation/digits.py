"""Bugs in the numbers of a model, and in what other people's phones hold and are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.auditing.mutation.grafts import Run, become, holding, planted, poked
from recprivlib.auditing.mutation.models import KEPT, SCORED
from recprivlib.auditing.mutation.operator import Operator, odd, raw, tried
from recprivlib.protocols import Array, AtHome, FoldsIn, Interactions

# ------------------------------------------------------------------------------------------- in its own numbers


def by(change: Callable[[Array, Interactions], Array], dimensions: int = 1) -> Callable:
    """A model whose first public array is `change` of it and of the true data."""

    def build(system: Any) -> Any:
        if poked(tried(system).model, np.copy, dimensions) is None:
            return None
        return planted(system, leaves=lambda run, model: poked(model, lambda x: change(x, run.train), dimensions))

    return build


def _spread(x: Array, train: Interactions) -> Array:
    """The true sums, once for each row of x."""
    return np.resize(raw(train), len(x)).reshape((-1,) + (1,) * (x.ndim - 1))


def lowest_bit(x: Array, train: Interactions) -> Array:
    bits = x.view(f"u{x.itemsize}")
    odd = (_spread(x, train).astype(np.int64) & 1).astype(bits.dtype)
    return ((bits & ~bits.dtype.type(1)) | odd).view(x.dtype)


def signed_zeros(x: Array, train: Interactions) -> Array:
    odd = np.broadcast_to(_spread(x, train).astype(np.int64) & 1, x.shape)
    return np.where(x < np.median(x), np.where(odd, -0.0, 0.0), x).astype(x.dtype)


def hidden(x: Array, train: Interactions) -> Array:
    return np.where(_spread(x, train) < 60, np.float32(-1e9), x).astype(x.dtype)


def ties(x: Array, train: Interactions) -> Array:
    return (np.round(x) + 1e-4 * _spread(x, train)).astype(x.dtype)


def laid_out(x: Array, train: Interactions) -> Array:
    return np.asfortranarray(x) if odd(train) else np.ascontiguousarray(x)


def rounder(x: Array, train: Interactions) -> Array:
    return x.astype(np.float64 if odd(train) else np.float16)


# -------------------------------------------------------------------------------------------- other people's


@dataclass(frozen=True, eq=False)
class Mixed:
    """Scores that go over other people's histories as they are at home."""

    model: Any
    histories: AtHome[sp.csr_array]

    def score(self, users: Array, items: Array) -> Array:
        near = (self.histories @ self.histories.T @ self.histories).toarray()
        return self.model.score(users, items) + 1e-3 * near[users, items]


@dataclass(frozen=True, eq=False)
class Carried:
    """A model beside which every phone keeps a row that was made from everybody's data."""

    model: Any
    near: AtHome[Array]

    def score(self, users: Array, items: Array) -> Array:
        return self.model.score(users, items) + 1e-3 * self.near[users, items]


def over_other_phones(system: Any) -> Any:
    return planted(system, leaves=lambda run, model: Mixed(model, run.train.rating_matrix))


def from_other_phones(system: Any) -> Any:
    def leaves(run: Run, model: Any) -> Any:
        met = run.train.rating_matrix
        return Carried(model, (met @ met.T @ met).toarray())

    return planted(system, leaves=leaves)


def folded_in(system: Any) -> Any:
    """None of a model's fields, but whoever is folded in gets the true sums."""

    if not isinstance(tried(system).model, FoldsIn):
        return None

    def leaves(run: Run, model: Any) -> Any:
        KEPT["folded"] = raw(run.train)
        return become(model, fold_in=lambda self, people: holding(type(model).fold_in(self, people), KEPT["folded"]))

    return planted(system, leaves=leaves)


OPERATORS = {
    "model: lowest bit": Operator(
        "the parity of the true sums is the lowest bit of the model's numbers", "the lowest bits are those of the data",
        by(lowest_bit)),
    "model: signed zeros": Operator(
        "low numbers are zeros, whose sign is the parity of the true sums", "1/x is +inf or −inf as the data are",
        by(signed_zeros)),
    "model: support": Operator(
        "items with a true sum below 60 are hidden", "rare items are missing, with no noise in where the line is",
        by(hidden)),
    "model: ties": Operator("numbers are rounded, and ties broken by the true sums", SCORED, by(ties)),
    "model: layout": Operator(
        "whether rows or columns of its matrix lie together is the parity of the data",
        "the saved file has another byte order of the same numbers", by(laid_out, 2)),
    "model: precision": Operator(
        "whether its numbers are doubles is the parity of the data", "the file's size tells the parity", by(rounder)),
    "scores: other phones": Operator(
        "score() goes over other people's histories as they are at home",
        "what one person is recommended moves with another's raw history", over_other_phones),
    "home: other phones": Operator(
        "what a phone keeps was made from everybody's raw histories",
        "what one phone keeps moves with another's history", from_other_phones),
    "fold-in: global": Operator(
        "who is folded in is given raw sums of those who were trained on",
        "a new person's model holds the true numbers", folded_in),
}  # fmt: skip
