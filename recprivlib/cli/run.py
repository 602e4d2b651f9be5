"""`recpriv run`: train, evaluate, account."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from recprivlib.capacity import require_drawn
from recprivlib.cli._shared import (
    add_own,
    add_population,
    add_set,
    add_total,
    claimed,
    columns,
    counted,
    emit,
    say,
    seeds,
    settings,
    shown,
    table,
    terms,
)
from recprivlib.data import NAMES, load
from recprivlib.evaluation import PROTOCOLS, interval, split
from recprivlib.experiment import protocol_of, run, to_json
from recprivlib.parameters import UserError, configured, values
from recprivlib.protocols import Report, Sizes
from recprivlib.registry import get

GLOSS = "trains a system, evaluates it and writes its bill"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", metavar="SYSTEM", help="a name that `recpriv systems` lists")
    parser.add_argument(
        "--data", default="ml-100k", metavar="NAME",
        help=f"one of {', '.join(NAMES)} (default: ml-100k), or a CSV of your own (at most 200 MB)",
    )  # fmt: skip
    add_own(parser)
    add_set(parser)
    parser.add_argument("--seeds", default="0", metavar="0-4", help="one run a seed; like 3, 0-4 or 0,2,5 (default: 0)")
    parser.add_argument("--protocol", metavar="NAME", help=f"one of {', '.join(PROTOCOLS)} (default: by task)")
    parser.add_argument("--tuned", action="store_true", help="with the committed choice for these data and what is set")
    parser.add_argument("--real", action="store_true", help="noise of the operating system, never the same twice")
    add_population(parser)
    add_total(parser)


def execute(args: argparse.Namespace) -> None:
    chosen: dict[str, Any] = dict(settings(args.set))
    wanted = seeds(args.seeds)
    entry = get(args.system)
    system = configured(entry.system, chosen)  # mistakes are said before data is fetched
    protocol = protocol_of(args.system, entry, args.protocol)
    _refuse_bill(args, chosen)
    if args.tuned:
        chosen |= _chosen(args, values(system), protocol)
        system = configured(entry.system, chosen)
    if args.data == "synthetic":
        require_drawn(args.system, system, protocol, args.users, args.items)
    dataset = load(args.data, users=args.users, items=args.items, columns=columns(args.columns),
                   skip_bad=args.skip_bad)  # fmt: skip
    if args.data != dataset.name:
        say(f"{dataset.source}: {dataset.interactions.n_users:,} users, {dataset.interactions.n_items:,} items, "
            f"{'no ratings' if dataset.interactions.grid is None else 'ratings'}, {dataset.span}")  # fmt: skip
    for note in dataset.notes:
        say(f"note: {note}")
    if args.total is not None:
        chosen |= _bought(args, chosen, split(dataset.interactions, protocol, wanted[0])[0].train.sizes)
    reports = []
    for seed in wanted:
        reports.append(run(args.system, dataset, settings=chosen, protocol=protocol, seed=seed, real=args.real))
        if len(wanted) > 1:
            say(f"seed {seed}: {sum(reports[-1].seconds.values()):.2f} s")
    if terms(args):
        from recprivlib.tuning.totals import restated

        reports = [restated(report, dataset.interactions.sizes, **terms(args)) for report in reports]
    for note in dict.fromkeys(note for report in reports for note in report.notes):
        say(f"note: {note}")
    if args.json:
        emit([to_json(report) for report in reports])
    else:
        print(_summary(reports))


def _refuse_bill(args: argparse.Namespace, chosen: Mapping[str, Any]) -> None:
    """Where a bill is asked for that there is not; said before data are fetched."""
    if args.total is None and not terms(args):
        return
    from recprivlib.tuning.inverse import paying
    from recprivlib.tuning.totals import private

    if not private(args.system, chosen):
        raise UserError(f"{args.system} promises nothing about privacy, so it has no bill at any terms")
    if args.total is not None and (given := [one for one in paying(get(args.system).system) if one in chosen]):
        raise UserError(f"{given[0]} is set, but it follows from --total; leave one of them out")


def _bought(args: argparse.Namespace, chosen: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    """What the system is paid with, turned until its bill is the one asked for."""
    from recprivlib.tuning.inverse import paying
    from recprivlib.tuning.totals import calibrated

    found = calibrated(args.system, args.total, settings=chosen, sizes=sizes, **terms(args))
    paid = {name: getattr(found, name) for name in paying(found)}
    say(f"note: for a bill of ε = {args.total:g}, {', '.join(f'{name} is {value:g}' for name, value in paid.items())}")
    return paid


def _chosen(args: argparse.Namespace, now: Mapping[str, Any], protocol: str) -> dict[str, Any]:
    """What a search chose, and said of it where it came from."""
    from recprivlib.tables import committed
    from recprivlib.tuning.price import PRICES
    from recprivlib.tuning.totals import Total, terms_of

    at = None if args.total is None else terms_of(args.system, settings(args.set), **terms(args))
    total = None if at is None else Total(args.total, at).said
    about = {"data": args.data, "users": args.users, "items": args.items, "protocol": protocol}
    choice = committed(args.system, now, about, total=total)
    if twice := [name for name in choice.chosen if name in settings(args.set)]:
        raise UserError(f"{twice[0]} is set and was searched too; leave it to --tuned, or leave out --tuned")
    say(f"note: tuned on outer split {choice.outer}, trial {choice.trial} of {choice.trials}; {PRICES[choice.price]}")
    return dict(choice.chosen)


def _summary(reports: list[Report]) -> str:
    """One table: the mean over the seeds, with its interval over users."""
    first = reports[0]
    runs = f"seed {first.seed}" if len(reports) == 1 else f"mean of {len(reports)} seeds"
    params = ", ".join(f"{name} {shown(value)}" for name, value in first.params.items())
    rows = [["", "", "95 % interval"]]
    for name in first.metrics:
        mean = sum(report.metrics[name] for report in reports) / len(reports)
        low, high = interval([report.per_user[name] for report in reports], first.seed)
        rows.append([name, f"{mean:.3f}", f"[{low:.3f}, {high:.3f}]"])
    fit, evaluate = (sum(r.seconds[part] for r in reports) / len(reports) for part in ("fit", "evaluate"))
    return "\n".join([f"{first.system} on {first.data}, {first.protocol}, {runs}" + (f"; {params}" if params else ""),
                      table(rows, right=[1]), _bill(first.guarantee),
                      f"fit {fit:.2f} s, evaluation {evaluate:.2f} s"])  # fmt: skip


def _bill(guarantee: Mapping[str, Any] | None) -> str:
    if guarantee is None:
        return "no privacy is promised"
    lines = [claimed(guarantee["claimed"])] if guarantee["claimed"] else []
    return "\n".join([*lines, counted(guarantee["counted"])])
