"""A mechanism that the reader brings along: a table of chances, or a few lines of Python. Claimed, counted, attacked.

    tried("0.8 0.15 0.05\\n0.1 0.2 0.7", claimed=2.0)      a row for each secret, a column for each answer
    tried("def release(x, rng):\\n    return …", claimed=2.0)  one answer for each secret in x

A table states its law, so that its exact ε is counted. Code states nothing: it can be attacked, and never proven.
Code runs where this runs, so only a reader's own Python (a page, a notebook) may be told to run it.
"""

from __future__ import annotations

import builtins
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recprivlib.auditing import Audit, audit
from recprivlib.mechanisms import exact
from recprivlib.mechanisms.common import ONE_RATING, SEEDED, all_pairs, channel_loss, claim, draw, log_matrix, worst
from recprivlib.mechanisms.losses import Channel, NotKnown, Pure
from recprivlib.parameters import UserError
from recprivlib.plots.numerals import bounded, certified, count, setting
from recprivlib.plots.strip import Strip, strip
from recprivlib.protocols import Array, Claim

NAME = "<yours>"  # of the reader's code in a traceback
LARGEST = 64  # rows or columns of a table
LEAST, MOST = 0.001, 50.0  # ε that can be claimed
AUTHOR = "its author"
UNPROVED = "nobody has proved a bound for this code"
TRIES = 100_000


@dataclass(frozen=True, eq=False)
class Table:
    """A channel as it was typed: P(answer y | secret x) in row x, column y."""

    claims: float
    channel: Array
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def inputs(self) -> tuple[int, ...]:
        return tuple(range(len(self.channel)))

    @property
    def outputs(self) -> tuple[int, ...]:
        return tuple(range(self.channel.shape[1]))

    @property
    def claimed(self) -> Claim:
        return claim(self.claims, AUTHOR)

    def worst_pair(self) -> tuple[Any, Any]:
        _, pair, _ = worst(self.channel, all_pairs(len(self.channel)))
        return np.int64(pair[0]), np.int64(pair[1])

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        return draw(self.channel, np.asarray(x, np.int32), rng)

    def exact(self, x: Array) -> Array:
        return exact.draw(self.channel, np.asarray(x, np.int32))

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        return channel_loss(self.channel, all_pairs(len(self.channel)) if distance > 0 else ())

    def log_density(self, y: Array, x: Array) -> Array:
        answer = np.asarray(y, np.int32)
        return np.where(answer == y, log_matrix(self.channel)[np.asarray(x, np.int32), answer], -np.inf)


@dataclass(frozen=True, eq=False)
class Code:
    """The reader's own `release`, and the two secrets to tell apart: 0 and 1, unless the code names a `pair`."""

    claims: float
    play: Callable[[Array, np.random.Generator], Any]
    pair: tuple[Any, Any] = (np.int64(0), np.int64(1))
    mode: str = field(default=SEEDED, init=False)
    neighbours = ONE_RATING

    @property
    def claimed(self) -> Claim:
        return claim(self.claims, AUTHOR)

    def worst_pair(self) -> tuple[Any, Any]:
        return self.pair

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        x = np.array(x)
        y = np.asarray(_said(lambda: self.play(x, rng)))
        if y.shape[:1] != x.shape or y.ndim > 2:
            raise UserError(f"release(x, rng) must return one answer for each of the {count(len(x))} secrets in x")
        if y.dtype.kind not in "biuf" or not np.isfinite(y).all():
            raise UserError("the answers of release must be numbers")
        return y

    def loss(self, distance: float = 1.0) -> NotKnown:
        return NotKnown(UNPROVED)


# ------------------------------------------------------------------------------------------------- reading


def mechanism(text: str, claimed: float) -> Table | Code:
    """What was typed, as a mechanism; what is wrong with it is said in a sentence."""
    if not (isinstance(claimed, int | float) and LEAST <= claimed <= MOST):
        raise UserError(f"the claimed ε must be a number from {LEAST:g} to {MOST:g}")
    lines = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines() if line.strip()]
    if not lines:
        raise UserError("type a table of chances, or a few lines of Python with a function release(x, rng)")
    rows = [_numbers(line) for line in lines]
    if all(row is not None for row in rows):
        return Table(float(claimed), _table([row for row in rows if row is not None]))
    return _code(text, float(claimed))


