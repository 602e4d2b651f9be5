"""A colleague's coin: what a coin costs, and which coin is worth its price (chapter dplcf)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from recprivlib.exercises.contract import Exercise, Failed, Wrong, number, price, tried
from recprivlib.plots.numerals import count
from recprivlib.primers.privacy.own import Table

COLLEAGUE = (0.9, 0.2)
CLAIM = math.log(0.9 / 0.2)
TRIES, PHONES, ROOM = 100_000, 1000, 1.01
CHANCES = (0.0, 0.01, 0.2, 0.5, 0.9, 1.0)
BUDGETS = (0.5, 1.0, 2.0, 4.0)
MISTAKES = {  # of the price of the colleague's coin
    CLAIM: "the price of a yes alone; a phone may say no",
    0.9 / 0.2: "a ratio; ε is the logarithm of one",
    0.8 / 0.1: "a ratio; ε is the logarithm of one",
    math.log(0.9 / 0.1): "a yes held against a no: the same answer must stand in both places",
    math.log(0.9 / 0.2) + math.log(0.8 / 0.1): "the sum of both answers; a phone sends one of them",
}

START = '''\
def price(p, q):
    """ε of a coin that says yes of a watched film with chance p, of another with chance q."""
    return np.log(p / q)             # the colleague's formula


def best(epsilon):
    """(p, q): of all coins that cost ε, the one from which a server counts best."""
    return 0.9, 0.9 / np.exp(epsilon)
'''
SOLUTION = '''\
def told(a, b):
    """How much an answer tells that has chance a in one world and b in the other."""
    if a == b:
        return 0.0
    return abs(np.log(a / b)) if a > 0 and b > 0 else np.inf


def price(p, q):
    return max(told(p, q), told(1 - p, 1 - q))


def best(epsilon):
    p = np.exp(epsilon) / (1 + np.exp(epsilon))
    return p, 1 - p
'''
NO_ENDS = SOLUTION.replace(" if a > 0 and b > 0 else np.inf", "")
SUM = SOLUTION.replace("max(told(p, q), told(1 - p, 1 - q))", "told(p, q) + told(1 - p, 1 - q)")
ONLY_NO = SOLUTION.replace("max(told(p, q), told(1 - p, 1 - q))", "told(1 - p, 1 - q)")
DEAR = SOLUTION.replace("return p, 1 - p", "return 1.0, 1 - p")
LOUD = SOLUTION.replace("return p, 1 - p", "return 0.5, 0.5 * np.exp(-epsilon)")


def contract(names: Mapping[str, Any], seed: int) -> str:
    """A price is a number, a coin two chances that differ."""
    number(names["price"](*COLLEAGUE), "price(0.9, 0.2)")
    for budget in BUDGETS:
        p, q = _coin(names, budget)
        if p == q:
            raise Failed(f"best({budget:g}) is ({p:g}, {q:g}): such a coin says the same of every film.")
    return "price gives a number, and best two chances."


def attacked(names: Mapping[str, Any], seed: int) -> str:
    """Our attack on the colleague's coin, beside the reader's price of it."""
    yours, law = number(names["price"](*COLLEAGUE), "price(0.9, 0.2)"), _law(*COLLEAGUE)
    found, proved = tried(Table(CLAIM, law), TRIES, seed, " at the colleague's coin")
    if found.attacked.decisive > yours:
        slip = next((f", {why}" for value, why in MISTAKES.items() if abs(value - yours) < 0.005), "")
        raise Failed(f"{proved}; your price is {yours:.2f}{slip}: broken.")
    return f"{proved}; your price is {yours:.2f}."


def counted(names: Mapping[str, Any], seed: int) -> str:
    """Every coin's exact ε: neither less nor more, the ends and coins that speak against a film included."""
    pairs = [COLLEAGUE, *product(CHANCES, repeat=2)]
    for p, q in pairs:
        yours, exact = number(names["price"](p, q), f"price({p:g}, {q:g})"), _exact(p, q)
        if yours != exact and not abs(yours - exact) < 1e-6:
            slip = [why for value, why in MISTAKES.items() if (p, q) == COLLEAGUE and abs(value - yours) < 0.005]
            if slip:
                raise Failed(f"price({p:g}, {q:g}) is {yours:.2f}: {slip[0]}.")
            raise Failed(
                f"price({p:g}, {q:g}) is {yours:.2f}, but that coin costs {'less' if yours > exact else 'more'}."
            )
    return f"{len(pairs)} coins have their exact price; the colleague's costs {price(_exact(*COLLEAGUE))}."


