"""Dashboard `privrec`: who moves the model, the people or the noise?"""

from __future__ import annotations

from typing import Any

from recprivlib.dashboard import bills as strips
from recprivlib.dashboard import controls
from recprivlib.dashboard.contract import Control, Explorer, Figure, Mark, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import dataset, fold, tidy
from recprivlib.dashboard.memory import MEMORY
from recprivlib.papers.privrec.network import Shape
from recprivlib.papers.privrec.phones import Vocabulary
from recprivlib.papers.privrec.screen import figures as plots
from recprivlib.papers.privrec.screen import pulls
from recprivlib.papers.privrec.screen.compute import DEFAULTS, DELTA, OWN, Result, compute, steps
from recprivlib.papers.privrec.screen.words import PREDICT, brief, say, say_bill, say_kept, say_path
from recprivlib.papers.privrec.training import SIZES as FORMS
from recprivlib.parameters import UserError
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import count, setting

SIZES = {"tiny": "65", "small": "213", "medium": "1.1k", "large": "3.9k", "paper": "26.6k"}  # weights on MovieLens 100K


CROWDS = ((4800, "4 800 people, as in Table 3"), (754, "754, as in MovieLens 100K"))
COHORTS = (10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


# ---------------------------------------------------------------------------------------------------- words, numbers


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
    rows += [("training", "without noise", n, y) for n, y in result.silent]
    rows += [("first bound", f"γ = {gamma:g}", first, y) for gamma, dots in result.known.items() for first, y in dots]
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


# ----------------------------------------------------------------------------------------------------------- figures


def draw_pulls(result: Result, look: Look) -> dict[str, Any]:
    return plots.pulls(look, result.moves, result.system.cohort, result.ratio, result.pull)


def draw_bill(result: Result, look: Look) -> dict[str, Any]:
    return plots.bill(look, "rounds", result.system.rounds, pulls.ROUNDS, result.curves, result.now, result.proved)


def draw_deltas(result: Result, look: Look) -> dict[str, Any]:
    return plots.bill(look, "delta", DELTA, pulls.DELTAS, result.deltas, result.now, result.proved)


def draw_path(result: Result, look: Look) -> dict[str, Any]:
    return plots.clipping(look, result.turns, result.bounds, result.wanted)


def draw_training(result: Result, look: Look) -> dict[str, Any]:
    return plots.training(look, result.hits, result.levels, result.silent)


def draw_kept(result: Result, look: Look) -> dict[str, Any]:
    at = result.system.clip_init, result.system.unclipped_quantile
    return plots.kept(look, result.known, at, result.hits[-1][1] if result.hits else None, result.levels)


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


def _crowds(values: Values) -> tuple[tuple[int, str], ...]:
    """From whom cohorts are drawn: where it is trained, those whom it trains on."""
    if not values["train"]:
        return CROWDS
    train = fold(dataset(values["data"]), "user-split", values["seed"]).train
    return ((values["people"], f"{count(train.n_users)} people, who train it"),)


def effort(values: Values) -> float:
    """Seconds that a step takes about: a recording, and every phone of every round, where it is trained."""
    heavy = 3.0 if values["size"] == "paper" else 1.0
    heard = (1.5 if values["data"] == "ml-1m" else 0.5) * heavy
    return heard + (0.0012 * heavy * values["rounds"] * values["cohort"] if values["train"] else 0.0)


CONTROLS = (
    Control("cohort", "Phones per round", "integer", DEFAULTS["cohort"],
            10, 1000, COHORTS, log=True, place="axis", figure="pulls",
            ends=("few phones", "many phones"), spoken=lambda m: f"{m} phones in one round"),
    Control("noise_multiplier", "Noise z", "number", DEFAULTS["noise_multiplier"],
            0.05, 4.0, (4, 3, 2, 1.5, 1, 0.7, 0.5, 0.3, 0.1, 0.05), log=True,
            ends=controls.ENDS, spoken=lambda z: f"noise {z:g} times the sensitivity"),
    Control("size", "Weights", "choice", DEFAULTS["size"], choices=tuple(SIZES.items()), options=_weights),
    Control("rounds", "Rounds", "integer", DEFAULTS["rounds"], 10, 5000, pulls.ROUNDS, log=True,
            spoken=lambda n: f"{n} rounds"),
    Control("train", "Train it now", "switch", DEFAULTS["train"], cost="on release",
            hint="Twenty passes at home; it streams round by round and stops at your next move."),
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
    Control("people", "Drawn from", "choice", DEFAULTS["people"], place="under", choices=CROWDS, options=_crowds,
            active=lambda values: not values["train"]),
    controls.data("ml-100k", "ml-1m", "synthetic"),
    controls.seed(),
)  # fmt: skip


STARTS = (
    Try("Another bound", {"clip_init": 40.0, "rule": "linear"}, "S₀ = 40 or .01: watch the bound's path. The noise "
        "over the bound stays where it is."),
    Try("Three hundred phones", {"cohort": 300}, "Now the noise is shorter than the bound. What has become of the "
        "bill?"),
    Try("The fewest weights", {"size": "tiny"}, "The same thirty phones, and a model with hardly anything to move."),
)  # fmt: skip


BOUND = ("unclipped_quantile", "clip_init", "rule", "balance", "order")  # what the clipping bound follows
BILLED = ("cohort", "noise_multiplier", "rounds", "people")


EXPLORER = Explorer(
    stem="privrec",
    title="Who moves the model, the people or the noise?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure(
            "pulls",
            "One round: people and noise, over the bound",
            draw_pulls,
            "main",
            340,
            controls=("cohort", "noise_multiplier", "size", "balance", "data", "seed"),
        ),
        Figure("bill", "What all rounds cost a person", draw_bill, say=say_bill, controls=BILLED),
        Figure(
            "path",
            "Where the clipping bound goes",
            draw_path,
            say=say_path,
            controls=("cohort", "noise_multiplier", "size", "rounds", *BOUND, "data", "seed"),
        ),
        Figure(
            "training",
            "Next films found, among all",
            draw_training,
            controls=("train", "cohort", "noise_multiplier", "size", "rounds", *BOUND, "sampling", "data", "seed"),
        ),
        Figure(
            "kept",
            "Next films found, by where the bound begins",
            draw_kept,
            say=say_kept,
            controls=("noise_multiplier", "size", "rounds", *BOUND[:3], "people", "train", "data"),
        ),
        Figure("deltas", "The same bill at another δ", draw_deltas, controls=BILLED),
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
