"""Dashboard `privrec`: who moves the model, the people or the noise?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.auditing import Attacked, attack
from recprivlib.dashboard import bills as strips
from recprivlib.dashboard import controls
from recprivlib.dashboard.bills import Bill
from recprivlib.dashboard.contract import Card, Control, Explorer, Figure, Mark, Predict, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import chance, dataset, fold, scored, tidy
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset
from recprivlib.evaluation import evaluate, stream
from recprivlib.papers.privrec import crafted as made_up
from recprivlib.papers.privrec.network import Shape
from recprivlib.papers.privrec.phones import Vocabulary
from recprivlib.papers.privrec.screen import figures as plots
from recprivlib.papers.privrec.screen import pulls
from recprivlib.papers.privrec.system import DPPrivRec
from recprivlib.papers.privrec.training import SIZES as FORMS
from recprivlib.papers.privrec.training import Start
from recprivlib.parameters import UserError
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import count, epsilon, percent, setting, times

HITS = "hr@10/full"
DELTA, TRIES = 1e-5, 20_000
PLAYED = "the first round, on two people made up for it"
SIZES = {"tiny": "65", "small": "213", "medium": "1.1k", "large": "3.9k", "paper": "26.6k"}  # weights on MovieLens 100K
COHORTS = (10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
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
    people: int  # who could be drawn
    weights: int
    ratio: float  # noise over the bound
    pull: float  # people over the bound
    moves: plots.Moves
    turns: tuple[int, ...]
    bounds: tuple[float, ...]
    wanted: tuple[float, ...]
    curves: dict[str, tuple[float, ...]]  # ε at pulls.ROUNDS
    now: dict[str, float]  # ε at the chosen rounds
    deltas: dict[str, tuple[float, ...]]  # ε at pulls.DELTAS
    levels: dict[str, float]  # Hits@10 of popularity and chance
    hits: tuple[tuple[int, float], ...]  # (round, Hits@10) of a training so far
    bill: Bill


# ------------------------------------------------------------------------------------------- compute


def compute(**moved: Any) -> Result:
    """One round's pull, the path of the bound and the bill; the training too, if it is asked for."""
    *_, (_, result) = steps(**moved)
    return result


