"""Grids of runs that cannot be lost.

    systems × grid × data × protocols × seeds ──> cells ──executor──> one file each ──> tidy CSV

The same cells give the same CSV, byte for byte, with one worker, with many, on a Dask cluster, and after any number
of interruptions. Seconds stay in the cell files.
"""

from __future__ import annotations

import csv
import io
import itertools
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recprivlib.capacity import fits_drawn, require_drawn, require_together
from recprivlib.data import Reading, is_own, pinned
from recprivlib.executors import Executor, died, executor
from recprivlib.experiment import PRICED, priced, protocol_of
from recprivlib.parameters import UserError, configured, parameters, values
from recprivlib.registry import get
from recprivlib.streams import checked
from recprivlib.sweeps.cells import Cell, Outcome, compute, dataset, keep, kept, sources, takes, unwritable, whole
from recprivlib.sweeps.locks import Claims

if TYPE_CHECKING:
    import pandas as pd

ABOUT = ("system", "data", "users", "items", "checksum", "protocol", "seed")
FOUND = ("metric", "value", "low", "high", *PRICED, "error")
PAUSE = 0.2  # seconds between two looks at what another process does
Row = dict[str, Any]
Say = Callable[[str], None]


def sweep(
    systems: str | Sequence[str],
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    data: str | Sequence[str] = "ml-100k",
    protocol: str | Sequence[str] | None = None,
    seeds: Iterable[int] = (0,),
    users: int | None = None,
    items: int | None = None,
    out: str | Path,
    workers: int = 1,
    dask: str | None = None,
    say: Say | None = None,
    reading: Reading = Reading(),
) -> pd.DataFrame:
    """Run every combination of systems, parameters, data, protocols and seeds.

    Finished runs are kept beside `out` in `<out>.cells`: the same call again goes on where an interrupted one
    stopped, and gives the same bytes. An error stops its own run only, and stands in its row.

    Parameters
    ----------
    systems
        One name or several, of those that `systems()` lists.
    grid
        Parameter name to the values it takes; one that a system does not have is left out for that system.
    data, protocol
        What `run` takes, one or several.
    seeds
        Whole numbers from 0.
    users, items
        The size of the synthetic population.
    out
        The file (CSV) that all rows are written to, whole or not at all.
    workers
        Processes that run at once, from 1.
    dask
        The address of a Dask cluster that runs them instead.
    say
        Called with each line of progress.
    reading
        How files of one's own are read: what their columns are called, and whether bad rows are left out.

    Returns
    -------
    pandas.DataFrame
        What is in the file: one row for each metric of each run.

    Raises
    ------
    UserError
        A mistake anywhere in the grid, before anything runs.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = sweep("popularity", data="synthetic", users=60, items=100, out=f"{folder}/a.csv")
    >>> found["metric"].tolist()[:2]
    ['hr@2', 'hr@5']
    """
    out = Path(out)
    _refuse_place(out)
    cells = plan(systems, grid or {}, data=data, protocol=protocol, seeds=seeds, users=users, items=items,
                 here=dask is None, reading=reading)  # fmt: skip
    if say:
        for source in dict.fromkeys((cell.data, cell.users, cell.items, cell.reading) for cell in cells):
            for note in dataset(*source).notes:
                say(f"note: {source[0]}: {note}")
    folder = out.with_name(f"{out.name}.cells")
    complete(cells, folder, workers=workers, dask=dask, say=say)
    rows = tidy(outcomes(cells, folder))
    write(out, table(rows))
    import pandas as pd

    return pd.DataFrame(rows, columns=columns(rows))


# -------------------------------------------------------------------------------------------------- plan


def plan(
    systems: str | Sequence[str],
    grid: Mapping[str, Sequence[Any]],
    *,
    data: str | Sequence[str] = "ml-100k",
    protocol: str | Sequence[str] | None = None,
    seeds: Iterable[int] = (0,),
    users: int | None = None,
    items: int | None = None,
    ks: Sequence[int] | None = None,
    read: bool = True,
    here: bool = True,
    reading: Reading = Reading(),
) -> list[Cell]:
    """The cells of a grid, each once; every mistake in it is said here, before anything runs.

    `read=False` takes pinned checksums as they stand: a plan can be made where the data cannot be had.
    `here`: the cells are computed on this machine, so a population that is too large for all of them is not drawn.
    """
    names, seeds, wanted, data = _listed(systems), _listed(seeds), _listed(protocol) or [None], _listed(data)
    grid = {key: _listed(values) for key, values in grid.items()}
    _refuse_nonsense(names, grid, seeds, data)
    runs = [
        (name, values(configured(get(name).system, dict(given))), protocol_of(name, get(name), one))
        for name in names for given in settings_of(name, grid) for one in wanted
    ]  # fmt: skip
    cells, lengths = [], tuple(ks) if ks else None
    for source in data:
        size = (users, items) if source == "synthetic" or "synthetic" not in data else (None, None)
        if source == "synthetic" and here and read:
            _refuse_hopeless(runs, *size)
        how = reading if is_own(source) or not any(map(is_own, data)) else Reading()
        checksum = (None if read else pinned(source, *size)) or dataset(source, *size, how).checksum
        cells += [
            Cell(name, settings, source, *size, checksum, one, seed, lengths, how)
            for name, settings, one in runs
            for seed in seeds
        ]
    return list({cell.address(): cell for cell in cells}.values())


