"""`recpriv audit --score`: every bug of auditing/mutation in every private system, and which are caught."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from recprivlib.cli._shared import emit, say, table
from recprivlib.parameters import UserError

MARKS = {"caught": "+", "holds": "H", "open": "o", "": "."}
KEY = "+ caught, H missed (the verdict is `holds`), o missed (nothing was promised), . does not apply"


def add_score(parser: Any) -> None:
    """The option `--score`."""
    parser.add_argument(
        "--score", nargs="?", const="", metavar="FILE.csv",
        help="put every bug there is into the system, or into all of them, and say which are caught; the committed "
        "table is written anew, or the file you name",
    )  # fmt: skip


def execute_score(args: argparse.Namespace) -> None:
    """Score one system, or all, and say what was caught."""
    from recprivlib.auditing.mutation import score, write
    from recprivlib.auditing.mutation.scoring import FILE
    from recprivlib.registry import systems

    private = {name: entry for name, entry in systems().items() if entry.terms}
    if args.name and args.name not in private:
        raise UserError(f"there is no private system {args.name!r} to score; choose from {', '.join(private)}")
    chosen = {args.name: private[args.name]} if args.name else private
    cells: list[Any] = []
    for name, entry in chosen.items():
        now = list(score({name: entry}))
        write(
            now, Path(args.score) if args.score else FILE
        )  # one by one: a long run that is stopped has said something
        say(f"{name}: caught {sum(one.outcome == 'caught' for one in now)} of {sum(one.outcome != '' for one in now)}")
        cells += now
    if args.json:
        emit([asdict(one) for one in cells])
    else:
        print(as_text(cells))


def as_text(cells: Sequence[Any]) -> str:
    """The table operator × system, and below it what was missed."""
    from recprivlib.auditing.mutation import OPERATORS, summary

    names = list(dict.fromkeys(one.system for one in cells))
    marks = {(one.operator, one.system): MARKS[one.outcome] for one in cells}
    grid = [
        [operator, "".join(marks[operator, name] for name in names), OPERATORS[operator].plants]
        for operator in OPERATORS
    ]
    lines = summary(cells)
    applied, caught = sum(one.applies for one in lines), sum(one.caught for one in lines)
    held = sum(len(one.holds) for one in lines)
    missed = [
        f"  {one.operator}: {word} in {', '.join(where)}{f' ({one.blind})' if one.blind else ''}"
        for one in lines for word, where in (("holds", one.holds), ("open", one.open)) if where
    ]  # fmt: skip
    return "\n".join([
        f"columns: {', '.join(names)}", KEY, table(grid),
        f"caught {caught:,} of {applied:,}; {held:,} pass as `holds`", *missed,
    ])  # fmt: skip
