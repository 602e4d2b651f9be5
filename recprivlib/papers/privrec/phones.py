"""What phones know, and what they do with a network: learn on their own history, and score at home.

A network that sees features alone cannot tell items with the same features apart. So a history is kept as a count of
each KIND of item (ML-1M: 301 combinations of genres for 3,883 films), and a pass over it is a weighted sum over kinds.
Unseen items count as zeros in proportion to how many there are of each kind: what drawing them at random would give on
average, without the draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from recprivlib.data.movielens import OCCUPATIONS_1M, OCCUPATIONS_100K
from recprivlib.models.rows import pick
from recprivlib.papers.privrec.network import Inputs, Shape, gradient, logits
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, AtHome, Interactions

AGES = (18, 25, 35, 45, 50, 56)  # where ML-1M's brackets begin
TOGETHER = 8  # phones whose layers fit the cache
LISTS = {"gender": (("F", "M"),), "occupation": (OCCUPATIONS_1M, OCCUPATIONS_100K)}
LIKED = 3  # stars; more than that are a one


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What everybody knows about the features: which values there are, and what kinds of items."""

    values: Mapping[str, Array]  # field of a person -> its values, sorted; a person with another one has number 0
    kinds: Array | None  # float32 (C, features), rows of length 1; None: every item is its own kind
    kind_of: Array  # int32 (n_items,)

    @classmethod
    def of(cls, train: Interactions, ids: bool = False) -> Vocabulary:
        """The vocabulary of a data set; with `ids` the items' numbers alone, and nothing about people."""
        if ids:
            return cls({}, None, np.arange(train.n_items, dtype=np.int32))
        if not train.item_features:
            raise UserError("a network of features needs features of items, and this data has none; try fofl-self")
        kinds, kind_of = np.unique(item_features(train), axis=0, return_inverse=True)
        values = {name: _values(name, column) for name, column in train.user_features.items()}
        return cls(values, kinds, kind_of.astype(np.int32).ravel())

    @property
    def fields(self) -> tuple[int, ...]:
        """How many numbers a person has in each field; 0 stands for what is not known."""
        return tuple(len(known) + 1 for known in self.values.values())

    @property
    def features(self) -> int:
        return len(self.kind_of) if self.kinds is None else self.kinds.shape[1]

    @property
    def sizes(self) -> Array:
        """How many items there are of each kind."""
        return np.bincount(self.kind_of).astype(np.float32)

    def people(self, data: Interactions) -> Array:
        """Each person's numbers, int32 (n, fields). Who tells nothing, or something new, has number 0."""
        out = np.zeros((data.n_users, len(self.values)), np.int32)
        for column, (name, known) in enumerate(self.values.items()):
            if name in data.user_features and len(known):
                said = _coded(name, data.user_features[name])
                place = np.minimum(np.searchsorted(known, said), len(known) - 1)
                out[:, column] = np.where(known[place] == said, place + 1, 0)
        return out


def item_features(data: Interactions) -> Array:
    """All features of items side by side, float32; each feature's columns add up to 1 where it is known at all."""
    columns = []
    for value in data.item_features.values():
        block = value if value.ndim == 2 else value[:, None] == np.unique(value)
        block = block.astype(np.float32)
        if not np.isfinite(block).all():
            raise UserError("a feature of an item is not a finite number")
        columns.append(block / np.maximum(block.sum(axis=1, keepdims=True), 1))
    return np.concatenate(columns, axis=1) / np.float32(len(columns))


def _coded(name: str, column: Array) -> Array:
    """Ages in brackets (−1: unknown), everything else as it is written ("": unknown)."""
    if name != "age":
        return column.astype(str)
    ages = column.astype(float)
    return np.where(ages > 0, np.searchsorted(AGES, np.nan_to_num(ages), side="right"), -1)


def _values(name: str, column: Array) -> Array:
    """What may be answered: the publisher's list where there is one, so that it does not depend on who is there."""
    if name == "age":
        return np.arange(len(AGES) + 1)
    said = np.unique(_coded(name, column))
    for listed in LISTS.get(name, ()):
        if np.isin(said[said != ""], listed).all():
            return np.sort(listed)
    return said[said != ""]