def _refuse_nonsense(
    names: Sequence[str], grid: Mapping[str, Sequence[Any]], seeds: Sequence[int], data: Sequence[str]
) -> None:
    for what, given in {"system": names, "seed": seeds, "data set": data, **grid}.items():
        if not len(given):
            raise UserError(f"the sweep has no {what}")
    for seed in seeds:
        checked(seed)
    known = {name for system in names for name in parameters(get(system).system)}
    of_one = {f"{system}.{name}" for system in names for name in parameters(get(system).system)}
    for name in grid:
        if name not in known | of_one:
            choices = ", ".join(sorted(known)) or "none at all"
            raise UserError(f"no system of this sweep has a parameter {name!r}; there are {choices}")


def _refuse_hopeless(runs: Sequence[tuple[str, Mapping[str, Any], str]], users: int | None, items: int | None) -> None:
    """Where no run would fit over the population; one that does not fit among others is a failed cell."""
    ready = [(name, configured(get(name).system, dict(settings)), protocol) for name, settings, protocol in runs]
    if not any(fits_drawn(system, protocol, users, items) for _, system, protocol in ready):
        for run in ready:
            require_drawn(*run, users, items)


def _refuse_place(out: Path) -> None:
    """Where results cannot go is said before anything runs."""
    try:
        mode = out.stat().st_mode
        out.parent.joinpath(f"{out.name}.cells").exists()
    except (FileNotFoundError, NotADirectoryError):
        mode = stat.S_IFREG
    except (OSError, ValueError) as error:  # a name that is too long, or has a zero byte in it
        raise UserError(f"cannot write to {str(out)!r}: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a device"
        raise UserError(f"{out} is {what}, but the results go to a file")


def settings_of(name: str, grid: Mapping[str, Sequence[Any]]) -> Iterator[Mapping[str, Any]]:
    """Every combination of the grid's parameters that this system has: those alone, checked.

    A name with a system before it, "mf-als.alpha", is of that system alone.
    """
    system = get(name).system
    given = {key.removeprefix(f"{name}."): listed for key, listed in grid.items()}
    mine = [key for key in given if key in parameters(system)]
    for combination in itertools.product(*(given[key] for key in mine)):
        every = values(configured(system, dict(zip(mine, combination, strict=True))))
        yield {key: every[key] for key in mine}


def _listed(given: Any) -> list[Any]:
    """One name or value, or several."""
    if given is None:
        return []
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]


# --------------------------------------------------------------------------------------------------- run


def complete(
    cells: Sequence[Cell],
    folder: Path,
    *,
    workers: int = 1,
    dask: str | None = None,
    users: bool = False,
    say: Say | None = None,
) -> None:
    """Compute what the folder does not hold yet; with `users`, also where the values of each user are damaged.

    Cells that failed before are tried again. Another process at the same cells does its share of them.
    """
    _writable(folder)
    missing = [cell for cell in cells if not _done(folder, cell, users)]
    if workers > 1 and dask is None:
        require_together([takes(cell) for cell in missing], workers)
    progress = _Progress(len(missing), len(cells) - len(missing), say or (lambda line: None))
    with Claims(folder) as claims, executor(min(workers, max(1, len(missing))), dask) as run:
        while missing:
            before = progress.done
            try:
                tried = _compute(run, missing, folder, claims, users, progress)
            except KeyboardInterrupt:
                progress.say("stopped; what is finished is kept, and the same command goes on")
                raise
            except Exception as error:
                if not died(error):
                    raise
                tried = set()
                if progress.done == before or dask:
                    there = sum(_done(folder, cell, users) for cell in cells)
                    raise _lost(there, len(cells), dask) from None
            left = [cell for cell in missing if cell.address() not in tried and not _done(folder, cell, users)]
            progress.found(len(missing) - len(left) - (progress.done - before))
            missing = left
            if missing and progress.done == before:
                progress.wait()


def _compute(
    run: Executor, missing: Sequence[Cell], folder: Path, claims: Claims, users: bool, progress: _Progress
) -> set[str]:
    """Compute those of the missing cells that nobody else is at; the addresses of what came of it."""

    def mine(cell: Cell) -> bool:
        if not claims.take(cell.address()):
            return False
        if _done(folder, cell, users):  # by somebody else, a moment ago
            claims.release(cell.address())
            return False
        return True

    tried = set()
    with closing(run(compute, ((cell, sources(cell.system)) for cell in missing if mine(cell)))) as finished:
        for outcome in finished:
            keep(folder, outcome)
            tried.add(outcome.cell.address())
            claims.release(outcome.cell.address())
            progress.tick(outcome)
    return tried


