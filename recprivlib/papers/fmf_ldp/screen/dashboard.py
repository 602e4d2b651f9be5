"""Dashboard `fmf_ldp`: what do two thousand tiny answers add up to?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.accounting.bills import small_delta
from recprivlib.dashboard import bills, controls
from recprivlib.dashboard.bills import Bill, Terms
from recprivlib.dashboard.contract import Control, Cost, Explorer, Figure, Mark, Predict, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import beside, tidy
from recprivlib.evaluation import Difference, Scores
from recprivlib.papers.dplcf.screen.figures import odds
from recprivlib.papers.fmf_ldp.screen import epochs
from recprivlib.papers.fmf_ldp.screen import figures as plots
from recprivlib.papers.fmf_ldp.screen.epochs import CROWDS, HIT, PROTOCOL, Point
from recprivlib.parameters import configured
from recprivlib.plots import committed
from recprivlib.plots.frontier import Line
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import best_guess, count, epsilon, percent, setting, word
from recprivlib.protocols import Sizes
from recprivlib.registry import get

# variant -> (system, role of its line, name)
VARIANTS = {
    "printed": ("fmf-ldp", "paper", "as printed"),
    "stable": ("fmf-ldp-stable", "repaired", "thawed"),
    "sign": ("item-sign", "beyond", "item and sign"),
}
YOU = Terms("user", "replace", "all of yours, exchanged for another's", tries=1000)
SET = ("epsilon", "k", "epochs", "factors")
# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {
    "epochs": 20,
    "variant": "printed",
    "epsilon": 2.5,
    "k": 100,
    "people": 943,
    "factors": 5,
    "seed": 0,
}


@dataclass(frozen=True)
class Result:
    """Everything the screen shows after some epochs."""

    variant: str
    epsilon: float
    k: int
    epochs: int
    people: int
    factors: int
    seed: int
    films: int
    points: tuple[Point, ...]
    interval: tuple[float, float]  # of the last hit rate, over those asked
    versus: Difference | None  # less popular, same people; None while epochs are still to come
    levels: Mapping[str, float]  # role -> hit rate of a yardstick
    everywhere: float  # popularity in the whole catalogue
    course: Mapping[str, tuple[float, ...]]  # the bill after each epoch, in four currencies
    delta: float
    bill: Bill

    @property
    def done(self) -> int:
        return len(self.points)


# ------------------------------------------------------------------------------------------- compute


def compute(**moved: Any) -> Result:
    """Train over all epochs, ask everybody for bits in each, and look after each how good the lists are."""
    *_, (_, result) = steps(**moved)
    return result


def steps(**moved: Any) -> Iterator[tuple[float, Result]]:
    """The same, epoch by epoch."""
    values = DEFAULTS | moved
    system = _system(values)
    for progress, points, found in epochs.trained(system, values["people"], values["seed"]):
        yield progress, _result(values, system, points, found)


def _settings(values: Values) -> tuple[str, dict[str, Any]]:
    return VARIANTS[values["variant"]][0], {name: values[name] for name in SET}


def _system(values: Values) -> Any:
    name, settings = _settings(values)
    return configured(get(name).system, settings)


def _result(values: Values, system: Any, points: tuple[Point, ...], found: Scores) -> Result:
    """All of the screen. Intervals are for what stands still."""
    people, seed, last = values["people"], values["seed"], len(points) == system.epochs
    popular, sizes = epochs.yardstick(people, seed, "popularity"), epochs.held_out(people, seed).train.sizes
    interval, versus = (points[-1].sampled,) * 2, None
    if last:
        interval, versus = beside(found.per_user[HIT], popular.per_user[HIT], seed)
    return Result(
        **values, films=sizes.items, points=points, interval=interval, versus=versus,
        levels=epochs.levels(people, seed), everywhere=popular.metrics[f"{HIT}/full"],
        course=epochs.course(system, sizes), delta=small_delta(sizes.users),
        bill=_bill(system, VARIANTS[values["variant"]][0], sizes, last),
    )  # fmt: skip


def _bill(system: Any, name: str, sizes: Sizes, last: bool) -> Bill:
    """Claimed and counted for a whole person; the attack plays when the run is over."""
    claimed = system.ledger(sizes).claimed
    terms = replace(YOU, other=claimed.counts if claimed else "")
    return bills.of_system(system, name, sizes, terms) if last else bills.promised(system, sizes, terms)


def curve(values: Values) -> Line | None:
    """The committed learning curve at these settings, from several draws."""
    name, settings = _settings(values)
    data, sizes = CROWDS[values["people"]]
    about = {"system": name, "metric": HIT, "data": data, "protocol": PROTOCOL}
    table = "fmf_ldp" if not sizes else "fmf_ldp_users"
    where = about | ({"users": sizes["users"], "items": sizes["items"]} if sizes else {})
    label, role = VARIANTS[values["variant"]][2], VARIANTS[values["variant"]][1]
    return committed.curve(table, where, settings, "epochs", f"{label}, mean", role, "mean of the seeds")


# ------------------------------------------------------------------------------------- words, numbers


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    sent, last = result.k * result.done, {name: values[result.done - 1] for name, values in result.course.items()}
    reports = f"{count(sent)} reports" if sent > 1 else "one report"
    billed = (f"By epoch {result.done} your phone has sent {reports}: ε = {epsilon(last['sum'])} added up, "
              f"{epsilon(last['exact'])} by the best exact sum, {epsilon(last['mixed'])} if an honest mixer shuffles "
              f"{count(result.people)} phones.")  # fmt: skip
    alone = f"One report alone: {word(result.epsilon)}."
    own, popular = percent(result.points[-1].sampled), percent(result.levels["popularity"])
    if result.versus is None:
        return f"{alone} {billed} So far the list finds {own}; just what is popular: {popular}."
    return f"{alone} {billed} The list finds {own} and {result.versus.verb} just what is popular, {popular}."


def brief(result: Result) -> str:
    """The same on a small screen."""
    own, popular = percent(result.points[-1].sampled), percent(result.levels["popularity"])
    spent = epsilon(result.course["sum"][result.done - 1])
    verb = result.versus.verb if result.versus else "stands beside"
    return f"Epoch {result.done}: ε = {spent} added up. The list finds {own} and {verb} what is popular, {popular}."


def say_one(result: Result) -> str:
    """One report, in words."""
    return (f"A report of ε = {setting(result.epsilon)} is one bit about one of {count(result.films * result.factors)} "
            f"cells. Who sees it, and had no idea before, is right {percent(best_guess(result.epsilon))} of the time "
            "at most.")  # fmt: skip


def say_bill(result: Result) -> str:
    """The bill, in words."""
    last = {name: epsilon(values[result.done - 1]) for name, values in result.course.items()}
    return (f"{count(result.k)} reports in each of {result.done} epochs: ε = {last['sum']} added up, {last['exact']} "
            f"by the best exact sum, {last['mixed']} if an honest mixer shuffles {count(result.people)} phones. The "
            f"paper counts one epoch: {last['epoch']}.")  # fmt: skip


def say_health(result: Result) -> str:
    """Why a run learns or does not, in words."""
    first, last = result.points[0], result.points[-1]
    return (f"From epoch 1 to {result.done} the vectors of films go from a length of {first.items:.2g} to "
            f"{last.items:.2g}, those of people from {first.users:.2g} to {last.users:.2g} (medians).")  # fmt: skip


def say_pools(result: Result) -> str:
    """What 99 strangers hide, in words."""
    last = result.points[-1]
    return (f"Among 99 strangers the list finds {percent(last.sampled)}, among all {count(result.films)} films "
            f"{percent(last.full)}. Just what is popular: {percent(result.levels['popularity'])} and "
            f"{percent(result.everywhere)}.")  # fmt: skip


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    return (f"You said {PREDICT.answers[answer]}. {count(result.k)} reports an epoch, {result.epochs} epochs, "
            f"{setting(result.epsilon)} each: {epsilon(result.course['sum'][-1])} for the run. The paper's "
            f"{epsilon(result.course['epoch'][-1])} is one epoch of it.")  # fmt: skip


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    rows: list[tuple] = []
    for epoch, point in enumerate(result.points, 1):
        ends = result.interval if epoch == result.done else (np.nan, np.nan)
        rows.append(("found in the top 10 of 100", "this server", epoch, point.sampled, *ends))
        rows.append(("found in the top 10 of all", "this server", epoch, point.full))
        sizes = (("films", point.items), ("people", point.users), ("clipped share", point.clipped))
        rows += [("sizes", name, epoch, value) for name, value in sizes]
    rows += [("found in the top 10 of 100", plots.NAMES[role], np.nan, value) for role, value in result.levels.items()]
    rows.append(("found in the top 10 of all", plots.NAMES["popularity"], np.nan, result.everywhere))
    for name, values in result.course.items():
        rows += [("bill", plots.CURRENCIES[name], epoch, value) for epoch, value in enumerate(values, 1)]
    return tidy(rows + result.bill.climbed())


def snippet(values: Values) -> str:
    """Python that prints the numbers of the sentence, from the library's own parts."""
    name, settings = _settings(values)
    data, sizes = CROWDS[values["people"]]
    size = "".join(f", {part}={value}" for part, value in sizes.items())
    return f'''from recprivlib.accounting import bill
from recprivlib.data import load
from recprivlib.evaluation import evaluate, split, stream
from recprivlib.parameters import configured
from recprivlib.registry import get

(fold,) = split(load("{data}"{size}).interactions, "{PROTOCOL}", seed={values["seed"]})
for name, settings in (("{name}", {settings!r}), ("popularity", {{}})):
    system = configured(get(name).system, settings)
    model = system.fit(fold.train, stream({values["seed"]}, "fit"))
    print(f"{{name}}: {{evaluate(model, fold, (10,), full=False).metrics['{HIT}']:.3f}}")
    costs = bill(get(name), system, fold.train.sizes)
    for one in [costs["counted"], *costs["also"]] if costs["counted"] else []:
        print(one["unit"], one["relation"], one["view"], one["delta"], f"{{one['epsilon']:.2f}}")
'''


