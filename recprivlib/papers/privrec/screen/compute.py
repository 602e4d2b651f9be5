"""What a move at dashboard `privrec` computes: settings become a `Result`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.auditing import Attacked, attack
from recprivlib.dashboard.bills import ThreeNumbers
from recprivlib.dashboard.contract import Card
from recprivlib.dashboard.folds import chance, dataset, fold, scored
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset
from recprivlib.evaluation import evaluate, stream
from recprivlib.mechanisms.noise import Root, along
from recprivlib.papers.privrec import crafted as made_up
from recprivlib.papers.privrec.screen import figures as plots
from recprivlib.papers.privrec.screen import kept, pulls
from recprivlib.papers.privrec.system import DPPrivRec
from recprivlib.papers.privrec.training import Start
from recprivlib.parameters import UserError
from recprivlib.plots.numerals import count

DELTA, TRIES = 1e-5, 20_000
PASSES = 5  # local epochs of the one round that is drawn; a training has as many as the committed ones


PLAYED = "the first round, on two people made up for it"


OWN = ("data", "seed", "train", "people")  # of the controls, those that are no parameter of the system


# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {
    "cohort": 30,
    "noise_multiplier": 1.0,
    "size": "large",
    "rounds": 1000,
    "train": False,
    "unclipped_quantile": 0.5,
    "clip_init": 0.1,
    "rule": "geometric",
    "balance": 0.7,
    "sampling": "fixed-size",
    "order": "before",
    "people": 4800,
    "data": "ml-100k",
    "seed": 0,
}


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    system: DPPrivRec
    data: str
    people: int  # who could be drawn: where it is trained, those whom it trains on
    weights: int
    ratio: float  # noise over the bound
    pull: float  # people over the bound
    moves: plots.Moves
    turns: tuple[int, ...]
    bounds: tuple[float, ...]
    wanted: tuple[float, ...]
    curves: dict[str, tuple[float, ...]]  # ε at pulls.ROUNDS
    now: dict[str, float]  # ε at the chosen rounds
    proved: dict[str, str]  # of the best two bills: whether less is known not to hold
    deltas: dict[str, tuple[float, ...]]  # ε at pulls.DELTAS
    levels: dict[str, float]  # Hits@10 of popularity and chance
    hits: tuple[tuple[int, float], ...]  # (round, Hits@10) of a training so far
    known: Mapping[float, kept.Dots]  # by γ the committed (S₀, Hits@10), where cohorts are drawn from those who train
    silent: kept.Dots  # the committed (rounds, Hits@10) of the same network without noise
    bill: ThreeNumbers


def compute(**moved: Any) -> Result:
    """One round's pull, the path of the bound and the bill; the training too, if it is asked for."""
    *_, (_, result) = steps(**moved)
    return result


def steps(**moved: Any) -> Iterator[tuple[float, Result]]:
    """The same: the picture, anew with twice as many rounds; then the attack; then, round by round, what is found."""
    values = DEFAULTS | moved
    source = dataset(values["data"])
    passes = kept.AT_HOME if values["train"] else PASSES
    system = DPPrivRec(local_epochs=passes, **{name: value for name, value in values.items() if name not in OWN})
    seed, done = values["seed"], 0.0
    people = fold(source, "user-split", seed).train.n_users if values["train"] else values["people"]
    for share, heard in pulls.recorded(source, system.size, seed):
        if not done or share == 1 or len(heard.norms).bit_count() == 1:
            result = _result(source, system, heard, seed, people)
        if share < 1:
            yield (done := share * (0.2 if values["train"] else 0.7)), result
    if result.bill.attacked is None:
        yield done if values["train"] else max(done, 0.5), result
        result = replace(result, bill=_billed(result, attacked(source, system, seed, people)))
    if not values["train"]:
        yield 1.0, result
        return
    seen: list[tuple[int, float]] = []
    try:
        for turn, found in _trained(source, system, seed):
            seen.append((turn, found))
            yield done + (1 - done) * turn / system.rounds, replace(result, hits=tuple(seen))
    except UserError as reason:
        raise Card(str(reason), cure={"clip_init": 0.1, "rule": "geometric"}, cure_label="begin with S = .1") from None


