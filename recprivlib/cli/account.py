"""`recpriv account`: the bill alone, no training."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Mapping
from typing import Any

from recprivlib.accounting import bill, mechanism_bill
from recprivlib.accounting.bills import stated
from recprivlib.cli._shared import add_population, add_set, add_terms, claimed, counted, emit, settings, shown, sizes
from recprivlib.mechanisms import MECHANISMS
from recprivlib.parameters import UserError, configured, parameters, values
from recprivlib.registry import get, systems

GLOSS = "writes the bill of a system or a mechanism, without training"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a system (`recpriv systems`) or a mechanism, such as laplace")
    add_set(parser)
    parser.add_argument("--count", type=int, metavar="n", help="compose n releases of a mechanism (default: 1)")
    add_population(parser)
    add_terms(parser, "0 if all is pure, else about 1/(10 users)")


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
    return bill(get(args.name), system, sizes(args), **terms)


def _words(document: Mapping[str, Any]) -> str:
    """The bill for people: claimed, counted, and the same at other terms."""
    if document["counted"] is None:
        return f"{document['system']}: nothing is promised about privacy"
    params = ", ".join(f"{name} {shown(value)}" for name, value in document["params"].items())
    lines = [document["system"] + (f": {params}" if params else "")]
    lines += [claimed(document["claimed"])] if document["claimed"] else []
    lines += [counted(document["counted"]), *(counted(other, "also") for other in document["also"])]
    lines += [f"  at most: {document['counted']['bound']}"] if "bound" in document["counted"] else []
    lines += [f"  assumed: {said}" for said in document["counted"]["assumptions"]]
    return "\n".join(lines)
