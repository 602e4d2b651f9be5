"""`recpriv audit`: what is proved of a ledger, checked of the code, and measured by attacks on it.

recpriv audit dplcf-sp                        a system or mechanism of ours, by name
recpriv audit my.module:MySystem --data mine.csv    anybody's, by module and name
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, get_args

from recprivlib.accounting.bills import as_json
from recprivlib.auditing.verdicts import UNSEEN
from recprivlib.cli._score import add_score, execute_score
from recprivlib.cli._shared import SEEN, add_population, add_set, emit, number, settings, sizes, small, table
from recprivlib.parameters import UserError, configured
from recprivlib.protocols import Interactions, Relation, System, Unit, View

GLOSS = "attacks a system or mechanism: claimed, counted, attacked"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", metavar="NAME", nargs="?",
        help="a system or mechanism (or a deliberately leaky one), or your own as module:Name",
    )  # fmt: skip
    add_set(parser)
    parser.add_argument("--count", type=int, default=1, metavar="n", help="releases of a mechanism (default: 1)")
    parser.add_argument("--trials", type=int, default=100_000, metavar="T", help="runs of either world")
    parser.add_argument("--seed", type=int, default=0, metavar="s")
    parser.add_argument(
        "--delta", type=float, metavar="d", help="δ (default: the claim's, else as in `recpriv account`)"
    )
    parser.add_argument("--unit", choices=get_args(Unit))
    parser.add_argument("--relation", choices=get_args(Relation))
    parser.add_argument(
        "--view", choices=get_args(View), help="who attacks (default: the server, if it is promised anything)"
    )
    parser.add_argument(
        "--data", metavar="D",
        help="data on which the real run is replayed too (default: ml-100k if it is at hand), or none",
    )  # fmt: skip
    add_population(parser)
    add_score(parser)


def execute(args: argparse.Namespace) -> None:
    from recprivlib.auditing import audit

    if args.score is not None:
        execute_score(args)
        return
    if args.name is None:
        raise UserError("name a system or a mechanism to audit, or ask for --score")
    target = configured(_own(args.name) if ":" in args.name else _found(args.name), settings(args.set))
    if isinstance(target, System) and args.count != 1:
        raise UserError("--count is for mechanisms; a system says itself how often it releases")
    data = _data(args) if isinstance(target, System) else None
    public = sizes(args) if data is None else data.sizes
    found = audit(
        target, name=args.name, count=args.count, sizes=public, data=data, unit=args.unit,
        relation=args.relation, view=args.view, delta=args.delta, trials=args.trials, seed=args.seed,
        progress=_progress if sys.stderr.isatty() else None,
    )  # fmt: skip
    document = as_document(found)
    if args.json:
        emit(document)
    else:
        print(_summary(document))


def as_document(found: Any) -> dict[str, Any]:
    """An audit in the shape of the command line."""
    from dataclasses import asdict, replace

    attacked = {
        key: getattr(found.attacked, key)
        for key in ("epsilon_lower", "confidence", "delta", "unit", "relation", "view", "trials", "ceiling", "attack",
                    "decisive", "true_positive_rate", "false_positive_rate", "played", "found")
    }  # fmt: skip
    return {
        "system": found.system,
        "params": dict(found.params),
        "claimed": asdict(replace(found.claimed, at=None)) if found.claimed else None,  # a function is no JSON
        "counted": as_json(found.counted),
        "attacked": attacked,
        "verdict": found.verdict,
        "reason": found.reason,
        "mode": found.mode,
        "proved": {"epsilon": found.counted.epsilon, "delta": found.counted.delta, "of": "the ledger"},
        "checked": {
            "runs": found.checked.runs, "worlds": found.checked.worlds, "found": found.checked.found,
            "reach": dict(found.checked.reach), "never_reached": dict(found.checked.never),
        },
        "not_looked_at": UNSEEN,
    }  # fmt: skip


def _own(name: str) -> Any:
    """Somebody's system, as module:Name; a class stands for the system at its defaults."""
    import importlib
    from pathlib import Path

    module, _, attribute = name.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as `python -m` does
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
        target = found() if isinstance(found, type) else found
    except (ImportError, AttributeError, TypeError, ValueError, SyntaxError) as failed:
        raise UserError(f"{name} cannot be audited: {failed}") from None
    if not isinstance(target, System):
        raise UserError(f"{name} is no system: it needs fit(train, rng) and ledger(sizes)")
    return target


