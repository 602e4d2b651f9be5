"""Dashboard `privacy`, the mechanism lab: after one answer, how sure can an attacker be about you?

One move runs the real release of one mechanism in two worlds, attacks it, certifies what the attack shows, and puts
the claim and the bill beside it. The reader plays the same attacker first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.accounting.curves import accountants, over_counts
from recprivlib.auditing import Certificate, certify, mechanism_ledger, roc
from recprivlib.auditing.bounds import SHOWN, lower_limit, upper_limit
from recprivlib.dashboard import bills, controls
from recprivlib.dashboard.bills import Bill, Terms
from recprivlib.dashboard.contract import Control, Cost, Explorer, Figure, Game, Mark, Sketch, Try, Values, View
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import tidy
from recprivlib.dashboard.memory import MEMORY
from recprivlib.mechanisms.losses import NoBound
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import best_guess, count, epsilon, one_in, percent, setting
from recprivlib.primers.privacy import figures as plots
from recprivlib.primers.privacy import lab
from recprivlib.primers.privacy.lab import SUBJECTS

TERMS = {
    ("interaction", "add-remove"): "one click, there or not",
    ("rating", "replace-value"): "one number, changed",
}
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
TRIES = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
DELTAS = (0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
DRAGGED = 100_000  # tries that a drag may cost, and ten times as many releases
ROWS = 20  # of the attacker's curve in the table, about
ALARMS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
AVERAGE = "ε is about the worst series of answers; how often an attacker is right is an average over all"
PLAYED = 3  # times ten rounds that the path holds ready
AGAIN = 20  # answers that the sentence warns of


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    mechanism: str
    epsilon: float
    releases: int
    delta: float  # what counts here: 0 for one answer
    tries: int
    seed: int
    attack: str
    right: float  # how often our attacker was right about a fair coin
    seen: plots.Seen
    bill: Bill
    bills: dict[str, tuple[float, ...]]
    zero: tuple[float, ...]
    one: tuple[float, ...]

    @property
    def subject(self) -> lab.Subject:
        return SUBJECTS[self.mechanism]


# ------------------------------------------------------------------------------------------- compute


def compute(
    mechanism: str = "randomized-response",
    epsilon: float = 1.0,
    releases: int = 1,
    tries: int = 10_000,
    delta: float = 1e-5,
    seed: int = 0,
    alarms: float = 0.0,
) -> Result:
    """Release in both worlds, attack, certify; count what the mechanism states, and what it claims."""
    subject = SUBJECTS[mechanism]
    made = subject.make(epsilon)
    here = delta if releases > 1 else 0.0  # one answer of pure ε needs no δ
    tries = lab.affordable(mechanism, tries, releases)
    attack, worlds = lab.worlds(made, releases, tries, seed)
    played = lab.ruled(made, releases, alarms, seed, worlds) if alarms else worlds
    ledger = mechanism_ledger(mechanism, made, releases)
    pair = (made.claimed.unit, made.claimed.relation)
    # Whoever claims ε for one answer claims n·ε for n of them, at every δ.
    claim = replace(made.claimed, epsilon=releases * made.claimed.epsilon, delta=here, counts="whole run")
    bill = bills.of_worlds(ledger, Terms(*pair, TERMS[pair], tries=tries), played, here, claim)
    return Result(
        mechanism, epsilon, releases, here, tries, seed, attack, lab.right_guesses(*worlds),
        _seen(worlds, certify(played, here, SHOWN)), replace(bill, why_infinite=subject.leak), _bills(made, delta),
        *lab.shares(subject, made, seed),
    )  # fmt: skip


def _seen(worlds: Any, shown: Certificate) -> plots.Seen:
    """The attacker's curve, and the certified event with the hits on the upright axis."""
    false, hits = roc(worlds)
    most = upper_limit(shown.misses, shown.trials, SHOWN / 2)
    least = lower_limit(shown.hits, shown.trials, SHOWN / 2)
    event, corner = (shown.false_positive_rate, shown.true_positive_rate), (most, least)
    if shown.event.side == "low":  # it names world 0: the same event, told as an alarm for world 1
        event, corner = (1 - event[1], 1 - event[0]), (1 - corner[1], 1 - corner[0])
    return plots.Seen(tuple(map(float, false)), tuple(map(float, hits)), event, corner)