def _lost(done: int, cells: int, dask: str | None) -> UserError:
    cause = "the Dask cluster was lost" if dask else "a worker was killed, likely for want of memory"
    advice = "run the same command again" + ("" if dask else " with fewer workers")
    return UserError(f"{cause}; {done} of {cells} cells are kept: {advice}")


def _done(folder: Path, cell: Cell, users: bool) -> bool:
    found = kept(folder, cell, users=users)
    return found is not None and not found.error


def _writable(folder: Path) -> None:
    probe = folder / f"probe.{secrets.token_hex(4)}.draft"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise unwritable(folder, error) from None


def console(line: str) -> None:
    """A `say` for people, on stderr: how far it is moves in place on a terminal; the rest are lines."""
    if sys.stderr.isatty() and line.endswith(" left"):
        end = "\n" if line.endswith(" 0 s left") else ""
        print(f"\r\x1b[K{line}", end=end, file=sys.stderr, flush=True)
    else:
        print(line, file=sys.stderr, flush=True)


class _Progress:
    """How far it is and how long it takes: twice a second on a terminal, every ten seconds elsewhere."""

    def __init__(self, cells: int, found: int, say: Say) -> None:
        self.cells, self.done, self.failed, self.say = cells, 0, 0, say
        self.shared = False
        self.start = self.said = time.monotonic()
        self.pause = 0.5 if sys.stderr.isatty() else 10
        if found:
            say(f"{found} of {found + cells} cells were there already")

    def tick(self, outcome: Outcome) -> None:
        if outcome.error:
            self.failed += 1
            self.say(f"failed: {outcome.cell}: {outcome.error}")
        self._step(1)

    def found(self, cells: int) -> None:
        """So many were computed by another process meanwhile."""
        if cells:
            self._share()
            self._step(cells)

    def wait(self) -> None:
        """All that is left is in other hands: for the moment."""
        self._share()
        time.sleep(PAUSE)

    def _share(self) -> None:
        if not self.shared:
            self.say("another sweep is at the same cells; the two share the work")
        self.shared = True

    def _step(self, cells: int) -> None:
        self.done += cells
        now = time.monotonic()
        if now - self.said >= self.pause or self.done == self.cells:
            self.said = now
            left = (now - self.start) / self.done * (self.cells - self.done)
            failed = f", {self.failed} failed" if self.failed else ""
            self.say(f"{self.done} of {self.cells} cells{failed}, {duration(left)} left")


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> duration(8.2), duration(200), duration(9000)
    ('8 s', '3 min', '2.5 h')
    """
    return (
        f"{seconds:.0f} s"
        if seconds < 100
        else f"{seconds / 60:.0f} min"
        if seconds < 5400
        else f"{seconds / 3600:.1f} h"
    )


# ----------------------------------------------------------------------------------------------- results


def outcomes(cells: Iterable[Cell], folder: Path, *, users: bool = False) -> Iterator[Outcome]:
    """What the folder holds for each cell, in the order of the plan."""
    for cell in cells:
        found = kept(folder, cell, users=users)
        if found is None:
            raise UserError(f"{folder} has lost the cell {cell}; run the same command again")
        yield found


def tidy(found: Iterable[Outcome]) -> list[Row]:
    """One row for each metric of each cell, and one for a cell that failed."""
    rows = []
    for outcome in found:
        cell, report = outcome.cell, outcome.report
        size = dataset(cell.data, cell.users, cell.items, cell.reading).interactions
        about = dict(zip(ABOUT, (cell.system, cell.data, size.n_users, size.n_items, cell.checksum, cell.protocol,
                                 cell.seed), strict=True)) | dict(cell.params)  # fmt: skip
        if report is None:
            rows.append(about | {"error": outcome.error})
            continue
        about["users"] = report.users
        for metric, value in report.metrics.items():
            low, high = report.intervals[metric]
            rows.append(about | {"metric": metric, "value": value, "low": low, "high": high} | priced(report))
    return rows


def columns(rows: Iterable[Row]) -> list[str]:
    """What a run is, its parameters in order of appearance, what was found."""
    seen = dict.fromkeys(name for row in rows for name in row)
    return [*ABOUT, *(name for name in seen if name not in ABOUT and name not in FOUND), *FOUND]


def table(rows: Sequence[Row], names: Sequence[str] | None = None) -> str:
    """Rows as CSV; a float is written so that it reads back as itself."""
    names = names or columns(rows)
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(names)
    lines.writerows([_field(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def _field(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def write(path: Path, text: str) -> None:
    """Write a file: whole or not at all."""
    try:
        whole(path, lambda file: file.write(text.encode()))
    except OSError as error:
        raise unwritable(path, error) from None
