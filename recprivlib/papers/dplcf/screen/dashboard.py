"""Dashboard `dplcf`: if every phone lies about every film, is the crowd still of use?"""

from __future__ import annotations

from typing import Any

import numpy as np

from recprivlib.dashboard import bills, controls
from recprivlib.dashboard.contract import Control, Cost, Explorer, Figure, Mark, Sketch, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import tidy
from recprivlib.papers.dplcf.screen import crowd
from recprivlib.papers.dplcf.screen import figures as plots
from recprivlib.papers.dplcf.screen import tries as pair
from recprivlib.papers.dplcf.screen.compute import (
    DEFAULTS,
    LENGTHS,
    METRICS,
    MOST,
    SERVERS,
    VOTES,
    Rates,
    Result,
    compute,
    curve,
    role,
    settings_of,
    steps,
)
from recprivlib.papers.dplcf.screen.words import PREDICT, brief, say, say_odds, say_tries
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import best_guess
from recprivlib.plots.odds import odds

# ---------------------------------------------------------------------------------------------------- words, numbers


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    rows: list[tuple] = []
    series = (("this server", result.yours), ("no privacy", result.bound), ("popularity", result.popular),
              ("private popularity", result.private_popular), ("random", result.chance))  # fmt: skip
    for kind in ("hr", "ndcg"):
        for name, rates in series:
            values = rates.hr if kind == "hr" else rates.ndcg
            for k, value in zip(LENGTHS, values, strict=True):
                shown = name == "this server" and METRICS[result.metric] == (kind, k)
                low, high = result.interval if shown else (np.nan, np.nan)
                rows.append((f"{kind}@K of 100", name, k, value, low, high))
    for title, watched, reported in zip(result.titles, result.watched, result.reported, strict=True):
        word = "the truth" if watched == reported else "a lie"
        rows.append(("Ada's phone", "reported", title, float(reported), word))
    bill = result.bill
    for name, number in (("claimed", bill.claimed), ("counted", bill.counted), ("attacked, at least", bill.attacked)):
        rows.append(("bill", name, bill.unit, number))
    return tidy(rows)


def snippet(values: Values) -> str:
    """Python that prints the numbers of the sentence, from the library's own parts."""
    name, settings = settings_of(values)
    kind, k = METRICS[values["metric"]]
    seed, people = values["seed"], values["people"]
    phones = "held_out.train"
    if people > 1:
        phones = f"resample(held_out.train, {people}, np.random.default_rng([{seed}, {people}]))"
    return f'''import numpy as np
from recprivlib.data import load
from recprivlib.data.synthetic import resample
from recprivlib.evaluation import evaluate, split
from recprivlib.parameters import configured
from recprivlib.registry import get
from recprivlib.training import trained

data = load("{values["data"]}")
(held_out,) = split(data.interactions, "loo-latest", seed={seed})
phones = {phones}
for name, settings, learns_from in (("{name}", {settings!r}, phones), ("popularity", {{}}, held_out.train)):
    model = trained(configured(get(name).system, settings), learns_from, {seed})
    metrics = evaluate(model.fold_in(held_out.train), held_out, ks=({k},), full=False).metrics
    print(f"{{name}}: {{metrics['{kind}@{k}']:.3f}}")
'''


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    y = result.yours.at(result.metric)
    tag = f"{result.metric} {result.data} {result.server}"
    return Mark({"rate": (result.epsilon, y)}, tag=tag)


# ----------------------------------------------------------------------------------------------------------- figures


def levels(result: Result) -> dict[str, Rates]:
    """What the server is held against, by role."""
    return {"bound": result.bound, "popularity": result.popular, "private-popularity": result.private_popular,
            "random": result.chance}  # fmt: skip


def draw_rate(result: Result, look: Look) -> dict[str, Any]:
    known = {name: rates.at(result.metric) for name, rates in levels(result).items()}
    own = result.yours.at(result.metric)
    return plots.rate_by_epsilon(look, METRICS[result.metric], result.epsilon, own, result.interval, known)


def differs(other: Result, shown: Result) -> str:
    """What sets a comparison apart."""
    server = SERVERS[other.server][3].partition(",")[0] if other.server != shown.server else ""
    return " ".join(filter(None, (server, f"×{other.people}" if other.people != shown.people else "")))


def draw_odds(result: Result, look: Look) -> dict[str, Any]:
    return odds(look, result.epsilon)


