"""Dashboard `dp_pnbm`: how much of this accuracy did the ratings pay for?

One move publishes similarities or means with noise, predicts one fold of the five, and puts what learns nothing, and
noise with no ratings in it, beside it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from recprivlib.dashboard import controls, snippets
from recprivlib.dashboard import people as films
from recprivlib.dashboard.bills import draw_strip
from recprivlib.dashboard.contract import Control, Cost, Explorer, Figure, Mark, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import dataset, tidy
from recprivlib.papers.dp_pnbm.screen import figures as plots
from recprivlib.papers.dp_pnbm.screen.compute import DEFAULTS, Result, compute, role, steps
from recprivlib.papers.dp_pnbm.screen.publishing import EVERY, FLOORS, PROTOCOL, VARIANTS, chosen, crowds, curve
from recprivlib.papers.dp_pnbm.screen.words import PREDICT, brief, say, say_moved, say_people
from recprivlib.plots.look import Look

# ---------------------------------------------------------------------------------------------------- words, numbers


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    rows: list[tuple] = [("error", VARIANTS[result.variant][2], result.epsilon, result.error, *result.interval)]
    rows += [("error", plots.NAMES[role], np.nan, value) for role, value in result.floors.items()]
    if result.noise is not None:
        rows.append(("error", "noise alone", result.epsilon, result.noise))
    for share in (0.05, 0.5, 0.95):
        rows.append(("one rating moves the release", "people", share, float(np.quantile(result.moved, share)),
                     "printed bounds; x: share of people below"))  # fmt: skip
    rows.append(("one rating moves the release", "made-up person", np.nan, result.crafted, "printed bounds"))
    for series, listed in (("published", result.alike), ("no privacy", result.alike_bound)):
        rows += [(f"most like {result.title}", series, n, n, title) for n, title in enumerate(listed, 1)]
    bill = result.bill
    for name, number in (("claimed", bill.claimed), ("counted", bill.counted), ("attacked, at least", bill.attacked)):
        rows.append(("bill", name, bill.unit, number))
    return tidy(rows)


def snippet(values: Values) -> str:
    """Python that prints the numbers of the sentence, from the library's own parts."""
    rivals: snippets.Systems = [chosen(values), FLOORS["private-popularity"]]
    return snippets.trained(values, PROTOCOL, rivals, "{metrics['rmse']:.3f}")


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    tag = f"{result.data} {result.variant} {result.unit if 'protects' in VARIANTS[result.variant][3] else ''}"
    return Mark({"error": (result.epsilon, result.error)}, tag=tag)


# ----------------------------------------------------------------------------------------------------------- figures


ALONE = "noise alone"


def differs(other: Result, shown: Result) -> str:
    """What sets a comparison apart."""
    if shown.noise_only != other.noise_only:
        return ALONE if other.noise_only else "with ratings"
    return role(other)[1]


def draw_error(result: Result, look: Look) -> dict[str, Any]:
    drawn = result.noise_only or any(ghost.name == ALONE for ghost in look.ghosts)
    noise = None if drawn else result.noise
    return plots.error_by_epsilon(look, result.epsilon, result.error, result.interval, result.floors, noise)


def draw_moved(result: Result, look: Look) -> dict[str, Any]:
    return plots.movement(replace(look, role="paper"), result.moved, result.crafted)


def draw_people(result: Result, look: Look) -> dict[str, Any]:
    return plots.people(look, crowds(result.unit), result.floors)


def draw_alike(result: Result, look: Look) -> str:
    return plots.neighbours(result.title, result.alike, result.alike_bound, look.large)


# ---------------------------------------------------------------------------------------------------------- controls


EPSILONS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)


SIZES = (10, 20, 30, 50, 100, 200, 300, 500, 700, 1000, 1400, EVERY)


def _cost(values: Values) -> Cost:
    slow = values["variant"] in ("dpps", "covariance") or values["data"] == "ml-1m"
    steps = values["iterations"] > 2 and _takes("iterations")(values)
    return "on release" if slow or steps else "live"


def _takes(part: str) -> Any:
    return lambda values: part in VARIANTS[values["variant"]][3]


