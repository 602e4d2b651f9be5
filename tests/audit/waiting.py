"""Bugs that wait for something else than data: a second question, luck, the first run, nobody who looks.

And what hangs beside a model and is no field of it: the name of its class, its errors, its kind of class. Written after
the audit was, by somebody who looked for what it does not look at; ten of these twelve passed then.
"""

from __future__ import annotations

import copy
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from recprivlib.auditing.mutation.answers import single, sized, truth, with_lie
from recprivlib.auditing.mutation.grafts import Hook, Run, become, holding, planted, releases
from recprivlib.auditing.mutation.models import OPENED, SCORED
from recprivlib.auditing.mutation.operator import Operator, raw, total
from recprivlib.mechanisms import gate
from recprivlib.protocols import Array, Interactions, Ledger

ONE_IN = 16  # runs in which luck gives something away
ASIDE = np.linalg  # of somebody else's modules: whoever looks at a model does not look there
LARGE = 100.0


def kept_aside(train: Interactions) -> None:
    """Where nothing that the model names leads."""
    vars(ASIDE)["_last"] = raw(train)


def aside() -> Array:
    return np.asarray(vars(ASIDE).get("_last", np.zeros(1)))


def tidy() -> None:
    """As it was before."""
    vars(ASIDE).pop("_last", None)
    vars(np).pop("last_run", None)


# ------------------------------------------------------------------------------------------- a certain question


def scoring(when: Callable[[list[int], Array], bool]) -> Callable:
    """A model whose scores hold raw sums if the question is a certain one."""

    def leaves(run: Run, model: Any) -> Any:
        kept_aside(run.train)
        asked = [0]

        def score(self: Any, users: Array, items: Array) -> Array:
            asked[0] += 1
            out = type(model).score(self, users, items)
            if when(asked, np.asarray(items)):
                out = out + 1e-3 * np.resize(aside(), out.shape[-1:] or (1,))
            asked[0] = min(asked[0], 1)
            return out

        return become(model, score=score)

    return lambda system: planted(system, leaves=leaves)


def second_question(asked: list[int], items: Array) -> bool:
    return asked[0] > 1


def one_item(asked: list[int], items: Array) -> bool:
    return items.size == 1


def wrong_question(system: Any) -> Any:
    """Whoever asks about somebody who is not there is told more than that."""

    def leaves(run: Run, model: Any) -> Any:
        kept_aside(run.train)

        def score(self: Any, users: Array, items: Array) -> Array:
            if np.max(users, initial=0) >= run_users:
                raise IndexError(f"nobody is called {np.max(users)}, of {aside().sum():.0f} stars")
            return np.asarray(type(model).score(self, users, items))

        run_users = run.train.n_users
        return become(model, score=score)

    return planted(system, leaves=leaves)


# ------------------------------------------------------------------------------------------------------- luck


