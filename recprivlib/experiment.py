"""One run: data, split, fit, evaluation, bill. The same call stands behind chapters, sweeps and the command line."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from recprivlib.capacity import ran_out, require, require_drawn
from recprivlib.data import Dataset, load
from recprivlib.evaluation import PROTOCOLS, Nest, RatingSplit, Scores, Split, evaluate, merged, split
from recprivlib.mechanisms.noise import Root, rooted
from recprivlib.mechanisms.secure import Secure, earnest
from recprivlib.parameters import UserError, configured, values
from recprivlib.protocols import Entry, HearsRatings, Ledger, Report, Sizes, System
from recprivlib.registry import get, name_of
from recprivlib.streams import checked
from recprivlib.training import trained

if TYPE_CHECKING:
    import pandas as pd

PRICED = ("claimed", "claimed_for", "counted", "unit", "relation", "view", "delta", "trust")  # of a row
HEARD = 1  # of the noise of a seed: that of held-out reports, where 0 is that of the training
DEFAULT_PROTOCOL = {"ranking": "loo-latest", "rating": "kfold"}


def run(
    system: Any,
    data: str | Dataset = "ml-100k",
    *,
    settings: Mapping[str, Any] | None = None,
    protocol: str | None = None,
    seed: int = 0,
    name: str | None = None,
    users: int | None = None,
    items: int | None = None,
    ks: Sequence[int] | None = None,
    real: bool = False,
) -> Report:
    """Train, evaluate and account one system at one seed.

    Parameters
    ----------
    system
        A name that `systems()` lists, or a system value such as `ItemKNN(neighbors=20)`.
    data
        What `load` takes, or what it gave.
    settings
        Parameter name to value, over those of `system`.
    protocol
        "loo-latest", "loo-random", "kfold" or "user-split"; unless given, the system's own or that of its task.
    seed
        A whole number from 0: of the split, of the system's own draws and of the intervals.
    name
        What the report calls the system, if not by its name in the registry.
    users, items
        The size of the synthetic population; of other named data, `items` keeps the most met ones.
    ks
        List lengths, if not those of the protocol.
    real
        The noise is the operating system's and never the same twice, drawn exactly where that can be done; the notes
        say where it cannot. Unless asked for, a seed gives it: a simulation, whose noise
        anybody can draw again who knows the seed.

    Returns
    -------
    Report
        Metrics with 95 % intervals, the bill over the people that were learnt from, and seconds. Under "kfold" the
        metrics are means over the folds.

    Raises
    ------
    UserError
        A name is unknown, a setting out of its range, or a protocol does not fit the system.

    Examples
    --------
    >>> report = run("popularity", "synthetic", users=60, items=100)
    >>> report.system, report.protocol, report.guarantee
    ('popularity', 'loo-latest', None)
    """
    name, entry = _entry(system, name, protocol)
    value = configured(entry.system, dict(settings or {}))
    protocol = protocol_of(name, entry, protocol)
    if data == "synthetic":
        require_drawn(name, value, protocol, users, items)
    dataset = _dataset(data, users, items)
    require(name, value, protocol, dataset)
    try:
        return _run(name, entry, value, dataset, protocol, seed, ks, real)
    except MemoryError as error:
        raise ran_out(f"{name} on {dataset.name}", error) from None


def _run(
    name: str, entry: Entry, value: Any, dataset: Dataset, protocol: str, seed: int, ks: Sequence[int] | None,
    real: bool,
) -> Report:  # fmt: skip
    seconds = {"fit": 0.0, "evaluate": 0.0}
    folds: list[Scores] = []
    splits = split(dataset.interactions, protocol, checked(seed))
    for part, fold in enumerate(splits):
        start = time.perf_counter()
        model = trained(value, fold.train, seed, part, real=real)
        fitted = time.perf_counter()
        folds.append(evaluate(model, fold, ks))
        seconds["fit"] += fitted - start
        seconds["evaluate"] += time.perf_counter() - fitted
        del model  # before the next fold's is there: the largest of what a run holds
    scores, sizes = merged(folds), splits[0].train.sizes
    notes = (*scores.notes, *drawn_how(value.ledger(sizes))) if real else scores.notes
    bill = guarantee_of(entry, value, sizes)
    if real and bill:
        bill["mode"] = "; ".join(drawn_how(value.ledger(sizes)))
    return Report(
        name, values(value), dataset.name, protocol, seed, scores.metrics, scores.intervals(seed),
        bill, seconds, sizes.users, notes, scores.per_user, real,
    )  # fmt: skip


def tried(name: str, settings: Mapping[str, Any], fold: Split, protocol: str, seed: int, nest: Nest, data: str,
          ks: Sequence[int] | None = None) -> Report:  # fmt: skip
    """One trial: a system at these settings on one split of a nest. A validation has no bill and no intervals.

    Where it comes to nothing (it diverges, or refuses these settings) a validation has no metrics and says why; a test
    raises.
    """
    entry = get(name)
    value = configured(entry.system, dict(settings))
    test, start = nest.draw is None, time.perf_counter()
    try:
        with nullcontext() if test else np.errstate(all="ignore"):
            if nest.heard:
                fold = _heard(name, value, fold, seed)
            model = trained(value, fold.train, seed)
            fitted = time.perf_counter()
            scores = evaluate(model, fold, ks, full=nest.full)
    except (UserError, FloatingPointError, np.linalg.LinAlgError) as error:
        if test:
            raise
        return Report(name, values(value), data, protocol, seed, {}, {}, None, {}, 0, (str(error),))
    sizes = fold.train.sizes
    seconds = {"fit": fitted - start, "evaluate": time.perf_counter() - fitted}
    bill = guarantee_of(entry, value, sizes) if test else None
    return Report(
        name, values(value), data, protocol, seed, scores.metrics, {}, bill, seconds, sizes.users, scores.notes,
        scores.per_user if test else {},
    )  # fmt: skip


def _heard(name: str, system: Any, fold: Split, seed: int) -> Split:
    """The split as the server has it: reports of what is to be predicted, whose noise has mean zero."""
    if not isinstance(system, HearsRatings) or not isinstance(fold, RatingSplit):
        raise ValueError(f"the server of {name} hears no report of a rating whose noise has mean zero")
    with rooted(Root.of(seed, HEARD)):
        return dataclasses.replace(fold, ratings=system.heard(fold.ratings, fold.train.grid).astype(np.float32))


def drawn_how(ledger: Ledger) -> tuple[str, ...]:
    """How the noise of a real run was drawn."""
    earnests = [(type(one.mechanism).__name__, isinstance(earnest(one.mechanism), Secure)) for one in ledger.releases]
    exact, loose = (", ".join(dict.fromkeys(name for name, is_exact in earnests if is_exact == kind))
                    for kind in (True, False))  # fmt: skip
    said = []
    if exact:
        said.append(f"the noise of {exact} is the operating system's, drawn exactly")
    if loose:
        said.append(f"the noise of {loose} comes from the operating system's numbers, but as doubles, whose last "
                    "digits can tell what they hide: for teaching")  # fmt: skip
    return tuple(said)


def protocol_of(name: str, entry: Entry, protocol: str | None) -> str:
    """The protocol of a run: the one asked for, or the system's own, or that of its task."""
    chosen = (entry.protocol or DEFAULT_PROTOCOL[entry.task]) if protocol is None else protocol
    if chosen not in PROTOCOLS:
        raise UserError(f"there is no protocol {chosen!r}; choose from {', '.join(PROTOCOLS)}")
    if chosen == "kfold" and entry.task == "ranking":
        ranking = ", ".join(other for other in PROTOCOLS if other != "kfold")
        raise UserError(f"{name} ranks and predicts no stars, so it has no RMSE under 'kfold'; choose from {ranking}")
    return chosen


