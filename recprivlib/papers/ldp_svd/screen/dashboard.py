"""Dashboard `ldp_svd`: does your rating cost ε1 + ε2?

One move sends Ada's stars and everybody's through the real release, lets the server learn from one fold of the five,
attacks one report, and puts the three numbers beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from recprivlib.dashboard import bills, controls, snippets
from recprivlib.dashboard.bills import Bill, Terms
from recprivlib.dashboard.contract import Card, Control, Cost, Explorer, Figure, Mark, Predict, Sketch, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import dataset, scored, tidy
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset
from recprivlib.evaluation import Difference, interval, paired, total
from recprivlib.mechanisms import RoundedOrTruth
from recprivlib.mechanisms.common import epsilon_of
from recprivlib.papers.ldp_svd.screen import figures as plots
from recprivlib.papers.ldp_svd.screen.reports import ADA, Heard, Tape, heard, tape
from recprivlib.papers.ldp_svd.system import STARS
from recprivlib.parameters import UserError, configured
from recprivlib.plots import committed
from recprivlib.plots.frontier import Line
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import count, epsilon, setting, stars
from recprivlib.primers.privacy import figures as privacy
from recprivlib.primers.privacy import lab
from recprivlib.protocols import Array
from recprivlib.registry import get

MECHANISMS = {  # name -> (label, role of its dot, as a sentence calls it)
    "laplace-rr": ("Laplace or truth", "paper", "Laplace or truth"),
    "laplace": ("Laplace", "paper", "Laplace"),
    "rounded": ("rounded to stars", "repaired", "rounding to stars"),
    "k-rr": ("five-star response", "repaired", "five-star response"),
    "duchi": ("Duchi's two ends", "repaired", "Duchi's two ends"),
    "piecewise": ("Piecewise", "repaired", "Piecewise"),
    "optimal": ("most telling channel", "beyond", "the most telling channel"),
}
NOISY = ("laplace-rr", "laplace")  # the paper's own: noise, then gradients
FLOORS = {"bound": "svd", "popularity": "item-mean", "random": "global-mean"}
TERMS = {
    "rating": Terms("rating", "replace-value", "one rating, changed"),
    "user": Terms("user", "replace-value", "all stars of a typical person, changed", other="one rating", tries=2000),
}
RESULTS, PROTOCOL = "ldp_svd", "kfold"
ASKED = ("mechanism", "epsilon1", "epsilon2", "epsilon", "equal", "unit", "data", "seed")
LEARNED = ("factors", "clip_reports", "clip_predictions", "scale")
# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {
    "mechanism": "laplace-rr",
    "epsilon1": 1.0,
    "epsilon2": 1.0,
    "equal": False,
    "epsilon": 1.0,
    "factors": 20,
    "clip_reports": False,
    "clip_predictions": True,
    "scale": "unit",
    "unit": "rating",
    "tries": 100_000,
    "data": "ml-100k",
    "seed": 0,
}


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    mechanism: str
    epsilon1: float
    epsilon2: float
    epsilon: float  # the true ε that is the same for all, where `equal`
    equal: bool
    unit: str
    ratings: int  # how many stars half of the people give at most
    data: str
    seed: int
    clipped: bool  # whether reports are cut to the stars there are
    tape: Tape
    heard: Heard
    error: float
    interval: tuple[float, float]  # over users
    versus: Difference  # less one guess for every film; where `equal`, less the most telling channel
    rival: float  # the error of that
    floors: Mapping[str, float]
    bill: Bill

    @property
    def honest(self) -> bool:
        """Whether this mechanism is held at an equal true ε."""
        return self.equal and self.mechanism != "laplace-rr"

    @property
    def at(self) -> float:
        """Where the dot stands: the claim, or the true ε."""
        if self.equal:
            return self.epsilon if self.honest else math.inf
        return self.bill.claimed

    @property
    def role(self) -> str:
        return "repaired" if self.honest and self.mechanism == "laplace" else MECHANISMS[self.mechanism][1]


# ------------------------------------------------------------------------------------------- compute


def chosen(values: Values) -> tuple[str, dict[str, Any]]:
    """The system behind these settings, and its parameters."""
    mechanism = values["mechanism"]
    if values["equal"] and mechanism != "laplace-rr":
        return "optimal-mf", {"epsilon": values["epsilon"], "mechanism": mechanism}
    budgets = {name: values[name] for name in ("epsilon1", "epsilon2")}
    learning = {name: values[name] for name in LEARNED}
    if mechanism == "laplace-rr":
        return "laplace-rr-svd", budgets | learning
    if mechanism == "laplace":
        return "laplace-svd", {"epsilon1": values["epsilon1"]} | learning
    if mechanism == "rounded":
        return "discrete-rr-mf", budgets
    return "optimal-mf", {"epsilon": round(sum(budgets.values()), 6), "mechanism": mechanism}


def compute(**moved: Any) -> Result:
    """Release, learn, attack."""
    values = DEFAULTS | moved
    source, seed = dataset(values["data"]), values["seed"]
    name, settings = chosen(values)
    system = configured(get(name).system, settings)
    made = system.ledger(replace(source.interactions.sizes, grid=STARS)).releases[0].mechanism
    clipped = values["clip_reports"] and _noisy(values)
    yours, against = _learned(source, seed, name, settings, values), _rival(source, seed, values)
    floors = {role: total(_learned(source, seed, floor, {}, values)) for role, floor in FLOORS.items()}
    return Result(
        **{part: values[part] for part in ASKED}, ratings=_ratings(source), tape=tape(made, seed, clipped),
        heard=heard(made), clipped=clipped,
        error=total(yours), interval=interval(yours), versus=paired(yours, against), rival=total(against),
        floors=floors, bill=_bill(source, system, made, values["unit"], values["tries"], seed),
    )  # fmt: skip


def _learned(source: Dataset, seed: int, name: str, settings: Mapping[str, Any], values: Values) -> Array:
    """Squared errors of a system on the fold, by user."""
    try:
        return scored(source, PROTOCOL, seed, name, settings).per_user["rmse"]
    except UserError as reason:
        if "diverged" not in str(reason):
            raise
        raise _diverged(values) from None


def _diverged(values: Values) -> Card:
    what = f"At ε1 = {setting(values['epsilon1'])} the training diverged: the noise is too large for its step."
    if values["clip_reports"]:
        return Card(f"{what} Reports on the 0–1 scale cure that.", {"scale": "unit"}, "learn on the 0–1 scale")
    other = " So does the 0–1 scale." if values["scale"] == "stars" else ""
    return Card(f"{what} Clip reports to the stars there are: that cures it.{other}", {"clip_reports": True},
                "clip reports")  # fmt: skip


def _rival(source: Dataset, seed: int, values: Values) -> Array:
    """What the sentence compares with."""
    if values["equal"] and values["mechanism"] != "laplace-rr":
        settings = {"epsilon": values["epsilon"], "mechanism": "optimal"}
        return _learned(source, seed, "optimal-mf", settings, values)
    return _learned(source, seed, "global-mean", {}, values)


def _ratings(source: Dataset) -> int:
    return int(np.median(np.bincount(source.interactions.users)))


def _bill(source: Dataset, system: Any, made: Any, unit: str, tries: int, seed: int) -> Bill:
    """Claimed, counted, attacked at one unit.

    A typical person: as many reports as the median. It is the cost of such a person, not a guarantee for everybody:
    half of the people give more, and without a public cap no finite ε holds for them.
    """
    alone = unit == "rating"
    releases = 1 if alone else _ratings(source)
    terms = replace(TERMS[unit], tries=tries) if alone else TERMS[unit]
    terms = terms if alone else replace(terms, said=f"{terms.said} ({count(releases)} of them)")

    def make() -> Bill:
        _, worlds = lab.worlds(made, releases, terms.tries, seed)
        ledger = replace(system, cap=None if alone else releases).ledger(replace(source.interactions.sizes, grid=STARS))
        return bills.of_worlds(ledger, terms, worlds)

    return MEMORY.get(("ldp_svd bill", made, terms, seed), make)


def curve(values: Values) -> Line | None:
    """The committed curve of this mechanism: five folds, several draws."""
    if values["equal"] and values["mechanism"] == "laplace-rr":
        return None
    name, settings = chosen(values)
    free = "epsilon" if "epsilon" in settings else "epsilon1"
    about = {"system": name, "metric": "rmse", "data": values["data"], "protocol": PROTOCOL}
    label, role, _ = MECHANISMS[values["mechanism"]]
    return committed.curve(RESULTS, about, settings, free, label, role, "five folds", x="claimed")


# ------------------------------------------------------------------------------------- words, numbers


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    error = f"On one fold of five the error is {stars(result.error)}"
    if result.honest:
        return f"{_same(result)} {error}{_beside_best(result)}."
    guess = f"it {result.versus.verb} one fixed guess for every film, {stars(result.rival)}"
    return f"{_claim(result)} {error}; {guess}."


def _claim(result: Result) -> str:
    """What the reports give away at this claim."""
    proofs, of = result.tape.proofs, len(result.tape.stars)
    if result.mechanism == "laplace-rr":
        claimed = f"Claimed ε = {setting(round(result.bill.claimed, 6))}"
        claimed += "; no true ε is finite, so none can be equal." if result.equal else "."
        if proofs == 0:
            return f"{claimed} None of these {of} reports is the exact rating; another draw will have some."
        these = f"All {of} reports are" if proofs == of else f"{proofs} of these {of} reports are"
        these = f"1 of these {of} reports is" if proofs == 1 else these
        cut = "; a 1 or a 5 may be noise that was cut" if result.clipped else ""
        return f"{claimed} {these} the exact rating, and the attacker knows which{cut}."
    if result.mechanism == "rounded":
        total_claim = setting(round(result.epsilon1 + result.epsilon2, 6))
        return (f"Every report is a whole star now and none is proof. The exact ε is "
                f"{epsilon(result.bill.counted, 'upper')}, not ε1 + ε2 = {total_claim}.")  # fmt: skip
    return f"Claimed ε = {setting(round(result.bill.claimed, 6))}, and it holds: none of these {of} reports is proof."


def _same(result: Result) -> str:
    name = MECHANISMS[result.mechanism][2]
    kinds = len(result.heard.names)
    if result.mechanism == "optimal" and kinds == 2:
        low, high = result.heard.names
        return f"At a true ε of {setting(result.epsilon)} the most telling report is one bit: {low} stars, or {high}?"
    if result.mechanism == "optimal":
        return f"At a true ε of {setting(result.epsilon)} the most telling report has {kinds} answers."
    return f"At a true ε of {setting(result.epsilon)}, {name} goes to the same server."


def _beside_best(result: Result) -> str:
    if result.mechanism == "optimal":
        return f"; one fixed guess for every film: {stars(result.floors['random'])}"
    return f"; it {result.versus.verb} the most telling channel, {stars(result.rival)}"


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    proofs, of = result.tape.proofs, len(result.tape.stars)
    return (f"You said {PREDICT.answers[answer].lower()}. Here it is {proofs} of {of}: whatever stands exactly on a "
            f"star was sent as it is, and noise never lands there.")  # fmt: skip


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


# ------------------------------------------------------------------------------------------- figures


def role(result: Result) -> tuple[str, str]:
    """Role and name of the mechanism on show."""
    return result.role, MECHANISMS[result.mechanism][0]


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
    return privacy.climb(look, bill.tries, bill.attacked, bill.ceiling, bill.rungs, bill.claimed, bill.counted)


STEPS = tuple(round(0.1 * at, 1) for at in range(1, 31))
DRAWN = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0)


@cache
def rounded(epsilon1: float, epsilon2: float) -> float:
    """The exact ε of one rounded report."""
    return float(epsilon_of(RoundedOrTruth(epsilon1, epsilon2).channel))


def draw_rounded(result: Result, look: Look) -> dict[str, Any]:
    here = rounded(result.epsilon1, result.epsilon2)
    return plots.price(look, STEPS, [rounded(e, e) for e in STEPS], result.epsilon1, here)


def say_rounded(result: Result) -> str:
    """What rounding costs, in words."""
    e1, e2 = setting(result.epsilon1), setting(result.epsilon2)
    total = setting(round(result.epsilon1 + result.epsilon2, 6))
    exact = epsilon(rounded(result.epsilon1, result.epsilon2), "upper")
    return f"Rounded to stars, a report at ε1 = {e1} and ε2 = {e2} has a true ε of {exact}. The sum says {total}."


SKETCH = Sketch(
    "What is its true ε, at ε1 = ε2 = x?", "rounded", DRAWN, lambda _: tuple(rounded(e, e) for e in DRAWN), 0.0, 8.0,
    at="x", percent=False, digits=1,
)  # fmt: skip


def brief(result: Result) -> str:
    """One sentence for a small screen."""
    if result.equal:
        return f"True ε = {setting(result.epsilon)}, {MECHANISMS[result.mechanism][2]}: error {stars(result.error)}."
    return f"{_claim(result)}".partition("; no true")[0]


# ------------------------------------------------------------------------------------------ controls

EPSILONS = tuple(epsilon for epsilon in controls.EPSILONS if epsilon >= 0.5)


def _cost(values: Values) -> Cost:
    return "on release" if values["data"] == "ml-1m" or values["tries"] > 100_000 else "live"


def _own(values: Values) -> bool:
    """Whether ε1 counts here; all of the paper's settings do where this is so."""
    return not values["equal"] or values["mechanism"] == "laplace-rr"


