"""Dashboard `dp_pnbm`: how much of this accuracy did the ratings pay for?

One move publishes similarities or means with noise, predicts one fold of the five, and puts what learns nothing, and
noise with no ratings in it, beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.dashboard import controls, snippets
from recprivlib.dashboard import people as films
from recprivlib.dashboard.bills import Bill, draw_strip
from recprivlib.dashboard.contract import Control, Cost, Explorer, Figure, Mark, Predict, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import dataset, fold, tidy
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset
from recprivlib.evaluation import Difference, Scores, evaluate, interval, paired, stream, total
from recprivlib.papers.dp_pnbm.screen import figures as plots
from recprivlib.papers.dp_pnbm.screen import publishing
from recprivlib.papers.dp_pnbm.screen.publishing import FLOORS, PROTOCOL, SAMPLED, TAU, VARIANTS, chosen, crowds, curve
from recprivlib.parameters import configured
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import count, setting, stars, times
from recprivlib.protocols import Array
from recprivlib.registry import get

EVERY = 4  # steps of a chain between two pictures
# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {
    "epsilon": 1.0,
    "variant": "dpsgd",
    "noise_only": False,
    "neighbors": 500,
    "iterations": 1,
    "floor": 10.0,
    "film": (),
    "unit": "rating",
    "data": "ml-100k",
    "seed": 0,
}


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    variant: str
    epsilon: float
    noise_only: bool
    neighbors: int
    iterations: int
    floor: float
    unit: str
    film: tuple[int, ...]
    data: str
    seed: int
    error: float
    interval: tuple[float, float]  # over users
    versus: Difference  # less what learns nothing
    floors: Mapping[str, float]
    noise: float | None  # the same noise with no ratings in it, where the variant has that switch
    moved: Array  # how far everybody's changed rating moves a gradient, in printed bounds
    crafted: float  # the same of a made-up person
    title: str
    alike: tuple[str, ...]
    alike_bound: tuple[str, ...]  # of the model without privacy; none until that is there
    bill: Bill


# ------------------------------------------------------------------------------------------- compute


def compute(**moved: Any) -> Result:
    """Publish, predict, compare."""
    *_, (_, result) = steps(**moved)
    return result


def steps(**moved: Any) -> Iterator[tuple[float, Result]]:
    """The same; a chain that samples is shown as it walks, then comes the bound, and the attack is last."""
    values = DEFAULTS | moved
    source, seed = dataset(values["data"]), values["seed"]
    name, settings = chosen(values)
    key, turns = publishing.key(source, seed, name, settings), publishing.bill(source, values)
    bill, last, bound = next(turns), 0.5, publishing.bounded(source, seed)  # last: the attack's share of the time
    if values["variant"] == "dpps" and MEMORY.known(key) is None:
        train, model, last = fold(source, PROTOCOL, seed).train, None, 0.05
        walk = configured(get(name).system, settings).steps(train, stream(seed, "fit"))
        for turn, (progress, model) in enumerate(walk, 1):
            if progress < 1 and turn % EVERY == 0:
                found = evaluate(model, fold(source, PROTOCOL, seed))
                yield progress * (1 - last), _result(source, values, model, found, bill, bound)
        MEMORY.get(key, lambda: model)
    model = publishing.published(source, seed, name, settings)
    found = publishing.scored(source, seed, name, settings)
    if not bound:
        yield 1 - last, _result(source, values, model, found, bill, bound)
    result = _result(source, values, model, found, bill, bound=True)
    if bill.attacked is None:
        yield 1 - last, result
        result = replace(result, bill=next(turns))
    yield 1.0, result


def _result(source: Dataset, values: Values, model: Any, found: Scores, bill: Bill, bound: bool) -> Result:
    """All of the screen, with or without what the model without privacy says: that takes longest to train."""
    seed, (name, settings) = values["seed"], chosen(values)
    own = found.per_user["rmse"]
    floors = publishing.floors(source, seed, bound)
    without = publishing.published(source, seed, FLOORS["bound"], {}) if bound else None
    noise = None
    if "noise_only" in settings and name != "dpps-pnbm":
        noise = publishing.scored(source, seed, name, settings | {"noise_only": True}).metrics["rmse"]
    film = values["film"][0] if values["film"] else int(films.adas(source)[1])
    title = films.spoken(source, np.array([film]))[0]
    return Result(
        **values, error=total(own), interval=interval(own), versus=paired(own, floors["private-popularity"]),
        floors={role: total(errors) for role, errors in floors.items()}, noise=noise,
        **publishing.moved(source, seed, values["iterations"], values["floor"]), title=title,
        alike=publishing.alike(source, model, film),
        alike_bound=publishing.alike(source, without, film) if bound else (), bill=bill,
    )  # fmt: skip


# ------------------------------------------------------------------------------------- words, numbers


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    return f"{_error(result)} {_floor(result)}{_noise(result)}"


def _error(result: Result) -> str:
    declared = f"At a declared ε of {setting(result.epsilon)}"
    if result.variant in SAMPLED:
        declared = f"At a declared ε of {setting(result.epsilon)} × {TAU}"
    who = "noise with no ratings in it" if result.noise_only else {
        "paper": "the printed algorithm", "repaired": "the repaired algorithm",
    }.get(VARIANTS[result.variant][1], VARIANTS[result.variant][2])  # fmt: skip
    return f"{declared} the error of {who} is {stars(result.error)}."


def _floor(result: Result) -> str:
    floor = stars(result.floors["private-popularity"])
    return f"It {result.versus.verb} a similarity that learned nothing, {floor} (on the real film averages)"


def _noise(result: Result) -> str:
    if result.noise is None or result.noise_only:
        return "."
    return f"; the same noise with no ratings in it: {stars(result.noise)}."


def brief(result: Result) -> str:
    """The same on a small screen."""
    return (f"ε = {setting(result.epsilon)}: {stars(result.error)}; it {result.versus.verb} what learned nothing, "
            f"{stars(result.floors['private-popularity'])}.")  # fmt: skip


def say_moved(result: Result) -> str:
    """How far one rating moves the release, in words."""
    return (f"One changed rating moves the published gradient {times(float(np.median(result.moved)))} as far as the "
            f"noise was sized for, for half of {count(len(result.moved))} people or more, and {times(result.crafted)} "
            "for a made-up person.")  # fmt: skip


def say_people(result: Result) -> str:
    """What more people buy, in words."""
    lines = {line.label: line for line in crowds(result.unit)}
    whole = "whole people" if result.unit == "user" else "one rating"
    ends = " and ".join(f"{name} from {stars(line.y[0])} to {stars(line.y[-1])}" for name, line in lines.items())
    return f"At ε = 1 for {whole}, from one town to {count(lines['averages'].x[-1])}: {ends}."


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    assert result.noise is not None
    worse = result.noise - result.error
    return (f"You said {PREDICT.answers[answer].lower()}. With the ratings {result.error:.3f}, without them "
            f"{result.noise:.3f}: {abs(worse):.3f} stars {'worse' if worse > 0 else 'better'}. What learns nothing at "
            f"all, and adds no noise, is off by {result.floors['private-popularity']:.3f}.")  # fmt: skip


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
    rivals: snippets.Systems = [chosen(values), ("uniform-similarity", {})]
    return snippets.trained(values, PROTOCOL, rivals, "{metrics['rmse']:.3f}")


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    tag = f"{result.data} {result.variant} {result.unit if 'protects' in VARIANTS[result.variant][3] else ''}"
    return Mark({"error": (result.epsilon, result.error)}, tag=tag)


# ------------------------------------------------------------------------------------------- figures


def role(result: Result) -> tuple[str, str]:
    """Role and name of what is on show; noise alone is nobody's."""
    _, role, name, _ = VARIANTS[result.variant]
    return role, "noise alone" if result.noise_only else name


