"""Averages that are bought for a whole person, at ε = 1, and are better than none (chapter dp_pnbm)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from recprivlib.data.synthetic import synthetic
from recprivlib.exercises.contract import Exercise, Failed, Wrong, finite, generator, number, price
from recprivlib.plots.numerals import count
from recprivlib.protocols import Array

EPSILON, SHARE = 1.0, 0.5
TAUGHT, ASKED, FILMS = 8000, 1000, 60

START = '''\
def sums(table):
    """table: people × films, 1 to 5 stars, 0 where nobody rated. The numbers that get noise."""
    return np.concatenate([table.sum(axis=0), (table > 0).sum(axis=0)])


scale = 5 / 1.0        # of the Laplace noise on each number: five stars, ε = 1


def means(noisy):
    """What the noisy numbers say of each film, in stars."""
    total, many = np.split(noisy, 2)
    return np.clip(total / np.maximum(many, 1), 1, 5)
'''
SOLUTION = '''\
def sums(table):
    """A person's films share one vote: her stars, from the middle, add up to 1 at most, and her votes to 1."""
    on = table > 0
    vote = on / np.maximum(on.sum(axis=1, keepdims=True), 1)
    return np.concatenate([(vote * (table - 3) / 2).sum(axis=0), vote.sum(axis=0)])


scale = 2.0            # a person moves all numbers by 2 together, at most


def means(noisy):
    stars, votes = np.split(noisy, 2)
    middle = stars.sum() / max(votes.sum(), 1)
    held = 8           # votes for the middle: a film that few rated stays near it
    return np.clip(3 + 2 * (stars + held * middle) / (np.maximum(votes, 0) + held), 1, 5)
