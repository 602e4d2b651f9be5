"""Dashboard `privacy`, the mechanism lab: after one answer, how sure can an attacker be about you?

One move runs the real release of one mechanism in two worlds, attacks it, certifies what the attack shows, and puts
the claim and the bill beside it. The reader plays the same attacker first.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from recprivlib.dashboard import controls
from recprivlib.dashboard.contract import (
    Appearance,
    Control,
    Cost,
    Explorer,
    Figure,
    GuessingGame,
    Mark,
    Sketch,
    Try,
    Values,
)
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import tidy
from recprivlib.plots.climb import climb
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import best_guess, count, one_in, setting
from recprivlib.primers.privacy import figures as plots
from recprivlib.primers.privacy import lab, score
from recprivlib.primers.privacy.compute import COUNTS, Result, compute
from recprivlib.primers.privacy.lab import SUBJECTS
from recprivlib.primers.privacy.words import brief, say, say_asked, say_outputs, say_play, say_ratio

TRIES = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)


DELTAS = (0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)


DRAGGED = 100_000  # tries that a drag may cost, and ten times as many releases


ROWS = 20  # of the attacker's curve in the table, about


ALARMS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


AVERAGE = "ε is about the worst series of answers; how often an attacker is right is an average over all"


PLAYED = 3  # times ten rounds that the path holds ready


# ---------------------------------------------------------------------------------------------------- words, numbers


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    seen = result.seen
    rows: list[tuple] = [("roc", "certified event", *seen.event, seen.corner[1], math.nan)]
    step = max(1, len(seen.false) // ROWS)
    rows += [("roc", "the attacker", false, hits)
             for false, hits in zip(seen.false[::step], seen.hits[::step], strict=True)]  # fmt: skip
    for world, shares in zip(result.subject.worlds, (result.zero, result.one), strict=True):
        rows += [("outputs", f"secret {world}", outcome, share)
                 for outcome, share in zip(result.subject.outcomes, shares, strict=True)]  # fmt: skip
    for name, (label, _, _) in plots.METHODS.items():
        rows += [("bill", label, n, value) for n, value in zip(COUNTS, result.bills[name], strict=True)]
    return tidy(rows + result.bill.climbed())


def snippet(values: Values) -> str:
    """Python that prints the numbers of the strip, from the library's own parts."""
    made = SUBJECTS[values["mechanism"]].make(values["epsilon"])
    count, tries = values["releases"], lab.affordable(values["mechanism"], values["tries"], values["releases"])
    delta = values["delta"] if count > 1 else 0.0
    lines = f"""from {type(made).__module__} import {type(made).__name__}
from recprivlib.auditing import audit

mechanism = {made!r}
found = audit(mechanism, count={count}, trials={tries}, delta={delta}, seed={values["seed"]})
print("claimed ", found.claimed.epsilon)
print("counted ", found.counted.epsilon, found.counted.why_infinite)
"""
    if not values["alarms"]:
        return (
            lines
            + """print("attacked", found.attacked.epsilon_lower, "of at most", found.attacked.ceiling)
"""
        )
    return (
        lines
        + f"""
from recprivlib.auditing import certify
from recprivlib.dashboard import bills
from recprivlib.primers.privacy import lab, score

_, worlds = bills.worlds(mechanism, {count}, {tries}, {values["seed"]})
yours = certify(lab.ruled(mechanism, {count}, {values["alarms"]}, {values["seed"]}, worlds), {delta})
print("attacked", yours.epsilon(), "by your rule, of at most", found.attacked.ceiling)
"""
    )


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    points = {"roc": result.seen.event, "bound": (float(result.tries), result.bill.attacked)}
    if math.isfinite(result.bill.counted):
        points["bill"] = (float(result.releases), result.bill.counted)
    return Mark(points, tag=result.mechanism)


# ----------------------------------------------------------------------------------------------------------- figures


def draw_roc(result: Result, look: Look) -> dict[str, Any]:
    asked = "" if result.releases == 1 else f", {count(result.releases)} times"
    false, hits = lab.frontier(result.epsilon, result.releases)
    region = plots.Region(f"ε = {setting(result.epsilon)}{asked}", tuple(false), tuple(hits))
    return plots.roc(look, region, result.seen)


def draw_outputs(result: Result, look: Look) -> dict[str, Any]:
    return plots.outputs(look, result.subject.worlds, result.subject.outcomes, result.zero, result.one)


def draw_bill(result: Result, look: Look) -> dict[str, Any]:
    return plots.bill(look, COUNTS, result.bills, result.releases, result.bill.counted, result.bill.attacked)


def draw_bound(result: Result, look: Look) -> dict[str, Any]:
    bill = result.bill
    return climb(look, bill.tries, bill.attacked, bill.ceiling, bill.rungs, bill.claimed, bill.counted)


def draw_play(result: Result, look: Look) -> str:
    rng = np.random.default_rng([result.seed, PLAYED])
    values = {"mechanism": result.mechanism, "epsilon": result.epsilon, "releases": result.releases}
    deals = [lab.deal(values, rng) for _ in range(PLAYED)]
    rounds = [(one.shown, one.truth, one.best) for deal in deals for one in deal.rounds]
    return plots.play(deals[0].question, deals[0].answers, rounds, deals[0].ceiling)


def draw_asked(result: Result, look: Look) -> dict[str, Any]:
    share = [lab.allowed(result.epsilon, times) for times in COUNTS]
    return plots.asked(look, COUNTS, share, result.releases, lab.allowed(result.epsilon, result.releases))


