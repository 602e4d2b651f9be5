"""`recpriv tune`: search a system's dials on validation data."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from recprivlib.cli._shared import (
    add_own,
    add_population,
    add_set,
    columns,
    emit,
    number,
    seeds,
    settings,
    shown,
    table,
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
    add_population(parser)


def execute(args: argparse.Namespace) -> None:
    from recprivlib.sweeps import console
    from recprivlib.tuning import gap
    from recprivlib.tuning.choices import save
    from recprivlib.tuning.choose import Bench, applied, tuned

    one, trials = _contender(args), _trials(args.trials)
    out = Path(args.out or f"{args.system}.choices.toml")
    bench = Bench(out.with_name(f"{out.name}.cells"), args.workers, args.dask, console)
    choice = tuned(one, args.split, bench, budget=trials, most=4 * trials)
    save(out, [choice])
    chosen = applied(choice, len(one.part(Nest(args.split)).train))
    runs = {name: _tested(args, one, setting, bench, choice.metric)
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
    moved = " ".join(f"{name}={shown(value)}" for name, value in chosen.items())
    print("\n".join([
        f"{one.name} on {one.data}, {one.protocol}, outer split {args.split}: trial {choice.trial} of {choice.trials}, "
        f"validated {choice.validated:.4f} (as printed {choice.printed:.4f})",
        f"  --set {moved}" if moved else "  the printed setting stands",
        table(rows, right=[1]), f"tuned {apart.verb} as printed, on this split", f"price: {bill['why']}{_said(bill)}",
        f"the choice is in {out}",
    ]))  # fmt: skip


def _tested(args: argparse.Namespace, one: Any, setting: Any, bench: Any, metric: str) -> Any:
    """The values of all people at each training seed, on the outer split."""
    from recprivlib.sweeps import complete, outcomes

    cells = [one.cell(setting, Nest(args.split), seed) for seed in seeds(args.seeds)]
    complete(cells, bench.folder, workers=args.workers, dask=args.dask, users=True)
    found = list(outcomes(cells, bench.folder, users=True))
    if wrong := [f"{one.cell} failed: {one.error}" for one in found if one.error]:
        raise UserError(wrong[0])
    return [[[one.report.per_user[metric] for one in found if one.report]]]


def _contender(args: argparse.Namespace) -> Any:
    """Who is searched for; mistakes are said before data are fetched."""
    from recprivlib.experiment import protocol_of
    from recprivlib.sweeps.cells import dataset
    from recprivlib.tuning.choose import Contender
    from recprivlib.tuning.price import PRICES, PUBLIC
    from recprivlib.tuning.space import refused

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
    return Contender(args.system, args.data, checksum, protocol, {name: now[name] for name in fixed}, args.metric,
                     *size, 0, price, reading)  # fmt: skip


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
    system, sizes = configured(one.entry.system, dict(one.fixed)), one.part(Nest(args.split)).train.sizes
    ledger = system.ledger(sizes)
    if price != "private" or not ledger:
        return found
    counted = bill(one.entry, system, sizes)["counted"]
    terms = {name: counted[name] for name in ("unit", "relation", "delta", "view")}
    cost = searched(ledger, **terms, trials=trials)
    return found | {"run": cost.run, "kept": cost.kept, "best": cost.best}


def _said(bill: dict[str, Any]) -> str:
    if "run" not in bill:
        return ""
    return (f" (a run costs ε = {number(bill['run'], 'upper')}; the best of a random number of runs "
            f"{number(bill['best'], 'upper')}, all of them {number(bill['kept'], 'upper')})")  # fmt: skip
