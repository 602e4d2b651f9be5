"""Claimed, counted and attacked of every promise, for one click and for a person, in a town and in a country.

    python -m recprivlib.living.climbs            writes climbs.csv anew: a minute or two, `make climbs`
    python -m recprivlib.living.climbs --check    compares all of it with what is committed

The bound of an attack is drawn while its tries accumulate, so it is an always valid one (auditing/sequential.py) at the
level at which verdicts decide: the chance that it ever lies above the truth, at any look, is one in a million. A bound
at 95 % is another and higher one; it is reported at the end, where it is looked at once.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path

from recprivlib.accounting import guarantee
from recprivlib.accounting.bills import default_view, small_delta
from recprivlib.auditing import audit
from recprivlib.auditing.bounds import ALL, DECIDES
from recprivlib.auditing.rehearsal import WHOLE, Rehearsed
from recprivlib.auditing.run_attack import attack_run, rehearse
from recprivlib.auditing.sequential import looks
from recprivlib.living.promises import CROWDS, PROMISES, UNITS, Priced, Promise
from recprivlib.protocols import Sizes

FILE = Path(__file__).with_name("climbs.csv")
START, LOOKS = 100, 11  # tries before the first look, and how often they are doubled and looked at again
TRIES = START << LOOKS - 1
SEED = 0
SHARE = 0.9  # of a bill: what a mixer has to bring it below to be worth a word
CLOSE = 0.05  # relative, by which a bound may differ on another machine


@dataclass(frozen=True)
class Climb:
    """One promise for one unit in one crowd, with all its numbers."""

    key: str
    unit: str
    crowd: str
    claimed: float  # NaN: nothing is claimed
    claimed_unit: str
    counts: str  # what the claim counts
    counted: float
    delta: float
    why_infinite: str
    mixed: float  # what an honest mixer leaves of the bill; NaN: no mixer makes a difference
    verdict: str
    tries: float  # runs of either neighbour, all in all
    attacked: float  # with 95 % confidence, at the end
    bounds: tuple[float, ...]  # after START · 2^i tries, each; all of them together at the deciding level


def climb(promise: Promise, unit: str, crowd: str) -> Climb:
    """Attack, count, and look on."""
    priced, sizes = promise.priced(unit), CROWDS[crowd]
    system, (by, relation) = priced.value, priced.terms
    view = default_view(system.ledger(sizes))
    run = rehearse(system, sizes, by, relation, view, SEED, budget=WHOLE)
    done = audit(
        system, name=priced.system, sizes=sizes, unit=by, relation=relation, trials=TRIES, seed=SEED, rehearsed=run
    )
    claim, counted = done.claimed, done.counted
    return Climb(
        promise.key, unit, crowd, claim.epsilon if claim else math.nan, claim.unit if claim else "",
        claim.counts if claim else "", counted.epsilon, counted.delta, counted.why_infinite, mixed(priced, sizes),
        done.verdict, done.attacked.trials, done.attacked.epsilon_lower, bounds(priced, sizes, counted.delta, run),
    )  # fmt: skip


def bounds(priced: Priced, sizes: Sizes, delta: float, run: Rehearsed) -> tuple[float, ...]:
    """What is proved at each look: the most that a statistic shows which hears all tries, α shared among these.

    A run that draws its people in secret is tried less often; then fewer looks are made.
    """
    view = default_view(priced.value.ledger(sizes))
    heard = attack_run(priced.value, sizes, *priced.terms, view, TRIES, SEED, run)
    whole = [
        worlds for name, worlds in heard.worlds.items()
        if len(worlds[0]) == heard.trials and heard.shapes.get(name, (False, ALL))[1] == ALL
    ]  # fmt: skip
    climbed = [[rung.epsilon for rung in looks(worlds, delta, DECIDES / len(whole), START)] for worlds in whole]
    return tuple(max(at) for at in zip(*climbed, strict=True)) if climbed else (0.0,)


def mixed(priced: Priced, sizes: Sizes) -> float:
    """The bill behind an honest mixer, where the ledger says that it is another one."""
    ledger = priced.value.ledger(sizes)
    if not any("shuffled" in release.seen_by and release.crowd > 1 for release in ledger.releases):
        return math.nan
    small = small_delta(sizes.users)
    alone, shuffled = (guarantee(ledger, *priced.terms, small, view).epsilon for view in ("server", "shuffled"))
    return shuffled if shuffled < SHARE * alone else math.nan


def looked(at: int) -> int:
    """The tries before a look."""
    return START << at


def computed(promises: Iterable[Promise] = PROMISES) -> Iterator[Climb]:
    """All of it, anew. What is the very same for a person as for one click is there once."""
    for one in promises:
        for unit in UNITS[: 1 if one.whole == one.one else 2]:
            town = climb(one, unit, "town")
            yield town
            yield in_country(one, town)


def in_country(promise: Promise, town: Climb) -> Climb:
    """The same promise among more people. An attack plays a few of them: where claim and bill stay, it is the same."""
    priced, sizes = promise.priced(town.unit), CROWDS["country"]
    ledger = priced.value.ledger(sizes)
    counted = guarantee(ledger, *priced.terms, town.delta, default_view(ledger)).epsilon
    if counted == town.counted and (ledger.claimed is None or ledger.claimed.epsilon == town.claimed):
        return replace(town, crowd="country", mixed=mixed(priced, sizes))
    return climb(promise, town.unit, "country")


@cache
def committed(path: Path = FILE) -> dict[tuple[str, str, str], Climb]:
    """What stands beside this module, by promise, unit and crowd; a person's bill stands for one click of hers too."""
    found = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            one = Climb(**{part.name: _read(part.name, row[part.name]) for part in fields(Climb)})  # type: ignore[arg-type]
            found[one.key, one.unit, one.crowd] = one
    for promise in PROMISES:
        for crowd in CROWDS:
            found.setdefault((promise.key, "whole", crowd), found[promise.key, "one", crowd])
    return found