def _films(values: Values) -> tuple[tuple[int, str], ...]:
    """Every film of the chosen data, by title."""
    named = ((item, films.film(title)) for item, title in enumerate(dataset(values["data"]).titles))
    return tuple(sorted(named, key=lambda pair: pair[1].lower()))


def effort(values: Values) -> float:
    """Seconds that a step takes about, where nothing of it is remembered."""
    return 1.0 + 0.1 * values["iterations"]


CONTROLS = (
    Control("epsilon", "ε, as declared", "number", DEFAULTS["epsilon"],
            0.05, 20.0, EPSILONS, log=True, place="axis", figure="error",
            cost=_cost, ends=controls.ENDS, spoken=lambda e: f"declared epsilon {e:g}"),
    Control("variant", "What the server publishes", "choice", DEFAULTS["variant"], cost=_cost,
            choices=tuple((key, name) for key, (_, _, name, _) in VARIANTS.items()),
            hint="DPPS and its factor model take ε for a whole person: the slider times 200."),
    Control("noise_only", "Noise only, no data", "switch", DEFAULTS["noise_only"],
            cost=_cost, active=_takes("noise_only"),
            hint="The ratings are left out of what is learned; the film averages stay."),
    Control("neighbors", "Neighbours", "integer", DEFAULTS["neighbors"],
            10, 100_000, SIZES, ends=("few close films", "all"), log=True,
            active=_takes("neighbors"), spoken=lambda n: f"{n} neighbours"),
    Control("iterations", "Steps", "integer", DEFAULTS["iterations"],
            1, 10, (1, 2, 3, 5, 7, 10), place="more", cost="on release",
            active=_takes("iterations"), hint="The same ε is shared out among more steps."),
    Control("floor", "Floor C", "number", DEFAULTS["floor"], 1.0, 300.0,
            (1, 2, 5, 10, 15, 20, 50, 100, 200, 300), place="more", log=True, cost=_cost,
            active=_takes("floor"), hint="The least that a person's weights are taken to add up to."),
    Control("film", "A film", "films", DEFAULTS["film"], 0, 1, place="more", options=_films, ends=("Blade Runner", ""),
            hint="Whose ten neighbours are listed."),
    controls.unit(("rating", "one rating"), ("user", "all of yours")),
    controls.data("ml-100k", "synthetic"),
    controls.seed(_cost),
)  # fmt: skip


STARTS = (
    Try("The switch, at ε = 1", {"noise_only": True}, "Flip it back and forth. Then go to ε = 20 and do it again."),
    Try("Averages with noise", {"variant": "means"}, "No film is compared with any other, and what is published holds "
        "its ε. Where does the dot stand beside the printed algorithm at the same ε?"),
    Try("A whole person", {"variant": "means", "unit": "user"}, "The bill is for all of your ratings now. Which ε does "
        "it take to reach the shelf?"),
    Try("The printed sampler", {"variant": "dpps"}, "Move ε from end to end. Does the dot move?"),
)  # fmt: skip


def _published(values: Values) -> tuple[str, ...]:
    """What moves the error: the unit only where noise is made for it."""
    moved = ("epsilon", "variant", "noise_only", "neighbors", "data", "seed")
    return (*moved, "unit") if _takes("protects")(values) else moved


EXPLORER = Explorer(
    stem="dp_pnbm",
    title="How much of this accuracy did the ratings pay for?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure(
            "error", "How far off are the predictions?", draw_error, "main", 340, axis="epsilon", controls=_published
        ),
        Figure(
            "moved",
            "What one rating moves, against what the noise was sized for",
            draw_moved,
            say=say_moved,
            controls=("iterations", "floor", "data", "seed"),
        ),
        Figure(
            "alike",
            "The ten films most alike",
            draw_alike,
            controls=("epsilon", "variant", "noise_only", "iterations", "floor", "film", "data", "seed"),
        ),
        Figure("people", "How many people does it take?", draw_people, "path", 340, say=say_people, controls=("unit",)),
        mark=mark,
        role=role,
        differs=differs,
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=PREDICT,
    tries=STARTS,
    strip=draw_strip,
    mark=mark,
    steps=steps,
    curve=curve,
    curve_over=("epsilon", "film", "seed"),
    effort=effort,
    reseed="seed",
    brief=brief,
    still={"epsilon": (0.1, 1.0, 5.0, 20.0), "variant": ("dpsgd", "means")},
)