def _numbers(words: list[str]) -> list[float] | None:
    try:
        return [float(word) for word in words]
    except ValueError:
        return None


def _table(rows: list[list[float]]) -> Array:
    wide = {len(row) for row in rows}
    if len(rows) < 2 or len(wide) > 1 or wide == {1} or max(len(rows), *wide) > LARGEST:
        raise UserError(f"a table has a row for each secret and a column for each answer, 2 to {LARGEST} of either")
    channel = np.array(rows)
    if not np.isfinite(channel).all() or (channel < 0).any():
        raise UserError("every entry of the table is a chance, from 0 to 1")
    for number, total in enumerate(channel.sum(axis=1), 1):
        if abs(total - 1) > 1e-6:
            raise UserError(f"row {number} adds up to {total:.4g}; the chances of a row add up to 1")
    return channel / channel.sum(axis=1, keepdims=True)


def _code(text: str, claimed: float) -> Code:
    names: dict[str, Any] = {"np": np, "__name__": "yours", "__builtins__": builtins}
    _said(lambda: exec(compile(text, NAME, "exec"), names))
    if not callable(names.get("release")):
        raise UserError("the code must define a function release(x, rng)")
    pair = names.get("pair", (0, 1))
    try:
        first, second = (np.asarray(one)[()] for one in pair)
        good = all(np.ndim(one) == 0 and np.isfinite(one) for one in (first, second))
    except (TypeError, ValueError):
        good = False
    if not good:
        raise UserError("pair must hold two numbers: the two secrets to tell apart")
    kind = np.result_type(first, second)
    return Code(claimed, names["release"], (kind.type(first), kind.type(second)))


def _said(act: Callable[[], Any]) -> Any:
    """What the reader's code gives; what goes wrong in it, with its line."""
    try:
        return act()
    except SyntaxError as error:
        raise UserError(f"line {error.lineno} of your code: {error.msg}") from error
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        mine = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == NAME]
        where = f"line {mine[-1]} of your code: " if mine else "your code: "
        raise UserError(f"{where}{type(error).__name__}: {error}") from error


# ------------------------------------------------------------------------------------------------- telling


def tried(text: str, claimed: float, tries: int = TRIES, progress: Callable[[float], None] | None = None) -> dict:
    """Claimed, counted and attacked, as plain numbers (None: there is none), with a sentence and the strip."""
    made = mechanism(text, claimed)
    found = audit(made, name="yours", trials=tries, delta=0.0, progress=progress)
    counted = None if isinstance(made, Code) else found.counted.epsilon
    return {
        "claimed": made.claims, "counted": counted, "attacked": found.attacked.epsilon_lower,
        "ceiling": found.attacked.ceiling, "tries": tries, "verdict": found.verdict, "reason": found.reason,
        "say": _sentence(made, found, counted), "strip": _strip(made, found, counted),
    }  # fmt: skip


def _sentence(made: Table | Code, found: Audit, counted: float | None) -> str:
    proved = f"{count(found.attacked.trials)} tries prove ε ≥ {certified(found.attacked.epsilon_lower)}"
    says = "" if counted is None else f", the table says {bounded(counted)}"
    told = f"You claim ε = {setting(made.claims)}{says}, and {proved} of at most {certified(found.attacked.ceiling)}"
    if found.verdict == "broken":
        return f"{told}: broken."
    if found.verdict == "holds":
        return f"{told}: your claim holds."
    lies = f", and {found.attacked.found[0]}" if found.attacked.found else ""
    return f"{told}: not broken by our attack, not proven{lies}."


def _strip(made: Table | Code, found: Audit, counted: float | None) -> str:
    return strip(Strip(
        claimed=made.claims, counted=counted, attacked=found.attacked.epsilon_lower, ceiling=found.attacked.ceiling,
        tries=found.attacked.trials, verdict=found.verdict, why_infinite=found.counted.why_infinite if counted else "",
        unknown=UNPROVED if counted is None else "", unit="one secret, changed", trust="nobody (local)",
        span="one answer",
    ))  # fmt: skip