def write(climbs: Iterable[Climb], path: Path = FILE) -> None:
    """The table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, [part.name for part in fields(Climb)], lineterminator="\n")
        out.writeheader()
        for one in climbs:  # one by one: a long run that is stopped has said something
            out.writerow({name: _told(value) for name, value in asdict(one).items()})
            file.flush()


WORDS = ("key", "unit", "crowd", "claimed_unit", "counts", "why_infinite", "verdict")


def _read(name: str, cell: str) -> object:
    if name == "bounds":
        return tuple(map(float, cell.split()))
    return cell if name in WORDS else float(cell or "nan")


def _told(value: object) -> object:
    if isinstance(value, tuple):
        return " ".join(f"{one:.2f}" for one in value)
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4g}"
    return value


def differ(one: Climb, other: Climb) -> list[str]:
    """In what two climbs differ by more than another machine would make of them."""
    names = [part.name for part in fields(Climb)]
    pairs = [(name, getattr(one, name), getattr(other, name)) for name in names]
    return [f"{one.key}, {one.unit}, {one.crowd}: {name} is {a}, but {b} is committed"
            for name, a, b in pairs if not _alike(a, b)]  # fmt: skip


def _alike(a: object, b: object) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, float) and isinstance(b, float):
        near = math.isfinite(a) and math.isfinite(b) and abs(a - b) <= CLOSE * max(1.0, abs(b))
        return a == b or (math.isnan(a) and math.isnan(b)) or near
    return a == b


def main(words: list[str]) -> int:
    """Write the table anew, or compare it."""
    if "--check" not in words:
        write(computed())
        return 0
    wrong = [line for one in computed() for line in differ(one, committed()[one.key, one.unit, one.crowd])]
    print("\n".join(wrong) or f"{FILE.name} is what is computed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