def guarantee_of(entry: Entry, system: Any, sizes: Sizes) -> dict[str, Any] | None:
    """The bill of a run over a population of these sizes; None where no privacy is promised."""
    if not system.ledger(sizes):
        return None
    from recprivlib.accounting import bill

    return bill(entry, system, sizes)


def to_json(report: Report) -> dict[str, Any]:
    """A report as JSON-ready data; an infinite ε is the string "inf"."""
    return plain(
        {
            "system": report.system,
            "data": report.data,
            "protocol": report.protocol,
            "seed": report.seed,
            "params": report.params,
            "metrics": report.metrics,
            "guarantee": report.guarantee,
            "seconds": report.seconds,
            "users": report.users,
            "intervals": report.intervals,
            "notes": report.notes,
            "noise": "operating system" if report.real else "seeded",
        }
    )


def to_frame(reports: Iterable[Report]) -> pd.DataFrame:
    """Reports as tidy rows, a pandas frame: one row for each metric of each report, a column for each parameter.

    Examples
    --------
    >>> to_frame([run("popularity", "synthetic", users=60, items=100, ks=[10])])["metric"].tolist()
    ['hr@10', 'ndcg@10', 'hr@10/full', 'ndcg@10/full']
    """
    import pandas as pd

    rows = []
    for report in reports:
        about = {"system": report.system, "data": report.data, "protocol": report.protocol, "seed": report.seed}
        for metric, value in report.metrics.items():
            low, high = report.intervals[metric]
            rows.append(about | dict(report.params) | {"metric": metric, "value": value, "low": low, "high": high}
                        | priced(report) | {"fit_seconds": report.seconds["fit"]})  # fmt: skip
    return pd.DataFrame(rows)


def priced(report: Report) -> dict[str, Any]:
    """What a run costs and in which terms, as fields of a row; empty ones where no privacy is promised."""
    bill = report.guarantee or {}
    claimed, counted = bill.get("claimed") or {}, bill.get("counted") or {}
    terms = "{unit}, {relation}, δ {delta:g}, {counts}".format_map(claimed) if claimed else None
    found = {"claimed": claimed.get("epsilon"), "claimed_for": terms, "counted": counted.get("epsilon")}
    return found | {name: counted.get(name) for name in PRICED if name not in found}


def plain(value: Any) -> Any:
    """`value` in JSON's own types: infinities as "inf" and "-inf", what is not a number as null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def _dataset(data: Any, users: int | None, items: int | None) -> Dataset:
    if isinstance(data, str):
        return load(data, users=users, items=items)
    if not isinstance(data, Dataset):
        raise UserError(f"data is of type {type(data).__name__}, but must be a name or what load() gives")
    if users is not None or items is not None:
        raise UserError("users and items size the population that a name asks for; this data set is there already")
    return data


def _entry(system: Any, name: str | None, protocol: str | None) -> tuple[str, Entry]:
    """The registry's entry of a system, with the given value in it; a value of one's own needs none."""
    if isinstance(system, str):
        return name or system, get(system)
    is_value = dataclasses.is_dataclass(system) and not isinstance(system, type)
    if not is_value or not isinstance(system, System):
        raise UserError(f"system is {system!r}, but must be a name that `recpriv systems` lists or a value: ItemKNN()")
    known = name_of(system)
    if known is None:
        return name or type(system).__name__, Entry(
            system, "rating" if protocol == "kfold" else "ranking", "beyond", ""
        )
    entry = get(known)
    return name or known, dataclasses.replace(entry, system=system)
