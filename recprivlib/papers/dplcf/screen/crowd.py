"""The phones of a population, of any size: what the paper's own phones report, block by block.

A population `people` times as large is drawn from the real users with replacement, as `data.resample` draws it. What
everybody reports depends on the seed alone, through one uniform number a bit: a dragged ε flips bits one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from recprivlib.dashboard.folds import holdout
from recprivlib.dashboard.memory import Memory
from recprivlib.data import Dataset
from recprivlib.evaluation import stream
from recprivlib.mechanisms.noise import Root, rooted
from recprivlib.population import BLOCK, added, dealt
from recprivlib.protocols import Array

QUICK = 4  # populations up to this many times the real one report while a reader drags
SUMS = Memory(24 << 20)  # what a single block has just reported: another server at the same ε learns from the same
UNIFORM = Memory(24 << 20)  # the numbers that are compared with ε, of a town or two
Heard = tuple[float, Mapping[str, Array], np.random.Generator]  # progress, sums so far, the server's own noise


def heard(system: Any, data: Dataset, people: int, seed: int) -> Iterator[Heard]:
    """What the server of a one-round system has been sent after each block of phones (the same arrays, growing)."""
    train = holdout(data, seed).train
    phones = np.arange(train.n_users)
    if people > 1:
        phones = np.random.default_rng([seed, people]).integers(train.n_users, size=train.n_users * people)
    number = -(-len(phones) // BLOCK)
    said = repr(system.ledger(train.sizes).releases)

    def sent(block: int) -> Mapping[str, Array]:
        own, root = dealt(number, stream(seed, "fit"))[0][block], Root.of(seed).branch(block, 1)
        everybody = people == 1 and number == 1  # whose histories are laid out already
        mine = train if everybody else train.of(phones[block * BLOCK : (block + 1) * BLOCK])
        with rooted(Remembering(root.key, root.path) if everybody else root):
            return system.collect(mine, None, own)

    whole: Mapping[str, Array] = {}
    for block in range(number):
        key = (data.checksum, people, seed, said)
        part = SUMS.get(key, lambda: sent(0)) if number == 1 else sent(block)
        whole = added([whole, part]) if whole else part
        yield (block + 1) / number, whole, dealt(number, stream(seed, "fit"))[1]


class Remembering(Root):
    """A root whose uniform numbers are drawn once."""

    def generator(self) -> np.random.Generator:
        return Remembered(super().generator().bit_generator)


class Remembered(np.random.Generator):
    """Draws the same numbers as any other, but those of the same place once only: a dragged ε compares them anew."""

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        if size is None or out is not None:
            return super().random(size, dtype, out)
        key = (str(self.bit_generator.state), size, np.dtype(dtype).str)
        numbers, self.bit_generator.state = UNIFORM.get(key, lambda: self._drawn(size, dtype))
        return numbers

    def _drawn(self, size: Any, dtype: Any) -> tuple[Any, Any]:
        numbers = np.asarray(super().random(size, dtype))
        numbers.flags.writeable = False
        return numbers, self.bit_generator.state