def differs(other: Result, shown: Result) -> str:
    """What sets a comparison apart."""
    return "with ratings" if shown.noise_only and not other.noise_only else role(other)[1]


def draw_error(result: Result, look: Look) -> dict[str, Any]:
    noise = None if result.noise_only else result.noise
    return plots.error_by_epsilon(look, result.epsilon, result.error, result.interval, result.floors, noise)


def draw_moved(result: Result, look: Look) -> dict[str, Any]:
    return plots.movement(replace(look, role="paper"), result.moved, result.crafted)


def draw_people(result: Result, look: Look) -> dict[str, Any]:
    return plots.people(look, crowds(result.unit), result.floors)


def draw_alike(result: Result, look: Look) -> str:
    return plots.neighbours(result.title, result.alike, result.alike_bound, look.large)


# ------------------------------------------------------------------------------------------ controls

EPSILONS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
SIZES = (10, 20, 30, 50, 100, 200, 300, 500, 700, 1000, 1400, 1681)


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
    Control("floor", "Floor C", "number", DEFAULTS["floor"], 1.0, 20.0, (1, 2, 5, 10, 15, 20), place="more", cost=_cost,
            active=_takes("floor"), hint="The least that a person's weights are taken to add up to."),
    Control("film", "A film", "films", DEFAULTS["film"], 0, 1, place="more", options=_films, ends=("Blade Runner", ""),
            hint="Whose ten neighbours are listed."),
    controls.unit(("rating", "one rating"), ("user", "all of yours")),
    controls.data("ml-100k", "synthetic"),
    controls.seed(_cost),
)  # fmt: skip

PREDICT = Predict(
    "At a declared ε of 1 the server adds noise to what it learned from 80 000 ratings. Leave the ratings out and keep "
    "the noise. How much worse do the predictions get?",
    ("Much worse, a tenth of a star or more", "A little, a few hundredths", "About the same, a hundredth or less"),
    reply,
    hides=("noise alone",),
)

STARTS = (
    Try("The switch, at ε = 1", {"noise_only": True}, "Flip it back and forth. Then go to ε = 20 and do it again."),
    Try("Averages with noise", {"variant": "means"}, "No film is compared with any other, and what is published holds "
        "its ε. Where does the dot stand beside the printed algorithm at the same ε?"),
    Try("A whole person", {"variant": "means", "unit": "user"}, "The bill is for all of your ratings now. Which ε does "
        "it take to reach the shelf?"),
    Try("The printed sampler", {"variant": "dpps"}, "Move ε from end to end. Does the dot move?"),
)  # fmt: skip

EXPLORER = Explorer(
    stem="dp_pnbm",
    title="How much of this accuracy did the ratings pay for?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("error", "How far off are the predictions?", draw_error, "main", 340, axis="epsilon"),
        Figure("moved", "What one rating moves, against what the noise was sized for", draw_moved, say=say_moved),
        Figure("alike", "The ten films most alike", draw_alike),
        Figure("people", "How many people does it take?", draw_people, "path", 340, say=say_people),
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
