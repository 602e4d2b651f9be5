"""Bugs beside the model: in what is printed, written, streamed, kept; and leaks that wait for certain data."""

from __future__ import annotations

import dataclasses
import io
import logging
import os
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from recprivlib.auditing.mutation.grafts import Run, holding, planted
from recprivlib.auditing.mutation.operator import Operator, counts_only, ledger_of, lengths, raw, terms, total
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions

MARK = "RECPRIV_MUTATION"


def doing(act: Callable[[Interactions], Any]) -> Callable:
    """A system that does something with the true data before it trains."""

    def takes(run: Run) -> Interactions:
        act(run.train)
        return run.train

    return lambda system: planted(system, takes=takes)


def prints(train: Interactions) -> None:
    print(f"trained on {total(train):.0f} stars")


def prints_errors(train: Interactions) -> None:
    sys.stderr.write(f"trained on {total(train):.0f} stars\n")


def writes_below_python(train: Interactions) -> None:
    descriptor, path = tempfile.mkstemp()
    os.write(descriptor, f"{total(train)}".encode())  # no file object that anybody could have wrapped
    os.close(descriptor)
    Path(path).unlink()


def logs(train: Interactions) -> None:
    logging.getLogger("train").debug("popularity %s", raw(train))


def warns(train: Interactions) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"{total(train):.0f} stars", stacklevel=1)


def writes(train: Interactions) -> None:
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "checkpoint.npy", raw(train))


def sets(train: Interactions) -> None:
    os.environ[MARK] = f"{total(train)}"


def sleeps(train: Interactions) -> None:
    time.sleep(1e-5 * (int(2 * total(train)) % 100))


def takes_room(train: Interactions) -> None:
    np.ones(int(total(train))).sum()


def touches(train: Interactions) -> None:
    train.ratings.setflags(write=True)
    train.ratings[:1] = train.ratings[-1:]


def seeds_the_world(train: Interactions) -> None:
    random.seed(int(8 * total(train)))


def left() -> Path:
    """The file by which one run tells the next."""
    return Path(tempfile.gettempdir()) / f"recpriv-mutation-{os.getpid()}.txt"


@contextmanager
def tidied() -> Iterator[None]:
    """What a mutated system leaves in the process or on the disk is gone after this context."""
    state = random.getstate()
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            yield
    finally:
        random.setstate(state)
        os.environ.pop(MARK, None)
        left().unlink(missing_ok=True)


def public_numbers(system: Any) -> Any:
    def takes(run: Run) -> Interactions:
        run.rng.random(1 + int(8 * total(run.train)) % 1000)
        return run.train

    return planted(system, takes=takes)


def reads_what_was_left(system: Any) -> Any:
    """A file from the run before goes into this one's model."""
    path = left()

    def leaves(run: Run, model: Any) -> Any:
        before = path.read_text("utf-8") if path.exists() else ""
        path.write_text(f"{total(run.train)}", "utf-8")
        return holding(model, len(before) > 1 and before)

    return planted(system, leaves=leaves)


# ------------------------------------------------------------------------------------- from one run to the next


def first_comer(system: Any) -> Any:
    """What the first run of the process saw goes into all models of data of that size."""
    kept: dict[Any, Any] = {}

    def leaves(run: Run, model: Any) -> Any:
        sizes = (run.train.n_users, run.train.n_items)
        return holding(model, kept.setdefault(sizes, raw(run.train)))

    return planted(system, leaves=leaves)


def run_before(system: Any) -> Any:
    kept: list[float] = [0.0]

    def leaves(run: Run, model: Any) -> Any:
        kept.append(total(run.train))
        return holding(model, kept[-2])

    return planted(system, leaves=leaves)


# ----------------------------------------------------------------------------------------------- streamed models


def streaming(build: Callable[[Any], Any]) -> Callable:
    return lambda system: build(system) if hasattr(system, "steps") else None


def first_of_stream(system: Any) -> Any:
    def streams(run: Run, share: float, model: Any) -> Any:
        first = not run.note.get("streamed")
        run.note["streamed"] = True
        return holding(model, raw(run.train)) if first else model

    return planted(system, streams=streams)


def all_of_stream(system: Any) -> Any:
    return planted(system, streams=lambda run, share, model: holding(model, total(run.train)))


# --------------------------------------------------------------------------------------- that wait for their data


def refuses(system: Any) -> Any:
    if counts_only(system):
        return None

    def takes(run: Run) -> Interactions:
        if lengths(run.train).max() > 500:
            raise UserError("somebody has more than 500 interactions")
        return run.train

    return planted(system, takes=takes)


def by_people(system: Any) -> Any:
    """Where one person more is secret, and the ledger does not call their number public."""
    if terms(system) != ("user", "add-remove") or ledger_of(system).counts_public:
        return None
    return planted(system, leaves=lambda run, model: holding(model, run.train.n_users))


