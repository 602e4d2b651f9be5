"""Bugs in the noise itself: whose root it comes from, and mechanisms that do not draw what they say."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from recprivlib.auditing.mutation.answers import LEAK, at_gate, costs, scaled, single, sized, spots, truth, with_lie
from recprivlib.auditing.mutation.grafts import Hook, Run, holding, planted
from recprivlib.auditing.mutation.operator import Operator, tried
from recprivlib.mechanisms.gate import answer
from recprivlib.mechanisms.noise import Root, here, rooted
from recprivlib.protocols import Array, HasSensitivity

BLOCK = 256


# --------------------------------------------------------------------------------------------- whose noise it is


def own_root(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    with rooted(5):
        return ask()


def root_of_the_data(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    with rooted(sized(x)):
        return ask()


def rewound(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    here().passages = 0
    return ask()


def where_taken_back(build: Any) -> Any:
    """For systems one root of which answers twice: else there is nothing to take back, and nothing is another."""

    def built(system: Any) -> Any:
        streams = [call.stream for call in tried(system).calls if not call.secret]
        return build(system) if any(one.path[-1] for one in streams if one) else None

    return built


def root_told(system: Any) -> Any:
    """The key of the run's noise is a field of the model: with it everybody draws the noise again."""
    return planted(system, leaves=lambda run, model: holding(model, f"noise {here().key}"))


def noise_drawn_again(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    """The noise of the answer is drawn a second time and taken off: what is left is the truth."""
    root = here()
    again = Root(root.key, root.path, root.real, root.passages).generator()
    y = ask()
    noise = answer(mechanism, np.zeros_like(x), again)
    return y - noise if isinstance(y, np.ndarray) and y.dtype.kind == "f" else y


# ------------------------------------------------------------------------- mechanisms that lie; the ledger names them


def silent(release: Hook) -> Hook:
    def lie(self: Any, x: Any, rng: np.random.Generator) -> Any:
        release(self, x, rng)
        return truth(self, x, release)

    return lie


def some_silent(release: Hook) -> Hook:
    return lambda self, x, rng: spots(release(self, x, rng), truth(self, x, release))


def own_seed(release: Hook) -> Hook:
    return lambda self, x, rng: release(self, x, np.random.default_rng(5))


def seed_of_the_data(release: Hook) -> Hook:
    return lambda self, x, rng: release(self, x, np.random.default_rng(sized(x)))


def same_for_all(release: Hook) -> Hook:
    def lie(self: Any, x: Any, rng: np.random.Generator) -> Any:
        if isinstance(x, tuple):
            return tuple(
                total + np.ravel(y - total)[0] for total, y in zip(self.sums(x), release(self, x, rng), strict=True)
            )
        if np.ndim(x) == 0 or not len(x):
            return release(self, x, rng)
        if isinstance(self, HasSensitivity):
            return x + (release(self, x[:1], rng) - x[:1])
        kinds, which = np.unique(x, axis=0, return_inverse=True)
        rows = [release(self, kind[None], copy.deepcopy(rng)) for kind in kinds]
        rng.random()
        return np.concatenate(rows)[which.ravel()]

    return lie


def same_for_blocks(release: Hook) -> Hook:
    """The same noise for person u and person u + 256."""

    def lie(self: Any, x: Any, rng: np.random.Generator) -> Any:
        if isinstance(x, tuple) or np.ndim(x) == 0 or len(x) <= BLOCK:
            return release(self, x, rng)
        starts = range(0, len(x), BLOCK)
        parts = [release(self, x[start : start + BLOCK], copy.deepcopy(rng)) for start in starts]
        rng.random()
        return np.concatenate(parts)

    return lie


def of_each(mechanism: Any, x: Any) -> bool:
    """Whether people have answers of their own: of a sum over a cohort nobody has."""
    return costs(mechanism, x) and not isinstance(x, tuple)


def kept_noise(release: Hook) -> Hook:
    """Noise is drawn once a process, and kept for the next run."""
    kept: dict[Any, Any] = {}

    def lie(self: Any, x: Any, rng: np.random.Generator) -> Any:
        form = tuple(map(np.shape, x if isinstance(x, tuple) else (x,)))
        return release(self, x, copy.deepcopy(kept.setdefault(form, rng)))

    return lie


def cut_off(release: Hook) -> Hook:
    """Noise is cut at twice its usual size: beyond, an answer tells neighbours apart for sure."""

    def lie(self: Any, x: Any, rng: np.random.Generator) -> Any:
        y = release(self, x, rng)
        if isinstance(x, tuple):
            return tuple(_cut(one, real) for one, real in zip(y, self.sums(x), strict=True))
        return _cut(y, np.asarray(x, float))

    return lie


def _cut(y: Array, real: Array) -> Array:
    noise = y - real
    usual = np.sqrt(np.mean(noise**2)) if np.size(noise) else 0.0
    return real + np.clip(noise, -2 * usual, 2 * usual)


def silent_once_in(times: float) -> Callable[[Hook], Hook]:
    """One answer in so many tells the truth."""

    def rarely_silent(release: Hook) -> Hook:
        def lie(self: Any, x: Any, rng: np.random.Generator) -> Any:
            y = release(self, x, rng)
            return truth(self, x, release) if rng.random() < 1 / times else y

        return lie

    return rarely_silent


OPERATORS = {
    "root: own": Operator(
        "noise comes from a root of the system's own", "two runs have the same noise", at_gate(own_root)),
    "root: data's": Operator(
        "the data choose the root of the noise", "the same data always give the same noise", at_gate(root_of_the_data)),
    "root: rewound": Operator(
        "every answer takes the noise of the first", "two answers to one question are alike",
        where_taken_back(at_gate(rewound, least=2))),
    "root: told": Operator(
        "the model tells the key of its noise", "whoever has the key draws the noise again", root_told),
    "root: drawn again": Operator("the noise is drawn again and taken off", LEAK, at_gate(noise_drawn_again, single)),
    "lie: silent": Operator("the mechanism draws noise and does not add it", LEAK, with_lie(silent)),
    "lie: some silent": Operator(
        "the mechanism leaves one coordinate in fifty bare", "these coordinates never vary", with_lie(some_silent)),
    "lie: own seed": Operator(
        "the mechanism has a seed of its own", "two runs have the same noise", with_lie(own_seed)),
    "lie: data's seed": Operator(
        "the data choose the mechanism's seed", "the same data always give the same noise", with_lie(seed_of_the_data)),
    "lie: same for all": Operator(
        "everybody is given the noise of the first", "differences of people have no noise", with_lie(same_for_all)),
    "lie: same for blocks": Operator(
        "persons u and u + 256 are given the same noise", "differences of these two have no noise",
        with_lie(same_for_blocks, of_each)),
    "lie: kept": Operator(
        "noise is drawn once, and used in every later run", "two runs have the same noise", with_lie(kept_noise)),
    "lie: cut off": Operator(
        "noise is cut at twice its usual size", "no answer lies far out", with_lie(cut_off, scaled)),
    "lie: rarely silent": Operator(
        "one answer in a thousand is the truth", "in a thousand runs one is exact", with_lie(silent_once_in(1e3))),
}  # fmt: skip
