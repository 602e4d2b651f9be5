"""One cell of a sweep: what it is, where it is kept, how it is computed.

A finished cell is one file, written at once under its address. The address covers all that a result depends on: the
system and every parameter, protocol, seed, the checksum of the data, and the sources that the system and its evaluation
are made of. The file says its address and what its arrays hash to, so what is read is right, or not there: a sweep that
was killed goes on where it stopped, and a file that was damaged or put in another's place is computed again.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from recprivlib.capacity import needed, ran_out, require, require_room
from recprivlib.closure import closure, digest
from recprivlib.data import Dataset, Reading, load
from recprivlib.data.synthetic import expected
from recprivlib.evaluation import Nest, Split, nested
from recprivlib.experiment import run, to_json, tried
from recprivlib.parameters import UserError, configured
from recprivlib.protocols import Report
from recprivlib.registry import get, systems


@dataclass(frozen=True)
class Cell:
    """One run that is to be done."""

    system: str
    params: Mapping[str, Any]  # every parameter, defaults too
    data: str
    users: int | None  # asked for, of a synthetic population
    items: int | None
    checksum: str
    protocol: str
    seed: int
    ks: tuple[int, ...] | None = None  # list lengths; None: those of the protocol
    reading: Reading = Reading()  # of a file of one's own
    nest: Nest | None = None  # of a trial: on which split of which split

    @property
    def source(self) -> tuple[str, int | None, int | None, Reading, int]:
        """What `dataset` takes."""
        population = self.nest.population if self.nest else 0
        return self.data, self.users, self.items, self.reading, population

    def address(self) -> str:
        """The name of its file, without the ending."""
        text = json.dumps({**asdict(self), "sources": sources(self.system)}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def __str__(self) -> str:
        params = ", ".join(f"{name}={value}" for name, value in self.params.items())
        where = f", outer split {self.nest.outer}" if self.nest else ""
        return (
            f"{self.system}{f' ({params})' if params else ''} on {self.data}, {self.protocol}{where}, seed {self.seed}"
        )


@dataclass(frozen=True)
class Outcome:
    """What came of a cell: a report, or an error that stopped it."""

    cell: Cell
    report: Report | None
    error: str = ""
    seconds: float = field(default=0.0, compare=False)


@cache
def sources(system: str | None = None) -> str:
    """SHA-256 of the modules that compute the results of a system; of all systems, unless one is named."""
    names = [system] if system else list(systems())
    return digest(closure([__name__, *{module for name in names for module in _modules(get(name).system)}]))


def _modules(system: Any) -> set[str]:
    """Where a system is written, and what it was given to work with."""
    parts = [type(system), *(getattr(system, one.name) for one in fields(system))]
    return {part.__module__ for part in parts if hasattr(part, "__module__")}


@lru_cache(maxsize=2)
def dataset(
    name: str, users: int | None = None, items: int | None = None, reading: Reading = Reading(), population: int = 0
) -> Dataset:
    """A data set, read once per process; a population that would not fit is not drawn."""
    if name == "synthetic":
        require_room(users, items)
    return load(
        name, seed=population, users=users, items=items, columns=dict(reading.columns), skip_bad=reading.skip_bad
    )


@lru_cache(maxsize=8)
def fold(source: tuple[str, int | None, int | None, Reading, int], protocol: str, nest: Nest) -> Split:
    """A split of a split of a data set, made once per process."""
    return nested(dataset(*source).interactions, protocol, nest)


def takes(cell: Cell) -> float:
    """The bytes that it needs in a process of its own: an estimate (capacity.py)."""
    system, drawn = configured(get(cell.system).system, dict(cell.params)), cell.data == "synthetic"
    size = expected(cell.users, cell.items) if drawn else dataset(*cell.source).interactions.volume
    return needed(system, size, cell.protocol, drawn=drawn)


def compute(task: tuple[Cell, str]) -> Outcome:
    """Run a cell, in whatever process; an error belongs to this cell alone. The task names the driver's sources."""
    cell, expected = task
    start = time.perf_counter()
    try:
        if sources(cell.system) != expected:
            raise UserError("this worker has other sources of recprivlib than the sweep was started with")
        data = dataset(*cell.source)
        if data.checksum != cell.checksum:
            raise UserError(f"this worker's {cell.data} has checksum {data.checksum[:12]}…, not {cell.checksum[:12]}…")
        if cell.nest is None:
            report = run(cell.system, data, settings=cell.params, protocol=cell.protocol, seed=cell.seed, ks=cell.ks)
        else:
            require(cell.system, configured(get(cell.system).system, dict(cell.params)), cell.protocol, data)
            seen = fold(cell.source, cell.protocol, replace(cell.nest, heard=False, full=True))
            report = tried(cell.system, cell.params, seen, cell.protocol, cell.seed, cell.nest, cell.data, cell.ks)
        return Outcome(cell, report, seconds=time.perf_counter() - start)
    except Exception as error:
        if isinstance(error, MemoryError):
            error = ran_out(f"{cell.system} on {cell.data}", error)
        said = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        return Outcome(cell, None, " ".join(said.split()), time.perf_counter() - start)


