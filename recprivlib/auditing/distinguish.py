"""What the answers of a run give away: drawn anew, many times, at exactly the inputs that the run handed over.

The replay (replay.py) shows that a run is made of its answers, the books (books.py) that each answer is what its
mechanism gives from fresh random numbers. So nothing else of `fit` needs to be run again: the very mechanisms answer,
at the recorded inputs of both neighbours, as often as a bound needs; all answers of one event together are one trial.
A person whom a secret draw may pass over is drawn by the very cohort each time.

    the law              do answers follow what their mechanism states? (law.py)
    the ledger's ratio   the likelihood ratio of that law: nothing beats it, if the law is true
    learned ratios       of one answer, of two of one person, of hers and another's: no law is believed

In rounds the inputs are those of one run: what phones are asked may be anything, and the bill holds for all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from recprivlib.auditing.distribution import ALPHA, JointDraw, departures, odd, on_doubles
from recprivlib.auditing.lookup import looked_up, tally
from recprivlib.auditing.redraw import CHUNK, Laws, Passage
from recprivlib.protocols import Array

ALONE = 1000  # trials drawn call by call: the law is tested on them before answers are drawn in bulk
FEWEST, BUDGET = 200, 5e7  # the fewest of them, and the numbers that may go in
SECRET = 2000  # trials where every one begins with a draw of people
LEVELS, KEPT = 8, 64
PAIRED = 48  # answers of one event that are looked at two by two

Worlds = tuple[Array, Array]


@dataclass(frozen=True)
class Heard:
    """Statistics of both worlds by name, what does not follow its law, and the trials of either world."""

    worlds: dict[str, Worlds]
    found: list[str]
    trials: int


def hear(passages: Sequence[Passage], trials: int, rng: np.random.Generator) -> Heard:
    """Everything one event gives away; in bulk only if answers that are drawn one by one are independent."""
    places = [passage.places(rng) for passage in passages]
    alone = int(np.clip(BUDGET / max(1, sum(passage.size for passage in passages)), FEWEST, ALONE))
    always = [
        replace(passage, n=0) for passage in passages
    ]  # with her in every cohort, answers have a law of their own
    found = [note for world in (0, 1) for note in _tested(always, places, world, alone, True, rng)]
    found += [note for passage in passages if passage.n for note in _rate(passage, rng)]
    single = bool(found)
    runs = min(trials, 4 * alone) if single else trials
    runs = min(runs, SECRET) if any(passage.n for passage in passages) else runs
    if not single:
        passages = [passage.trimmed(kept[:4]) for passage, kept in zip(passages, places, strict=True)]
        places = [np.arange(min(4, len(kept))) if passage.entrywise else kept
                  for passage, kept in zip(passages, places, strict=True)]  # fmt: skip
        found += [note for world in (0, 1) for note in _tested(passages, places, world, runs, False, rng)]
    parts = [_drawn(passages, places, world, runs, single, rng) for world in (0, 1)]
    out: dict[str, Worlds] = {}
    zero, one = (part[0] for part in parts)
    if zero is not None and one is not None:
        out["the ledger's likelihood ratio"] = (zero, one)
    return Heard(out | _blind(passages, places, (parts[0][1], parts[1][1])), list(dict.fromkeys(found)), runs)


def _rate(passage: Passage, rng: np.random.Generator) -> list[str]:
    """Whether she is drawn as often as the cohort's rate says."""
    hits = np.array([sum(passage.drawn(rng) for _ in range(SECRET))])
    rate = np.array([passage.real.rate])
    strange = odd(hits, SECRET, rate, 0 * rate).min() < ALPHA
    return [f"{type(passage.real).__name__}: a person is not drawn as often as it says"] if strange else []


