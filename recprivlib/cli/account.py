"""`recpriv account`: the bill alone, no training."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Mapping
from typing import Any, get_args

from recprivlib.accounting import bill, mechanism_bill
from recprivlib.accounting.bills import stated
from recprivlib.cli._shared import add_population, add_set, emit, number, settings
from recprivlib.mechanisms import MECHANISMS
from recprivlib.parameters import UserError, configured, parameters, values
from recprivlib.protocols import Relation, Sizes, Unit, View
from recprivlib.registry import get, systems

GLOSS = "writes the bill of a system or a mechanism, without training"
SEEN = {"server": "what the server sees", "shuffled": "what it sees behind a shuffler", "model": "what the model tells"}
USERS, ITEMS, GRID = 943, 1682, (1.0, 2.0, 3.0, 4.0, 5.0)  # ML-100K, if the population is not given


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a system (`recpriv systems`) or a mechanism, such as laplace")
    add_set(parser)
    parser.add_argument("--count", type=int, metavar="n", help="compose n releases of a mechanism (default: 1)")
    add_population(parser)
    parser.add_argument(
        "--delta", type=float, metavar="d", help="δ (default: 0 if all is pure, else about 1/(10 users))"
    )
    parser.add_argument("--unit", metavar="UNIT", help=f"whose data is protected: {', '.join(get_args(Unit))}")
    parser.add_argument("--relation", metavar="HOW", help=f"how neighbours differ: {', '.join(get_args(Relation))}")
    parser.add_argument("--view", metavar="WHO", help=f"who looks: {', '.join(get_args(View))}")


def execute(args: argparse.Namespace) -> None:
    known = MECHANISMS.get(args.name) or _system(args.name)
    value = stated(configured(known, settings(args.set)), args.relation)
    terms = {"delta": args.delta, "unit": args.unit, "relation": args.relation, "view": args.view}
    found = _of_mechanism(args, value, terms) if args.name in MECHANISMS else _of_system(args, value, terms)
    document = {"system": args.name, "params": values(value), **found}
    if args.json:
        emit(document)
    else:
        print(_words(document))


def _system(name: str) -> Any:
    if name in systems():
        return get(name).system
    known = [*systems(), *MECHANISMS]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6) or known
    raise UserError(f"there is no system and no mechanism {name!r}; choose from {', '.join(near)}")


def _of_mechanism(args: argparse.Namespace, mechanism: Any, terms: dict[str, Any]) -> dict[str, Any]:
    if args.items is not None:
        raise UserError("--items sizes the population of a system; a mechanism has none")
    return mechanism_bill(mechanism, args.name, 1 if args.count is None else args.count, users=args.users, **terms)


def _of_system(args: argparse.Namespace, system: Any, terms: dict[str, Any]) -> dict[str, Any]:
    if args.count is not None:
        able = ", ".join(parameters(system)) or "none"
        raise UserError(
            f"--count composes releases of a mechanism; how often {args.name} releases its parameters say ({able})"
        )
    sizes = Sizes(USERS if args.users is None else args.users, ITEMS if args.items is None else args.items, grid=GRID)
    if min(sizes.users, sizes.items) < 1:
        raise UserError(f"users and items are {sizes.users} and {sizes.items}, but must be at least 1")
    return bill(get(args.name), system, sizes, **terms)


def _words(document: Mapping[str, Any]) -> str:
    """The bill for people: claimed, counted, and the same at other terms."""
    if document["counted"] is None:
        return f"{document['system']}: nothing is promised about privacy"
    lines = [f"{name} {value}" for name, value in document["params"].items()]
    lines = [document["system"] + (f": {', '.join(lines)}" if lines else "")]
    claimed = document["claimed"]
    if claimed:
        about = f"{claimed['unit']}, {claimed['relation']}; {claimed['counts']}; {claimed['where']}"
        lines.append(f"  claimed  ε = {_budget(claimed)} ({about})")
    lines.append(f"  counted  ε = {_line(document['counted'])}")
    lines += [f"  also     ε = {_line(other)}" for other in document["also"]]
    lines += [f"  assumed: {said}" for said in document["counted"]["assumptions"]]
    return "\n".join(lines)


def _line(counted: Mapping[str, Any]) -> str:
    why = counted.get("why_infinite") or counted["how"]
    return f"{_budget(counted)} ({counted['unit']}, {counted['relation']}; {SEEN[counted['view']]}; {why})"


def _budget(terms: Mapping[str, Any]) -> str:
    return number(terms["epsilon"]) + (f", δ = {terms['delta']:g}" if terms["delta"] else "")
