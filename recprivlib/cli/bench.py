"""`recpriv bench`: the speed table."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from typing import Any

from recprivlib.bench import THREADS, Measured, Spread, areas, chosen, machine, measure
from recprivlib.cli._shared import emit, say
from recprivlib.parameters import UserError

GLOSS = "measures the speed of everything a reader waits for"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(areas())} (default: all)")
    parser.add_argument("--repeats", type=int, default=9, metavar="N", help="measurements of each cell (default: 9)")


def execute(args: argparse.Namespace) -> int | None:
    if not 1 <= args.repeats <= 1000:
        raise UserError(f"repeats is {args.repeats}, but must be a whole number from 1 to 1000")
    names = chosen(args.areas)
    if any(os.environ.get(name) != "1" for name in THREADS):
        return _one_threaded(args)  # BLAS reads these when it is loaded, which it is by now
    about, lines = machine(), []
    say(_machine(about))
    for line in measure(names, args.repeats):
        lines.append(line)
        if args.json:
            say(f"{line.area}: {line.cell.name}")
        else:
            print(_row(line), flush=True)
    if args.json:
        emit({"machine": about, "cells": [as_json(line) for line in lines]})
    else:
        said = [line.met for line in lines if line.met is not None]
        print(f"\n{sum(said)} of {len(said)} targets met")
    return None


def as_json(line: Measured) -> dict[str, Any]:
    """A line as JSON-ready data."""
    return {
        "area": line.area,
        "name": line.cell.name,
        "unit": line.cell.unit,
        "target": line.cell.target,
        "met": line.met,
        "own": vars(line.own) if line.own else None,
        "peers": {name: vars(spread) for name, spread in line.peers.items()},
        "missing": dict(line.missing),
    }


def amount(value: float, unit: str) -> str:
    """A measure with three significant digits.

    >>> amount(0.04123, "s"), amount(1.5, "s"), amount(312.7, "MB")
    ('41.2 ms', '1.5 s', '313 MB')
    """
    return f"{1000 * value:.3g} ms" if unit == "s" and value < 1 else f"{value:.3g} {unit}"


def _row(line: Measured) -> str:
    cell = line.cell
    cells = [f"{line.area:<11}{cell.name:<50}"]
    cells.append(f"{_spread(line.own, cell.unit):<46}" if line.own else f"not measured: {line.missing['']}")
    if cell.target is not None:
        verdict = {True: "met", False: "MISSED", None: ""}[line.met]
        cells.append(f"≤ {amount(cell.target, cell.unit):<8}{verdict:<8}")
    else:
        cells.append(" " * 18)
    cells += [f"{name} {_spread(line.peers[name], cell.unit)}" for name in cell.peers if name in line.peers]
    cells += [f"{name}: {reason}" for name, reason in line.missing.items() if name]
    return "  ".join(cells).rstrip()


def _spread(spread: Spread, unit: str) -> str:
    busy = spread.cpu is not None and spread.cpu < 0.7 * spread.median
    return (f"{amount(spread.median, unit)} ({amount(spread.p10, unit)} – {amount(spread.p90, unit)})"
            + (f" cpu {amount(spread.cpu, unit)}" if busy and spread.cpu else ""))  # fmt: skip


def _machine(about: dict[str, Any]) -> str:
    load = f", load {about['load'][0]}" if about["load"] else ""
    return (f"{about['processor']}, {about['cores']} cores, one thread used{load}; {about['system']}, "
            f"Python {about['python']}, NumPy {about['numpy']}\n"
            "median (p10 – p90), and the processor time where that was a good deal less")  # fmt: skip


def _one_threaded(args: argparse.Namespace) -> int:
    words = [*args.areas, "--repeats", str(args.repeats), *(["--json"] if args.json else [])]
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    return subprocess.run([sys.executable, "-m", "recprivlib", "bench", *words], env=environment).returncode