def mark(result: Result) -> Mark:
    """The dot this move leaves behind."""
    return Mark({"rate": (result.done, result.points[-1].sampled)}, tag=f"{result.people} {result.variant}")


# ------------------------------------------------------------------------------------------- figures


def role(result: Result) -> tuple[str, str]:
    """Role and name of the variant on show."""
    return VARIANTS[result.variant][1:]


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


# ------------------------------------------------------------------------------------------ controls

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
    controls.seed(_cost),
)  # fmt: skip

PREDICT = Predict(
    "One report costs ε = 2.5. A phone sends 100 in every epoch, for 20 epochs. What does the whole run cost its "
    "owner?",
    ("ε = 2.5", "ε = 50", "ε = 250", "ε = 5 000"),
    reply,
)

STARTS = (
    Try("The same bits, thawed", {"variant": "stable"}, "Nothing changed in what phones may tell. Only the lengths of "
        "the vectors are kept in check."),
    Try("One report an epoch", {"k": 1}, "The bill falls to a hundredth. What is left of the list?"),
    Try("The price of a chart", {"epsilon": 0.4, "k": 1}, "Now the whole run costs ε = 8, as much as the private "
        "chart. Compare the two lines."),
)  # fmt: skip

EXPLORER = Explorer(
    stem="fmf_ldp",
    title="What do two thousand tiny answers add up to?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("rate", "Is the hidden film on the list? Split at random", draw_rate, "main", 340),
        Figure(
            "bill",
            "The bill of one person",
            lambda it, look: plots.bill_by_epoch(look, it.course, it.done),
            axis="epochs",
            say=say_bill,
        ),
        Figure("health", "Do the gradients still move anything?", draw_health, axis="epochs", say=say_health),
        Figure("pools", "Among 99 strangers, and among all films", draw_pools, axis="epochs", say=say_pools),
        Figure(
            "one",
            "Who sees one report is right",
            lambda it, look: odds(look, it.epsilon),
            "path",
            axis="epsilon",
            say=say_one,
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
