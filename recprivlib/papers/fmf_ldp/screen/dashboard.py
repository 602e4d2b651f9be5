"""Dashboard `fmf_ldp`: what do two thousand tiny answers add up to?"""

from __future__ import annotations

from typing import Any

import numpy as np

from recprivlib.dashboard import bills, controls
from recprivlib.dashboard.contract import Control, Cost, Explorer, Figure, Mark, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.papers.fmf_ldp.screen import figures as plots
from recprivlib.papers.fmf_ldp.screen.compute import (
    DEFAULTS,
    VARIANTS,
    Result,
    compute,
    curve,
    role,
    settings_of,
    steps,
    table,
)
from recprivlib.papers.fmf_ldp.screen.epochs import CROWDS, HIT, PROTOCOL
from recprivlib.papers.fmf_ldp.screen.words import PREDICT, brief, say, say_bill, say_health, say_one, say_pools
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import count
from recprivlib.plots.odds import odds

# ---------------------------------------------------------------------------------------------------- words, numbers


def snippet(values: Values) -> str:
    """Python that prints the numbers of the sentence, from the library's own parts."""
    name, settings = settings_of(values)
    data, sizes = CROWDS[values["people"]]
    size = "".join(f", {part}={value}" for part, value in sizes.items())
    return f'''from recprivlib.accounting import bill
from recprivlib.data import load
from recprivlib.evaluation import evaluate, split
from recprivlib.parameters import configured
from recprivlib.registry import get
from recprivlib.training import trained

(fold,) = split(load("{data}"{size}).interactions, "{PROTOCOL}", seed={values["seed"]})
for name, settings in (("{name}", {settings!r}), ("popularity", {{}})):
    system = configured(get(name).system, settings)
    model = trained(system, fold.train, {values["seed"]})
    print(f"{{name}}: {{evaluate(model, fold, (10,), full=False).metrics['{HIT}']:.3f}}")
    costs = bill(get(name), system, fold.train.sizes)
    for one in [costs["counted"], *costs["also"]] if costs["counted"] else []:
        print(one["unit"], one["relation"], one["view"], one["delta"], f"{{one['epsilon']:.2f}}")
'''


def mark(result: Result) -> Mark:
    """The dot this move leaves behind."""
    return Mark({"rate": (result.done, result.points[-1].sampled)}, tag=f"{result.people} {result.variant}")


# ----------------------------------------------------------------------------------------------------------- figures


def differs(other: Result, shown: Result) -> str:
    """What sets a comparison apart."""
    parts = [VARIANTS[other.variant][2] if other.variant != shown.variant else ""]
    parts.append(count(other.people) if other.people != shown.people else "")
    parts.append(f"k = {count(other.k)}" if other.k != shown.k and not parts[0] else "")
    return " ".join(filter(None, parts))


def draw_rate(result: Result, look: Look) -> dict[str, Any]:
    return plots.rate_by_epoch(look, [point.sampled for point in result.points], result.interval, result.levels)


def draw_health(result: Result, look: Look) -> dict[str, Any]:
    items, users, clipped = ([getattr(p, part) for p in result.points] for part in ("items", "users", "clipped"))
    return plots.health(look, items, users, clipped if np.isfinite(clipped).all() else ())


def draw_pools(result: Result, look: Look) -> dict[str, Any]:
    own, whole = ([getattr(point, pool) for point in result.points] for pool in ("sampled", "full"))
    return plots.pools(look, own, result.levels["popularity"], whole, result.everywhere)


# ---------------------------------------------------------------------------------------------------------- controls


MANY = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def _cost(values: Values) -> Cost:
    return "live" if values["people"] <= 1000 and values["k"] <= 200 else "on release"


def effort(values: Values) -> float:
    """Seconds that a run takes about: everybody is asked in every epoch."""
    return (0.2 + 0.00015 * values["people"]) * values["epochs"] / 20 * (0.9 + values["k"] / 1000)


