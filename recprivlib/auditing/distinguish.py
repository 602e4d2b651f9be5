"""What the answers of a run give away: drawn anew, many times, at exactly the inputs that the run handed over.

The replay (replay.py) shows that a run is made of its answers, the books (books.py) that each answer is what its
mechanism gives from fresh random numbers. So nothing else of `fit` needs to be run again: the very mechanisms answer,
at the recorded inputs of both neighbours, as often as a bound needs; all answers of one event together are one trial.
A person whom a secret draw may pass over is drawn by the very cohort each time.

    the law              do answers follow what their mechanism states? (law.py)
    the ledger's ratio   the likelihood ratio of that law, of all her answers: nothing beats it, if the law is true;
                         with the later answers, whose questions hang on these, at their least (adaptive.py)
    learned ratios       of one answer, of two of one person, of hers and another's, and how far all of hers went the
                         way that trials of their own have shown: no law is believed
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import bdtr

from recprivlib.auditing.adaptive import Later
from recprivlib.auditing.bounds import ALL, Missed
from recprivlib.auditing.distribution import ALPHA, JointDraw, departures, odd, on_doubles
from recprivlib.auditing.lookup import looked_up, tally
from recprivlib.auditing.neighbours import WHO
from recprivlib.auditing.redraw import CHUNK, Laws, Passage
from recprivlib.mechanisms.losses import NoBound
from recprivlib.protocols import Array, DrawsPeople

ALONE = 1000  # trials drawn call by call: the law is tested on them before answers are drawn in bulk
FEWEST, BUDGET = 200, 5e7  # the fewest of them, and the numbers that may go in
SECRET = 2000  # trials where every one begins with a draw of people
LEVELS, KEPT = 8, 64
PAIRED = 48  # answers of one event that are looked at two by two

NUMBERS = 2.5e7  # that are drawn in all for one world, where an answer has many parts
STATED, LATER = "the ledger's likelihood ratio", "the ledger's likelihood ratio, with later answers at their least"
WHOLE = "learned from all of her answers"

Worlds = tuple[Array, Array]
Plan = Sequence[tuple[Array, Array]]  # of each passage: places, and a weight for each of them


@dataclass(frozen=True)
class Heard:
    """Statistics of both worlds by name, what does not follow its law, and the trials of either world."""

    worlds: dict[str, Worlds]
    found: list[str]
    trials: int
    curved: bool = False  # whether the worlds of the ledger's ratio are two Gaussians of one deviation
    missed: Missed = ALL  # in which share of runs later answers say less than the trials named LATER

    def shape(self, name: str) -> tuple[bool, Missed]:
        """Of a statistic: whether its trade-off curve is Gaussian, and what its trials take for granted."""
        return self.curved and name in (STATED, LATER), self.missed if name == LATER else ALL


def hear(
    passages: Sequence[Passage], trials: int, rng: np.random.Generator, after: Callable[[], Later] = Later,
    numbers: float = NUMBERS,
) -> Heard:  # fmt: skip
    """Everything one event gives away; in bulk only if answers that are drawn one by one are independent.

    `after` makes what later answers say, whose questions hang on these (adaptive.py); asked if no law is broken.
    """
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
    later = Later()
    if not single:
        near, passages, places = _hers(passages, places, numbers / runs)
        later = after()
        found += [note for world in (0, 1) for note in _tested(near, places, world, runs, False, rng)]
        found += [note for world in (0, 1) for note in _tested_later(later.passages, world, alone, rng)]
    plan = _plan(passages, places, runs, single, rng)
    zero, one = (_drawn(passages, plan, world, runs, single, rng) for world in (0, 1))
    out = _blind(passages, places, (zero.kept, one.kept)) | {WHOLE: (zero.along, one.along)}
    if zero.ratio is not None and one.ratio is not None:
        out = {STATED: (zero.ratio, one.ratio)} | out
        if later.passages and not found:
            out[LATER] = _with(later.passages, out[STATED], runs, rng)
    curved = not found and all(passage.normal for passage in (*passages, *later.passages))
    return Heard(out, list(dict.fromkeys(found)), runs, curved, later.missed)


def _hers(
    passages: Sequence[Passage], places: Sequence[Array], room: float
) -> tuple[list[Passage], list[Passage], list[Array]]:
    """Of every answer that is given entry by entry: a few of the places that the change moves most, with other
    people's, on which the law is tested; these and all of hers that there is time for; and where the few are."""
    most = max(4, int(room / len(passages)))
    near, wide, few = [], [], []
    for passage, at in zip(passages, places, strict=True):
        front = np.concatenate([passage.own[:3], at[~np.isin(at, passage.own)][:2]]).astype(int)
        near.append(passage.trimmed(front))
        enough = 4 if isinstance(passage.real.loss(1.0), NoBound) else most  # of what is exact one place says it all
        wide.append(passage.trimmed(np.concatenate([front, passage.own[3:enough]]).astype(int)))
        few.append(np.arange(min(4, len(front))) if passage.entrywise else at)
    return near, wide, few


