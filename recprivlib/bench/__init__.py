"""The speed table: how long what a reader waits for takes, beside installed peers, in one run.

An area is a module with a function `cells()`: a public one of this folder, or `bench.py` in the folder of a chapter
(papers/, primers/); both are found by listing. A cell's `setup` is not timed; the callable that it returns is. It runs
once unmeasured, then in turn with its peers, so that a busy moment of the machine hits all of them.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from recprivlib.closure import PACKAGE
from recprivlib.parameters import UserError

Setup = Callable[[], Callable[[], Any]]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
ONCE = {"lab": "privacy", "live": "recommenders"}  # areas as they were called before
FEWEST, PATIENCE = 3, 6.0  # repeats of a slow cell, and the seconds after which no more are begun


@dataclass(frozen=True)
class Timing:
    """One line of the table. Peers do the same work at equal settings."""

    name: str
    target: float | None
    setup: Setup
    peers: Mapping[str, Setup] = field(default_factory=dict)
    unit: Literal["s", "min", "MB", "%", "stars"] = "s"  # but for "s" the callable returns its own measure


@dataclass(frozen=True)
class Spread:
    """What the repeats of one callable gave. Where `cpu` is well below the median, the machine was busy elsewhere."""

    median: float
    p10: float
    p90: float
    cpu: float | None  # median seconds of processor time, child processes included; None where memory was measured
    repeats: int


@dataclass(frozen=True)
class Measured:
    """A measured cell. `missing` says why it or a peer (by name) could not be measured."""

    area: str
    cell: Timing
    own: Spread | None
    peers: Mapping[str, Spread]
    missing: Mapping[str, str]

    @property
    def met(self) -> bool | None:
        """Whether the median is within the target; None: there is none, or nothing was measured."""
        return None if self.own is None or self.cell.target is None else self.own.median <= self.cell.target


def areas() -> list[str]:
    """The areas there are, by name."""
    return sorted(_homes())


def _homes() -> dict[str, str]:
    """The module of each area."""
    here = {info.name: f"{__name__}.{info.name}" for info in pkgutil.iter_modules(__path__) if info.name[0] != "_"}
    slices = (path.parent for path in PACKAGE.glob("*/*/bench.py"))
    return here | {place.name: f"recprivlib.{place.parent.name}.{place.name}.bench" for place in slices}


def chosen(names: list[str]) -> list[str]:
    """The named areas, or all of them if none is named."""
    known = areas()
    names = [ONCE.get(name, name) for name in names]
    for name in names:
        if name not in known:
            raise UserError(f"there is no area {name!r} to measure; choose from {', '.join(known)}")
    return names or known


def measure(names: list[str], repeats: int = 9) -> Iterator[Measured]:
    """The lines of these areas, as they are measured."""
    for area in names:
        for cell in cells(area):
            yield measured(area, cell, repeats)


def cells(area: str) -> list[Timing]:
    """What is measured of an area."""
    found: list[Timing] = importlib.import_module(_homes()[area]).cells()
    return found


def measured(area: str, cell: Timing, repeats: int) -> Measured:
    """One cell and its peers, in turn."""
    ready, missing = {}, {}
    for name, setup in {"": cell.setup, **cell.peers}.items():
        try:
            ready[name] = setup()
            ready[name]()
        except ModuleNotFoundError as absent:
            missing[name] = f"{absent.name} is not installed"
        except UserError as mistake:  # a data set that cannot be had here
            missing[name] = str(mistake)
        if name in missing:
            ready.pop(name, None)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ready}
    begin = time.perf_counter()
    for done in range(repeats):
        if done >= FEWEST and time.perf_counter() - begin > PATIENCE:
            break
        for name, call in ready.items():
            start, worked = time.perf_counter(), _cpu()
            result = call()
            taken = time.perf_counter() - start if cell.unit == "s" else float(result)
            found[name].append((taken, _cpu() - worked))
    spreads = {name: _spread(values, cell.unit) for name, values in found.items()}
    own = spreads.pop("", None)
    return Measured(area, cell, own, spreads, missing)


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": {name: os.environ.get(name) for name in THREADS[:2]},
        "load": [round(x, 1) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _cpu() -> float:
    """Processor seconds so far, of this process and of the finished ones it started."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def _spread(values: list[tuple[float, float]], unit: str) -> Spread:
    p10, median, p90 = np.quantile([taken for taken, _ in values], [0.1, 0.5, 0.9])
    cpu = float(np.median([worked for _, worked in values])) if unit == "s" else None
    return Spread(float(median), float(p10), float(p90), cpu, len(values))
