"""What a move at dashboard `ldp_svd` computes: settings become a `Result`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.dashboard import bills
from recprivlib.dashboard.bills import BillLabel, ThreeNumbers
from recprivlib.dashboard.contract import Card, Values
from recprivlib.dashboard.folds import dataset, scored
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset
from recprivlib.evaluation import Difference, interval, paired, total
from recprivlib.papers.ldp_svd.screen.reports import Heard, Tape, heard, tape
from recprivlib.papers.ldp_svd.system import STARS
from recprivlib.parameters import UserError, configured
from recprivlib.plots import committed
from recprivlib.plots.frontier import Series
from recprivlib.plots.numerals import count, setting
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
    "rating": BillLabel("rating", "replace-value", "one rating, changed"),
    "user": BillLabel(
        "user", "replace-value", "all stars of a typical person, changed", other="one rating", tries=2000
    ),
}


RESULTS, PROTOCOL = "ldp_svd", "kfold"


ASKED = ("mechanism", "epsilon1", "epsilon2", "epsilon", "equal", "unit", "data", "seed")


LEARNED = ("factors", "epochs", "learning_rate", "clip_reports", "clip_predictions", "scale")


# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {
    "mechanism": "laplace-rr",
    "epsilon1": 1.0,
    "epsilon2": 1.0,
    "equal": False,
    "epsilon": 1.0,
    "factors": 20,
    "epochs": 20,
    "learning_rate": 0.005,
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
    bill: ThreeNumbers

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
    clipped = values["clip_reports"] and noisy(values)
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


def _bill(source: Dataset, system: Any, made: Any, unit: str, tries: int, seed: int) -> ThreeNumbers:
    """Claimed, counted, attacked at one unit.

    A typical person: as many reports as the median. It is the cost of such a person, not a guarantee for everybody:
    half of the people give more, and without a public cap no finite ε holds for them.
    """
    alone = unit == "rating"
    releases = 1 if alone else _ratings(source)
    terms = replace(TERMS[unit], tries=tries) if alone else TERMS[unit]
    terms = terms if alone else replace(terms, said=f"{terms.said} ({count(releases)} of them)")

    def make() -> ThreeNumbers:
        _, worlds = bills.worlds(made, releases, terms.tries, seed)
        ledger = replace(system, cap=None if alone else releases).ledger(replace(source.interactions.sizes, grid=STARS))
        return bills.of_worlds(ledger, terms, worlds)

    return MEMORY.get(("ldp_svd bill", made, terms, seed), make)


def curve(values: Values) -> tuple[Series | None, Series | None]:
    """The committed curves of this mechanism: at these settings, and with its dials searched."""
    if values["equal"] and values["mechanism"] == "laplace-rr":
        return None, None
    name, settings = chosen(values)
    free = "epsilon" if "epsilon" in settings else "epsilon1"
    about = {"system": name, "metric": "rmse", "data": values["data"], "protocol": PROTOCOL}
    label, role, _ = MECHANISMS[values["mechanism"]]
    given = about | {part: value for part, value in settings.items() if part == "mechanism"}
    alike = committed.tuned(RESULTS, given, free, role, x="claimed")
    return committed.curve(RESULTS, about, settings, free, label, role, "five folds", x="claimed"), alike


def role(result: Result) -> tuple[str, str]:
    """Role and name of the mechanism on show."""
    return result.role, MECHANISMS[result.mechanism][0]


def each_its_own(values: Values) -> bool:
    """Whether ε1 counts here; all of the paper's settings do where this is so."""
    return not values["equal"] or values["mechanism"] == "laplace-rr"


def noisy(values: Values) -> bool:
    return each_its_own(values) and values["mechanism"] in NOISY