'''
READY = """\
def sums(table):
    many = np.maximum((table > 0).sum(axis=0), 1)
    return table.sum(axis=0) / many


scale = 0.1


def means(noisy):
    return np.clip(noisy, 1, 5)
"""
RATING = START.replace("scale = 5 / 1.0        # of the Laplace noise on each number: five stars, ε = 1", "scale = 6.0")
PERSON = START.replace("scale = 5 / 1.0  ", "scale = 60 * 6.0")
THREE = SOLUTION[: SOLUTION.index("def means")] + "def means(noisy):\n    return np.full(len(noisy) // 2, 3.0)\n"
BARE = SOLUTION.replace("stars, votes = np.split(noisy, 2)", "return noisy")
COINS = SOLUTION.replace("    on = table > 0\n", "    on = (table > 0) & (np.random.random(table.shape) < 0.5)\n")


@lru_cache(maxsize=2)
def town(seed: int) -> tuple[Array, Array]:
    """The ratings of invented people, 0 where there is none: of those who teach, and of those who are asked."""
    drawn = synthetic(seed=seed, users=TAUGHT + ASKED, items=FILMS).interactions
    table = np.zeros((TAUGHT + ASKED, FILMS))
    table[drawn.users, drawn.items] = drawn.ratings
    return table[:TAUGHT], table[TAUGHT:]


def neighbours(seed: int) -> Iterator[tuple[str, Array, int]]:
    """Tables, and one of their people who may be missing: real ones, and some who are made up to be caught."""
    real, rng = town(seed)[0][:400], generator(seed, 4)
    made = {
        "who gave all films five stars": np.full(FILMS, 5.0),
        "who gave all films one star": np.full(FILMS, 1.0),
        "who gave one film five stars": np.where(np.arange(FILMS) == 7, 5.0, 0.0),
        "who loves half of the films and hates the others": np.where(rng.random(FILMS) < 0.5, 5.0, 1.0),
    }
    for who, row in made.items():
        yield f"A person {who}, among {len(real)} others,", np.vstack([row, real]), 0
        yield f"A person {who}, alone,", row[None], 0
    many = np.argsort(-(real > 0).sum(axis=1))
    for at in [*many[:5], *many[-5:], *rng.choice(len(real), 5, replace=False)]:
        yield f"A person with {count(int((real[at] > 0).sum()))} ratings", real, int(at)


def contract(names: Mapping[str, Any], seed: int) -> str:
    """Numbers from a table, the same ones twice; a scale; stars from as many numbers."""
    table, _ = town(seed)
    first, second = (_sums(names, table[:200]) for _ in range(2))
    if first.shape != second.shape or (first != second).any():
        raise Failed("sums gave other numbers for the same table the second time: noise is added afterwards, by scale.")
    if not 0 < _scale(names) < np.inf:
        raise Failed(f"scale is {_scale(names):g}, but must be a number above 0.")
    _means(names, first)
    return f"{count(len(first))} numbers about {FILMS} films, and noise of scale {_scale(names):g} on each."


def attacked(names: Mapping[str, Any], seed: int) -> str:
    """Everybody's part, by taking her away: what Laplace noise of this scale gives away of that very pair is exact."""
    worst, who, moved = 0.0, "", 0.0
    for said, table, at in neighbours(seed):
        there, away = _sums(names, table), _sums(names, np.delete(table, at, axis=0))
        if there.shape != away.shape:
            raise Failed(f"{said} changes how many numbers there are: from {len(away)} to {len(there)}.")
        far = float(np.abs(there - away).sum())
        if far / _scale(names) > worst:
            worst, who, moved = far / _scale(names), said, far
    told = f"{who} moves the numbers by {moved:.1f} together; noise of scale {_scale(names):g} hides {_scale(names):g}"
    if worst > EPSILON + 1e-9:
        raise Failed(f"{told}: ε = {price(worst)} for her, and 1 is promised.")
    return f"{told}: ε = {price(worst)}, the worst of all people that we tried."


def useful(names: Mapping[str, Any], seed: int) -> str:
    """How far the averages are off for people who were not in the table, beside one number for all films."""
    table, asked = town(seed)
    on = table > 0
    noisy = _sums(names, table)
    noisy = noisy + generator(seed, 5).laplace(0, _scale(names), noisy.shape)
    exact = table.sum(axis=0) / np.maximum(on.sum(axis=0), 1)
    floor, best, yours = (off(one, asked) for one in (np.full(FILMS, table[on].mean()), exact, _means(names, noisy)))
    said = f"Off by {yours:.3f} stars; one number for all films, {floor:.3f}; averages without noise, {best:.3f}"
    if yours > floor - SHARE * (floor - best):
        raise Failed(f"{said}: half of the way between them is wanted.")
    return f"{said}."


def off(stars: Array, asked: Array) -> float:
    """Root of the mean squared error on the ratings of `asked`."""
    return float(np.sqrt(((asked - stars)[asked > 0] ** 2).mean()))


def _scale(names: Mapping[str, Any]) -> float:
    return number(names["scale"], "scale")


def _sums(names: Mapping[str, Any], table: Array) -> Array:
    made = np.asarray(names["sums"](table.copy()), float)
    if made.ndim != 1 or not len(made) or not np.isfinite(made).all():
        raise Failed(f"For {count(len(table))} people sums must return one row of finite numbers.")
    return made


def _means(names: Mapping[str, Any], noisy: Array) -> Array:
    made = names["means"](noisy.copy())
    return finite(made, FILMS, f"means must return a finite number for each of {FILMS} films")


EXERCISE = Exercise(
    name="means",
    title="Averages for a whole person",
    task="A server that is trusted publishes the average of each of 60 films, with Laplace noise, at ε = 1 for a whole "
    "person: all her ratings may be missing. sums(table) are the numbers that get noise, scale is how much, and "
    "means(noisy) makes stars of them. Come half of the way, at least, from one number for all films to averages "
    "without noise.",
    start=START,
    solution=SOLUTION,
    needs=("sums", "scale", "means"),
    checks=(("contract", contract), ("attacked", attacked), ("of use", useful)),
    hints=(
        "Take away a person who rated all 60 films. By how much do all numbers move together?",
        "Noise for the busiest person drowns the rest. Nothing says that every rating has to count the same.",
        "Give each person one vote, which her films share; count stars from the middle, so that a film moves by at "
        "most half the range. Then hold films with few votes near the middle of all.",
    ),
    wrong=(
        Wrong(START, "attacked"),
        Wrong(RATING, "attacked"),
        Wrong(READY, "attacked"),
        Wrong(SOLUTION.replace("scale = 2.0", "scale = 1.0"), "attacked"),
        Wrong(PERSON, "of use"),
        Wrong(THREE, "of use"),
        Wrong(BARE, "contract"),
        Wrong(COINS, "contract"),
    ),
)