def _bills(made: Any, delta: float) -> dict[str, tuple[float, ...]]:
    """The claim and three accountants over `COUNTS`; ∞ where there is nothing finite, or δ = 0 leaves no room."""

    def make() -> dict[str, tuple[float, ...]]:
        loss, claimed = made.loss(1.0), made.claimed.epsilon
        bills = {"basic": tuple(count * claimed for count in COUNTS)}
        if isinstance(loss, NoBound):
            return bills | {name: (math.inf,) * len(COUNTS) for name in plots.METHODS if name != "basic"}
        if delta == 0:
            pure = over_counts(loss, COUNTS, made.claimed.relation, 0.0)
            return bills | {"advanced": (math.inf,) * len(COUNTS), "RDP": (math.inf,) * len(COUNTS)} | {
                "tightest": tuple(map(float, pure))}  # fmt: skip
        found = accountants(loss, COUNTS, made.claimed.relation, delta)
        return bills | {name: tuple(map(float, found[name])) for name in plots.METHODS if name != "basic"}

    return MEMORY.get(("lab bills", made, delta), make)


# ------------------------------------------------------------------------------------- words, numbers


def say(result: Result) -> str:
    """What the screen shows, in words."""
    return _sound(result) if result.subject.sound else _leaky(result)


def _asked(result: Result) -> str:
    return "once" if result.releases == 1 else f"{count(result.releases)} times"


def _sound(result: Result) -> str:
    share = lab.allowed(result.epsilon, result.releases)
    limit = (
        "the promise no longer forbids that" if share >= lab.SURE else f"in the long run nobody beats {percent(share)}"
    )
    told = (f"Asked {_asked(result)} at ε = {setting(result.epsilon)}, the attacker was right in "
            f"{percent(result.right)} of our tries, give or take {percent(lab.luck(result.right, result.tries))}; "
            f"{limit}.")  # fmt: skip
    if result.releases == 1:
        return f"{told} Asked {AGAIN} times, the same promise allows {percent(lab.allowed(result.epsilon, AGAIN))}."
    added, exact = epsilon(result.bill.claimed), epsilon(result.bill.counted, "upper")
    if result.bill.counted > 0.98 * result.bill.claimed:
        return f"{told} The answers add up to ε = {added}."
    return (f"{told} Adding up says ε = {added}; counted exactly it is {exact}, apart from a chance of "
            f"{one_in(result.delta)}.")  # fmt: skip


def _leaky(result: Result) -> str:
    share = lab.allowed(result.epsilon, result.releases)
    allowed = "nearly everything" if share >= lab.SURE else f"at most {percent(share)}"
    told = (f"Asked {_asked(result)} at a claimed ε of {setting(result.epsilon)}, which allows {allowed}, the attacker "
            f"was right in {percent(result.right)} of our tries")  # fmt: skip
    bill, leak = result.bill, result.subject.leak
    proved, claimed, tries = f"ε ≥ {epsilon(bill.attacked, 'lower')}", epsilon(bill.claimed), count(result.tries)
    if bill.attacked > bill.claimed:
        return f"{told} and proves {proved} with {tries} of them: broken, since {leak}."
    if bill.verdict == "broken":
        return f"{told}. {tries} of them prove only {proved}, but the exact ε is larger: {leak}."
    if bill.attacked > 0.95 * bill.ceiling:
        return (f"{told}. That proves {proved}, the most that {tries} tries can show, and the claim is {claimed}: "
                f"not refuted here, and yet {leak}.")  # fmt: skip
    return f"{told}. That proves {proved} and the claim is {claimed}: not refuted here, and yet {leak}."


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
from recprivlib.primers.privacy import lab

