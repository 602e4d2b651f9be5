"""`recpriv sweep`: a resumable grid."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from recprivlib.cli._shared import add_own, add_population, add_total, columns, emit, seeds, terms
from recprivlib.data import Reading
from recprivlib.parameters import UserError

GLOSS = "runs a grid that can be interrupted and goes on"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("systems", nargs="+", metavar="SYSTEM", help="names that `recpriv systems` lists")
    parser.add_argument(
        "--grid",
        nargs="+",
        action="extend",
        default=[],
        metavar="p=a,b,c",
        help="values to combine, like neighbors=10,20; name the systems first",
    )
    parser.add_argument("--seeds", default="0", metavar="0-4", help="one run a seed; like 3, 0-4 or 0,2,5 (default: 0)")
    parser.add_argument("--out", required=True, metavar="FILE.csv", help="where the rows go; cells are kept beside it")
    parser.add_argument("--data", nargs="+", default=["ml-100k"], metavar="NAME",
                        help="default: ml-100k; a CSV of your own too")  # fmt: skip
    add_own(parser)
    parser.add_argument("--protocol", nargs="+", metavar="NAME", help="default: by the system's task")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--workers", type=int, default=1, metavar="N", help="processes on this machine (default: 1)")
    place.add_argument("--dask", metavar="ADDRESS", help="the scheduler of a Dask cluster, like tcp://10.0.0.1:8786")
    add_population(parser)
    add_total(parser)


def execute(args: argparse.Namespace) -> int:
    from recprivlib.sweeps import console, sweep

    asked: dict[str, Any] = {
        "data": args.data, "protocol": args.protocol, "seeds": seeds(args.seeds), "users": args.users,
        "items": args.items, "out": args.out, "workers": args.workers, "dask": args.dask, "say": console,
        "reading": Reading(tuple(columns(args.columns).items()), args.skip_bad),
    }  # fmt: skip
    if args.total is None and not terms(args):
        table = sweep(args.systems, grid(args.grid), **asked)
        many, failed = len(table), table["error"].dropna().tolist()
    else:
        from recprivlib.tuning.swept import swept

        rows = swept(args.systems, grid(args.grid), terms=terms(args), total=args.total, **asked)
        many, failed = len(rows), [row["error"] for row in rows if "error" in row]
    if args.json:
        emit({"out": args.out, "rows": many, "failed": failed})
    else:
        print(f"{many} rows in {args.out}" + (f", of which {len(failed)} say why a cell failed" * bool(failed)))
    return int(bool(failed))


def grid(pairs: Iterable[str]) -> dict[str, list[str]]:
    """The p=a,b,c of `--grid`, still as text; each system's own parameters parse it.

    >>> grid(["neighbors=10,20", "epsilon=1"])
    {'neighbors': ['10', '20'], 'epsilon': ['1']}
    """
    found: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        choices = text.split(",")
        if not (name and equals and all(choices)):
            raise UserError(f"--grid got {pair!r}, but must be like neighbors=10,20,50 (parameter=values)")
        if name in found:
            raise UserError(f"--grid gives {name} twice: {','.join(found[name])} and {text}")
        found[name] = choices
    return found
