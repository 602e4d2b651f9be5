"""One cell of a sweep: what it is, where it is kept, how it is computed.

A finished cell is one file, written at once under its address. The address covers all that a result depends on: the
system and every parameter, protocol, seed, the checksum of the data, and the
sources that the system and its evaluation are made of. So a
file that is there is right, and a sweep that was killed goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from recprivlib.closure import closure, digest
from recprivlib.data import Dataset, load
from recprivlib.experiment import run, to_json
from recprivlib.parameters import UserError
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

    def address(self) -> str:
        """The name of its file, without the ending."""
        text = json.dumps({**asdict(self), "sources": sources(self.system)}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def __str__(self) -> str:
        params = ", ".join(f"{name}={value}" for name, value in self.params.items())
        return f"{self.system}{f' ({params})' if params else ''} on {self.data}, {self.protocol}, seed {self.seed}"


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
def dataset(name: str, users: int | None = None, items: int | None = None) -> Dataset:
    """A data set, read once per process."""
    return load(name, users=users, items=items)


def compute(task: tuple[Cell, str]) -> Outcome:
    """Run a cell, in whatever process; an error belongs to this cell alone. The task names the driver's sources."""
    cell, expected = task
    start = time.perf_counter()
    try:
        if sources(cell.system) != expected:
            raise UserError("this worker has other sources of recprivlib than the sweep was started with")
        data = dataset(cell.data, cell.users, cell.items)
        if data.checksum != cell.checksum:
            raise UserError(f"this worker's {cell.data} has checksum {data.checksum[:12]}…, not {cell.checksum[:12]}…")
        report = run(cell.system, data, settings=cell.params, protocol=cell.protocol, seed=cell.seed, ks=cell.ks)
        return Outcome(cell, report, seconds=time.perf_counter() - start)
    except Exception as error:
        said = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        return Outcome(cell, None, " ".join(said.split()), time.perf_counter() - start)


# --------------------------------------------------------------------------------------------------- files


def keep(folder: Path, outcome: Outcome) -> None:
    """Write a cell's file: whole or not at all."""
    record: dict[str, Any] = {"cell": asdict(outcome.cell), "error": outcome.error, "seconds": outcome.seconds}
    arrays: dict[str, Any] = {}
    if outcome.report is not None:
        record["report"] = to_json(outcome.report)
        arrays = {f"user/{name}": value for name, value in outcome.report.per_user.items()}
    path = folder / f"{outcome.cell.address()}.npz"
    # always the same name: what a killed sweep left behind is overwritten when the cell is computed again
    draft = path.with_suffix(".draft")
    try:
        with draft.open("wb") as file:
            np.savez_compressed(file, record=np.array(json.dumps(record)), **arrays)
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise unwritable(folder, error) from None


def kept(folder: Path, cell: Cell, *, users: bool = False) -> Outcome | None:
    """What the folder holds for a cell, or None where that is nothing or something damaged.

    `users=True` reads the values of each user too.
    """
    try:
        with (folder / f"{cell.address()}.npz").open("rb") as body, np.load(body, allow_pickle=False) as file:
            record = json.loads(str(file["record"]))
            names = [name for name in file.files if name.startswith("user/")] if users else []
            per_user = {name.removeprefix("user/"): file[name] for name in names}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    said = record.get("report")
    report = said and Report(
        said["system"], said["params"], said["data"], said["protocol"], said["seed"], said["metrics"],
        {name: tuple(pair) for name, pair in said["intervals"].items()}, said["guarantee"], said["seconds"],
        said["users"], tuple(said["notes"]), per_user,
    )  # fmt: skip
    return Outcome(cell, report, record["error"], record["seconds"])


def unwritable(path: Path, error: OSError) -> UserError:
    """A full disk or a read-only folder, in one sentence."""
    return UserError(f"cannot write to {path}: {error.strerror or error}; what was finished before is kept")