def _rate(passage: Passage, rng: np.random.Generator) -> list[str]:
    """Whether she is drawn as often as the cohort's rate says, and cohorts are as large as their kind of draw makes."""
    draws = [passage.mechanism.draw(passage.n, rng) for _ in range(SECRET)]
    rate, kind = passage.real.rate, type(passage.real).__name__
    hits = sum(bool(np.isin(WHO, one)) for one in draws)
    found = [f"{kind}: a person is not drawn as often as it says"] if _odd(hits, rate) else []
    sizes, middle = np.array([len(one) for one in draws]), round(rate * passage.n)
    if isinstance(passage.real, DrawsPeople) and passage.real.sampling == "poisson":
        below = float(bdtr(middle, passage.n, rate))
        at = below - float(bdtr(middle - 1, passage.n, rate))
        if _odd(int((sizes <= middle).sum()), below) or _odd(int((sizes == middle).sum()), at):
            found.append(f"{kind}: its cohorts are not as large as those of people who are drawn one by one")
    elif np.ptp(sizes):
        found.append(f"{kind}: its cohorts are not all of one size")
    return found


def _odd(hits: int, mass: float) -> bool:
    return bool(odd(np.array([hits]), SECRET, np.array([mass]), np.zeros(1)).min() < ALPHA)


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


def _tested_later(passages: Sequence[Passage], world: int, runs: int, rng: np.random.Generator) -> list[str]:
    places = [np.arange(passage.size) for passage in passages]
    return _tested(passages, places, world, runs, True, rng) if passages else []


def _with(passages: Sequence[Passage], worlds: Worlds, runs: int, rng: np.random.Generator) -> Worlds:
    """The ledger's ratio of these worlds, and of later answers beside them."""
    nothing = [(np.zeros(0, int), np.zeros(0))] * len(passages)
    zero, one = (_drawn(passages, nothing, world, runs, False, rng).ratio for world in (0, 1))
    return worlds[0] + zero, worlds[1] + one


@dataclass(frozen=True)
class Drawn:
    """Of every trial: the ledger's ratio of all passages together, where a law is stated, and how far all of them
    went along what pilots have shown; and the answers at some places of each passage."""

    ratio: Array | None
    along: Array
    kept: list[Array]


def _drawn(
    passages: Sequence[Passage], plan: Plan, world: int, runs: int, single: bool, rng: np.random.Generator
) -> Drawn:
    total: Array | None = np.zeros(runs)
    along = np.zeros(runs)
    kept: list[list[Array]] = [[] for _ in passages]
    step = max(100, CHUNK // max(1, sum(passage.size for passage in passages)))
    for done in range(0, runs, step):
        part = slice(done, min(runs, done + step))
        for number, (passage, (at, weights)) in enumerate(zip(passages, plan, strict=True)):
            y = passage.answers(world, part.stop - done, rng, single)
            ratio = passage.ratio(y)
            if ratio is None or total is None:
                total = None
            else:
                total[part] += ratio
            codes = passage.codes(y, at)
            along[part] += codes @ weights
            few = codes[:, :4]
            kept[number].append(few.astype(np.int8) if few.dtype == bool else few)  # there will be differences
    return Drawn(total, np.round(along, 9), [np.concatenate(part) for part in kept])


def _plan(
    passages: Sequence[Passage], places: Sequence[Array], runs: int, single: bool, rng: np.random.Generator
) -> Plan:
    """Where each passage is looked at, the given places first, and with which weights: the difference of the worlds in
    trials of their own, over the spread. No law is believed."""
    out = []
    for passage, at in zip(passages, places, strict=True):
        if passage.entrywise and not single:
            at = np.concatenate([at, np.setdiff1d(np.arange(np.size(passage.low)), at)])
        pilots = max(50, min(runs // 5, CHUNK // max(1, len(at), passage.size // 8)))
        means, spreads = [], []
        for world in (0, 1):
            codes = passage.codes(passage.answers(world, pilots, rng, single), at).astype(float)
            means.append(codes.mean(axis=0))
            spreads.append(codes.var(axis=0))
        spread = sum(spreads) + 1e-9 * (1 + np.max(spreads, initial=0.0))
        out.append((at, np.clip((means[1] - means[0]) / spread, -1e9, 1e9)))
    return out


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
