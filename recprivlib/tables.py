"""Committed results: the numbers behind the book's tables, figures and dashboards.

    <slice>/results/<name>.toml  ──make results──>  <slice>/results/<name>.csv  ──>  recprivlib.results("<name>")
    (what is run)                                   (what was found)

A new chapter adds its own pairs of files to its folder in papers/ or primers/; they are found by listing. Never edit a
.csv by hand: `make results` recomputes the tables (`ARGS=<name>` one of them), `make results-check` compares all of
them with a fresh run, and every `make test` compares a sample that changes with the sources.

A grid of a .toml is what `recpriv sweep` runs:

    [[grid]]
    systems = ["popularity", "item-knn"]
    data = "ml-100k"                      # with users = … and items = … for synthetic
    protocol = "loo-latest"               # default: by the system's task
    seeds = "0-9"
    against = "popularity"                # adds paired differences to this system, on the same splits
    mixed = true                          # two private systems at different terms may be held against each other
    ks = [1, 2, 3]                        # list lengths; default: by the protocol
    slow = true                           # never in the sample that each `make test` recomputes
    parameters = { neighbors = [10, 20] } # with a system before it, "mf-als.alpha" = [40], of that system alone

A row of the .csv is one metric of one system with one set of parameters: its mean over the seeds with a 95 %
interval (bootstrap over users), its value at the first seed, and the difference where there is one.

A `[[tuned]]` of a .toml (tuning/compared.py) compares systems as printed and tuned alike. What was chosen for each lies
beside the table in <name>.choices.toml: `make tune` searches and writes it, `make results` reads it and tests it.
"""

from __future__ import annotations

import csv
import functools
import itertools
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recprivlib.closure import PACKAGE
from recprivlib.evaluation import interval, paired
from recprivlib.executors import one_thread
from recprivlib.experiment import PRICED, Report, priced
from recprivlib.parameters import BUDGET, UserError, parameters
from recprivlib.registry import get
from recprivlib.sweeps import Row, Say, complete, console, outcomes, plan, table, write
from recprivlib.sweeps.cells import Cell, Outcome, compute, dataset, sources
from recprivlib.tuning import compared
from recprivlib.tuning.choices import Choice, read, save
from recprivlib.tuning.choose import Bench, Contender
from recprivlib.tuning.compared import TUNED, Comparison
from recprivlib.tuning.terms import Held, cost_of, refuse_mixed
from recprivlib.tuning.totals import terms_of

if TYPE_CHECKING:
    import pandas as pd

REPOSITORY = PACKAGE.parent
SLICES = PACKAGE  # below which folders of a chapter lie
CELLS = REPOSITORY / "_build" / "cells"
TRIALS = REPOSITORY / "_build" / "trials"
OPTIONS = ("systems", "seeds", "data", "users", "items", "protocol", "parameters", "against", "ks", "slow", "mixed")
ABOUT = ("system", "data", "users", "items", "checksum", "protocol", "seeds")
FOUND = ("metric", "value", "low", "high", "first", "against", "difference", "difference_low", "difference_high",
         *PRICED)  # fmt: skip
COMPARED = ("against", "difference", "difference_low", "difference_high", "verb")
Tested = Mapping[str, tuple[Comparison, Contender, str]]  # the address of a first test -> who asks for it, and how
SPANS = ("seeds", "splits", "populations")
LABELS = ("system", "data", "checksum", "protocol", "seeds", "metric")
TERMS = ("claimed_for", "unit", "relation", "view", "delta", "trust")
PEOPLE = 2  # users that may be ranked otherwise on another machine
STARS = 0.001  # by which an RMSE may differ
EPSILON = 1e-4  # relative, by which a budget may differ
DIGITS = 6  # decimals that are committed


# ------------------------------------------------------------------------------------------------- reading