def draw_ratio(result: Result, look: Look) -> dict[str, Any]:
    return plots.ratio(look, COUNTS, result.bills, result.releases)


def draw_score(result: Result, look: Look) -> str:
    return score.drawn(score.today())


def say_score(result: Result) -> str:
    return score.say(score.today())


def draw_strip(result: Result, view: Appearance) -> str:
    if result.releases == 1:
        return result.bill.drawn("one answer")
    return result.bill.drawn(f"{count(result.releases)} answers", AVERAGE)


# ---------------------------------------------------------------------------------------------------------- controls


def _cost(values: Values) -> Cost:
    tries = lab.affordable(values["mechanism"], values["tries"], values["releases"])
    return "on release" if tries > DRAGGED or tries * values["releases"] > 10 * DRAGGED else "live"


def effort(values: Values) -> float:
    """Seconds that a step takes about: every try of the attack draws every release."""
    return 0.05 + 1e-6 * values["tries"]


CONTROLS = (
    Control("epsilon", "ε of one answer", "number", 1.0, 0.1, 8.0, controls.EPSILONS, log=True, place="under",
            cost=_cost, ends=controls.ENDS,
            spoken=lambda e: f"epsilon {e:g}, nobody is right more than {100 * best_guess(e):.0f} percent"),
    Control("mechanism", "Mechanism", "choice", "randomized-response",
            choices=tuple((name, s.label if s.sound else f"leaky: {s.label}") for name, s in SUBJECTS.items())),
    Control("releases", "Answers", "integer", 1, 1, 1000, COUNTS, log=True, cost=_cost,
            ends=("asked once", "asked again and again"),
            spoken=lambda n: "asked once" if n == 1 else f"asked {n} times"),
    Control("tries", "Tries", "integer", 10_000, 100, 1_000_000, TRIES, log=True, cost=_cost,
            ends=("a hundred", "a million"), spoken=lambda n: f"{n} tries in either world"),
    Control("delta", "δ, from two answers on", "choice", 1e-5, place="more",
            choices=tuple((delta, "0" if delta == 0 else one_in(delta)) for delta in DELTAS),
            active=lambda values: values["releases"] > 1),
    controls.seed(),
    Control("alarms", "Your rule: false alarms", "number", 0.0, 0.0, 0.5, ALARMS, place="more",
            ends=("the program chooses", "half of all"),
            spoken=lambda share: f"{100 * share:.0f} percent false alarms" if share else "the program chooses"),
)  # fmt: skip


DRAWN = (1, 2, 5, 10, 20, 50, 100)


SKETCH = Sketch(
    "Asked n times at ε = 1, how often can anybody be right?", "asked", DRAWN,
    lambda _: tuple(lab.allowed(1.0, times) for times in DRAWN), 0.5, 1.0, at="n", least=5,
)  # fmt: skip


TRIALS = (
    Try("Truth or Laplace", {"mechanism": "laplace-or-truth", "tries": 200},
        "Raise the tries. The bound climbs with them and never stops: one honest answer is proof."),
    Try("Asked again and again", {"releases": 2, "epsilon": 0.1},
        "Move the answers to 1 000. Which of the four accountants is kindest to you?"),
    Try("Almost no hint", {"epsilon": 0.1}, "Play ten rounds, then ten more. Can you stay above 60 %?"),
    Try("Look at the last digits", {"mechanism": "float-laplace"},
        "You cannot see it, and neither can a histogram. The attacker sees which numbers noise can reach."),
)  # fmt: skip


ANSWERED = ("epsilon", "mechanism", "releases")  # what an answer comes from


EXPLORER = Explorer(
    stem="privacy",
    title="After one answer, how sure can I be about you?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("roc", "Hits and false alarms", draw_roc, "main", 420, controls=(*ANSWERED, "tries", "seed")),
        Figure(
            "outputs",
            "One answer, two worlds",
            draw_outputs,
            "beside",
            420,
            say=say_outputs,
            controls=("epsilon", "mechanism"),
        ),
        Figure("bill", "What many answers cost", draw_bill, axis="releases", controls=(*ANSWERED, "delta")),
        Figure(
            "bound",
            "What the attack can prove",
            draw_bound,
            axis="tries",
            controls=(*ANSWERED, "tries", "alarms", "seed"),
        ),
        Figure("play", "You are the attacker", draw_play, "path", say=say_play, controls=ANSWERED),
        Figure(
            "asked",
            "How often anybody can be right",
            draw_asked,
            "path",
            axis="releases",
            say=say_asked,
            controls=("epsilon", "releases"),
        ),
        Figure("score", "Planted bugs, by system", draw_score, "path", say=say_score, controls=()),
        Figure(
            "ratio",
            "How many times the exact bill",
            draw_ratio,
            "path",
            axis="releases",
            say=say_ratio,
            controls=(*ANSWERED, "delta"),
        ),
        mark=mark,
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=None,
    game=GuessingGame(lab.deal, ("mechanism", "epsilon", "releases"), "roc"),
    tries=TRIALS,
    strip=draw_strip,
    mark=mark,
    effort=effort,
    reseed="seed",
    brief=brief,
    sketch=SKETCH,
    still={"mechanism": tuple(SUBJECTS), "epsilon": (0.1, 0.5, 1.0, 2.0, 4.0), "releases": (1, 20)},
)