def _noisy(values: Values) -> bool:
    return _own(values) and values["mechanism"] in NOISY


def effort(values: Values) -> float:
    """Seconds that a step takes about: one decomposition, and the tries of the attack."""
    return (4.0 if values["data"] == "ml-1m" else 0.2) + 1e-6 * values["tries"]


CONTROLS = (
    Control("mechanism", "What a phone sends", "choice", DEFAULTS["mechanism"], cost=_cost,
            choices=tuple((name, label) for name, (label, *_) in MECHANISMS.items())),
    Control("epsilon1", "ε1, Laplace noise", "number", DEFAULTS["epsilon1"], 0.1, 3.0, STEPS, place="under", cost=_cost,
            ends=controls.ENDS,
            active=_own, spoken=lambda e: f"epsilon 1 is {e:g}"),
    Control("epsilon2", "ε2, the rating itself", "number", DEFAULTS["epsilon2"],
            0.1, 3.0, STEPS, cost=_cost, place="under",
            ends=("half the time", "nearly always"),
            active=lambda values: _own(values) and values["mechanism"] != "laplace",
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
            active=_noisy, ends=("averages only", "many tastes"), hint="The server of the other mechanisms uses 3."),
    Control("clip_reports", "Clip reports", "switch", DEFAULTS["clip_reports"], place="more", cost=_cost, active=_noisy,
            hint="Cuts reports to the stars there are. The paper does not say."),
    Control("clip_predictions", "Clip predictions", "switch", DEFAULTS["clip_predictions"],
            place="more", cost=_cost, active=_noisy),
    Control("scale", "The server learns", "choice", DEFAULTS["scale"], place="more", cost=_cost, active=_noisy,
            choices=(("unit", "from 0 to 1"), ("stars", "in stars"))),
    controls.unit(("rating", "one rating"), ("user", "all of yours")),
    Control("tries", "Tries of the attack", "choice", DEFAULTS["tries"], place="more", cost=_cost,
            choices=((10_000, "10 000"), (100_000, "100 000"), (1_000_000, "a million"))),
    controls.data("ml-100k", "ml-1m", "synthetic"),
    controls.seed(_cost),
)  # fmt: skip

PREDICT = Predict(
    f"At ε1 = ε2 = 1 the paper promises ε = 2. Ada's phone sends {len(ADA)} reports. Of how many can the attacker be "
    "certain?",
    ("None", "About 5", "About 15"),
    reply,
)

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

EXPLORER = Explorer(
    stem="ldp_svd",
    title="Does your rating cost ε1 + ε2?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("tape", "What Ada's phone sent, and what she gave", draw_tape, "main", 400),
        Figure("error", "How far off are the predictions?", draw_error, "beside", 400),
        Figure("channel", "What becomes of each star", draw_channel),
        Figure("bound", "What the attack proves", draw_bound),
        Figure("rounded", "The true ε of a rounded report", draw_rounded, "path", axis="epsilon1", say=say_rounded),
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