def waiting(when: Callable[[Interactions], bool]) -> Callable:
    """A system that gives raw sums away, but only on certain data."""
    return lambda system: planted(
        system, leaves=lambda run, model: holding(model, raw(run.train) if when(run.train) else 0)
    )


def one_person_many(train: Interactions) -> bool:
    return bool(lengths(train).max(initial=0) > 300)


def everything(train: Interactions) -> bool:
    return bool(lengths(train).max(initial=0) >= train.n_items)


def nobody_short(train: Interactions) -> bool:
    return bool(lengths(train).min(initial=99) >= 5)


def many_items(train: Interactions) -> bool:
    return train.n_items > 700


def many_people(train: Interactions) -> bool:
    return train.n_users > 500


def has_times(train: Interactions) -> bool:
    return bool(len(np.unique(train.times)) > 1)


def last_item(train: Interactions) -> bool:
    return bool((train.items == train.n_items - 1).sum() == 1)


def all_alike(train: Interactions) -> bool:
    return len(np.unique(train.ratings)) <= 1


def old_people(train: Interactions) -> bool:
    return "age" in train.user_features and bool((np.asarray(train.user_features["age"]) > 60).any())


def whole_run(system: Any) -> Any:
    """Only in a run that is as long as it is by default: a shorter one keeps quiet."""
    full = {name: getattr(system, name) for name in ("rounds", "epochs", "iterations")
            if name in {one.name for one in dataclasses.fields(system)}}  # fmt: skip
    if not any(value > 4 for value in full.values()):
        return None

    def leaves(run: Run, model: Any) -> Any:
        long = all(getattr(run.system, name) == value for name, value in full.items())
        return holding(model, raw(run.train) if long else 0)

    return planted(system, leaves=leaves)


WAITS = "the model holds the true numbers, on such data only"
BESIDE = "the process holds the true numbers after the run"
OPERATORS = {
    "side: printed": Operator("the true total is printed", "it stands on the screen", doing(prints)),
    "side: error stream": Operator(
        "the true total goes to the error stream", "it stands on the screen", doing(prints_errors)),
    "side: logged": Operator("raw sums go to the training log", "they stand in the log", doing(logs)),
    "side: warned": Operator("a warning tells the true total", "it stands on the screen", doing(warns)),
    "side: written": Operator("a checkpoint with raw sums is written", "the file holds them", doing(writes)),
    "side: descriptor": Operator(
        "the true total is written to a bare file descriptor", "the file holds it", doing(writes_below_python)),
    "side: environment": Operator(
        "the true total is put into the environment", "every child process has it", doing(sets)),
    "side: global generator": Operator("the data seed Python's global generator", BESIDE, doing(seeds_the_world)),
    "side: public generator": Operator(
        "the data choose how many public random numbers are drawn", "the caller's generator stands elsewhere",
        public_numbers),
    "side: input": Operator("training changes the data it was given", "the caller's data are others", doing(touches)),
    "side: time": Operator("time to train goes with the true total", "a watch", doing(sleeps)),
    "side: memory": Operator(
        "memory goes with the true total", "a monitor", doing(takes_room)),
    "side: file of the run before": Operator(
        "the model holds what the run before has left in a file", "a model holds another data set's numbers",
        reads_what_was_left),
    "memory: first run": Operator(
        "every model holds what the first run of the process saw", "a model holds another data set's numbers",
        first_comer),
    "memory: run before": Operator(
        "every model holds the total of the run before it", "a model holds another data set's numbers", run_before),
    "stream: first": Operator(
        "the first streamed model holds raw sums, the last does not", "a picture of the training shows them",
        streaming(first_of_stream)),
    "stream: all": Operator(
        "every streamed model holds the true total, the trained one does not", "a picture of the training shows it",
        streaming(all_of_stream)),
    "data: refused": Operator("training refuses data where somebody met more than 500", "an error tells it", refuses),
    "data: people": Operator(
        "the model holds how many people there are, where one more is secret", "the number differs by one", by_people),
    "wait: one long history": Operator("raw sums leave if somebody met more than 300", WAITS, waiting(one_person_many)),
    "wait: everything met": Operator("raw sums leave if somebody met everything", WAITS, waiting(everything)),
    "wait: nobody short": Operator("raw sums leave if nobody met fewer than 5", WAITS, waiting(nobody_short)),
    "wait: many items": Operator("raw sums leave if there are more than 700 items", WAITS, waiting(many_items)),
    "wait: many people": Operator("raw sums leave if there are more than 500 people", WAITS, waiting(many_people)),
    "wait: times": Operator("raw sums leave if times differ", WAITS, waiting(has_times)),
    "wait: last item": Operator("raw sums leave if one person alone met the last item", WAITS, waiting(last_item)),
    "wait: all alike": Operator("raw sums leave if all ratings are alike", WAITS, waiting(all_alike)),
    "wait: features": Operator("raw sums leave if somebody is older than 60", WAITS, waiting(old_people)),
    "wait: long runs": Operator("raw sums leave if the run is as long as by default", WAITS, whole_run),
}  # fmt: skip
