"""What a phone sends about its stars, as the attacker reads it: Ada's tape, and the channel behind it.

Ada and her ratings are invented. They go through the real `release`; the seed of the noise does not depend on the
settings, so that a dragged ε moves each report and draws none anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import Duchi, KRandomizedResponse, Laplace, LaplaceOrTruth, OptimalChannel, Piecewise
from recprivlib.mechanisms.laplace_rounded import worst_inputs
from recprivlib.papers.ldp_svd.answering import inputs, prior_of
from recprivlib.papers.ldp_svd.system import STARS
from recprivlib.protocols import Array

ADA = (
    ("Brazil", 5), ("Blade Runner", 5), ("Alien", 5), ("Delicatessen", 5),
    ("Fargo", 4), ("Trainspotting", 4), ("2001", 4), ("Toy Story", 4), ("Casablanca", 4), ("Psycho", 4),
    ("Twelve Monkeys", 3), ("Babe", 3), ("Star Wars", 3), ("Contact", 3), ("Clueless", 3),
    ("Speed", 2), ("Jaws", 2), ("Groundhog Day", 2),
    ("Titanic", 1), ("Twister", 1),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Tape:
    """Ada's films, her stars, her phone's reports on the line of stars, and which of them are proof."""

    titles: tuple[str, ...]
    stars: Array
    reports: Array
    certain: Array

    @property
    def proofs(self) -> int:
        return int(self.certain.sum())


def tape(mechanism: Any, seed: int, clipped: bool = False) -> Tape:
    """Ada's reports. A report is proof of her rating if no other rating could have given it.

    `clipped`: cut to the stars there are, so that at both ends a report may be noise that was cut.
    """
    titles, given = zip(*ADA, strict=True)
    stars = np.array(given, float)
    sent = mechanism.release(inputs(mechanism, stars, STARS), np.random.default_rng([seed, len(stars)]))
    possible = np.isfinite(mechanism.log_density(np.asarray(sent)[:, None], inputs(mechanism, np.array(STARS), STARS)))
    line, certain = on_the_line(mechanism, sent), possible.sum(axis=1) == 1
    if not clipped:
        return Tape(titles, stars, line, certain)
    return Tape(titles, stars, np.clip(line, STARS[0], STARS[-1]), certain & (line > STARS[0]) & (line < STARS[-1]))


def on_the_line(mechanism: Any, sent: Array) -> Array:
    """Reports in stars. An answer of the most telling channel stands at the mean of the ratings behind it."""
    if isinstance(mechanism, OptimalChannel):
        share = np.array(prior_of(STARS))[:, None] * mechanism.channel
        return (np.array(STARS) @ share / share.sum(axis=0))[sent]
    if isinstance(mechanism, KRandomizedResponse):
        return np.array(STARS)[sent]
    return _stars(sent) if isinstance(mechanism, Duchi | Piecewise) else np.asarray(sent, float)


def _stars(values: Array) -> Array:
    """From −1 … 1 to 1 … 5."""
    return (STARS[0] + STARS[-1]) / 2 + (STARS[-1] - STARS[0]) / 2 * np.asarray(values, float)


@dataclass(frozen=True, eq=False)
class Heard:
    """P(report | star) with the reports in columns, and the two stars and the report whose ratio is largest."""

    names: tuple[str, ...]
    matrix: Array  # 5 × reports
    pair: tuple[int, int]  # rows; the first is the likelier
    column: int

    @property
    def ratio(self) -> float:
        """The largest log-ratio."""
        a, b = (self.matrix[row, self.column] for row in self.pair)
        return math.log(a) - math.log(b) if b > 0 else math.inf


def heard(mechanism: Any) -> Heard:
    """The channel from stars to reports; where reports are real numbers, in pieces that keep the largest ratio."""
    names, matrix = _columns(mechanism)
    stars = [STARS.index(float(star)) for star in worst_inputs(matrix, STARS)]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(matrix[stars[0]]) - np.log(matrix[stars[1]])
    column = int(np.nanargmax(np.abs(ratio)))
    pair = (stars[0], stars[1]) if ratio[column] > 0 else (stars[1], stars[0])
    return Heard(names, matrix, pair, column)


def _columns(mechanism: Any) -> tuple[tuple[str, ...], Array]:
    if isinstance(mechanism, LaplaceOrTruth):
        return _with_atoms(mechanism)
    if isinstance(mechanism, Laplace):
        return BETWEEN, _between(mechanism.scale)
    stars = inputs(mechanism, np.array(STARS), STARS)[:, None]
    if isinstance(mechanism, Piecewise):
        edges = np.unique(np.r_[-mechanism.scale, mechanism.left(stars[:, 0]), mechanism.left(stars[:, 0])
                                + mechanism.width, mechanism.scale].round(12))  # fmt: skip
        middle = (edges[1:] + edges[:-1]) / 2
        density = np.exp(mechanism.log_density(middle[None, :], stars))
        return tuple(f"{at:.1f}".replace("-", "−") for at in _stars(middle)), density * np.diff(edges)
    kind = np.int32 if isinstance(mechanism, OptimalChannel | KRandomizedResponse) else float
    outputs = np.asarray(mechanism.outputs).astype(kind)
    matrix = np.exp(mechanism.log_density(outputs[None, :], stars))
    if isinstance(mechanism, OptimalChannel):
        return tuple(_likely(column) for column in matrix.T), matrix
    return tuple(f"{at:.3g}".replace("-", "−") for at in on_the_line(mechanism, outputs)), matrix


BETWEEN = ("<1", "1–2", "2–3", "3–4", "4–5", ">5")


def _between(scale: float) -> Array:
    """Laplace noise on every star: the chance to fall between two stars."""
    away = (np.array(STARS)[None, :] - np.array(STARS)[:, None]) / scale
    below = np.where(away < 0, 0.5 * np.exp(-np.abs(away)), 1 - 0.5 * np.exp(-np.abs(away)))
    return np.diff(np.c_[np.zeros(5), below, np.ones(5)], axis=1)


def _with_atoms(mechanism: LaplaceOrTruth) -> tuple[tuple[str, ...], Array]:
    """Each star itself, and what lies between."""
    spread, p = _between(mechanism.scale), mechanism.p
    names, columns = [BETWEEN[0]], [(1 - p) * spread[:, 0]]
    for at in range(len(STARS)):
        names += [f"{at + 1}", BETWEEN[at + 1]]
        columns += [p * np.eye(5)[at], (1 - p) * spread[:, at + 1]]
    return tuple(names), np.stack(columns, axis=1)


def _likely(column: Array) -> str:
    """The stars that make an answer likelier: "4–5"."""
    high = np.flatnonzero(column > column.min() * (1 + 1e-6)) + 1
    if len(high) > 1 and high[-1] - high[0] == len(high) - 1:
        return f"{high[0]}–{high[-1]}"
    return ", ".join(map(str, high))