def _trained(source: Dataset, system: DPPrivRec, seed: int) -> Iterator[tuple[int, float]]:
    """(round, Hits@10), some forty times in a run, without fine-tuning."""
    held_out = fold(source, "user-split", seed)
    start = Start.of(replace(system, fine_tune=0), held_out.train, stream(seed, "fit"))
    for each in along(Root.of(seed), system.watched(start)):
        if each.turn % max(1, system.rounds // 40) == 0 or each.turn == system.rounds:
            yield each.turn, evaluate(start.model(each.theta), held_out, (10,)).metrics[kept.HITS]


def attacked(source: Dataset, system: DPPrivRec, seed: int, people: int) -> Attacked:
    """What the first round tells of two made-up people."""

    def make() -> made_up.TwoUpdates:
        return made_up.pair(system, Start.of(system, fold(source, "user-split", seed).train, stream(seed, "fit")))

    key = _attack(source, system, seed, people)
    two = MEMORY.get(("privrec made up", *key[1:-1]), make)
    return MEMORY.get(
        key,
        lambda: attack(
            made_up.game(system, people, two), "user", "replace", "model", DELTA, TRIES, np.random.default_rng(seed)
        ),
    )


def _attack(source: Dataset, system: DPPrivRec, seed: int, people: int) -> tuple:
    """What an attack depends on, and nothing else."""
    about = (system.size, system.local_epochs, system.clip_init, system.balance, system.order)
    return "privrec attacked", source.checksum, seed, *about, system.event(people, system.clip_init)


def _billed(result: Result, found: Attacked) -> ThreeNumbers:
    """Claimed and counted, with what an attack found."""
    claimed, counted = result.bill.claimed, result.bill.counted
    word = "broken" if found.decisive > claimed else "holds" if counted <= claimed else "open"
    return replace(result.bill, attacked=found.epsilon_lower, ceiling=found.ceiling, tries=found.trials, verdict=word)


def _result(source: Dataset, system: DPPrivRec, heard: pulls.Recorded, seed: int, people: int) -> Result:
    if system.cohort > people:
        cure = {"people": 4800, "train": False}
        raise Card(f"There are {count(people)} people to draw from, fewer than {count(system.cohort)}.", cure,
                   "draw from 4 800")  # fmt: skip
    cohorts = np.geomspace(10, 1000, 40)
    bounds, wanted = pulls.path(system, heard, seed)
    turns, shown = plots.thinned(bounds)
    last = float(bounds[-1])
    here = pulls.bills(system, people, DELTA, (system.rounds,))
    slices = [pulls.bills(system, people, delta, (system.rounds,)) for delta in pulls.DELTAS]
    popular = scored(source, "user-split", seed, "popularity", ks=(10,)).metrics[kept.HITS]
    random = chance(source, "user-split", seed, (10,)).metrics[kept.HITS]
    learnt = fold(source, "user-split", seed).train.n_users == people  # a model and its bill are of the same people
    moves = plots.Moves(cohorts, pulls.ratio(system, heard.weights, cohorts), pulls.pull(heard, last, cohorts))
    claimed, counted = here["printed"][0], here["tight" if system.sampling == "fixed-size" else "Poisson"][0]
    unit = f"one of {count(people)} people, replaced by another"
    bill = ThreeNumbers(claimed, counted, "", None, None, 0, "open", unit, "the server", delta=DELTA, played=PLAYED)
    result = Result(
        system, source.name, people, heard.weights,
        float(pulls.ratio(system, heard.weights, system.cohort)),
        float(pulls.pull(heard, last, np.array([system.cohort]))[0]),
        moves, tuple(turns), tuple(shown), tuple(plots.thinned(wanted)[1]),
        pulls.bills(system, people, DELTA, pulls.ROUNDS), {name: value[0] for name, value in here.items()},
        pulls.proved(system, people, DELTA),
        {name: tuple(each[name][0] for each in slices) for name in here},
        {"popularity": popular, "random": random}, (), kept.bounds(source, system) if learnt else {},
        kept.without_noise(source, system), bill,
    )  # fmt: skip
    found = MEMORY.known(_attack(source, system, seed, people))
    return replace(result, bill=_billed(result, found)) if found else result
