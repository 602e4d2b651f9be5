"""One mechanism by itself, asked many times: whose noise is shared, which answer has none now and then.

    as many people as a run has in one answer   of any two of them the noise must have nothing in common
    as many answers as a rare one needs         none of them may be much closer to the truth than all others
    other numbers than a run's, to which noise is added   it must be as loud as it is for small ones

A run asks a few times, among few people. What befalls one answer in a thousand, or the 257th person, is not met there.
Both are asked at what the run hands over, of one person, again and again: so all answers have one law, whatever it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import betainc

from recprivlib.auditing.conformance import price, priceless, rows_of
from recprivlib.auditing.replay import where
from recprivlib.mechanisms.gate import Call, answer
from recprivlib.mechanisms.losses import GaussianShift, LaplaceShift
from recprivlib.mechanisms.secure import Secure
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Clips, HasSensitivity

KINDS = 4  # mechanisms of one run
PEOPLE, COLUMNS, FEWER = 1100, 2, 520  # answers whose noise is compared, two by two; where many draws are needed
RUNS, SURE, MUCH = 128, 1000, 0.5  # draws of all of them; of a pair that looks alike; the correlation of such a pair
SELDOM, OFTEN, MOST = 20, 40, 8000  # draws in which an answer is another than usual: at least, as wanted; all draws
CALLS, PLACES, ROOM = 8000, 600, 40_000_000  # an answer in a thousand is missed once in three thousand audits
CHANCE = 1e-9  # that an honest mechanism is cried out upon
ENOUGH, QUIET = 50, 0.25  # real numbers in an answer; how loud it is at least, beside the usual one
SYMBOLS = 64
LARGE = (-30.0, 100.0, 1e3, 1e5)  # what noise is added to


def kinds(calls: Sequence[Call]) -> list[Call]:
    """Of each mechanism that has a price, and noise that can be drawn again, the call with most in it."""
    widest: dict[Any, Call] = {}
    for call in calls:
        if not (call.secret or call.stream is None or isinstance(call.mechanism, Secure) or priceless(call.mechanism)):
            known = widest.setdefault(price(call.mechanism), call)
            if _size(call) > _size(known):
                widest[price(call.mechanism)] = call
    return [call for call in widest.values() if _size(call)][:KINDS]


def departing(call: Call) -> list[str]:
    """What is wrong with these answers, in words."""
    name, rng = type(call.mechanism).__name__, np.random.default_rng(np.random.SeedSequence((RUNS, CALLS)))
    found = []
    if any(_shared(call.mechanism, x, rng) for x in _crowds(call)):
        found.append(f"{name}: two of its answers share their noise{where(call)}")
    if _bare_now_and_then(call.mechanism, _few(call), rng):
        found.append(f"{name}: now and then an answer has less noise than all others{where(call)}")
    if _hangs_on_its_input(call, rng):
        found.append(f"{name}: how loud its noise is hangs on what it is added to{where(call)}")
    return found


def _size(call: Call) -> int:
    return sum(np.size(part) for part in call.x) if isinstance(call.x, tuple) else np.size(call.x)


# ------------------------------------------------------------------------------------------------ what is asked


def _one(call: Call) -> Array:
    """What one person hands over: a number or symbol, or a row where a row is one input."""
    x = np.asarray(call.x)
    return x[:1] if x.ndim > 1 and _by_rows(call.mechanism, x) else x.reshape(-1)[:1]


def _by_rows(mechanism: Any, x: Array) -> bool:
    return rows_of(mechanism, np.zeros(x.shape, bool)).ndim < x.ndim


def _crowds(call: Call) -> list[Any]:
    """The same from so many people: one below the other, and where answers have columns, side by side."""
    if isinstance(call.x, tuple) or (np.ndim(call.x) <= 1 and _by_rows(call.mechanism, np.asarray(call.x))):
        return [call.x]
    one = _one(call)
    if one.ndim > 1:
        return [np.repeat(one, PEOPLE, axis=0)]
    if np.ndim(call.x) > 1:
        return [np.full((PEOPLE, COLUMNS), one[0]), np.full((COLUMNS, PEOPLE), one[0])]
    return [np.full(PEOPLE * COLUMNS, one[0])]


def _few(call: Call) -> Any:
    """As many as show that an answer is rare, and no more."""
    if isinstance(call.x, tuple) or (np.ndim(call.x) <= 1 and _by_rows(call.mechanism, np.asarray(call.x))):
        return call.x
    one = _one(call)
    return np.repeat(one, max(1, PLACES // max(1, one[0].size)), axis=0)


def _answers(mechanism: Any, x: Any, times: int, rng: np.random.Generator, whole: bool) -> Array:
    """(times, places): numbers of either kind; of sets, whether they hold the truth; `whole`: of a row one number."""
    rows = not isinstance(x, tuple) and np.ndim(x) > 1 and _by_rows(mechanism, np.asarray(x))
    weights = np.random.default_rng(5).normal(size=np.size(x) // max(1, len(x)) if rows else 0)

    def one() -> Array:
        y = answer(mechanism, x, rng)
        if isinstance(y, tuple):
            return np.concatenate([np.ravel(part) for part in y])
        y = np.asarray(y)
        if y.ndim > np.ndim(x):
            y = (y == np.asarray(x)[..., None]).any(axis=-1)
        if whole and rows and y.size == np.size(x):
            return y.reshape(len(x), -1) @ weights
        return y.ravel()

    first = one()
    kept = np.int16 if first.dtype.kind in "biu" and first.max(initial=0) < 2**15 else np.float64
    out = np.empty((times, first.size), kept)
    out[0] = first
    for turn in range(1, times):
        out[turn] = one()
    return out


# --------------------------------------------------------------------------------------------- noise that is shared


def _shared(mechanism: Any, x: Any, rng: np.random.Generator) -> bool:
    """Whether two answers go up and down together: a pair that looks so is drawn anew, and looked at alone."""
    y = _answers(mechanism, x, RUNS, rng, True)
    unusual = float((y != np.median(y, axis=0)).mean())
    if unusual * RUNS < OFTEN:  # nearly every answer is the same: more draws, of fewer people
        x = x if isinstance(x, tuple) else x[tuple(slice(FEWER) for _ in np.shape(x)[:2])]
        y = _answers(mechanism, x, int(min(MOST, OFTEN / max(unusual, 1e-9))), rng, True)[:, : FEWER * COLUMNS]
    z = _standard(y).astype(np.float32)
    if z.shape[1] < 2:
        return False
    both = np.abs(z.T @ z) / len(z)
    np.fill_diagonal(both, 0)
    first, second = np.unravel_index(int(both.argmax()), both.shape)
    if both[first, second] < MUCH:
        return False
    pair = _standard(_answers(mechanism, x, max(SURE, len(y)), rng, True)[:, [first, second]])
    return bool(abs((pair[:, 0] * pair[:, 1]).mean()) > MUCH)


def _standard(y: Array) -> Array:
    """Each place by its own mean and spread; nothing of places that are nearly always the same."""
    off = y - y.mean(axis=0)
    spread = off.std(axis=0)
    seldom = (y != np.median(y, axis=0)).sum(axis=0) < SELDOM
    return np.where(seldom | (spread == 0), 0.0, off / np.where(spread > 0, spread, 1.0))


# ------------------------------------------------------------------------------------------- answers without noise


def _bare_now_and_then(mechanism: Any, x: Any, rng: np.random.Generator) -> bool:
    y = _answers(mechanism, x, min(CALLS, ROOM // max(1, PLACES)), rng, False)
    values = np.unique(y[:SYMBOLS])
    if len(values) <= SYMBOLS:
        truth = np.ravel(x) if not isinstance(x, tuple) and np.size(x) == y.shape[1] else None
        like = [y == value for value in values] + ([y == truth] if truth is not None else [])
        return any(_too_often(hits.sum(axis=1), y.shape[1], len(like)) for hits in like)
    if y.shape[1] < ENOUGH:
        return False
    far = np.abs(y - np.median(y, axis=0))
    usual = np.median(far, axis=0)
    if not (usual > 0).any():
        return False
    loud = (far[:, usual > 0] / usual[usual > 0]).mean(axis=1)
    return bool((usual > 0).sum() >= ENOUGH and loud.min() < QUIET * np.median(loud))


def _too_often(hits: Array, places: int, tests: int) -> bool:
    """Whether in some answer a symbol stands at more places than it would in so many answers of independent ones.

    Of places whose chances differ the sum lies closer to its mean than a binomial one does (Hoeffding 1956).
    """
    share, most = float(hits.mean()) / places, int(hits.max())
    if not 0 < share < 1:
        return False
    return bool(betainc(most, places - most + 1.0, share) * len(hits) * tests < CHANCE)


# -------------------------------------------------------------------------------------- noise that goes with the input


def _hangs_on_its_input(call: Call, rng: np.random.Generator) -> bool:
    """Whether noise that is added is another for small numbers than for large ones."""
    mechanism = call.mechanism
    added = isinstance(mechanism.loss(1.0), LaplaceShift | GaussianShift) and isinstance(mechanism, HasSensitivity)
    one_by_one = not isinstance(call.x, tuple) and not _by_rows(mechanism, np.asarray(call.x))
    if not (added and one_by_one) or isinstance(mechanism, Clips):
        return False
    loud = []
    for number in (0.0, 1.0, *LARGE):
        try:
            noise = np.asarray(answer(mechanism, np.full(PLACES, number), rng), float) - number
        except UserError:  # no such numbers go in
            continue
        loud.append(float(np.median(np.abs(noise))))
    return len(loud) > 1 and max(loud) > 2 * min(loud)
