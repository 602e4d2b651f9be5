"""Thirty phones and three hundred weights: send less, so that the noise hides less (chapter privrec)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from recprivlib.exercises.contract import Exercise, Failed, Wrong, finite, generator
from recprivlib.plots.numerals import count
from recprivlib.protocols import Array

PHONES, FILMS, KINDS, TOWNS = 30, 300, 12, 20
BOUND, WANTED, ROUNDING = 1.0, 0.8, 1e-9

START = '''\
def encode(update, kinds):
    """What one phone sends: at most 1 long. update: a number for each of 300 films. kinds: 0 to 11, of each, public."""
    return update


def decode(total, phones, kinds):
    """The mean update of all, a number for each film, from the noisy sum of what they sent."""
    return total / phones
'''
SOLUTION = """\
def encode(update, kinds):
    films = np.bincount(kinds, minlength=12)
    short = np.bincount(kinds, update, minlength=12) / np.sqrt(films)   # one number a kind: the rest is let go
    return short / max(1, np.linalg.norm(short))


def decode(total, phones, kinds):
    films = np.bincount(kinds, minlength=12)
    return (total / phones / np.sqrt(films))[kinds]
"""
CUT = START.replace("return update", "return update / max(1, np.linalg.norm(update))")
EACH = START.replace("return update", "return np.clip(update, -1, 1)")
LONG = SOLUTION.replace("return short / max(1, np.linalg.norm(short))", "return short")
ALWAYS = SOLUTION.replace("max(1, np.linalg.norm(short))", "np.linalg.norm(short)")
FIRST = """\
def encode(update, kinds):
    few = update[:12]
    return few / max(1, np.linalg.norm(few))


def decode(total, phones, kinds):
    return np.concatenate([total / phones, np.zeros(len(kinds) - 12)])
"""
NOTHING = """\
def encode(update, kinds):
    return np.zeros(1)


def decode(total, phones, kinds):
    return 0 * kinds + total[0]