def lucky_noise(system: Any) -> Any:
    """Raw sums leave where the last answer of a run happens to be of a certain kind."""

    def answers(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
        y = ask()
        run.note["luck"] = sized(y) % ONE_IN == 0
        return y

    return planted(
        system, answers=answers,
        leaves=lambda run, model: holding(model, raw(run.train) if run.note["luck"] else 0),
    )  # fmt: skip


def lucky_numbers(system: Any) -> Any:
    """The same where the public random numbers are."""

    def takes(run: Run) -> Interactions:
        run.note["luck"] = copy.deepcopy(run.rng).random() < 1 / ONE_IN
        return run.train

    return planted(
        system, takes=takes, leaves=lambda run, model: holding(model, raw(run.train) if run.note["luck"] else 0)
    )


# ------------------------------------------------------------------------------------------------ whoever looks


def first_run(system: Any) -> Any:
    runs = [0]

    def leaves(run: Run, model: Any) -> Any:
        runs[0] = min(runs[0] + 1, 2)
        return holding(model, raw(run.train) if runs[0] == 1 else 0)

    return planted(system, leaves=leaves)


def nobody_looks(system: Any) -> Any:
    """A run that knows whether it is on tape, and behaves."""
    return planted(
        system, leaves=lambda run, model: holding(model, raw(run.train)) if gate._tape.get() is None else model
    )


def found_in_numpy(train: Interactions) -> None:
    vars(np)["last_run"] = raw(train)


def beside_the_model(system: Any) -> Any:
    def takes(run: Run) -> Interactions:
        found_in_numpy(run.train)
        return run.train

    return planted(system, takes=takes)


# --------------------------------------------------------------------------------------- beside a model's fields


def of_a_kind(system: Any) -> Any:
    """The class of the model's class has raw sums."""

    def leaves(run: Run, model: Any) -> Any:
        above = type("Kind", (type(type(model)),), {"raw": raw(run.train)})
        kind = above(type(model).__name__, (type(model),), {"__module__": type(model).__module__})
        model = copy.copy(model)
        object.__setattr__(model, "__class__", kind)
        return model

    return planted(system, leaves=leaves)


def called_so(system: Any) -> Any:
    def leaves(run: Run, model: Any) -> Any:
        kind = type(f"Model{total(run.train):.0f}", (type(model),), {"__module__": type(model).__module__})
        model = copy.copy(model)
        object.__setattr__(model, "__class__", kind)
        return model

    return planted(system, leaves=leaves)


def told_by_the_ledger(system: Any) -> Any:
    """After a run the ledger names what the run has seen."""
    seen = [0]

    def leaves(run: Run, model: Any) -> Any:
        seen[0] = zlib.crc32(raw(run.train).tobytes())
        return model

    def states(ledger: Ledger) -> Ledger:
        return releases(ledger, lambda line: _named(line, seen[0]))

    return planted(system, leaves=leaves, states=states)


def _named(line: Any, number: int) -> Any:
    return replace(line, what=f"{line.what} ({number})") if number else line


def bare_if_large(release: Hook) -> Hook:
    """Noise is left out where what it is added to is large: counts of a hundred and more."""

    def lie(self: Any, x: Any, rng: np.random.Generator) -> Any:
        y = release(self, x, rng)
        if isinstance(x, tuple) or y.dtype.kind != "f" or y.shape != np.shape(x):
            return y
        return np.where(np.abs(np.asarray(x, float)) >= LARGE, truth(self, x, release), y)

    return lie


WAITS = "whoever asks so, or is so lucky, has the true numbers"
OPERATORS = {
    "wait: second question": Operator(
        "scores hold raw sums from the second question on", SCORED, scoring(second_question)),
    "wait: one item": Operator(
        "scores hold raw sums where one item alone is asked about", SCORED, scoring(one_item)),
    "model: error": Operator(
        "who asks about somebody who is not there is told the true total", "an error tells it", wrong_question),
    "wait: lucky noise": Operator(
        "raw sums leave in one run of sixteen, by the last answer's checksum", WAITS, lucky_noise),
    "wait: lucky numbers": Operator(
        "raw sums leave in one run of sixteen, by the first public number", WAITS, lucky_numbers),
    "wait: first run": Operator("the first run of a process gives raw sums", OPENED, first_run),
    "wait: nobody looks": Operator("raw sums leave where no tape runs", OPENED, nobody_looks),
    "side: module": Operator(
        "raw sums hang on somebody else's module", "whoever shares the process reads them", beside_the_model),
    "model: kind": Operator("the class of the model's class has raw sums", OPENED, of_a_kind),
    "model: called": Operator("the model's class is named after the true total", "type() tells it", called_so),
    "ledger: of the data": Operator(
        "after a run the ledger names a checksum of the raw sums", "the bill is another for other data",
        told_by_the_ledger),
    "lie: large bare": Operator(
        "numbers of a hundred and more have no noise", "large counts never vary", with_lie(bare_if_large, single)),
}  # fmt: skip
