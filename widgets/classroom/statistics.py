"""What a room's answers say, and how sure one can be of it.

Crowd.  n phones send one bit a film through randomised response, p = e^ε/(1+e^ε), q = 1 − p. With m yeses among them

    n̂ = (m − n·q)/(p − q)        sd(n̂) = √(n·pq)/(p − q)        exact, whatever the truth: every bit has variance pq

Attack. A trial is: a secret drawn by a fair coin of its own, an answer drawn for it by coins of its own, a guess by
somebody who has seen that answer and any past, but nothing else about that secret. If the answer is ε-DP, then given
all that the guess is right with probability at most e^ε/(1+e^ε), whoever guesses and however. So the number of right
guesses among a number of trials FIXED BEFOREHAND is stochastically below Bin(N, e^ε/(1+e^ε)), and with L the one-sided
Clopper–Pearson limit of S right among N

    ε ≥ ln(L/(1 − L))    with confidence 1 − α

One limit, hence the whole α. N is fixed because the seats are counted when the attack begins, and who says nothing is
answered for by a fair coin, which is right with probability ½ and so below the bound too.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from recprivlib.auditing.bounds import DECIDES, SHOWN, lower_limit
from widgets.classroom import coin

Z = float(ndtri(0.975))  # two-sided 95 %


def estimate(yeses: float, phones: int, epsilon: float) -> float:
    """How many of them it is true of; it may be below nobody."""
    return float(phones * coin.phone(epsilon).estimate(np.array(yeses / phones)))


def error(phones: int, epsilon: float) -> float:
    """Half a 95 % interval of `estimate`."""
    return Z * math.sqrt(phones * coin.phone(epsilon).variance)


def proven(right: int, trials: int, alpha: float = SHOWN) -> float:
    """The certified ε of so many right guesses in a number of trials that was fixed beforehand."""
    low = lower_limit(right, trials, alpha) if trials else 0.0
    return math.log(low / (1 - low)) if low > 0.5 else 0.0


def broken(right: int, trials: int, claimed: float) -> bool:
    """Whether the room has refuted the claim, at the level at which the book's verdicts do."""
    return proven(right, trials, DECIDES) > claimed


def ceiling(trials: int) -> float:
    """What a room that is never wrong would prove."""
    return proven(trials, trials)


def expected(trials: int, epsilon: float) -> float:
    """About what a room proves that always believes an honest answer."""
    return proven(math.floor(trials * coin.phone(epsilon).p), trials)


def least(epsilon: float) -> float:
    """A bound as the wall writes it: two decimals, and never more than was proven.

    >>> least(0.9656), least(0.7)
    (0.96, 0.7)
    """
    cents = math.floor(100 * epsilon)
    return next(each / 100 for each in (cents + 1, cents, cents - 1) if each / 100 <= epsilon)