def useful(names: Mapping[str, Any], seed: int) -> str:
    """How far a count of what hardly anybody watched is off, among a thousand phones, beside the best coin there is."""
    said = []
    for budget in BUDGETS:
        p, q = _coin(names, budget)
        if _exact(p, q) > budget + 1e-6:
            raise Failed(f"best({budget:g}) is ({p:.3g}, {q:.3g}), a coin that costs {price(_exact(p, q))}.")
        noise, least = (math.sqrt(PHONES * b * (1 - b)) / abs(a - b) for a, b in ((p, q), _fair(budget)))
        said.append(f"at ε = {budget:g} a count is off by {noise:.0f}, the best coin's by {least:.0f}")
        if noise > ROOM * least:
            raise Failed(f"Of {count(PHONES)} phones, {said[-1]}.")
    return f"Of {count(PHONES)} phones, {said[1]}."


def _coin(names: Mapping[str, Any], budget: float) -> tuple[float, float]:
    made = names["best"](budget)
    try:
        p, q = (number(one, f"a chance of best({budget:g})") for one in made)
    except (TypeError, ValueError):
        raise Failed(f"best({budget:g}) must be two chances, (p, q); it is {made!r:.60}.") from None
    if not (0 <= p <= 1 and 0 <= q <= 1):
        raise Failed(f"best({budget:g}) is ({p:.3g}, {q:.3g}): chances lie between 0 and 1.")
    return p, q


def _exact(p: float, q: float) -> float:
    return max(_told(p, q), _told(1 - p, 1 - q))


def _told(a: float, b: float) -> float:
    return 0.0 if a == b else abs(math.log(a / b)) if a > 0 and b > 0 else math.inf


def _fair(budget: float) -> tuple[float, float]:
    """The coin that lies as often about a yes as about a no."""
    q = 1 / (1 + math.exp(budget))
    return 1 - q, q


def _law(p: float, q: float) -> np.ndarray:
    return np.array([[1 - q, q], [1 - p, p]])


EXERCISE = Exercise(
    name="coin",
    title="A colleague's coin",
    task="A colleague proposes a coin that says yes of 9 in 10 watched films and of 2 in 10 others, and claims "
    "ε = ln(.9/.2) ≈ 1.5. Write price(p, q), what any such coin really costs. Then spend well: best(ε) is the coin of "
    "that price from which a server counts best how many have watched a film that hardly anybody has.",
    start=START,
    solution=SOLUTION,
    needs=("price", "best"),
    checks=(("contract", contract), ("attacked", attacked), ("counted", counted), ("of use", useful)),
    hints=(
        "A server may hear a yes or a no. How much does each tell?",
        "A no of the colleague's phone: P(no | not watched) = .8, P(no | watched) = .1. What if a chance is 0?",
        "A coin that lies as often about a yes as about a no wastes nothing: p = 1 − q, and p/q = e^ε.",
    ),
    wrong=(
        Wrong(START, "attacked"),
        Wrong(SUM, "counted"),
        Wrong(NO_ENDS, "counted"),
        Wrong(SOLUTION.replace("abs(np.log(a / b))", "np.log(a / b)"), "attacked"),
        Wrong(ONLY_NO, "counted"),
        Wrong(SOLUTION.replace("return p, 1 - p", "return p, p"), "contract"),
        Wrong(DEAR, "of use"),
        Wrong(LOUD, "of use"),
    ),
)  # fmt: skip
