"""What the verbs have in common: reading lists of seeds and settings, writing JSON, tables and bills."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from recprivlib.parameters import UserError
from recprivlib.protocols import Relation, Sizes, Unit, View

MOST_SEEDS = 10_000
MOST_PEOPLE = 10_000_000_000  # more than there are
USERS, ITEMS, GRID = 943, 1682, (1.0, 2.0, 3.0, 4.0, 5.0)  # ML-100K
SEEN = {"server": "what the server sees", "shuffled": "what it sees behind a shuffler", "model": "what the model tells"}


def emit(document: Any) -> None:
    """The one JSON document of a command, on stdout."""
    from recprivlib.experiment import plain

    print(json.dumps(plain(document), ensure_ascii=False, indent=2, allow_nan=False))


def say(text: str) -> None:
    """Anything that is not the result: progress, notes, warnings."""
    print(text, file=sys.stderr, flush=True)


def seeds(text: str) -> list[int]:
    """The seeds that a text spells, in order, each once.

    >>> seeds("3"), seeds("0-4"), seeds("0,2,5-6")
    ([3], [0, 1, 2, 3, 4], [0, 2, 5, 6])
    """
    refusal = UserError(f"seeds is {text!r}, but must be like 3, 0-4 or 0,2,5 (ascending, at most {MOST_SEEDS:,})")
    found: dict[int, None] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,40})\s*(?:-\s*(\d{1,40})\s*)?", part, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first >= MOST_SEEDS:
            raise refusal
        found |= dict.fromkeys(range(first, last + 1))
        if len(found) > MOST_SEEDS:
            raise refusal
    return list(found)


def settings(pairs: Iterable[str]) -> dict[str, str]:
    """The p=v of `--set`, still as text; the system's own parameters parse it.

    >>> settings(["neighbors=20"])
    {'neighbors': '20'}
    """
    chosen: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals and value):
            raise UserError(f"--set got {pair!r}, but must be like neighbors=20 (parameter=value)")
        if name in chosen:
            raise UserError(f"--set gives {name} twice: {chosen[name]} and {value}")
        chosen[name] = value
    return chosen


def columns(pairs: Sequence[str]) -> dict[str, str]:
    """The value of `--columns`: role=HEADING."""
    chosen: dict[str, str] = {}
    for pair in pairs:
        role, equals, heading = pair.partition("=")
        if not (role and equals and heading):
            raise UserError(f"--columns got {pair[:60]!r}, but must be like user=uid (what it is=its heading)")
        if role in chosen:
            raise UserError(f"--columns gives {role} twice: {chosen[role]} and {heading}")
        chosen[role] = heading
    return chosen


def add_own(parser: Any) -> None:
    """The options that say how a CSV of one's own is to be read."""
    parser.add_argument(
        "--columns", nargs="+", action="extend", default=[], metavar="role=HEADING",
        help="what the columns of your CSV are, by heading or number from 1, where it leaves that open: user=uid "
        "item=2 time=none",
    )  # fmt: skip
    parser.add_argument(
        "--skip-bad", action="store_true", help="leave out rows of your CSV that cannot be read, and say how many"
    )


def add_set(parser: Any) -> None:
    """The option `--set p=v …`, which may be repeated."""
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="p=v",
        help="a value of a parameter, like neighbors=20; name the system first",
    )  # fmt: skip


def add_population(parser: Any) -> None:
    """The options that size the synthetic population."""
    parser.add_argument("--users", type=int, metavar="N", help="users of the synthetic population")
    parser.add_argument("--items", type=int, metavar="M", help="its items; of other data, the most met ones")


def add_terms(parser: Any, usual: str = "the system's own") -> None:
    """The options that say at which terms a bill is stated."""
    parser.add_argument("--delta", type=float, metavar="d", help=f"δ (default: {usual})")
    parser.add_argument("--unit", metavar="UNIT", help=f"whose data is protected: {', '.join(get_args(Unit))}")
    parser.add_argument("--relation", metavar="HOW", help=f"how neighbours differ: {', '.join(get_args(Relation))}")
    parser.add_argument("--view", metavar="WHO", help=f"who looks: {', '.join(get_args(View))}")


def add_total(parser: Any) -> None:
    """The option that turns what is paid, and the terms at which it is counted."""
    parser.add_argument(
        "--total", type=float, metavar="E", help="turn what is paid until the counted bill is this ε, at these terms"
    )
    add_terms(parser)


def terms(args: argparse.Namespace) -> dict[str, Any]:
    """What `add_terms` was given."""
    given = {name: getattr(args, name) for name in ("delta", "unit", "relation", "view")}
    return {name: value for name, value in given.items() if value is not None}


def sizes(args: argparse.Namespace) -> Sizes:
    """The public sizes of the population that `add_population` describes; ML-100K's where they are not given."""
    users, items = (USERS if args.users is None else args.users), (ITEMS if args.items is None else args.items)
    if not 1 <= min(users, items) <= max(users, items) <= MOST_PEOPLE:
        raise UserError(f"users and items are {users} and {items}, but must be at least 1 and at most {MOST_PEOPLE:,}")
    return Sizes(users, items, grid=GRID)


def table(rows: Sequence[Sequence[str]], right: Iterable[int] = (), indent: str = "  ") -> str:
    """Rows as aligned columns; those numbered in `right` are set flush right.

    >>> print(table([["a", "1"], ["long", "10"]], right=[1]))
      a      1
      long  10
    """
    flush = set(right)
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(w) if j in flush else cell.ljust(w) for j, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def shown(value: Any) -> str:
    """A parameter's value as one would type it.

    >>> shown(300.0), shown(True), shown(None), shown("jaccard")
    ('300', 'true', 'none', 'jaccard')
    """
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


def number(value: float | str | None, bound: Literal["", "upper", "lower"] = "") -> str:
    """A budget in words: two significant digits below 10, whole above. A bound is rounded so that it stays one.

    >>> number(1.049), number(14.3), number(4505.2), number("inf"), number(None)
    ('1.0', '14', '4,505', '∞', 'none')
    >>> number(1.049, "upper"), number(14.3, "upper"), number(1.09, "lower"), number(1.0, "upper")
    ('1.1', '15', '1.0', '1.0')
    """
    from recprivlib.plots import numerals  # not every verb needs it

    if value is None:
        return "none"
    amount = float(value)
    return "∞" if math.isinf(amount) else numerals.epsilon(amount, bound).replace(numerals.THIN, ",")


def small(delta: float) -> str:
    """A δ in words.

    >>> small(1e-6), small(0.5)
    ('10⁻⁶', '0.5')
    """
    from recprivlib.plots import numerals  # not every verb needs it

    return numerals.setting(delta).replace(numerals.THIN, ",")


def claimed(claim: Mapping[str, Any]) -> str:
    """The line of a bill that the paper wrote."""
    return f"  claimed  ε = {_budget(claim, 'upper')} ({_terms(claim)}; {claim['counts']}; {claim['where']})"


def counted(found: Mapping[str, Any], word: str = "counted") -> str:
    """A line of a bill that we wrote."""
    why = found.get("why_infinite") or found["how"]
    return f"  {word:<7}  ε = {_budget(found, 'upper')} ({_terms(found)}; {SEEN[found['view']]}; {why})"


def _budget(terms: Mapping[str, Any], bound: Literal["", "upper"] = "") -> str:
    return number(terms["epsilon"], bound) + (f", δ = {small(terms['delta'])}" if terms["delta"] else "")


def _terms(terms: Mapping[str, Any]) -> str:
    return f"{terms['unit']}, {terms['relation']}"