def draw_tries(result: Result, look: Look) -> dict[str, Any]:
    here = pair.tries(result.data, result.epsilon, result.people, result.seed)
    others = {at: pair.tries(result.data, at, 1, result.seed).estimates for at in pair.AT}
    return plots.tries(look, result.epsilon, here.true, here.estimates, others)


def draw_lengths(result: Result, look: Look) -> dict[str, Any]:
    return plots.by_length(look, result.yours.hr, {name: rates.hr for name, rates in levels(result).items()})


def draw_tiles(result: Result, look: Look) -> str:
    return plots.tiles(result.watched, result.reported, result.titles, result.lies, result.items, look.large)


# ---------------------------------------------------------------------------------------------------------- controls


def _cost(values: Values) -> Cost:
    return "on release" if values["people"] > crowd.QUICK else "live"


def effort(values: Values) -> float:
    """Seconds that a step takes about, where nothing of it is remembered: every phone of every town reports."""
    return 0.2 + 0.045 * values["people"]


CONTROLS = (
    Control("epsilon", "ε", "number", DEFAULTS["epsilon"],
            0.1, 8.0, controls.EPSILONS, log=True, place="axis", figure="rate",
            cost=_cost, ends=controls.ENDS,
            spoken=lambda e: f"epsilon {e:g}, phone truthful {100 * best_guess(e):.0f} percent"),
    Control("server", "Server", "choice", DEFAULTS["server"], choices=tuple((k, v[3]) for k, v in SERVERS.items()),
            hint="SP phones lie about any film, AP phones only about films not watched."),
    Control("people", "People", "choice", DEFAULTS["people"],
            choices=tuple((n, f"×{n}") for n in (1, 2, 4, 8, 16, 32, 80)),
            hint="×1: one town. ×80: a country."),
    Control("neighbors", "Neighbours", "integer", DEFAULTS["neighbors"],
            5, MOST, (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500),
            ends=("few close films", "many"), log=True, cost="live", spoken=lambda n: f"{n} neighbours",
            active=VOTES, ahead=True),
    Control("metric", "Score", "choice", DEFAULTS["metric"], place="more",
            choices=(("hr@10", "top 10"), ("hr@5", "top 5"), ("hr@2", "top 2"), ("ndcg@10", "nDCG@10"))),
    controls.unit(("click", "one click"), ("swap", "one swap"), ("history", "your whole history")),
    controls.data("ml-100k", "synthetic"),
    controls.seed(),
)  # fmt: skip


DRAWN = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0)


def measured(curve: Any) -> tuple[float, ...]:
    """The committed hit rates where the reader draws."""
    known = dict(zip(curve[0].x, curve[0].y, strict=True))
    return tuple(known[x] for x in DRAWN)


SKETCH = Sketch("How much of the hit rate is left? Draw it.", "rate", DRAWN, measured, 0.0, 0.8)


STARTS = (
    Try("Where does it cross?", {"epsilon": 0.5}, "Drag ε until the dot meets the dashed line: what does a vote of "
        "943 phones cost before it beats a popularity chart?"),
    Try("A bigger crowd", {"epsilon": 0.5, "people": 4}, "The same noise on every phone. Now make it ×80 and watch "
        "the crowd report."),
    Try("The same reports, another server", {"server": "spectral"}, "Nothing changed on any phone."),
)  # fmt: skip


LISTED = ("epsilon", "server", "people", "neighbors", "metric", "data", "seed")  # what moves a hit rate


EXPLORER = Explorer(
    stem="dplcf",
    title="If every phone lies about every film, is the crowd still of use?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("rate", "Is your next film on the list?", draw_rate, "main", 340, controls=LISTED),
        Figure("tiles", "Forty answers of one phone", draw_tiles, "band", 130, controls=("epsilon", "server", "seed")),
        Figure("lengths", "The length of the list", draw_lengths, controls=LISTED),
        Figure(
            "pairs",
            "How alike two films are, and how alike they look",
            lambda it, look: plots.similarity(look, it.pairs),
            controls=("epsilon", "server", "people", "data", "seed"),
        ),
        Figure(
            "odds",
            "Who sees one answer is right",
            draw_odds,
            "path",
            axis="epsilon",
            say=say_odds,
            controls=("epsilon",),
        ),
        Figure(
            "tries",
            "How many watched both?",
            draw_tries,
            "path",
            axis="epsilon",
            say=say_tries,
            controls=("epsilon", "people", "data", "seed"),
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
    curve_over=("epsilon", "unit", "seed"),
    effort=effort,
    reseed="seed",
    brief=brief,
    sketch=SKETCH,
    still={"epsilon": (0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0), "server": tuple(SERVERS)},
)
