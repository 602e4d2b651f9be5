"""Dashboard `ldp_svd`: does your rating cost ε1 + ε2?

One move sends Ada's stars and everybody's through the real release, lets the server learn from one fold of the five,
attacks one report, and puts the three numbers beside it.
"""

from __future__ import annotations

import math
from typing import Any

from recprivlib.dashboard import bills, controls, snippets
from recprivlib.dashboard.contract import Control, Cost, Explorer, Figure, Mark, Sketch, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import tidy
from recprivlib.papers.ldp_svd.screen import figures as plots
from recprivlib.papers.ldp_svd.screen.compute import (
    DEFAULTS,
    LEARNED,
    MECHANISMS,
    PROTOCOL,
    TERMS,
    Result,
    chosen,
    compute,
    curve,
    each_its_own,
    noisy,
    role,
)
from recprivlib.papers.ldp_svd.screen.words import PREDICT, brief, rounded, say, say_rounded
from recprivlib.papers.ldp_svd.system import STARS
from recprivlib.plots.climb import climb
from recprivlib.plots.look import Look

# ---------------------------------------------------------------------------------------------------- words, numbers


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    rows: list[tuple] = [("error", "this server, one fold", result.at, result.error, *result.interval)]
    rows += [("error", name, math.nan, result.floors[role]) for role, name in plots.NAMES.items()]
    tape = result.tape
    for title, given, sent, sure in zip(tape.titles, tape.stars, tape.reports, tape.certain, strict=True):
        rows.append(("tape", title, given, sent, "proof" if sure else ""))
    for star, line in zip(STARS, result.heard.matrix, strict=True):
        rows += [("channel", f"{star:g} stars", name, share)
                 for name, share in zip(result.heard.names, line, strict=True)]  # fmt: skip
    return tidy(rows + result.bill.climbed(TERMS[result.unit].said))


def snippet(values: Values) -> str:
    """Python that prints the numbers of the sentence, from the library's own parts."""
    name, settings = chosen(values)
    after = f"""ledger = configured(get("{name}").system, {settings!r}).ledger(data.interactions.sizes)
print("claimed:", round(ledger.claimed.epsilon, 3))
print("counted:", round(guarantee(ledger, "rating", "replace-value", 0.0, "server").epsilon, 3))
"""
    first = "from recprivlib.accounting import guarantee\n"
    rivals: snippets.Systems = [(name, settings), ("global-mean", {})]
    return first + snippets.trained(values, PROTOCOL, rivals, "{metrics['rmse']:.3f}", after)


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    return Mark({"error": (result.at, result.error)}, tag=f"{result.data} {result.equal}")


# ----------------------------------------------------------------------------------------------------------- figures


def draw_tape(result: Result, look: Look) -> dict[str, Any]:
    it = result.tape
    return plots.tape(look, it.titles, it.stars, it.reports, it.certain)


def draw_error(result: Result, look: Look) -> dict[str, Any]:
    return plots.error_by_epsilon(look, result.equal, result.at, result.error, result.interval, result.floors)


def draw_channel(result: Result, look: Look) -> dict[str, Any]:
    it = result.heard
    return plots.channel(look, it.names, it.matrix, it.pair, it.column, it.ratio)


def draw_bound(result: Result, look: Look) -> dict[str, Any]:
    bill = result.bill
    return climb(look, bill.tries, bill.attacked, bill.ceiling, bill.rungs, bill.claimed, bill.counted)


STEPS = tuple(round(0.1 * at, 1) for at in range(1, 31))


DRAWN = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0)


def draw_rounded(result: Result, look: Look) -> dict[str, Any]:
    here = rounded(result.epsilon1, result.epsilon2)
    return plots.price(look, STEPS, [rounded(e, e) for e in STEPS], result.epsilon1, here)


SKETCH = Sketch(
    "What is its true ε, at ε1 = ε2 = x?", "rounded", DRAWN, lambda _: tuple(rounded(e, e) for e in DRAWN), 0.0, 8.0,
    at="x", percent=False, digits=1,
)  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- controls


EPSILONS = tuple(epsilon for epsilon in controls.EPSILONS if epsilon >= 0.5)


def _cost(values: Values) -> Cost:
    return "on release" if values["data"] == "ml-1m" or values["tries"] > 100_000 else "live"


def effort(values: Values) -> float:
    """Seconds that a step takes about: one decomposition, and the tries of the attack."""
    return (4.0 if values["data"] == "ml-1m" else 0.2) + 1e-6 * values["tries"]


