"""What stands on the bench of the mechanism lab: sound mechanisms and leaky ones, each with a claim of ε.

Every number here comes from the real `release`, run in two worlds. A `Subject` knows what its answers look like to
a reader: which outcomes there are to count, and how one answer is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.auditing import statistic
from recprivlib.dashboard import bills
from recprivlib.dashboard.contract import Deal, Question, Values
from recprivlib.mechanisms import (
    DiscreteLaplace,
    Duchi,
    KRandomizedResponse,
    Laplace,
    LaplaceOrTruth,
    Piecewise,
    RandomizedResponse,
    UnaryOneSided,
)
from recprivlib.mechanisms.leaky import (
    FloatLaplace,
    HalfNoise,
    NoClipping,
    ReusedNoise,
    ReusedUniforms,
    WrongSensitivity,
)
from recprivlib.plots.numerals import THIN, count, percent, setting
from recprivlib.protocols import Array

ROUNDS = 10  # of the game, in one deal
LISTED = 4  # more answers than this are summed up
MOST = 10_000_000  # releases a world may cost
RULING = 4000  # tries behind the threshold of a reader's own rule
SURE = 0.995  # from here on a promise forbids nothing that a reader could notice
SHOWN = 20_000  # releases behind each pair of bars


@dataclass(frozen=True)
class Subject:
    """A mechanism that claims ε, and how its answers look."""

    label: str
    make: Callable[[float], Any]
    worlds: tuple[str, str]  # what the secret may be
    outcomes: tuple[str, ...]
    sort: Callable[[Any, Array], Array]  # the outcome each answer is, by number
    told: Callable[[Any], str]  # one answer, as the attacker sees it
    numeric: bool = False  # many answers are summed up by their mean, not counted
    leak: str = ""  # why it leaks, in a few words; "": it does not
    dear: int = 1  # how much slower its attack is than most

    @property
    def sound(self) -> bool:
        return not self.leak


def _bit(mechanism: Any, y: Array) -> Array:
    return np.asarray(y, np.intp)


def _row(mechanism: Any, y: Array) -> Array:
    return 2 * np.asarray(y[..., 0], np.intp) + np.asarray(y[..., 1], np.intp)


def _whole(low: int, high: int) -> dict[str, Any]:
    """Numbers, counted to the nearest whole one; what lies beyond the ends is in the end bins."""
    names = [f"{n}".replace("-", "−") for n in range(low, high + 1)]
    names = [f"{names[0]} or less", *names[1:-1], f"{names[-1]} or more"]

    def sort(mechanism: Any, y: Array) -> Array:
        return np.clip(np.rint(y), low, high).astype(np.intp) - low

    return {"outcomes": tuple(names), "sort": sort, "told": _decimal, "numeric": True}


def _decimal(y: Any) -> str:
    return f"{y:.2f}".replace("-", "−")


def _ends(mechanism: Any, y: Array) -> Array:
    return np.asarray(np.asarray(y) > 0, np.intp)


def _pieces(mechanism: Any, y: Array) -> Array:
    return np.clip((np.asarray(y) / mechanism.scale + 1) * 3, 0, 5).astype(np.intp)


def _grid(mechanism: Any, y: Array) -> Array:
    return np.select([y == 1, y == 5, y < 3], [0, 1, 2], 3)


def _bits_of(mechanism: Any, y: Array) -> Array:
    zero, one = (mechanism.reachable(y, np.float64(x)) for x in (0, 1))
    return 1 + one.astype(np.intp) - zero.astype(np.intp)


def _line(mechanism: Any, y: Array) -> Array:
    return (2 * y[..., 1] - y[..., 0] > 0.5).astype(np.intp)


def _half(epsilon: float) -> LaplaceOrTruth:
    return LaplaceOrTruth(epsilon / 2, epsilon / 2)


NO_YES, ZERO_ONE, STARS = ("no", "yes"), ("0", "1"), ("1 star", "5 stars")
REPORTS = ("reports no", "reports yes")

SUBJECTS: dict[str, Subject] = {
    "randomized-response": Subject("randomized response", RandomizedResponse, NO_YES, REPORTS, _bit,
                                   lambda y: NO_YES[int(y)]),
    "k-randomized-response": Subject("five-star response", KRandomizedResponse, ("1 star", "2 stars"),
                                     tuple(f"reports {n}" for n in range(1, 6)), _bit, lambda y: f"{int(y) + 1}"),
    "laplace": Subject("Laplace noise", Laplace, ZERO_ONE, **_whole(-3, 4)),
    "discrete-laplace": Subject("discrete Laplace", DiscreteLaplace, ZERO_ONE,
                                **_whole(-3, 4) | {"told": lambda y: f"{int(y)}".replace("-", "−")}),
    "duchi": Subject("Duchi's two ends", Duchi, ("−1", "1"), ("low end", "high end"), _ends, _decimal, numeric=True),
    "piecewise": Subject("Piecewise", Piecewise, ("−1", "1"),
                         ("lowest sixth", "second", "third", "fourth", "fifth", "highest sixth"), _pieces, _decimal,
                         numeric=True),
    "unary-one-sided": Subject("one-sided bits", UnaryOneSided, NO_YES, REPORTS, _bit, lambda y: NO_YES[int(y)],
                               leak="a reported “no” proves a no"),
    "laplace-or-truth": Subject("truth or Laplace", _half, STARS,
                                ("exactly 1", "exactly 5", "below 3, not whole", "above 3, not whole"), _grid,
                                lambda y: f"{y:.4f}".replace("-", "−"), leak="a whole number of stars is the truth"),
    "half-noise": Subject("half the noise", HalfNoise, ZERO_ONE, **_whole(-3, 4), leak="a factor of two was lost"),
    "wrong-sensitivity": Subject("wrong sensitivity", WrongSensitivity, STARS, **_whole(-1, 7),
                                 leak="the noise covers a quarter of the change"),
    "no-clipping": Subject("no clipping", NoClipping, ("0", "5"), **_whole(-2, 7),
                           leak="a value of 5 comes through as 5"),
    "reused-noise": Subject("reused noise", lambda e: ReusedNoise(e / 3), ZERO_ONE,
                            ("2·second − first = 0", "2·second − first = 1"), _line,
                            lambda y: f"{_decimal(y[0])} and {_decimal(y[1])}", leak="two answers share one noise"),
    "reused-uniforms": Subject("reused coins", lambda e: ReusedUniforms(e / 3), NO_YES,
                               ("no, no", "no, yes", "yes, no", "yes, yes"), _row,
                               lambda y: f"{NO_YES[int(y[0])]}, then {NO_YES[int(y[1])]}",
                               leak="two answers share one coin"),
    "float-laplace": Subject("float Laplace", FloatLaplace, ZERO_ONE,
                             ("reachable from 0 only", "from both", "reachable from 1 only"), _bits_of,
                             lambda y: repr(float(y)).replace("-", "−"), numeric=True,
                             leak="the last digits tell the value", dear=4),
}  # fmt: skip


def affordable(mechanism: str, tries: int, releases: int) -> int:
    """How many tries of so many releases the lab pays for."""
    return max(100, min(tries, MOST // SUBJECTS[mechanism].dear // releases))


def shares(subject: Subject, mechanism: Any, seed: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """How often each outcome came up in either world, over `SHOWN` single releases."""
    rng = np.random.default_rng([seed, 1])
    zero, one = (subject.sort(mechanism, mechanism.release(np.full(SHOWN, x), rng)) for x in mechanism.worst_pair())
    bins = len(subject.outcomes)
    return tuple(np.bincount(zero, minlength=bins) / SHOWN), tuple(np.bincount(one, minlength=bins) / SHOWN)


def right_guesses(zero: Array, one: Array) -> float:
    """How often the attacker names the world: by the sign of the statistic, and by a coin where it is 0."""
    return float((np.mean(one > 0) + np.mean(zero < 0) + (np.mean(one == 0) + np.mean(zero == 0)) / 2) / 2)


def luck(right: float, tries: int) -> float:
    """How far chance alone moves `right_guesses` of so many tries in either world: half a 95 % interval."""
    return 1.96 * math.sqrt(right * (1 - right) / (2 * tries))


def frontier(epsilon: float, releases: int) -> tuple[Array, Array]:
    """(false alarms, hits) of the best attacker that `releases` answers of ε each allow (Kairouz et al. 2015).

    Randomised response is the worst of all ε-DP mechanisms, alone and composed: its own curve is the border.
    """
    truths = np.arange(releases, -1, -1)
    hits = np.concatenate([[0.0], np.cumsum(_binomial(truths, releases, epsilon))])
    false = np.concatenate([[0.0], np.cumsum(_binomial(truths, releases, -epsilon))])
    return np.minimum(false, 1.0), np.minimum(hits, 1.0)


def _binomial(k: Array, n: int, epsilon: float) -> Array:
    """P(k of n reports say yes), each with probability e^ε/(1+e^ε)."""
    from scipy.special import gammaln

    p, q = -math.log1p(math.exp(-epsilon)), -math.log1p(math.exp(epsilon))
    return np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * p + (n - k) * q)


def allowed(epsilon: float, releases: int) -> float:
    """How often anybody can be right about a fair coin after `releases` answers of ε each."""
    false, hits = frontier(epsilon, releases)
    return float((1 + np.max(hits - false)) / 2)


def ruled(mechanism: Any, releases: int, alarms: float, seed: int, played: tuple[Array, Array]) -> tuple[Array, Array]:
    """What a reader's own rule sees of what was `played`: a shout wherever the statistic is so high that at most
    a share `alarms` of the other world is. The threshold comes from tries of its own, so what certifies it is fresh."""
    _, (quiet, _) = bills.worlds(mechanism, releases, RULING, seed + RULING)
    values, many = np.unique(quiet, return_counts=True)
    rare = np.cumsum(many[::-1])[::-1] <= alarms * len(quiet)  # ties shout together, or not at all
    threshold = values[rare][0] if rare.any() else np.nextafter(values[-1], np.inf)
    zero, one = ((np.asarray(world) >= threshold).astype(float) for world in played)
    return zero, one


# --------------------------------------------------------------------------------------------- the game


def deal(values: Values, rng: np.random.Generator) -> Deal:
    """Ten secrets by fair coin, each released for real; the page keeps the guesses to itself."""
    subject, releases = SUBJECTS[values["mechanism"]], values["releases"]
    mechanism = subject.make(values["epsilon"])
    pair = mechanism.worst_pair()
    _, ratio = statistic(mechanism, tuple(np.asarray(x) for x in pair), rng)
    secrets = rng.integers(0, 2, ROUNDS)
    rounds = []
    for secret in secrets:
        y = mechanism.release(np.full(releases, pair[secret]), rng)
        leaning = float(np.sum(ratio(y)))
        rounds.append(Question(_shown(subject, mechanism, y), int(secret), int(leaning > 0) if leaning else -1))
    asked = "" if releases == 1 else f", asked {count(releases)} times"
    share = allowed(values["epsilon"], releases)
    kept = f"nobody is right more than {percent(share)} of the time in the long run"
    kept = kept if share < SURE else "the promise allows certainty"
    ceiling = f"At ε = {setting(values['epsilon'])}{asked} {kept}."
    ceiling += "" if subject.sound else f" So it was claimed, but {subject.leak}."
    first, second = subject.worlds
    return Deal(f"The secret is {first} or {second}. You see", subject.worlds, tuple(rounds), ceiling)


def _shown(subject: Subject, mechanism: Any, y: Array) -> str:
    """The answers of one round: a few one by one, many summed up."""
    if len(y) <= LISTED:
        return "; ".join(subject.told(one) for one in y)
    if subject.numeric:
        return f"{count(len(y))} answers, on average {_decimal(float(np.mean(y)))}"
    seen = np.bincount(subject.sort(mechanism, y), minlength=len(subject.outcomes))
    return ", ".join(f"{count(n)}{THIN}× {name.removeprefix('reports ')}"
                     for n, name in zip(seen, subject.outcomes, strict=True) if n)  # fmt: skip