def results(name: str) -> pd.DataFrame:
    """A committed table: the numbers behind the book's tables and figures.

    A pandas frame; each row is one metric of one system with one set of parameters, and an infinite ε reads as
    infinity. It is read from the installed package or from the checkout; an unknown name is a UserError that lists all.

    >>> results("dplcf").columns[:5].tolist()
    ['system', 'data', 'users', 'items', 'checksum']
    """
    if name not in names():
        raise UserError(f"there are no results {name!r}; choose from {', '.join(names())}")
    path = home(name) / f"{name}.csv"
    return _read(path, path.stat().st_mtime_ns).copy()


@functools.lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(path, dtype=dict.fromkeys(SPANS, str), keep_default_na=False, na_values=[""])


def rows_of(table: pd.DataFrame, about: Mapping[str, Any]) -> pd.DataFrame:
    """The rows that say this of themselves; None stands for an empty field, or for one that the table does not have."""
    keep = np.ones(len(table), bool)
    for name, value in about.items():
        column = table.get(name)
        if column is None and value is None:
            continue
        if column is None:
            return table[:0]
        keep &= (column.isna() if value is None else column == value).to_numpy()
    return table[keep] if "against" in about else once(table[keep])


def once(table: pd.DataFrame) -> pd.DataFrame:
    """Each run once, where it is held against several others."""
    return table.drop_duplicates([name for name in table if name not in COMPARED])