def _tested(
    passages: Sequence[Passage], places: Sequence[Array], world: int, runs: int, single: bool, rng: np.random.Generator
) -> list[str]:
    """What in these answers does not follow the law, together and one by one."""
    found: list[str] = []
    for finite in (False, True):
        laws: Laws = []
        columns: list[Array] = []
        paired: list[int] = []
        for passage, kept in zip(passages, places, strict=True):
            stated = passage.laws(world, kept)
            if not stated or on_doubles(passage.mechanism) == finite:
                continue
            y = passage.answers(world, runs, rng, single)
            if passage.plain(y):
                paired += list(range(len(laws), len(laws) + min(len(kept), PAIRED // len(passages))))
                kind = next(at for at, other in enumerate(passages) if other.mechanism == passage.mechanism)
                laws += [(law, (kind, key)) for law, key in stated]
                columns.append(_column_each(passage, y, kept, world))
        if laws:
            names = {type(passage.real).__name__ for passage in passages}
            found += departures(
                JointDraw(", ".join(sorted(names)), np.concatenate(columns, axis=1), laws, finite, paired)
            )
    return found


def _column_each(passage: Passage, y: Array, kept: Array, world: int) -> Array:
    """(runs, places); of sets, whether they hold the truth."""
    codes = passage.codes(y, kept)
    held = passage.entrywise and y.ndim > 1 + np.ndim(passage.low)
    return (codes & (2 if world else 1)) > 0 if held else codes


def _drawn(
    passages: Sequence[Passage], places: Sequence[Array], world: int, runs: int, single: bool, rng: np.random.Generator
) -> tuple[Array | None, list[Array]]:
    """The ledger's ratio of every trial, all passages together, and the answers at some places of each passage."""
    total: Array | None = np.zeros(runs)
    kept: list[list[Array]] = [[] for _ in passages]
    step = max(100, CHUNK // max(1, sum(passage.size for passage in passages)))
    for done in range(0, runs, step):
        part = slice(done, min(runs, done + step))
        for number, (passage, at) in enumerate(zip(passages, places, strict=True)):
            y = passage.answers(world, part.stop - done, rng, single)
            ratio = passage.ratio(y)
            if ratio is None or total is None:
                total = None
            else:
                total[part] += ratio
            codes = passage.codes(y, at[:4])
            kept[number].append(codes.astype(np.int8) if codes.dtype == bool else codes)  # there will be differences
    return total, [np.concatenate(part) for part in kept]


# --------------------------------------------------------------------------------- ratios without a law


def _blind(passages: Sequence[Passage], places: Sequence[Array], seen: tuple[list[Array], list[Array]]) -> dict:
    """Learned ratios: of her first answer, alone, with her second, with somebody else's."""
    numbers = [np.isin(at[:4], passage.own) for passage, at in zip(passages, places, strict=True)]
    hers = [(p, int(c)) for p, own in enumerate(numbers) for c in np.flatnonzero(own)]
    others = [(p, int(c)) for p, own in enumerate(numbers) for c in np.flatnonzero(~own)]
    if not hers:
        return {}
    first = _column(seen, hers[0])
    out = {"learned from one answer": learned([[one] for one in first])}
    for name, at in (("learned from two of her answers", hers[1:]), ("learned with somebody else's answer", others)):
        if at:
            second = _column(seen, at[0])
            out[name] = learned([[a, b, a - b] for a, b in zip(first, second, strict=True)])
    return out


def _column(seen: tuple[list[Array], list[Array]], at: tuple[int, int]) -> Worlds:
    return seen[0][at[0]][:, at[1]], seen[1][at[0]][:, at[1]]


def learned(worlds: Sequence[Sequence[Array]]) -> Worlds:
    """Log-ratios of joint levels, counted on a third of the trials, for the others."""
    cut, kinds = len(worlds[0][0]) // 3, 1
    codes = [np.zeros(len(world[0]), np.intp) for world in worlds]
    for columns in zip(*worlds, strict=True):
        level, size = _levels(np.concatenate([column[:cut] for column in columns]))
        codes = [code * size + level(column) for code, column in zip(codes, columns, strict=True)]
        kinds *= size
    zero, one = (np.bincount(code[:cut], minlength=kinds) + 1.0 for code in codes)
    table = np.log(one / zero)  # 0 for what was never met
    return table[codes[0][cut:]], table[codes[1][cut:]]


def _levels(pilot: Array) -> tuple[Callable[[Array], Array], int]:
    """Values that come back as themselves, others by bins of equal weight."""
    values, counts = tally(np.round(pilot, 9))
    atoms = (
        np.sort(values[np.argsort(-counts, kind="stable")][:KEPT])
        if len(values) <= KEPT
        else values[counts > max(2, len(pilot) // 1000)][:KEPT]
    )
    rest = pilot[~np.isin(np.round(pilot, 9), atoms)] if len(atoms) < len(values) else pilot[:0]
    edges = np.quantile(rest, np.linspace(0, 1, LEVELS + 1)[1:-1]) if len(rest) else np.zeros(0)

    def level(column: Array) -> Array:
        rounded = np.round(column, 9)
        at = np.minimum(np.searchsorted(atoms, rounded), max(len(atoms) - 1, 0))
        atom = atoms[at] == rounded if len(atoms) else np.zeros(len(column), bool)
        return np.where(atom, at, len(atoms) + np.searchsorted(edges, column))

    return lambda column: looked_up(level, column), len(atoms) + LEVELS
