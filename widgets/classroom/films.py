"""Eight films, and sixty invented people who have watched some of them: a deck that is the same in every class."""

from __future__ import annotations

import numpy as np

Card = tuple[str, tuple[int, ...]]
FILMS = ("Alien", "Amélie", "Babe", "Casablanca", "Fargo", "Jaws", "Metropolis", "Titanic")
RATES = (0.45, 0.35, 0.25, 0.4, 0.3, 0.7, 0.1, 0.8)  # how many of them have watched each
NAMES = str.split(
    "Ada Ben Chi Dov Eva Fay Gus Hal Ida Jon Kai Lea Max Nia Ole Pia Quin Rob Sue Tom Una Vik Wei Xia Yan Zoe "
    "Ari Bea Cyd Dee Eli Fox Gil Hua Ian Joy Kim Lou Mia Ned Oda Pat Ray Sam Tea Uri Val Win Yue Zev Abe Bo Cal "
    "Dan Eda Flo Guy Hans Ivo Jan"
)


def deck() -> tuple[Card, ...]:
    """A card for each name."""
    watched = np.random.default_rng(2017).random((len(NAMES), len(FILMS))) < RATES
    return tuple((name, tuple(map(int, row))) for name, row in zip(NAMES, watched, strict=True))