_, worlds = lab.worlds(mechanism, {count}, {tries}, {values["seed"]})
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


# ------------------------------------------------------------------------------------------- figures


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
    return plots.climb(look, bill.tries, bill.attacked, bill.ceiling, bill.rungs, bill.claimed, bill.counted)


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


def say_outputs(result: Result) -> str:
    """One answer in two worlds, in words."""
    if not result.subject.sound:
        return f"At a claimed ε of {setting(result.epsilon)}: {result.subject.leak}."
    return (f"At ε = {setting(result.epsilon)} no answer is more than {math.exp(result.epsilon):.1f} times as likely "
            "in one world as in the other. Who believes it is right "
            f"{percent(best_guess(result.epsilon))} of the time at "
            "most.")  # fmt: skip


def say_play(result: Result) -> str:
    """What the player is asked, and nothing that answers it."""
    return (f"Asked {_asked(result)} at ε = {setting(result.epsilon)}: name the secret behind each answer. Your score "
            "stays on this page.")  # fmt: skip


def say_asked(result: Result) -> str:
    """Many answers, in words."""
    share = lab.allowed(result.epsilon, result.releases)
    most = "forbids nothing any more" if share >= lab.SURE else f"allows {percent(share)}"
    return (f"Asked {_asked(result)} at ε = {setting(result.epsilon)}, the promise {most}. Our attacker was right in "
            f"{percent(result.right)} of {count(result.tries)} tries.")  # fmt: skip


def say_ratio(result: Result) -> str:
    """How much an accountant wastes, in words."""
    at = max(n for n in COUNTS if n <= result.releases)
    added, exact = (result.bills[name][COUNTS.index(at)] for name in ("basic", "tightest"))
    if math.isinf(exact):
        return f"There is no finite ε to compare with: {result.subject.leak}."
    many = "one answer" if at == 1 else f"{count(at)} answers"
    told = f"{many} at ε = {setting(result.epsilon)}: added up {epsilon(added)}, exactly {epsilon(exact, 'upper')}"
    return f"{told[:1].upper()}{told[1:]}. The sum is {added / exact:.1f} times the exact bill."


def brief(result: Result) -> str:
    """The attack on a small screen."""
    bill = result.bill
    return (f"{count(result.tries)} tries prove ε ≥ {epsilon(bill.attacked, 'lower')} of at most "
            f"{epsilon(bill.ceiling)}; claimed {epsilon(bill.claimed)}. Right in {percent(result.right)}.")  # fmt: skip


def draw_strip(result: Result, view: View) -> str:
    if result.releases == 1:
        return result.bill.drawn("one answer")
    return result.bill.drawn(f"{count(result.releases)} answers", AVERAGE)


# ------------------------------------------------------------------------------------------ controls


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

EXPLORER = Explorer(
    stem="privacy",
    title="After one answer, how sure can I be about you?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("roc", "Hits and false alarms", draw_roc, "main", 420),
        Figure("outputs", "One answer, two worlds", draw_outputs, "beside", 420, say=say_outputs),
        Figure("bill", "What many answers cost", draw_bill, axis="releases"),
        Figure("bound", "What the attack can prove", draw_bound, axis="tries"),
        Figure("play", "You are the attacker", draw_play, "path", say=say_play),
        Figure("asked", "How often anybody can be right", draw_asked, "path", axis="releases", say=say_asked),
        Figure("ratio", "How many times the exact bill", draw_ratio, "path", axis="releases", say=say_ratio),
        mark=mark,
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=None,
    game=Game(lab.deal, ("mechanism", "epsilon", "releases"), "roc"),
    tries=TRIALS,
    strip=draw_strip,
    mark=mark,
    effort=effort,
    reseed="seed",
    brief=brief,
    sketch=SKETCH,
    still={"mechanism": tuple(SUBJECTS), "epsilon": (0.1, 0.5, 1.0, 2.0, 4.0), "releases": (1, 20)},
)
