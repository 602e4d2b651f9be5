"""What right guesses about people who were planted in one single run certify.

m people are planted, each in one of two versions by a fair coin of her own; whoever sees the answers guesses the coins
of g of them, and v guesses are right. How large must ε be, or μ?

Pure ε (Steinke, Nasr & Jagielski 2023). Fix what was heard, T, and the coins before the i-th. By Bayes the odds of
coin i are P(T | S_i = 1, S_<i) : P(T | S_i = 0, S_<i), at most e^ε : 1, for both are averages over the later coins of
neighbours' chances. So whatever T is, and whoever is guessed of after seeing T, each guess is right with a chance of
at most q = e^ε/(1 + e^ε), also when all before it are known: v is at most Binomial(g, q), and

    P(Binomial(g, q) ≥ v) ≤ α   ⇒   ε is larger,  with confidence 1 − α.

Any trade-off curve (Mahloujifar, Melis & Chaudhuri 2024). Let B be the blow-up: P(A | D) ≤ B(P(A | D′)) for
neighbours, B concave: min(e^ε x + δ, 1 − e^−ε (1 − δ − x)) of (ε, δ), Φ(Φ⁻¹(x) + μ) of μ-GDP. Let g be fixed and p_w
the chance of w right ones. Pick i of the m at random; A: "i is guessed right, and w ≥ j are". With coin i turned, the
same answers are "i is guessed wrong, and w ≥ j − 1 are": the coins are fair, so the average over them is the same on
either side, and by Jensen, for every j,

    Σ_{w ≥ j} w p_w / m  ≤  B( Σ_{w ≥ j−1} (g − w) p_w / m ).

If P(w ≥ v) were α, the right guesses of w ≥ v would weigh at least αv/m. Each line then asks for so much weight on
wrong guesses one level below, which brings right ones with it; `impossible` puts down no more than each line asks for.
If all of it is more than g/m, which is all there is, then P(w ≥ v) < α.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import betainc, expit, ndtr, ndtri

Inverse = Callable[[float], float]
MOST, FINE = 40.0, 1e-4  # the largest ε that is looked for, and how finely


def pure_epsilon(right: int, guesses: int, alpha: float) -> float:
    """ε that so many right guesses certify at δ = 0.

    >>> round(pure_epsilon(731, 1000, 0.05), 2), pure_epsilon(500, 1000, 0.05)  # 731 of 1,000: the truth may be 1
    (0.88, 0.0)
    """
    if not right:
        return 0.0
    return _largest(lambda epsilon: betainc(right, guesses - right + 1, float(expit(epsilon))) <= alpha)


def approximate_epsilon(right: int, guesses: int, planted: int, delta: float, alpha: float) -> float:
    """ε that they certify at `delta`, where the number of guesses was fixed before anything was heard."""

    def wrong(epsilon: float) -> bool:
        up, down = math.exp(epsilon), math.exp(-epsilon)

        def inverse(y: float) -> float:
            return max(0.0, (y - delta) * down, 1 - delta - up * (1 - y))

        return impossible(inverse, right, guesses, planted, alpha)

    return _largest(wrong)


def gaussian_mu(right: int, guesses: int, planted: int, alpha: float) -> float:
    """μ that they certify, where the number of guesses was fixed before anything was heard."""
    return _largest(
        lambda mu: impossible(lambda y: float(ndtr(ndtri(min(y, 1.0)) - mu)), right, guesses, planted, alpha)
    )


def impossible(inverse: Inverse, right: int, guesses: int, planted: int, alpha: float) -> bool:
    """Whether P(so many right or more) ≥ α contradicts the blow-up whose inverse is given."""
    hit, miss = alpha * right / planted, alpha * (guesses - right) / planted
    for level in range(right - 1, -1, -1):
        more = max(miss, inverse(hit))
        if more == miss:
            break  # no line below asks for anything
        hit += level / (guesses - level) * (more - miss)
        miss = more
        if hit + miss > guesses / planted:
            return True
    return hit + miss > guesses / planted


def _largest(wrong: Callable[[float], bool]) -> float:
    """The largest value that is still wrong, rounded down; 0 if none is."""
    if not wrong(0.0):
        return 0.0
    low, high = 0.0, MOST
    while high - low > FINE:
        middle = (low + high) / 2
        low, high = (middle, high) if wrong(middle) else (low, middle)
    return low