CONTROLS = (
    Control("epochs", "Epochs", "integer", DEFAULTS["epochs"],
            1, 30, tuple(range(1, 31)), place="axis", figure="rate", cost=_cost,
            ends=("ask once", "ask again and again"), spoken=lambda t: f"{t} epochs"),
    Control("variant", "Server", "choice", DEFAULTS["variant"], choices=tuple((n, v[2]) for n, v in VARIANTS.items()),
            hint="As printed and thawed get the same bits; item and sign gets other reports."),
    Control("epsilon", "ε of one report", "number", DEFAULTS["epsilon"],
            0.1, 12.5, (*controls.EPSILONS, 10, 12.5), log=True,
            ends=controls.ENDS, cost=_cost, spoken=lambda e: f"epsilon {e:g} a report"),
    Control("k", "Reports per epoch", "integer", DEFAULTS["k"], 1, 1000, MANY, log=True, cost=_cost,
            ends=("few reports", "many reports, bigger bill"), spoken=lambda k: f"{k} reports an epoch"),
    Control("people", "People", "choice", DEFAULTS["people"], cost="on release",
            choices=tuple((n, count(n)) for n in CROWDS), needs={n: name for n, (name, _) in CROWDS.items()},
            hint="943 and 6 040 are MovieLens; the other crowds are invented."),
    Control("factors", "Factors", "integer", DEFAULTS["factors"], 1, 10, tuple(range(1, 11)), place="more", cost=_cost,
            spoken=lambda f: f"{f} factors"),
    Control("learning_rate", "γ, the server's step", "number", DEFAULTS["learning_rate"],
            1e-8, 0.1, (1e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 1e-3, 1e-2), place="more", log=True, cost=_cost,
            active=lambda values: values["variant"] == "printed", ends=("small steps", "large"),
            spoken=lambda step: f"gamma {step:g}"),
    controls.seed(_cost),
)  # fmt: skip


STARTS = (
    Try("The same bits, thawed", {"variant": "stable"}, "Nothing changed in what phones may tell. Only the lengths of "
        "the vectors are kept in check."),
    Try("One report an epoch", {"k": 1}, "The bill falls to a hundredth. What is left of the list?"),
    Try("The price of a chart", {"epsilon": 0.4, "k": 1}, "Now the whole run costs ε = 8, as much as the private "
        "chart. Compare the two lines."),
)  # fmt: skip


ASKED = ("epochs", "variant", "epsilon", "k", "people", "factors", "seed")  # what moves a hit rate


EXPLORER = Explorer(
    stem="fmf_ldp",
    title="What do two thousand tiny answers add up to?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("rate", "Is the hidden film on the list? Split at random", draw_rate, "main", 340, controls=ASKED),
        Figure(
            "bill",
            "The bill of one person",
            lambda it, look: plots.bill_by_epoch(look, it.course, it.done),
            axis="epochs",
            say=say_bill,
            controls=("epochs", "epsilon", "k", "people"),
        ),
        Figure(
            "health",
            "Do the gradients still move anything?",
            draw_health,
            axis="epochs",
            say=say_health,
            controls=ASKED,
        ),
        Figure(
            "pools", "Among 99 strangers, and among all films", draw_pools, axis="epochs", say=say_pools, controls=ASKED
        ),
        Figure(
            "one",
            "Who sees one report is right",
            lambda it, look: odds(look, it.epsilon, "two histories"),
            "path",
            axis="epsilon",
            say=say_one,
            controls=("epsilon",),
        ),
        mark=mark,
        role=role,
        differs=differs,
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=PREDICT,
    tries=STARTS,
    strip=bills.draw_strip,
    mark=mark,
    steps=steps,
    curve=curve,
    curve_over=("epochs", "seed"),
    effort=effort,
    reseed="seed",
    brief=brief,
    still={"epochs": (1, 10, 20, 30), "variant": ("printed", "stable")},
)
