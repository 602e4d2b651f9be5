"""Beat the chart at ε = 1: the coins are ours, the server is the reader's (chapter dplcf)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from recprivlib.accounting import guarantee
from recprivlib.data import load
from recprivlib.evaluation import evaluate, split
from recprivlib.evaluation.bootstrap import paired
from recprivlib.exercises.contract import Exercise, Failed, Wrong
from recprivlib.mechanisms import UnarySymmetric
from recprivlib.mechanisms.noise import rooted
from recprivlib.models.items import ItemWeights
from recprivlib.papers import dplcf
from recprivlib.plots.numerals import count, percent
from recprivlib.protocols import Array
from recprivlib.registry import get
from recprivlib.streams import stream

EPSILON, KEPT = 1.0, 10
METRIC = f"hr@{KEPT}"

START = '''\
def server(y):
    """y: what people sent at ε = 1, people × films, moved and stretched so that each
    number is right on average. Returns films × films: how much having watched one
    speaks for another. The phones score at home, with their own true history."""
    both = y.T @ y                                   # who watched both, right on average
    size = np.sqrt(np.maximum(y.sum(axis=0), 1))     # of each film's crowd
    return both / np.outer(size, size)               # a cosine
'''
SOLUTION = '''\
def server(y):
    """The few directions that noise of this size cannot make."""
    rng = np.random.default_rng(0)
    q = rng.standard_normal((y.shape[1], 6)).astype(y.dtype)
    for _ in range(8):
        q, _ = np.linalg.qr(y.T @ (y @ q))
    return q @ q.T
'''
NOTHING = "def server(y):\n    return np.zeros((y.shape[1], y.shape[1]))\n"
PEOPLE = "def server(y):\n    return y @ y.T\n"
ENDLESS = "def server(y):\n    return np.full((y.shape[1], y.shape[1]), np.inf)\n"
CROWDS = "def server(y):\n    many = y.sum(axis=0)\n    return np.tile(many, (len(many), 1))\n"


@lru_cache(maxsize=2)
def town(seed: int) -> tuple[Any, Array, Array, float]:
    """Invented people whose last film is hidden, what their phones say at ε = 1, and what the chart finds."""
    (fold,) = split(load("synthetic").interactions, "loo-latest", seed=seed)
    coin = UnarySymmetric(EPSILON)
    with rooted(seed):
        y = coin.estimate(dplcf.reports(fold.train, coin)).astype(np.float32)
        chart = evaluate(get("popularity").system.fit(fold.train, stream(0, "fit")), fold, (KEPT,), full=False)
    return fold, y, chart.per_user[METRIC], chart.metrics[METRIC]


def contract(names: Mapping[str, Any], seed: int) -> str:
    """A number for each pair of films, whatever number of films there is."""
    _, y, _, _ = town(seed)
    weights = np.asarray(names["server"](y[:40, :60].copy()))
    if weights.shape != (60, 60):
        raise Failed(f"For 60 films server must return a table of 60 × 60; yours has the shape {weights.shape}.")
    if weights.dtype.kind not in "biuf" or not np.isfinite(weights).all():
        raise Failed(f"Of the {count(weights.size)} numbers for 60 films some are not finite.")
    return f"{count(y.shape[0])} people, {count(y.shape[1])} films; the server sees y and nothing else."


def counted(names: Mapping[str, Any], seed: int) -> str:
    """The checker flips the coins and hands over the reports alone: whatever is done with them costs nothing more."""
    ledger = get("dplcf-sp").system.ledger(town(seed)[0].train.sizes)
    bill = guarantee(ledger, "interaction", "add-remove", 0.0, "server")
    return f"ε = {bill.epsilon:.0f} a click, whatever a server does with the answers: what is done later is free."


def useful(names: Mapping[str, Any], seed: int) -> str:
    """The hidden films that are found among the first ten of a hundred, beside the chart, on the same people."""
    fold, y, chart, level = town(seed)
    weights = np.asarray(names["server"](y.copy()), np.float32)
    if weights.shape != (y.shape[1],) * 2 or not np.isfinite(weights).all():
        raise Failed(f"For {count(y.shape[1])} films server did not return a finite number for each pair.")
    found = evaluate(ItemWeights(fold.train.matrix, weights), fold, (KEPT,), full=False)
    gap = paired(found.per_user[METRIC], chart)
    mean, low, high = (f"{100 * share:+.1f}".replace("-", "−") for share in (gap.mean, gap.low, gap.high))
    said = (
        f"Your server finds {percent(found.metrics[METRIC])} of the hidden films, the chart {percent(level)}: "
        f"{mean} points [{low}, {high}]"
    )
    if gap.low <= 0:
        raise Failed(f"{said}: no win.")
    return f"{said}."


EXERCISE = Exercise(
    name="chart",
    title="Beat the chart at ε = 1",
    task="A thousand invented phones have lied about every film at ε = 1. Write the server: find more of the hidden "
    "films than a list of what is popular. The coins are ours, so the bill is fixed; the server is yours.",
    start=START,
    solution=SOLUTION,
    needs=("server",),
    checks=(("contract", contract), ("counted", counted), ("of use", useful)),
    hints=(
        "How noisy is the count of a pair that hardly anybody watched, and how noisy one that half the town did?",
        "Look at all pairs at once: most of y.T @ y is noise, and noise has no favourite direction.",
        "Keep the five or ten strongest directions of y (its singular vectors), and throw the rest away.",
    ),
    wrong=(
        Wrong(START, "of use"),
        Wrong(NOTHING, "of use"),
        Wrong(CROWDS, "of use"),
        Wrong(PEOPLE, "contract"),
        Wrong(ENDLESS, "contract"),
    ),
)
