"""What each process of a federated run does: bytes in, bytes out. Whatever carries the bytes changes nothing.

Phones of one process draw what their whole block draws and send their own rows, for a replay of a run in one process
has to meet the same random numbers; a real phone asks its operating system for them. So the number of processes
changes no bit. The proxy's order is nobody's to replay: it is drawn anew each time, and changes no bit either.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from recprivlib.mechanisms.gate import seen
from recprivlib.mechanisms.noise import Root, rooted
from recprivlib.papers.fmf_ldp import Told, proxy, shuffled
from recprivlib.parameters import UserError
from recprivlib.population import BLOCK, block, dealt, onward, roots
from recprivlib.protocols import Array, Interactions
from recprivlib.streams import checked, stream


def packed(**arrays: Array) -> bytes:
    """Arrays by name, as they travel."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def unpacked(message: bytes) -> dict[str, Array]:
    """The arrays of a message; nothing in it is ever run."""
    with np.load(io.BytesIO(message), allow_pickle=False) as arrays:
        return dict(arrays)


@dataclass
class Phones:
    """A run of phones: the histories of these people alone, under everybody's numbers."""

    system: Any
    own: Interactions
    mine: range
    streams: dict[int, np.random.Generator]  # of the blocks they lie in
    root: Root  # of the noise
    turn: int = 0

    def answer(self, told: bytes) -> bytes:
        """The messages of one round, with their senders."""
        items, sent = Told(unpacked(told)["items"]), []
        self.turn += 1
        under = roots(self.root, self.streams, self.turn)
        for (number, own), root in zip(self.streams.items(), under, strict=True):
            first = number * BLOCK
            rows = slice(max(self.mine.start - first, 0), self.mine.stop - first)
            with rooted(root):
                whole = self.system.messages(block(self.own, number), items, own)
            sent.append([part[rows] for part in whole])
        self.streams = dict(zip(self.streams, onward([*self.streams.values()]), strict=True))
        cells, signs = (np.concatenate(parts) for parts in zip(*sent, strict=True))
        return packed(phones=np.array(self.mine), cells=cells, signs=signs)


@dataclass
class Proxy:
    """Strips who sent what, splits messages into single reports, shuffles them."""

    phones: int
    heard: list[bytes] = field(default_factory=list)  # by name: what colluders would have

    def mix(self, messages: Sequence[bytes]) -> bytes:
        """What the server gets of one round."""
        self.heard += messages
        parts = [unpacked(one) for one in messages]
        senders, cells, signs = (np.concatenate([one[name] for one in parts]) for name in ("phones", "cells", "signs"))
        answers = np.bincount(senders, minlength=self.phones)
        if (answers != 1).any():
            who = int(np.flatnonzero(answers != 1)[0])
            raise UserError(
                f"phone {who} answered {answers[who]} times, but the bill counts on one answer of everybody"
            )
        return packed(reports=shuffled(cells, signs, np.random.default_rng()))


@dataclass
class Server:
    """Adds single reports up and moves the item vectors."""

    system: Any
    told: Told
    rng: np.random.Generator
    received: list[bytes] = field(default_factory=list)  # all it ever gets

    def start(self) -> bytes:
        """What it tells everybody before anybody has answered."""
        return packed(items=seen("told", self.told).items)

    def learn(self, messages: Sequence[bytes]) -> bytes:
        """What it tells everybody after a round."""
        (message,) = messages
        self.received.append(message)
        cells, signs = unpacked(message)["reports"].T
        sums = seen("sums", proxy(cells, signs, self.told.items.size))
        self.told = seen("told", self.system.learn(self.told, sums, self.rng))
        return packed(items=self.told.items)


def cast(system: Any, train: Interactions, seed: int, processes: int) -> tuple[Server, Proxy, list[Phones]]:
    """Who plays a run of `system`: everybody of `train` in `processes` runs of phones."""
    if not 1 <= processes <= train.n_users:
        raise UserError(f"processes is {processes!r}, but must be a whole number from 1 to {train.n_users} phones")
    streams, own = dealt(-(-train.n_users // BLOCK), stream(checked(seed), "fit"))
    root = Root.of(seed)
    server = Server(system, system.start(train.sizes, own), own)
    ends = np.linspace(0, train.n_users, processes + 1).astype(int).tolist()
    phones = []
    for mine in map(range, ends[:-1], ends[1:]):
        kept = replace(train.take((train.users >= mine.start) & (train.users < mine.stop)), user_features={})
        numbers = range(mine.start // BLOCK, -(-mine.stop // BLOCK))
        phones.append(Phones(system, kept, mine, {number: deepcopy(streams[number]) for number in numbers}, root))
    return server, Proxy(train.n_users), phones