def _data(args: argparse.Namespace) -> Interactions | None:
    """What --data names; else what is at hand, if it is of the sizes that are asked for."""
    from recprivlib.data import load

    if args.data == "none":
        return None
    if args.data:
        if args.users is not None and args.data != "synthetic":
            raise UserError("--users is for made-up people; --data has the users it has")
        return load(args.data, users=args.users, items=args.items).interactions
    at_hand = args.users is None and args.items is None and _at_hand()
    return load("ml-100k").interactions if at_hand else None


def _at_hand() -> bool:
    """Whether ML-100K is there without fetching it."""
    from recprivlib.data.sources import cache_folder, environment_folder

    return environment_folder("ml-100k") is not None or any(cache_folder().glob("ml-100k-*.npz"))


def _found(name: str) -> Any:
    """A system's or mechanism's value by its stable name."""
    from recprivlib.mechanisms import MECHANISMS
    from recprivlib.mechanisms.leaky import LEAKY
    from recprivlib.registry import systems

    known = {entry_name: entry.system for entry_name, entry in systems().items() if entry.terms}
    known |= MECHANISMS | LEAKY
    if name in systems() and name not in known:
        raise UserError(f"{name} promises no privacy: there is nothing to attack")
    if name not in known:
        raise UserError(f"there is no system or mechanism {name!r}; choose from {', '.join(sorted(known))}")
    return known[name]


def _progress(done: float) -> None:
    print(f"\r{done:4.0%} of the trials", end="" if done < 1 else "\n", file=sys.stderr, flush=True)


def _summary(audit: dict[str, Any]) -> str:
    claimed, counted, attacked = audit["claimed"], audit["counted"], audit["attacked"]
    checked = audit["checked"]
    reached = {
        line: ("reached", share, f" ({checked['never_reached'][line]})" if line in checked["never_reached"] else "")
        for line, share in checked["reach"].items()
    }
    delta = f"; δ = {small(attacked['delta'])}" if attacked["delta"] else ""
    about = f"{claimed['unit']}, {claimed['relation']}; {claimed['counts']}; {claimed['where']}" if claimed else ""
    rows = [
        ["claimed", number(claimed["epsilon"], "upper") if claimed else "none", about],
        ["counted", number(counted["epsilon"], "upper"), counted.get("why_infinite") or counted["how"]],
        ["attacked", f"≥ {number(attacked['epsilon_lower'], 'lower')}",
         f"{attacked['played']}: {attacked['attack']}, {attacked['trials']:,} trials a world could show "
         f"{number(attacked['ceiling'], 'lower')} at most"],
        *([why, f"{share:.0%}", f"of what is stated for {line}{said}"] for line, (why, share, said) in reached.items()),
    ]  # fmt: skip
    kinds = [
        f"proved: the ledger's arithmetic, ε ≤ {number(counted['epsilon'], 'upper')} if the code does what it says",
        *([f"checked on this code: {checked['worlds']}"] if checked["runs"] else []),
        f"measured: the attack, with {attacked['confidence']:.0%} confidence",
        f"not looked at: {', '.join(audit['not_looked_at'])}",
    ]
    lines = [
        f"{audit['system']} ({counted['unit']}, {counted['relation']}; {SEEN[counted['view']]}{delta})",
        table(rows, right=[1]),
        *kinds,
        f"{audit['verdict']}: {audit['reason']}",
        *(f"found: {note}" for note in attacked["found"]),
    ]
    return "\n".join([*lines, f"drawn: {audit['mode']}"] if audit["mode"] else lines)
