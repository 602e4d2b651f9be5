"""The attack on a whole run: `fit` is played again, its books are kept, its answers and what it leaves are told apart.

    neighbours ──> replay:      by which other way do data get out? ──┐
               ──> conformance: is what got out what the ledger says? ├──> found: "holds" needs that there is nothing
    loudest    ──> distinguish: what do the answers give away?        ┘
                   adaptive:    and the later ones, whose questions hang on them?
                   and, where data get out another way, what does everything the world can see give away?

A finding alone makes a verdict open; broken needs a certificate.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.auditing.adaptive import later
from recprivlib.auditing.bounds import Missed
from recprivlib.auditing.conformance import LedgerCheck, price
from recprivlib.auditing.distinguish import LATER, NUMBERS, Worlds, hear, learned
from recprivlib.auditing.draws import turned
from recprivlib.auditing.loudest import Pair, loudest
from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.pace import shortened
from recprivlib.auditing.redraw import Passage
from recprivlib.auditing.rehearsal import BRIEF, Rehearsed
from recprivlib.auditing.rehearsal import rehearse as replayed
from recprivlib.auditing.replay import play
from recprivlib.auditing.verdicts import channel_epsilon
from recprivlib.mechanisms.gate import Call, Torn
from recprivlib.mechanisms.losses import Channel, LaplaceShift, NoBound, NotKnown
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, HasSensitivity, Interactions, Ledger, Relation, Sizes, Unit, View

MOST = 12  # answers of a run that are drawn anew together; of more, these are a part
SECONDS = 6.0  # of the processor, spent on runs whose every trace is watched
FEW, SURE, MANY = 60, 160, 400  # how many of either world. The second, where each run tells its world, certify ε ≥ 1.5
# at the deciding level: so many are watched however slow a machine is, if so many trials are asked for
CROWDED = 100  # people, above whom no other worlds are tried


@dataclass(frozen=True)
class Overheard:
    """What an attack on a run has to say."""

    worlds: dict[str, Worlds]
    found: tuple[str, ...]
    lines: tuple[LedgerCheck, ...]
    trials: int
    part: str  # which part of the run was played, in words; empty: all of it
    without: str  # which of its answers only the statistic named LATER hears
    exact: float  # an ε that the recorded inputs reach exactly; 0: none is known
    shapes: Mapping[str, tuple[bool, Missed]]  # of statistics: a Gaussian curve? what is taken for granted?
    ledger: Ledger  # of what was played, whose rounds may be fewer

    def said(self, name: str) -> str:
        """A statistic with what it leaves out."""
        return ", ".join(part for part in (name, self.part, "" if name == LATER else self.without) if part)


def rehearse(
    system: Any, sizes: Sizes, unit: Unit, relation: Relation, view: View, seed: int,
    data: Interactions | None = None, budget: float = BRIEF,
) -> Rehearsed:  # fmt: skip
    """A run, replayed in all worlds that there is time for (rehearsal.py), and the neighbours that are attacked."""
    run = replayed(system, sizes, unit, relation, view, seed, data, budget)
    try:
        return replace(run, worlds=loudest_of(run.system, run.stage, run.books.place, view, seed))
    except Exception:
        if not run.found:
            raise
        return run  # of code that breaks, which the check has said


def attack_run(
    system: Any, sizes: Sizes, unit: Unit, relation: Relation, view: View, trials: int, seed: int,
    rehearsed: Rehearsed | None = None,
) -> Overheard:  # fmt: skip
    """Everything that leaves a run of `system`, told apart between neighbours at these terms.

    `rehearsed` is what a replay of the same code said at another budget: by which ways data get out, and how far
    neighbours are apart, does not hang on it.
    """
    run = rehearsed or rehearse(system, sizes, unit, relation, view, seed)
    if rehearsed:
        short = shortened(system)
        run = replace(rehearsed, system=short, ledger=short.ledger(rehearsed.stage.world().sizes))
    rng = np.random.default_rng(np.random.SeedSequence((seed, 1)))
    every = recorded(run.system, run.system.ledger(run.worlds[0].sizes), run.worlds, run.stage.people, view, seed)
    passages = [passage for passage in every if passage.steady]
    worlds: dict[str, Worlds] = {}
    found = run.found
    shapes: dict[str, tuple[bool, Missed]] = {}
    if passages:
        after = [passage for passage in every if not passage.steady and not passage.n]
        if run.brief:  # somebody waits for each of many audits
            heard = hear(passages[:MOST], trials, rng, numbers=NUMBERS / 5)
        else:
            heard = hear(passages[:MOST], trials, rng, lambda: later(run.system, run.worlds, after, trials, seed))
        worlds, trials = dict(heard.worlds), heard.trials
        shapes = {name: heard.shape(name) for name in worlds}
        found = found + heard.found
    unsteady = bool(every) and not passages
    if run.leaks or unsteady or any(by_itself(release.mechanism) for release in run.ledger.releases):
        worlds |= watch(run, view, trials, rng)
    part = _part(system, run.system, sizes, len(passages))
    without = _without(len(every) - len(passages))
    return Overheard(
        worlds,
        tuple(dict.fromkeys(found)),
        tuple(run.books.lines),
        trials,
        part,
        without,
        _exact(passages),
        shapes,
        run.ledger,
    )


def _part(system: Any, short: Any, sizes: Sizes, passages: int) -> str:
    """What of the run was left out, where that makes a difference to the ledger."""
    said = []
    whole, played = (sum(r.count for r in one.ledger(sizes).releases) for one in (system, short))
    if played < whole:
        said.append(f"{played:,} of {whole:,} releases")
    if passages > MOST:
        said.append(f"{MOST} of {passages:,} answers")
    return ", ".join(said)


def _without(later: int) -> str:
    if not later:
        return ""
    return f"without {later:,} later {'answer' if later == 1 else 'answers'}, whose questions hang on earlier ones"


# --------------------------------------------------------------------------------- the recorded inputs


def loudest_of(short: Any, stage: Stage, place: int, view: View, seed: int) -> Pair:
    """The neighbours that are attacked: of those in which this run is cheap to play, the farthest apart."""

    def asked(pair: Pair) -> list[Passage]:
        try:
            return recorded(short, short.ledger(pair[0].sizes), pair, stage.people, view, seed)
        except (UserError, IndexError):  # a world that this system is not made for
            return []

    if stage.people > CROWDED:
        return stage.world(item=place), stage.world(True, place)
    return loudest(stage, place, getattr(short, "cap", None), asked)


def recorded(system: Any, ledger: Ledger, worlds: Pair, people: int, view: View, seed: int) -> list[Passage]:
    """The inputs of both neighbours wherever they differ and this view hears the answer.

    Drawn anew, all answers together are a part of what the run releases only if no input hangs on an earlier answer.
    So the run is played with other answers too: where an input then is another, the passage is not `steady`.
    """
    left = unseen(ledger, view)

    def between(tape: list[Call]) -> list[Passage]:
        if any(call.secret for call in tape):
            return _with_draws(system, worlds, people, view, seed, tape)
        low, high = (play(system, world, seed, view, tape).calls for world in worlds)
        return [Passage(a.mechanism, a.x, b.x, turn=turn) for turn, (a, b) in enumerate(zip(low, high, strict=True))]

    try:
        tape, again = (play(system, worlds[0], one, view).calls for one in (seed, seed + 1))
        both = between(tape)
        others = between([one if one.secret else replace(one, y=two.y) for one, two in zip(tape, again, strict=True)])
    except (Torn, UserError, ValueError):
        return []
    kept = [replace(one, steady=one.asks_as(two)) for one, two in zip(both, others, strict=True)]
    return [one for one in kept
            if price(one.mechanism) not in left and not by_itself(one.mechanism) and len(one.own)]  # fmt: skip


def by_itself(mechanism: Any) -> bool:
    """Whether its system has drawn the answer: only whole runs show how it is distributed."""
    return isinstance(mechanism.loss(1.0), NotKnown)


def unseen(ledger: Ledger, view: View) -> list[Any]:
    """The mechanisms whose answers this view does not hear."""
    return [price(release.mechanism) for release in ledger.releases if not heard_by(release, view)]


def heard_by(release: Any, view: View) -> bool:
    """Whether this view hears the answers: not mixed by a shuffler, and not what a server computed from them."""
    computed = view == "model" and "server" in release.seen_by
    return view in release.seen_by and not computed and not (view == "shuffled" and release.crowd > 1)


def _with_draws(system: Any, worlds: Pair, people: int, view: View, seed: int, tape: list[Call]) -> list[Passage]:
    """The same, with her in every cohort and with somebody else in her place."""
    inside, outside = ([turned(call, people, drawn) for call in tape] for drawn in (True, False))
    low, high = (play(system, world, seed, view, inside).calls for world in worlds)
    away = play(system, worlds[0], seed, view, outside).calls
    out, asked = [], 0
    for a, b, c in zip(low, high, away, strict=True):
        if a.secret:
            asked = int(a.x)
        else:
            cohort = asked if isinstance(a.x, tuple) else 0
            out.append(Passage(a.mechanism, a.x, b.x, c.x if cohort else None, cohort))
    return out


def _exact(passages: Sequence[Passage]) -> float:
    """The largest ε of one answer that its recorded inputs reach; noise that adds up, of all of them."""
    best, shift = 0.0, 0.0
    for passage in passages:
        loss = passage.real.loss(1.0) if not passage.n else None
        if isinstance(loss, NoBound):
            return float("inf")
        if isinstance(loss, LaplaceShift) and isinstance(passage.real, HasSensitivity):
            gap = np.abs(np.subtract(passage.high, passage.low, dtype=float)).sum()
            shift += loss.epsilon * float(gap) / passage.real.sensitivity
        if isinstance(loss, Channel) and passage.entrywise:
            worst = {float(end) for end in passage.real.worst_pair()}
            pairs = zip(*(np.ravel(x)[passage.own].tolist() for x in (passage.low, passage.high)), strict=True)
            if any(set(pair) == worst for pair in pairs):
                best = max(best, channel_epsilon(loss))
    return max(best, shift)


# ------------------------------------------------------------- everything that the world can see, run by run


def _numbers(value: Any) -> Array:
    """What a model holds, as a row of numbers; words by their checksums."""
    flat = np.ravel(np.asarray(value))
    words = flat.dtype.kind not in "biuf"
    return np.array([zlib.crc32(str(word).encode()) for word in flat], float) if words else flat.astype(float)


def _seconds(work: Callable[[], Any]) -> float:
    """Of the processor, as other programs take nothing of these."""
    start = time.process_time()
    work()
    return max(time.process_time() - start, 1e-6)


def watch(run: Rehearsed, view: View, trials: int, rng: np.random.Generator) -> dict[str, Worlds]:
    """Real runs of either world, of which everything is kept that this view sees."""
    data, left = run.worlds, unseen(run.ledger, view)

    def trace(world: int) -> Array:
        now = play(run.system, data[world], int(rng.integers(2**63)), view)
        kept = [value for value in now.held.values() if not isinstance(value, str | None)]
        heard = [call for call in now.calls if not call.secret and not isinstance(call.x, tuple)]
        answers = [call.y for call in heard if price(call.mechanism) not in left]
        return np.concatenate([np.zeros(1), *(_numbers(v) for v in [*kept, *answers])])

    once = min(_seconds(lambda: trace(0)) for _ in range(2))
    most = int(np.clip(trials // 20, FEW, MANY))
    runs = int(np.clip(SECONDS / 2 / once, min(SURE, most), most))
    seen = [[trace(world) for _ in range(runs)] for world in (0, 1)]
    width = min(len(one) for world in seen for one in world)
    both = [np.nan_to_num(np.stack([one[:width] for one in world]), posinf=1e9, neginf=-1e9) for world in seen]
    cut = runs // 3
    zero, one = (part[:cut] for part in both)
    gap = np.abs(zero.mean(axis=0) - one.mean(axis=0)) / np.sqrt(zero.var(axis=0) + one.var(axis=0) + 1e-18)
    best = np.argsort(-gap)[:20]
    out = {"one number that the world can see, run by run": learned([[part[:, best[0]]] for part in both])}
    spread = np.sqrt(zero.var(axis=0) + one.var(axis=0))[best] + 1e-9
    near = [np.clip((part[:, best] - zero[:, best].mean(axis=0)) / spread, -1e3, 1e3) for part in both]
    within = np.cov(near[0][:cut].T) + np.cov(near[1][:cut].T) + 1e-3 * np.eye(len(best))
    line = np.linalg.solve(within, near[1][:cut].mean(axis=0) - near[0][:cut].mean(axis=0))
    return out | {"all that the world can see, run by run": tuple(np.round(part[cut:] @ line, 9) for part in near)}