def value_of(name: str, about: Mapping[str, Any]) -> float | None:
    """The value of the one row that says this of itself, else None; without pandas, which comes last to a page."""
    with (home(name) / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        names, *lines = csv.reader(file)
    rows = (dict(zip(reversed(names), reversed(line), strict=True)) for line in lines)  # of two of a name the first
    found = [row for row in rows if all(_says(row.get(name), value) for name, value in about.items())]
    if "against" not in about:  # each run once, where it is held against several others
        found = list({tuple(cell for name, cell in row.items() if name not in COMPARED): row for row in found}.values())
    return float(found[0]["value"]) if len(found) == 1 else None


def _says(cell: str | None, value: Any) -> bool:
    if not cell or value is None:
        return not cell and value is None
    if isinstance(value, bool):
        return cell == str(value).lower()
    try:
        return cell == value or float(cell) == value
    except ValueError:
        return False


def names() -> list[str]:
    """What has been committed."""
    return sorted(path.stem for place in folders() for path in place.glob("*.csv"))


def asked() -> list[str]:
    """What there is a .toml for."""
    return sorted(path.stem for place in folders() for path in place.glob("*.toml") if "." not in path.stem)


def folders() -> list[Path]:
    """Where tables lie: beside the chapter that they are of."""
    return sorted(SLICES.glob("*/*/results"))


def home(name: str) -> Path:
    """The folder of a table, or of what asks for it."""
    for place in folders():
        if (place / f"{name}.toml").exists():
            return place
    raise UserError(f"there are no results {name!r}; choose from {', '.join(asked())}")


# ---------------------------------------------------------------------------------------------------- grids


@dataclass(frozen=True)
class Grid:
    """One grid of a .toml, planned."""

    cells: tuple[Cell, ...]
    against: str | None
    slow: bool

    def runs(self) -> dict[tuple[Any, ...], list[Cell]]:
        """The cells that differ by their seed alone."""
        groups: dict[tuple[Any, ...], list[Cell]] = {}
        for cell in self.cells:
            groups.setdefault(_run(cell), []).append(cell)
        return groups


def grids(name: str) -> list[Grid]:
    """What a .toml asks for; a mistake in it is said with its name."""
    return _planned(name, "grid", lambda one: _grid(**_known(one, OPTIONS)))


def comparisons(name: str) -> list[Comparison]:
    """What a .toml asks to be compared as printed and tuned alike."""
    planned = _planned(name, "tuned", lambda one: compared.comparisons(**_known(one, compared.OPTIONS)))
    return [*itertools.chain.from_iterable(planned)]


def chosen(name: str) -> Path:
    """The file of choices of a table."""
    return home(name) / f"{name}.choices.toml"


def choices(name: str) -> dict[tuple[Any, ...], Choice]:
    """What was chosen for whom a table compares; who is tested as chosen on other data, in any table."""
    plans = comparisons(name)
    own = read(chosen(name)) if plans else {}
    return {**_everywhere(), **own} if any(plan.searched_on for plan in plans) else own


def _everywhere() -> dict[tuple[Any, ...], Choice]:
    paths = (path for place in folders() for path in sorted(place.glob("*.choices.toml")))
    return {key: choice for path in paths for key, choice in read(path).items()}


def committed(system: str, settings: Mapping[str, Any], about: Mapping[str, Any], outer: int = 0,
              total: Mapping[str, Any] | None = None) -> Choice:  # fmt: skip
    """What was chosen for a system on an outer split, in any table: where what was fixed is what these settings say,
    at this total (`Total.said`) where one is met."""
    found = [
        choice for choice in _everywhere().values()
        if choice.system == system and choice.outer == outer and choice.total == total
        and all(getattr(choice, name) == value for name, value in about.items())
        and all(settings[name] == value for name, value in choice.fixed.items())
    ]  # fmt: skip
    paid = [name for name, meta in parameters(get(system).system).items() if meta.tune == BUDGET and not total]
    found = [choice for choice in found if set(paid) <= choice.fixed.keys()]
    if not found:
        said = f"a total of {total['epsilon']:g}" if total else ", ".join(f"{name}={settings[name]}" for name in paid)
        raise UserError(f"nothing was chosen for {system}{f' at {said}' if said else ''} on {about['data']}, "
                        f"{about['protocol']}; `recpriv tune {system}` searches")  # fmt: skip
    return found[0]


def _planned(name: str, part: str, plan: Callable[[Mapping[str, Any]], Any]) -> list[Any]:
    path = home(name) / f"{name}.toml"
    try:
        asked = tomllib.loads(path.read_text("utf-8"))
        if not asked.keys() & {"grid", "tuned"}:
            raise UserError("it has no [[grid]] and no [[tuned]]")
        return [plan(one) for one in asked.get(part, [])]
    except FileNotFoundError:
        raise UserError(f"there is no {path}") from None
    except (tomllib.TOMLDecodeError, UserError) as error:
        raise UserError(f"{path}: {error}") from None


def _known(asked: Mapping[str, Any], options: Sequence[str]) -> Mapping[str, Any]:
    for option in asked:
        if option not in options:
            raise UserError(f"there is no option {option!r}; choose from {', '.join(options)}")
    for option in OPTIONS[:2] if options is OPTIONS else options[:1]:
        if option not in asked:
            raise UserError(f"a grid needs {option}")
    return asked


def _grid(
    *,
    systems: Sequence[str],
    seeds: str,
    data: str = "ml-100k",
    protocol: str | None = None,
    users: int | None = None,
    items: int | None = None,
    parameters: Mapping[str, Sequence[Any]] | None = None,
    against: str | None = None,
    ks: Sequence[int] | None = None,
    slow: bool = False,
    mixed: bool = False,
) -> Grid:
    if re.fullmatch(r"\d+(-\d+)?", str(seeds)) is None:
        raise UserError(f'seeds is {seeds!r}, but must be like "3" or "0-9"')
    first, _, last = str(seeds).partition("-")
    cells = plan(
        systems, parameters or {}, data=data, protocol=protocol, seeds=range(int(first), int(last or first) + 1),
        users=users, items=items, ks=ks, read=False,
    )  # fmt: skip
    if against is not None and against not in systems:
        raise UserError(f"against is {against!r}, but must be one of the grid's systems")
    grid = Grid(tuple(cells), against, slow)
    if not mixed:
        refuse_mixed((_held(run), _held(other)) for run in grid.runs() for other in _rivals(grid, run))
    return grid


def _held(run: tuple[Any, ...]) -> Held:
    return run[0], lambda: terms_of(run[0], dict(run[1]))


def _rivals(grid: Grid, run: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The runs that one is held against: those of the system that is named, on the same data and splits."""
    if grid.against in (None, run[0]):
        return []
    return [other for other in grid.runs() if other[0] == grid.against and other[2:] == run[2:]]


def _run(cell: Cell) -> tuple[Any, ...]:
    return cell.system, tuple(cell.params.items()), cell.data, cell.users, cell.items, cell.protocol


# ------------------------------------------------------------------------------------------------- making


def made(name: str, say: Say | None = None) -> list[Row]:
    """The rows of a table, computed anew. Cells that are up to date are not run again."""
    planned = grids(name)
    cells = [cell for grid in planned for cell in grid.cells]
    complete(cells, CELLS, workers=os.cpu_count() or 1, users=True, say=say)
    rows: dict[tuple[Any, ...], list[Row]] = {}
    for grid in planned:
        for run, found in _rows(grid):
            rows.setdefault(run, found)  # a run that two grids share stands where it comes first
    return [*itertools.chain.from_iterable(rows.values()), *_tested(name, say)]


def _tested(name: str, say: Say | None) -> Iterator[Row]:
    """The rows of what is compared as printed and tuned: choices are read, and only tested."""
    plans = comparisons(name)
    known = choices(name)
    cells = compared.flat(group for plan in plans for group in compared.tests(plan, known).values())
    complete(cells, CELLS, workers=os.cpu_count() or 1, users=True, say=say)
    for one in plans:
        for row in compared.rows(one, known, CELLS):
            yield {key: value if key in TERMS else _rounded(value) for key, value in row.items()}


def tune(name: str, say: Say | None = None, workers: int | None = None, dask: str | None = None) -> None:
    """Search for everybody whom a table compares, and write down what was chosen; finished trials are kept."""
    plans = comparisons(name)
    if not plans:
        raise UserError(f"{name}.toml has no [[tuned]], so there is nobody to search for")
    path, bench = chosen(name), Bench(TRIALS, workers or os.cpu_count() or 1, dask, say)
    compared.search(plans, bench, read(path), lambda found: save(path, found))


def make(name: str, say: Say | None = None) -> None:
    """Write a table anew."""
    rows = made(name, say)
    more = compared.ABOUT if any("setting" in row for row in rows) else ()
    found = (*FOUND, "verb") if more else FOUND
    parameters = dict.fromkeys(key for row in rows for key in row if key not in (*ABOUT, *more, *found))
    write(home(name) / f"{name}.csv", table(rows, [*ABOUT, *more, *parameters, *found]))


def _rows(grid: Grid) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    runs = grid.runs()
    load = functools.cache(lambda run: list(outcomes(runs[run], CELLS, users=True)))
    for run, cells in runs.items():
        rivals = _rivals(grid, run)
        if len(rivals) != 1 and grid.against not in (None, run[0]):
            raise UserError(f"{grid.against} is run {len(rivals)} times on {run[2]}, so nothing can be held against it")
        yield run, list(_summary(cells, load(run), load(rivals[0]) if rivals else None))


def _summary(cells: Sequence[Cell], found: Sequence[Outcome], rivals: Sequence[Outcome] | None) -> Iterator[Row]:
    """The rows of one system at one setting."""
    cell, seeds = cells[0], [one.seed for one in cells]
    for outcome in [*found, *(rivals or [])]:
        if outcome.report is None:
            raise UserError(f"{outcome.cell} failed: {outcome.error}")
    reports = [outcome.report for outcome in found if outcome.report]
    others = [outcome.report for outcome in rivals or [] if outcome.report]
    size = dataset(cell.data, cell.users, cell.items).interactions
    about = {"system": cell.system, "data": cell.data, "users": reports[0].users, "items": size.n_items,
             "checksum": cell.checksum, "protocol": cell.protocol,
             "seeds": f"{seeds[0]}-{seeds[-1]}" if len(seeds) > 1 else str(seeds[0])}  # fmt: skip
    for metric in reports[0].metrics:
        mine = [report.per_user[metric] for report in reports]
        low, high = interval(mine)
        row = {"metric": metric, "value": np.mean([report.metrics[metric] for report in reports]), "low": low,
               "high": high, "first": reports[0].metrics[metric]}  # fmt: skip
        if others:
            gap = paired(mine, [report.per_user[metric] for report in others])
            row |= {"against": others[0].system, "difference": gap.mean, "difference_low": gap.low,
                    "difference_high": gap.high}  # fmt: skip
        row = {key: _rounded(value) for key, value in row.items()} | _cost(reports[0])
        yield about | dict(cell.params) | row


def _cost(report: Report) -> Row:
    """What a run costs; a small δ keeps its digits."""
    return {key: value if key in TERMS else _rounded(value) for key, value in priced(report).items()}


def _rounded(value: Any) -> Any:
    """Numbers as they are committed: later digits may differ from machine to machine."""
    return round(float(value), DIGITS) + 0.0 if isinstance(value, float | np.floating) else value


# ------------------------------------------------------------------------------------------------ checking


def check(name: str, cells: Iterable[Cell]) -> list[str]:
    """What no longer comes out as committed, one sentence each. The cells are first seeds of runs."""
    wrong = []
    committed, asked = results(name), _asked(name)
    for cell in cells:
        rows = _of(asked, committed, cell)
        with one_thread():
            outcome = compute((cell, sources(cell.system)))
        if outcome.report is None:
            wrong.append(f"{cell} failed: {outcome.error}")
            continue
        if not len(rows):
            wrong.append(f"{cell} is not in {name}.csv")
        for _, row in rows.iterrows():
            now = outcome.report.metrics.get(row["metric"], float("nan"))
            wrong += _compared(f"{cell}: {row['metric']}", now, row["first"], tolerance(row["metric"], row["users"]))
        for _, row in rows[:1].iterrows():
            wrong += _billed(str(cell), _cost_of(asked, cell, outcome.report), row)
    return wrong


def check_all(name: str, say: Say | None = None) -> list[str]:
    """The same for every number of a table, over all seeds."""
    wrong = []
    committed, rows = results(name), made(name, say)
    if len(rows) != len(committed):
        wrong.append(f"{name}.csv has {len(committed)} rows, but {name}.toml asks for {len(rows)}")
    for row, (_, old) in zip(rows, committed.iterrows(), strict=False):
        label = f"{name}.csv, {row['system']} on {row['data']}, {row['metric']}"
        labels = [*LABELS, *(key for key in (*compared.ABOUT[:-1], "verb") if row.get(key) is not None)]
        if [str(row.get(key)) for key in labels] != [str(old.get(key)) for key in labels]:
            return [*wrong, f"{label} is not where {name}.toml puts it"]
        for key in ("value", "low", "high", "first", "difference", "difference_low", "difference_high"):
            if row.get(key) is not None:
                wrong += _compared(f"{label}: {key}", row[key], old[key], tolerance(row["metric"], row["users"]))
        wrong += _billed(label, row, old)
    return wrong


def _billed(label: str, row: Row, old: Mapping[str, Any]) -> list[str]:
    """Where what a run costs, or the terms of that, are not as committed."""
    import pandas as pd

    wrong = []
    for key in ("claimed", "counted"):
        if row.get(key) is not None:
            now, then = float(row[key]), float(old[key])
            wrong += _compared(f"{label}: {key} ε", now, then, EPSILON * min(now, then))
    for key in TERMS:
        meant, found = row.get(key), None if pd.isna(old[key]) else old[key]
        wrong += [] if meant == found else [f"{label}: {key} is {meant}, but {found} is committed"]
    return wrong


def _compared(label: str, now: float, then: float, off: float) -> list[str]:
    if now == then or abs(now - then) <= off:
        return []
    return [f"{label} is {now:.6g}, but {then:.6g} is committed"]


def sample(name: str, size: int) -> list[Cell]:
    """First seeds to recompute: others with every change of the sources, the same for the same sources."""
    runs = [run[0] for grid in grids(name) if not grid.slow for run in grid.runs().values()]
    runs += [cells[0][0][0] for cells in _tests(name)]
    rng = np.random.default_rng(int(sources()[:8], 16))
    return [runs[n] for n in sorted(rng.permutation(len(runs))[:size])]


def stale(name: str) -> list[str]:
    """Where a .csv does not hold what its .toml asks for."""
    committed = results(name)
    plans = comparisons(name)
    unknown = [line for plan in plans for line in compared.missing(plan, choices(name))]
    first = [cells[0] for grid in grids(name) for cells in grid.runs().values()]
    first += [cells[0][0][0] for cells in _tests(name, slow=True)] if not unknown else []
    asked = _asked(name) if not unknown else {}
    return unknown + [f"{cell} is not in {name}.csv" for cell in first if not len(_of(asked, committed, cell))]


def _tests(name: str, slow: bool = False) -> list[compared.Cells]:
    """The tests of what is compared as printed and tuned."""
    plans = [plan for plan in comparisons(name) if slow or not plan.slow]
    known = choices(name)
    return [cells for plan in plans for cells in compared.tests(plan, known).values()]


def tolerance(metric: str, users: int) -> float:
    """How far a metric may be off on another machine, whose last bits differ."""
    return STARS if metric == "rmse" else PEOPLE / users


def remedy(wrong: Sequence[str]) -> str:
    """The sentences, and what to do about them."""
    return "\n".join([*wrong, "If this change is meant, run `make results` and commit the tables."])


def _of(tested: Tested, committed: pd.DataFrame, cell: Cell) -> pd.DataFrame:
    """The committed rows of a cell's run, whatever its seed."""
    about = {key: getattr(cell, key) for key in ("system", "data", "checksum", "protocol")}
    if cell.nest is None:
        about |= {"setting": None}
        return rows_of(committed, about | dict(cell.params))
    plan, one, setting = tested[cell.address()]
    about |= {"setting": setting} | ({"total": plan.total.epsilon} if plan.total else {})
    return rows_of(committed, about | dict(one.fixed if setting == TUNED else cell.params))


def _cost_of(tested: Tested, cell: Cell, report: Report) -> Row:
    """What a run costs, at the terms of its rows."""
    return priced(report) if cell.nest is None else cost_of(tested[cell.address()][1], report)


def _asked(name: str) -> Tested:
    """Of each first test by its address: which comparison asks for it first, of whom, and at which setting."""
    plans, found = comparisons(name), dict[str, tuple[Comparison, Contender, str]]()
    known = choices(name)
    for one in plans:
        for (number, setting), cells in compared.tests(one, known).items():
            found.setdefault(cells[0][0][0].address(), (one, one.contenders[number], setting))
    return found


def main(words: Sequence[str]) -> int:
    """`python -m recprivlib.tables [--check | --tune] [NAME…]`: `make results`, `make results-check`, `make tune`."""
    if not (REPOSITORY / "pyproject.toml").is_file():
        raise UserError("results are recomputed in a checkout, not in an installed package")
    known = asked()
    for name in words:
        if name not in (*known, "--check", "--tune"):
            raise UserError(f"there are no results {name!r}; choose from --check, --tune, {', '.join(known)}")
    wrong = []
    for name in [word for word in words if word[:2] != "--"] or _wanted(known, "--tune" in words):
        print(name)
        if "--tune" in words:
            tune(name, console)
        elif "--check" in words:
            wrong += check_all(name, console)
        else:
            make(name, console)
    print(remedy(wrong) if wrong else "everything comes out as committed" if "--check" in words else "written")
    return int(bool(wrong))


def _wanted(known: Sequence[str], searched: bool) -> list[str]:
    """All tables, or all that compare what is tuned."""
    return [name for name in known if not searched or comparisons(name)]


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as mistake:
        sys.exit(f"results: {mistake}")
