"""`recpriv tune`: search a system's dials on validation data."""

from __future__ import annotations

import argparse
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from recprivlib.cli._shared import (
    add_own,
    add_population,
    add_set,
    add_total,
    columns,
    emit,
    number,
    seeds,
    settings,
    shown,
    table,
    terms,
)
from recprivlib.data import NAMES, Reading
from recprivlib.evaluation import PROTOCOLS, Nest
from recprivlib.parameters import UserError, configured, dials, values
from recprivlib.registry import get

GLOSS = "searches a system's dials on validation data, and tests what it chose"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", metavar="SYSTEM", help="a name that `recpriv systems` lists")
    parser.add_argument("--data", default="ml-100k", metavar="NAME",
                        help=f"one of {', '.join(NAMES)} (default: ml-100k), or a CSV of your own")  # fmt: skip
    add_own(parser)
    add_set(parser)
    parser.add_argument("--protocol", metavar="NAME", help=f"one of {', '.join(PROTOCOLS)} (default: by task)")
    parser.add_argument(
        "--metric", default="", metavar="NAME", help="that chooses, like ndcg@10 (default: by protocol)"
    )
    parser.add_argument("--dials", nargs="+", action="extend", metavar="NAME", help="search these alone (default: all)")
    parser.add_argument("--trials", type=int, metavar="N", help="settings that are tried, the printed one first (64)")
    parser.add_argument("--split", type=int, default=0, metavar="N", help="which outer split (default: 0)")
    parser.add_argument("--seeds", default="0-4", metavar="0-4", help="of the test of what was chosen (default: 0-4)")
    parser.add_argument("--price", metavar="WORD", help="public, reports or private (default: by the data)")
    parser.add_argument("--out", metavar="FILE.toml", help="where the choice goes; trials are kept beside it")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--workers", type=int, default=1, metavar="N", help="processes on this machine (default: 1)")
    place.add_argument("--dask", metavar="ADDRESS", help="the scheduler of a Dask cluster, like tcp://10.0.0.1:8786")
    parser.add_argument("--budget-curve", nargs="?", const="8,16,32,64,128", metavar="8,16,32",
                        help="search with each of these budgets instead, and say what each buys")  # fmt: skip
    add_population(parser)
    add_total(parser)


def execute(args: argparse.Namespace) -> None:
    from recprivlib.sweeps import console
    from recprivlib.tuning import gap
    from recprivlib.tuning.budgets import tested
    from recprivlib.tuning.choices import save
    from recprivlib.tuning.choose import Bench, applied, tuned
    from recprivlib.tuning.inverse import paying

    one, trials = _contender(args), _trials(args.trials)
    out = Path(args.out or f"{args.system}.choices.toml")
    bench = Bench(out.with_name(f"{out.name}.cells"), args.workers, args.dask, console)
    if args.budget_curve:
        _curve(args, one, bench)
        return
    choice = tuned(one, args.split, bench, budget=trials, most=4 * trials)
    save(out, [choice])
    chosen = applied(choice, len(one.part(Nest(args.split)).train))
    runs = {name: tested(one, setting, args.split, seeds(args.seeds), bench, choice.metric)
            for name, setting in (("as printed", {}), ("tuned", chosen))}  # fmt: skip
    levels, apart = {name: gap(values) for name, values in runs.items()}, gap(runs["tuned"], runs["as printed"])
    bill = _price(args, one, choice.trials, choice.price)
    if args.json:
        emit({"choice": asdict(choice), "out": str(out), "price": bill,
              "test": {name: asdict(level) for name, level in levels.items()},
              "difference": asdict(apart) | {"verb": apart.verb}})  # fmt: skip
        return
    rows = [["", choice.metric, "95 % interval"]]
    rows += [[name, f"{level.mean:.4f}", f"[{level.low:.4f}, {level.high:.4f}]"] for name, level in levels.items()]
    rows += [["difference", f"{apart.mean:+.4f}", f"[{apart.low:+.4f}, {apart.high:+.4f}]"]]
    paid = {name: one.params(chosen, Nest(args.split))[name] for name in paying(one.entry.system) if one.total}
    moved = " ".join(f"{name}={shown(value)}" for name, value in {**paid, **chosen}.items())
    print("\n".join([
        f"{one.name} on {one.data}, {one.protocol}, outer split {args.split}: trial {choice.trial} of {choice.trials}, "
        f"validated {choice.validated:.4f} (as printed {choice.printed:.4f})",
        f"  --set {moved}" if moved else "  the printed setting stands",
        table(rows, right=[1]), f"tuned {apart.verb} as printed, on this split", f"price: {bill['why']}{_said(bill)}",
        f"the choice is in {out}",
    ]))  # fmt: skip