# --------------------------------------------------------------------------------------------------- files


def keep(folder: Path, outcome: Outcome) -> None:
    """Write a cell's file: whole or not at all."""
    record: dict[str, Any] = {
        "address": outcome.cell.address(), "cell": asdict(outcome.cell), "error": outcome.error,
        "seconds": outcome.seconds, "users": {},
    }  # fmt: skip
    arrays: dict[str, Any] = {}
    if outcome.report is not None:
        record["report"] = to_json(outcome.report)
        record["users"] = {name: _hash(value) for name, value in outcome.report.per_user.items()}
        arrays = {f"user/{name}": value for name, value in outcome.report.per_user.items()}

    def body(file: Any) -> None:
        np.savez_compressed(file, record=np.array(json.dumps(record)), **arrays)

    try:
        whole(folder / f"{record['address']}.npz", body)
    except OSError as error:
        raise unwritable(folder, error) from None


def kept(folder: Path, cell: Cell, *, users: bool = False) -> Outcome | None:
    """What the folder holds for a cell, or None where that is nothing, something damaged, or another cell's.

    `users=True` reads the values of each user too.
    """
    address = cell.address()
    try:
        with (folder / f"{address}.npz").open("rb") as body, np.load(body, allow_pickle=False) as file:
            record = json.loads(str(file["record"]))
            per_user = {name: file[f"user/{name}"] for name in record["users"]} if users else {}
        right = record["address"] == address and all(_hash(per_user[n]) == record["users"][n] for n in per_user)
        return _outcome(cell, record, per_user) if right else None
    except Exception:  # a flipped bit makes zip, zlib, NumPy and json raise nearly anything
        return None


def _outcome(cell: Cell, record: Mapping[str, Any], per_user: Mapping[str, np.ndarray]) -> Outcome:
    said = record.get("report")
    report = said and Report(
        said["system"], said["params"], said["data"], said["protocol"], said["seed"], said["metrics"],
        {name: tuple(pair) for name, pair in said["intervals"].items()}, said["guarantee"], said["seconds"],
        said["users"], tuple(said["notes"]), per_user,
    )  # fmt: skip
    return Outcome(cell, report, record["error"], record["seconds"])


def _hash(values: np.ndarray) -> str:
    return hashlib.sha256(f"{values.dtype.str} {values.shape}".encode() + values.tobytes()).hexdigest()


def whole(path: Path, body: Callable[[IO[bytes]], Any]) -> None:
    """Write a file whole or not at all, under a name of its own until it is: another writer may be at the same."""
    draft = path.with_name(f"{path.stem[:40]}.{secrets.token_hex(4)}.draft")
    try:
        with draft.open("xb") as file:
            body(file)
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def unwritable(path: Path, error: OSError) -> UserError:
    """A full disk or a read-only folder, in one sentence."""
    return UserError(f"cannot write to {path}: {error.strerror or error}; what was finished before is kept")