"""
PERSONAL = SOLUTION.replace(
    "return short / max(1, np.linalg.norm(short))", "return (short / max(1, np.linalg.norm(short)))[short > 0]"
)


def town(rng: np.random.Generator) -> tuple[Array, Array]:
    """Thirty updates, and the kinds of the films: what people agree on goes by kind, the rest is their own."""
    kinds = rng.permutation(np.arange(FILMS) % KINDS)
    films = np.sqrt(FILMS / KINDS)
    shared = rng.normal(0, 0.1, KINDS)
    own = rng.normal(0, 0.15, (PHONES, KINDS))
    return (shared + own)[:, kinds] / films + rng.normal(0, 0.03, (PHONES, FILMS)), kinds


def updates(seed: int) -> Iterator[tuple[str, Array, Array]]:
    """Real ones, and some that are made up to be caught."""
    people, kinds = town(generator(seed, 7))
    rng = generator(seed, 8)
    for one in people:
        yield "An update as people have it", one, kinds
    yield "An update of zeros", np.zeros(FILMS), kinds
    for size in (1e-6, 1.0, 1e6):
        yield f"An update of {size:g} for every film", np.full(FILMS, size), kinds
        yield f"An update of {size:g} for one film", np.where(np.arange(FILMS) == 11, size, 0.0), kinds
        yield f"An update of ± {size:g}, by chance,", size * rng.choice([-1.0, 1.0], FILMS), kinds
        yield f"An update of {size:g} for one kind", np.where(kinds == 3, size, 0.0), kinds


def contract(names: Mapping[str, Any], seed: int) -> str:
    """As many numbers from every phone, the same ones twice; a number for each film from their sum."""
    lengths = set()
    for said, update, kinds in updates(seed):
        first, second = (_encoded(names, said, update, kinds) for _ in range(2))
        if first.shape != second.shape or (first != second).any():
            raise Failed(f"{said} was encoded in two ways: the noise is added afterwards.")
        lengths.add(len(first))
    if len(lengths) > 1:
        raise Failed(f"Some phones send {min(lengths)} numbers and others {max(lengths)}; sums need the same from all.")
    _decoded(names, np.zeros(lengths.pop()), kinds)
    return f"{count(len(first))} numbers from each phone, for {FILMS} films."


def attacked(names: Mapping[str, Any], seed: int) -> str:
    """How long what is sent can be: noise of 1 hides a phone that sends 1 at most, and nobody can check a phone."""
    longest = 0.0
    for said, update, kinds in updates(seed):
        length = float(np.linalg.norm(_encoded(names, said, update, kinds)))
        longest = max(longest, length)
        if length > BOUND + ROUNDING:
            raise Failed(f"{said} becomes a message {length:.3g} long; the noise hides {BOUND:g}.")
    return f"The longest message of all that we tried is {longest:.2f} long; the noise hides {BOUND:g}."


def useful(names: Mapping[str, Any], seed: int) -> str:
    """The angle between what a server reads and what thirty phones would have said, with z = 1, in twenty towns."""
    rng, found, plain = generator(seed, 9), [], []
    for _ in range(TOWNS):
        people, kinds = town(rng)
        sent = np.array([_encoded(names, "An update", one, kinds) for one in people])
        total = sent.sum(axis=0) + rng.normal(0, BOUND, sent.shape[1])
        found.append(cosine(_decoded(names, total, kinds), people.mean(axis=0)))
        cut = people / np.maximum(np.linalg.norm(people, axis=1, keepdims=True), 1)
        plain.append(cosine(cut.sum(axis=0) + rng.normal(0, BOUND, FILMS), people.mean(axis=0)))
    mine, all_ = float(np.mean(found)), float(np.mean(plain))
    said = f"What the server reads has a cosine of {mine:.2f} with the mean of {PHONES} phones; all weights, {all_:.2f}"
    if mine < WANTED:
        raise Failed(f"{said}: {WANTED:g} is wanted.")
    return f"{said}, at the same noise."


def cosine(one: Array, other: Array) -> float:
    """0 where there is no direction."""
    both = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / both if both > 0 else 0.0


def _encoded(names: Mapping[str, Any], said: str, update: Array, kinds: Array) -> Array:
    made = np.asarray(names["encode"](update.copy(), kinds.copy()), float)
    if made.ndim != 1 or not len(made) or not np.isfinite(made).all():
        raise Failed(f"{said} must be encoded as a row of finite numbers.")
    return made


def _decoded(names: Mapping[str, Any], total: Array, kinds: Array) -> Array:
    made = names["decode"](total.copy(), PHONES, kinds.copy())
    return finite(made, FILMS, f"decode must return a finite number for each of {FILMS} films")


EXERCISE = Exercise(
    name="save",
    title="What would save thirty phones?",
    task="Thirty phones have an update of 300 weights each, and the noise on their sum hides a phone that sends 1 at "
    "most, so it drowns what they agree on. Every film has one of twelve kinds, which is public. Say what a phone "
    "sends and how the server reads the sum, so that it points where the phones do: a cosine of .8.",
    start=START,
    solution=SOLUTION,
    needs=("encode", "decode"),
    checks=(("contract", contract), ("attacked", attacked), ("of use", useful)),
    hints=(
        "How long is the noise in 300 numbers, and how long in 12? Each number has as much.",
        "What thirty people agree on goes by kind. One number a kind says it; the rest is hardly shared.",
        "Add up a kind's weights and divide by the root of how many there are; cut the twelve to length 1 together.",
    ),
    wrong=(
        Wrong(START, "attacked"),
        Wrong(CUT, "of use"),
        Wrong(EACH, "attacked"),
        Wrong(LONG, "attacked"),
        Wrong(FIRST, "of use"),
        Wrong(NOTHING, "of use"),
        Wrong(ALWAYS, "contract"),
        Wrong(PERSONAL, "contract"),
    ),
)