def _curve(args: argparse.Namespace, one: Any, bench: Any) -> None:
    """What each of several budgets buys."""
    from recprivlib.tuning.budgets import curve, rows

    if re.fullmatch(r"\d{1,6}(,\d{1,6})*", args.budget_curve) is None:
        raise UserError(f"--budget-curve is {args.budget_curve!r}, but must be like 8,16,32")
    budgets = [int(word) for word in args.budget_curve.split(",")]
    found = curve(one, args.split, bench, budgets=budgets, seeds=seeds(args.seeds))
    if args.json:
        emit(rows(found))
        return
    lines = [["trials", found[0].choice.metric, "95 % interval", "against as printed"]]
    lines += [[str(each.budget), f"{each.test.mean:.4f}", f"[{each.test.low:.4f}, {each.test.high:.4f}]",
               f"{each.gain.mean:+.4f}, {each.gain.verb} it"] for each in found]  # fmt: skip
    print(f"{one.name} on {one.data}, {one.protocol}, outer split {args.split}\n{table(lines, right=[0, 1])}")


def _contender(args: argparse.Namespace) -> Any:
    """Who is searched for; mistakes are said before data are fetched."""
    from recprivlib.experiment import protocol_of
    from recprivlib.sweeps.cells import dataset
    from recprivlib.tuning.choose import Contender
    from recprivlib.tuning.price import PRICES, PUBLIC
    from recprivlib.tuning.space import refused
    from recprivlib.tuning.terms import at_total, total_of

    if args.total is None and (given := terms(args)):
        raise UserError(f"--{next(iter(given))} says the terms of a total; say --total too")
    entry = get(args.system)
    given, known = settings(args.set), dials(entry.system)
    now = values(configured(entry.system, dict(given)))
    refused(entry, args.dials or ())
    if not known.keys() - given.keys():
        raise UserError(f"{args.system} has nothing that a search could turn{' beyond what is set' * bool(given)}")
    fixed = [*given, *(name for name in known if args.dials and name not in (*args.dials, *given))]
    price = args.price or ("public" if args.data in PUBLIC else "private")
    if price not in PRICES or price == "none":
        raise UserError(f"--price is {price!r}, but must be one of public, reports, private")
    protocol = protocol_of(args.system, entry, args.protocol)
    reading = Reading(tuple(columns(args.columns).items()), args.skip_bad)
    size = (args.users, args.items)
    checksum = dataset(args.data, *size, reading).checksum
    one = Contender(args.system, args.data, checksum, protocol, {name: now[name] for name in fixed}, args.metric,
                    *size, 0, price, reading)  # fmt: skip
    if args.total is None:
        return one
    return at_total([one], total_of([one], args.total, terms(args)), {})[0]


def _trials(asked: int | None) -> int:
    from recprivlib.tuning.choose import TRIALS

    if asked is not None and asked < 2:
        raise UserError(f"--trials is {asked}, but must be at least 2: the printed setting and another")
    return asked or TRIALS


def _price(args: argparse.Namespace, one: Any, trials: int, price: str) -> dict[str, Any]:
    """What the search costs, in words; on private data also counted."""
    from recprivlib.accounting import bill
    from recprivlib.tuning.price import PRICES, searched

    found: dict[str, Any] = {"price": price, "why": PRICES[price]}
    system, sizes = (
        configured(one.entry.system, one.params({}, Nest(args.split))),
        one.part(Nest(args.split)).train.sizes,
    )
    ledger = system.ledger(sizes)
    if price != "private" or not ledger:
        return found
    counted = asdict(one.total.terms) if one.total else bill(one.entry, system, sizes)["counted"]
    at = {name: counted[name] for name in ("unit", "relation", "delta", "view")}
    cost = searched(ledger, **at, trials=trials)
    return found | {"run": cost.run, "kept": cost.kept, "best": cost.best}


def _said(bill: dict[str, Any]) -> str:
    if "run" not in bill:
        return ""
    return (f" (a run costs ε = {number(bill['run'], 'upper')}; the best of a random number of runs "
            f"{number(bill['best'], 'upper')}, all of them {number(bill['kept'], 'upper')})")  # fmt: skip