def steps(**moved: Any) -> Iterator[tuple[float, Result]]:
    """The same: the picture, anew with twice as many rounds; then the attack; then, round by round, what is found."""
    values = DEFAULTS | moved
    source = dataset(values["data"])
    system = DPPrivRec(local_epochs=5, **{name: value for name, value in values.items() if name not in OWN})
    seed, people, done = values["seed"], values["people"], 0.0
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
    held_out, rng = fold(source, "user-split", seed), stream(seed, "fit", 0)
    start = Start.of(replace(system, fine_tune=0), held_out.train, rng)
    for each in system.watched(start, rng):
        if each.turn % max(1, system.rounds // 40) == 0 or each.turn == system.rounds:
            yield each.turn, evaluate(start.model(each.theta), held_out, (10,)).metrics[HITS]


def attacked(source: Dataset, system: DPPrivRec, seed: int, people: int) -> Attacked:
    """What the first round tells of two made-up people."""

    def make() -> made_up.Pair:
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


def _billed(result: Result, found: Attacked) -> Bill:
    """Claimed and counted, with what an attack found."""
    claimed, counted = result.bill.claimed, result.bill.counted
    word = "broken" if found.decisive > claimed else "holds" if counted <= claimed else "open"
    return replace(result.bill, attacked=found.epsilon_lower, ceiling=found.ceiling, tries=found.trials, verdict=word)


def _result(source: Dataset, system: DPPrivRec, heard: pulls.Recorded, seed: int, people: int) -> Result:
    if system.cohort > people:
        raise Card(f"There are {count(people)} people to draw from, fewer than {count(system.cohort)}.",
                   cure={"people": 4800}, cure_label="draw from 4 800")  # fmt: skip
    cohorts = np.geomspace(10, 1000, 40)
    bounds, wanted = pulls.path(system, heard, seed)
    turns, shown = plots.thinned(bounds)
    last = float(bounds[-1])
    here = pulls.bills(system, people, DELTA, (system.rounds,))
    slices = [pulls.bills(system, people, delta, (system.rounds,)) for delta in pulls.DELTAS]
    popular = scored(source, "user-split", seed, "popularity", ks=(10,)).metrics[HITS]
    random = chance(source, "user-split", seed, (10,)).metrics[HITS]
    moves = plots.Moves(cohorts, pulls.ratio(system, heard.weights, cohorts), pulls.pull(heard, last, cohorts))
    claimed, counted = here["printed"][0], here["tight" if system.sampling == "fixed-size" else "Poisson"][0]
    bill = Bill(claimed, counted, "", None, None, 0, "open", "one person, replaced by another", "the server",
                delta=DELTA, played=PLAYED)  # fmt: skip
    result = Result(
        system, source.name, people, heard.weights,
        float(pulls.ratio(system, heard.weights, system.cohort)),
        float(pulls.pull(heard, last, np.array([system.cohort]))[0]),
        moves, tuple(turns), tuple(shown), tuple(plots.thinned(wanted)[1]),
        pulls.bills(system, people, DELTA, pulls.ROUNDS), {name: value[0] for name, value in here.items()},
        {name: tuple(each[name][0] for each in slices) for name in here},
        {"popularity": popular, "random": random}, (), bill,
    )  # fmt: skip
    found = MEMORY.known(_attack(source, system, seed, people))
    return replace(result, bill=_billed(result, found)) if found else result


# ------------------------------------------------------------------------------------- words, numbers


def say(result: Result) -> str:
    """What the screen shows, in words."""
    system = result.system
    pushed = (f"Each round {count(system.cohort)} phones move the model {_far(result.pull)} the bound S, and the noise "
              f"{_far(result.ratio)} S")  # fmt: skip
    verdict = "further than any phone may" if result.ratio > 1 else "less far than one phone may"
    own = result.now["tight" if system.sampling == "fixed-size" else "Poisson"]
    billed = f"The paper's bill says ε = {epsilon(result.now['printed'])}, the tight one {epsilon(own)}."
    return f"{pushed}: {verdict}. {billed}{_found(result)}"


def _far(ratio: float) -> str:
    return f"{times(ratio).rstrip('×')} times as far as" if ratio >= 1 else f"{percent(ratio)} as far as"


def _found(result: Result) -> str:
    if not result.hits:
        return ""
    turn, hits = result.hits[-1]
    popular, random = result.levels["popularity"], result.levels["random"]
    close = ", about as many as by chance" if hits < 2 * random else ""
    return f" After {count(turn)} rounds it finds {percent(hits)} of next films{close}; popularity: {percent(popular)}."


def brief(result: Result) -> str:
    """The same on a small screen."""
    return (f"{count(result.system.cohort)} phones, {count(result.weights)} weights: the noise goes "
            f"{_far(result.ratio)} S. ε printed {epsilon(result.now['printed'])}, tight "
            f"{epsilon(result.now['tight'])}.")  # fmt: skip


def say_path(result: Result) -> str:
    """The clipping bound, in words."""
    return (f"The bound begins at {result.bounds[0]:.3g}. After {count(result.turns[-1])} rounds it is "
            f"{result.bounds[-1]:.2g}; the quantile it looks for is {result.wanted[-1]:.2g}.")  # fmt: skip


def say_bill(result: Result) -> str:
    """The bill, in words."""
    now = result.now
    return (f"After {count(result.system.rounds)} rounds of {count(result.system.cohort)} among {count(result.people)} "
            f"people, at δ = 1 in 100 000: printed {epsilon(now['printed'])}, tight {epsilon(now['tight'])}, on "
            f"Poisson cohorts {epsilon(now['Poisson'])}.")  # fmt: skip


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    m, d = result.system.cohort, result.weights
    small, many = pulls.ratio(result.system, d // 10, m), pulls.ratio(result.system, d, 10 * m)
    return (f"You said: {PREDICT.answers[answer]}. The noise is made for S, so S changes nothing: "
            f"{times(result.ratio)}. With a tenth of the weights: {times(small)}. With ten times the phones: "
            f"{times(many)}.")  # fmt: skip


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    rows: list[tuple] = [
        ("one round", "noise over S", result.system.cohort, result.ratio),
        ("one round", "people over S", result.system.cohort, result.pull),
    ]
    for name, values in result.curves.items():
        rows += [("bill", name, n, value) for n, value in zip(pulls.ROUNDS, values, strict=True)]
        rows += [("bill", name, result.system.rounds, result.now[name], "now")]
    for name, values in result.deltas.items():
        rows += [("bill by δ", name, delta, value) for delta, value in zip(pulls.DELTAS, values, strict=True)]
    rows += [("clipping", "S", n, y) for n, y in zip(result.turns, result.bounds, strict=True)]
    rows += [("clipping", "true quantile", n, y) for n, y in zip(result.turns, result.wanted, strict=True)]
    rows += [("training", "Hits@10", n, y) for n, y in result.hits]
    return tidy(rows + [("training", name, 0, y) for name, y in result.levels.items()])


def snippet(values: Values) -> str:
    """Python that prints the bill and the ratio, from the library's own parts."""
    settings = {name: value for name, value in values.items() if name not in OWN}
    return f'''from recprivlib.accounting import bill
from recprivlib.data import load
from recprivlib.evaluation import split
from recprivlib.parameters import configured
from recprivlib.registry import get

train = split(load("{values["data"]}").interactions, "user-split", seed={values["seed"]})[0].train
entry = get("dp-privrec")
system = configured(entry.system, {settings!r})
found = bill(entry, system, train.sizes, delta=1e-5)
print(f"printed {{found['claimed']['epsilon']:.4f}}, counted {{found['counted']['epsilon']:.4f}}")
'''


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    return Mark({"pulls": (float(result.system.cohort), result.ratio)}, tag=result.data)


def differs(other: Result, shown: Result) -> str:
    """What sets a comparison apart."""
    a, b = other.system, shown.system
    parts = [f"z = {setting(a.noise_multiplier)}" if a.noise_multiplier != b.noise_multiplier else "",
             f"{count(other.weights)} weights" if other.weights != shown.weights else "",
             f"{count(a.cohort)} phones" if a.cohort != b.cohort else ""]  # fmt: skip
    return " ".join(filter(None, parts))


# ------------------------------------------------------------------------------------------- figures


def draw_pulls(result: Result, look: Look) -> dict[str, Any]:
    return plots.pulls(look, result.moves, result.system.cohort, result.ratio, result.pull)


def draw_bill(result: Result, look: Look) -> dict[str, Any]:
    return plots.bill(look, "rounds", result.system.rounds, pulls.ROUNDS, result.curves, result.now)


def draw_deltas(result: Result, look: Look) -> dict[str, Any]:
    return plots.bill(look, "delta", DELTA, pulls.DELTAS, result.deltas, result.now)


def draw_path(result: Result, look: Look) -> dict[str, Any]:
    return plots.clipping(look, result.turns, result.bounds, result.wanted)


def draw_training(result: Result, look: Look) -> dict[str, Any]:
    return plots.training(look, result.hits, result.levels)


def _weights(values: Values) -> tuple[tuple[str, str], ...]:
    """The sizes by how many weights they have on these people; as in the book, where that cannot be told."""
    try:
        source = dataset(values["data"])
        key = ("privrec weights", source.checksum, values["seed"])
        words = MEMORY.get(key, lambda: Vocabulary.of(fold(source, "user-split", values["seed"]).train))
    except UserError:
        return tuple(SIZES.items())
    many = {size: Shape(words.fields, words.features, *FORMS[size]).weights for size in SIZES}
    return tuple((size, f"{d / 1000:.1f}k" if d >= 1000 else str(d)) for size, d in many.items())


def effort(values: Values) -> float:
    """Seconds that a step takes about: a recording, and every phone of every round, where it is trained."""
    heavy = 3.0 if values["size"] == "paper" else 1.0
    heard = (1.5 if values["data"] == "ml-1m" else 0.5) * heavy
    return heard + (0.0003 * heavy * values["rounds"] * values["cohort"] if values["train"] else 0.0)


CONTROLS = (
    Control("cohort", "Phones per round", "integer", DEFAULTS["cohort"],
            10, 1000, COHORTS, log=True, place="axis", figure="pulls",
            ends=("few phones", "many phones"), spoken=lambda m: f"{m} phones in one round"),
    Control("noise_multiplier", "Noise z", "number", DEFAULTS["noise_multiplier"],
            0.3, 4.0, (4, 3, 2, 1.5, 1, 0.7, 0.5, 0.3), log=True,
            ends=controls.ENDS, spoken=lambda z: f"noise {z:g} times the sensitivity"),
    Control("size", "Weights", "choice", DEFAULTS["size"], choices=tuple(SIZES.items()), options=_weights),
    Control("rounds", "Rounds", "integer", DEFAULTS["rounds"], 10, 5000, pulls.ROUNDS, log=True,
            spoken=lambda n: f"{n} rounds"),
    Control("train", "Train it now", "switch", DEFAULTS["train"], cost="on release",
            hint="Streams round by round and stops at your next move."),
    Control("unclipped_quantile", "Quantile γ", "number", DEFAULTS["unclipped_quantile"],
            0.1, 0.95, (0.1, 0.3, 0.5, 0.7, 0.9, 0.95),
            place="more"),
    Control("clip_init", "First bound S₀", "number", DEFAULTS["clip_init"],
            0.01, 100, (0.01, 0.1, 1, 10, 40, 100), log=True,
            place="more"),
    Control("rule", "The bound moves", "choice", DEFAULTS["rule"], place="more",
            choices=(("geometric", "by a factor"), ("linear", "by a step"))),
    Control("balance", "Share h for the count", "number", DEFAULTS["balance"],
            0.0, 0.95, (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95),
            place="more"),
    Control("sampling", "Cohorts", "choice", DEFAULTS["sampling"], place="more",
            choices=(("fixed-size", "of fixed size"), ("poisson", "Poisson"))),
    Control("order", "Compared with S", "choice", DEFAULTS["order"], place="more",
            choices=(("before", "before clipping"), ("printed", "after, as printed"))),
    Control("people", "Drawn from", "choice", DEFAULTS["people"], place="under",
            choices=((4800, "4 800 people, as in Table 3"), (754, "754, as in MovieLens 100K"))),
    controls.data("ml-100k", "ml-1m", "synthetic"),
    controls.seed(),
)  # fmt: skip

PREDICT = Predict(
    "The noise of a round is several times as long as the bound S. Ten times the phones bring it below S. What of a "
    "tenth of S, and a tenth of the weights?",
    ("Both help", "Only the smaller S", "Only fewer weights"),
    reply,
)

STARTS = (
    Try("Another bound", {"clip_init": 40.0, "rule": "linear"}, "S₀ = 40 or .01: watch the bound's path. The noise "
        "over the bound stays where it is."),
    Try("Three hundred phones", {"cohort": 300}, "Now the noise is shorter than the bound. What has become of the "
        "bill?"),
    Try("The fewest weights", {"size": "tiny"}, "The same thirty phones, and a model with hardly anything to move."),
)  # fmt: skip

EXPLORER = Explorer(
    stem="privrec",
    title="Who moves the model, the people or the noise?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("pulls", "One round: people and noise, over the bound", draw_pulls, "main", 340),
        Figure("bill", "What all rounds cost a person", draw_bill, say=say_bill),
        Figure("path", "Where the clipping bound goes", draw_path, say=say_path),
        Figure("training", "Next films found, among all", draw_training),
        Figure("deltas", "The same bill at another δ", draw_deltas),
        mark=mark,
        differs=differs,
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=PREDICT,
    tries=STARTS,
    strip=strips.draw_strip,
    mark=mark,
    steps=steps,
    effort=effort,
    reseed="seed",
    brief=brief,
    still={"cohort": COHORTS, "size": ("tiny", "large")},
)