@dataclass(frozen=True, eq=False)
class Phones:
    """Everything that stays on the phones of some people."""

    people: Array  # int32 (n, fields)
    likes: sp.csr_array  # float32 (n, C): how many items of each kind are ones
    seen: sp.csr_array  # float32 (n, C): how many were met at all
    zeros: float  # unseen items that count as zeros, for each item that was met

    @classmethod
    def of(cls, data: Interactions, words: Vocabulary, zeros: float, stars: bool = False) -> Phones:
        """`stars`: a one is a rating above 3 (as the paper has it), not any item that was met."""
        n, kinds = len(words.kind_of), int(words.kind_of.max()) + 1
        one = sp.csr_array((np.ones(n, np.float32), words.kind_of, np.arange(n + 1)), shape=(n, kinds))
        liked = data.take(data.ratings > LIKED).matrix if stars and data.grid else data.matrix
        return cls(words.people(data), (liked @ one).tocsr(), (data.matrix @ one).tocsr(), zeros)

    def __len__(self) -> int:
        return len(self.people)

    def targets(self, users: Array, sizes: Array) -> tuple[Array, Array]:
        """(weights of ones, weights of ones and zeros) of each kind, (M, C); each phone's weights add up to 1."""
        likes, seen = self.likes[users].toarray(), self.seen[users].toarray()
        met, unseen = seen.sum(axis=1, keepdims=True), sizes - seen
        zeros = unseen * (self.zeros * met / np.maximum(unseen.sum(axis=1, keepdims=True), 1))
        total = seen + zeros
        whole = np.maximum(total.sum(axis=1, keepdims=True), 1)
        return likes / whole, total / whole


@dataclass(frozen=True)
class Practice:
    """How a phone learns: plain gradient steps on the whole history, pulled back to where it began (eq. 7)."""

    epochs: int  # E₂
    rate: float  # α₁
    proximal: float  # μ


@dataclass(frozen=True, eq=False)
class Network:
    """A shape with what it looks at."""

    shape: Shape
    words: Vocabulary

    def practised(self, theta: Array, phones: Phones, users: Array, practice: Practice) -> Array:
        """θ_τ of each of these phones after its local epochs from θ₀ = `theta`: (M, d)."""
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is told by whoever uses the result
            return self._practised(theta, phones, users, practice)

    def _practised(self, theta: Array, phones: Phones, users: Array, practice: Practice) -> Array:
        out, sizes = np.repeat(theta[None], len(users), axis=0), self.words.sizes
        for start in range(0, len(users), TOGETHER):
            some, mine = users[start : start + TOGETHER], out[start : start + TOGETHER]
            inputs = Inputs(phones.people[some], self.words.kinds)
            likes, total = phones.targets(some, sizes)
            for epoch in range(practice.epochs):
                step = gradient(self.shape, mine, inputs, likes, total)
                if practice.proximal and epoch:
                    step += practice.proximal * (mine - theta)
                step *= practice.rate
                mine -= step
        return out

    def scores(self, theta: Array, phones: Phones, users: Array) -> Array:
        """(M, n_items): what each phone's own network says of every item."""
        found = np.empty((len(users), len(self.words.sizes)), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(users), TOGETHER):
                part = slice(start, start + TOGETHER)
                found[part] = logits(self.shape, theta[part], Inputs(phones.people[users[part]], self.words.kinds))
        return found[:, self.words.kind_of]


@dataclass(frozen=True, eq=False)
class FineTuned:
    """The broadcast θ₀, and phones that fine-tune it on their own history before they score (Section 3.3)."""

    theta: Array  # float32 (d,)
    network: Network
    phones: AtHome[Phones]
    practice: Practice
    stars: bool = False

    def score(self, users: Array, items: Array) -> Array:
        return pick(self._rows, users, items, len(self.network.words.kind_of))

    def _rows(self, users: Array) -> Array:
        block = max(TOGETHER, (1 << 21) // len(self.theta))
        parts = [users[start : start + block] for start in range(0, len(users), block)]
        return np.concatenate([self._tuned(part) for part in parts]) if parts else self._tuned(users)

    def _tuned(self, users: Array) -> Array:
        tuned = self.network.practised(self.theta, self.phones, users, self.practice)
        return self.network.scores(tuned, self.phones, users)

    def fold_in(self, people: Interactions) -> FineTuned:
        phones = Phones.of(people, self.network.words, self.phones.zeros, self.stars)
        return replace(self, phones=phones)
