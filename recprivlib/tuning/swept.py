"""A sweep at one set of terms: every bill is stated at them, and with a total every private system meets it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recprivlib.evaluation import split
from recprivlib.parameters import UserError, values
from recprivlib.protocols import Sizes
from recprivlib.registry import get
from recprivlib.sweeps import Row, Say, complete, outcomes, plan, table, tidy, write
from recprivlib.sweeps.cells import Cell, Outcome, dataset
from recprivlib.tuning.inverse import paying
from recprivlib.tuning.totals import calibrated, private, restated


def swept(
    systems: str | Sequence[str],
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    terms: Mapping[str, Any],
    total: float | None = None,
    out: str | Path,
    workers: int = 1,
    dask: str | None = None,
    say: Say | None = None,
    **asked: Any,
) -> list[Row]:
    """A sweep whose bills are all at one set of terms.

    Parameters
    ----------
    systems, grid, out, workers, dask, say
        As in `sweep`.
    terms
        Those of `unit`, `relation`, `view` and `delta` that are stated; the others are each system's own.
    total
        The counted ε that every private system is calibrated to at these terms; what is paid is then in no grid.
    **asked
        What else `sweep` takes: data, protocol, seeds, users, items, reading.

    Returns
    -------
    list of dict
        What is in the file: one row for each metric of each run.

    Raises
    ------
    UserError
        No system promises anything, one cannot have this bill, or a mistake anywhere in the grid.
    """
    out, names = Path(out), [systems] if isinstance(systems, str) else list(systems)
    if out.is_dir():
        raise UserError(f"{out} is a folder, but the results go to a file")
    if not any(private(name) for name in names):
        raise UserError(f"{', '.join(names)}: nothing is promised about privacy here, so no bill is at any terms")
    cells = plan(names, grid or {}, here=dask is None, **asked)
    if total is not None:
        for name in names:
            if paid := [one for one in paying(get(name).system) if private(name) and one in (grid or {})]:
                raise UserError(f"{paid[0]} is in the grid, but for {name} it follows from the total")
        cells = list({one.address(): one for one in (_at_total(cell, total, terms) for cell in cells)}.values())
    folder = out.with_name(f"{out.name}.cells")
    complete(cells, folder, workers=workers, dask=dask, say=say)
    rows = tidy(_stated(one, terms) for one in outcomes(cells, folder))
    write(out, table(rows))
    return rows


def _at_total(cell: Cell, total: float, terms: Mapping[str, Any]) -> Cell:
    if not private(cell.system, cell.params):
        return cell
    found = calibrated(cell.system, total, settings=cell.params, sizes=_learnt(cell.source, cell.protocol), **terms)
    return dataclasses.replace(cell, params=values(found))


@functools.lru_cache(maxsize=32)
def _learnt(source: tuple[Any, ...], protocol: str) -> Sizes:
    """Of the people that a run under this protocol learns from: the same at every seed."""
    return split(dataset(*source).interactions, protocol, 0)[0].train.sizes


def _stated(one: Outcome, terms: Mapping[str, Any]) -> Outcome:
    if one.report is None:
        return one
    return dataclasses.replace(one, report=restated(one.report, dataset(*one.cell.source).interactions.sizes, **terms))