CONTROLS = (
    Control("mechanism", "What a phone sends", "choice", DEFAULTS["mechanism"], cost=_cost,
            choices=tuple((name, label) for name, (label, *_) in MECHANISMS.items())),
    Control("epsilon1", "ε1, Laplace noise", "number", DEFAULTS["epsilon1"], 0.1, 3.0, STEPS, place="under", cost=_cost,
            ends=controls.ENDS,
            active=each_its_own, spoken=lambda e: f"epsilon 1 is {e:g}"),
    Control("epsilon2", "ε2, the rating itself", "number", DEFAULTS["epsilon2"],
            0.1, 3.0, STEPS, cost=_cost, place="under",
            ends=("half the time", "nearly always"),
            active=lambda values: each_its_own(values) and values["mechanism"] != "laplace",
            spoken=lambda e: f"epsilon 2 is {e:g}, the rating itself {100 / (1 + math.exp(-e)):.0f} percent of the "
            "time"),
    Control("equal", "Equal true ε", "switch", DEFAULTS["equal"], cost=_cost,
            hint="All mechanisms at the same true ε, behind the same server. One of them has none."),
    Control("epsilon", "True ε of a report", "number", DEFAULTS["epsilon"],
            0.5, 8.0, EPSILONS, log=True, cost=_cost, place="under",
            ends=controls.ENDS, active=lambda values: values["equal"] and values["mechanism"] != "laplace-rr",
            spoken=lambda e: f"true epsilon {e:g}"),
    Control("factors", "Factors", "integer", DEFAULTS["factors"],
            0, 50, (0, 1, 2, 3, 5, 10, 20, 30, 40, 50), place="more", cost=_cost,
            active=noisy, ends=("averages only", "many tastes"), hint="The server of the other mechanisms uses 3."),
    Control("learning_rate", "γ, the server's step", "number", DEFAULTS["learning_rate"],
            1e-4, 0.1, (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05), place="more", log=True, cost=_cost,
            active=noisy, ends=("small steps", "large"), spoken=lambda step: f"gamma {step:g}"),
    Control("epochs", "Epochs of the server", "integer", DEFAULTS["epochs"],
            1, 100, (1, 2, 5, 10, 20, 40, 60), place="more", log=True, cost=_cost,
            active=noisy, ends=("stops early", "goes on")),
    Control("clip_reports", "Clip reports", "switch", DEFAULTS["clip_reports"], place="more", cost=_cost, active=noisy,
            hint="Cuts reports to the stars there are. The paper does not say."),
    Control("clip_predictions", "Clip predictions", "switch", DEFAULTS["clip_predictions"],
            place="more", cost=_cost, active=noisy),
    Control("scale", "The server learns", "choice", DEFAULTS["scale"], place="more", cost=_cost, active=noisy,
            choices=(("unit", "from 0 to 1"), ("stars", "in stars"))),
    controls.unit(("rating", "one rating"), ("user", "all of yours")),
    Control("tries", "Tries of the attack", "choice", DEFAULTS["tries"], place="more", cost=_cost,
            choices=((10_000, "10 000"), (100_000, "100 000"), (1_000_000, "a million"))),
    controls.data("ml-100k", "ml-1m", "synthetic"),
    controls.seed(_cost),
)  # fmt: skip


STARTS = (
    Try("ε2 down to .1", {"epsilon2": 0.1}, "The least that ε2 allows. About half of the reports still stand on a "
        "star: a fair coin tells the truth half the time."),
    Try("Round to stars", {"mechanism": "rounded"},
        "Now every report is a star, so no star is proof. Move ε1 and ε2: which of the two is the exact ε made of?"),
    Try("Walk the list at ε = 1", {"equal": True, "mechanism": "laplace"},
        "The same true ε, the same server. Go down the list: which report tells the server most?"),
    Try("Make it diverge", {"mechanism": "laplace", "epsilon1": 0.1, "scale": "stars"},
        "The paper names no scale. On stars, so much noise blows the training up."),
)  # fmt: skip


SENT = ("mechanism", "epsilon1", "epsilon2", "equal", "epsilon")  # what a report comes from


EXPLORER = Explorer(
    stem="ldp_svd",
    title="Does your rating cost ε1 + ε2?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure(
            "tape",
            "What Ada's phone sent, and what she gave, in stars",
            draw_tape,
            "main",
            400,
            controls=(*SENT, "clip_reports", "seed"),
        ),
        Figure(
            "error",
            "How far off are the predictions?",
            draw_error,
            "beside",
            400,
            controls=(*SENT, *LEARNED, "data", "seed"),
        ),
        Figure("channel", "What becomes of each star", draw_channel, controls=SENT),
        Figure("bound", "What the attack proves", draw_bound, controls=(*SENT, "unit", "tries", "data", "seed")),
        Figure(
            "rounded",
            "The true ε of a rounded report",
            draw_rounded,
            "path",
            axis="epsilon1",
            say=say_rounded,
            controls=("epsilon1", "epsilon2"),
        ),
        mark=mark,
        role=role,
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=PREDICT,
    tries=STARTS,
    strip=bills.draw_strip,
    mark=mark,
    curve=curve,
    curve_over=("unit", "tries", "seed"),
    effort=effort,
    reseed="seed",
    brief=brief,
    sketch=SKETCH,
    still={"mechanism": tuple(MECHANISMS), "epsilon1": (0.1, 0.5, 1.0, 2.0, 3.0)},
)
