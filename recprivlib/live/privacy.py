"""Dashboard 5.2, the mechanism lab: after one answer, how sure can an attacker be about you?

One move runs the real release of one mechanism in two worlds, attacks it, certifies what the attack shows, and puts
the claim and the bill beside it. The reader plays the same attacker first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from recprivlib.accounting import guarantee
from recprivlib.accounting.curves import accountants, over_counts
from recprivlib.audit import Certificate, ceiling, certify, climb, mechanism_ledger, roc
from recprivlib.audit.bounds import DECIDES, SHOWN, lower_limit, upper_limit
from recprivlib.audit.verdicts import exact_epsilon, verdict
from recprivlib.live import lab
from recprivlib.live.contract import Control, Cost, Explorer, Figure, Game, Mark, Try, Values, View
from recprivlib.live.lab import SUBJECTS
from recprivlib.live.memory import MEMORY
from recprivlib.mechanisms.losses import NoBound
from recprivlib.plots import privacy as plots
from recprivlib.plots.numerals import best_guess, count, epsilon, one_in, percent, setting
from recprivlib.plots.palette import themed
from recprivlib.plots.strip import Strip, strip

TERMS = {
    ("interaction", "add-remove"): "one click, there or not",
    ("rating", "replace-value"): "one number, changed",
}
EPSILONS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 1.7, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8)
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
TRIES = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
DELTAS = (0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
DRAGGED = 100_000  # tries that a drag may cost, and ten times as many releases
ROWS = 20  # of the attacker's curve in the table, about
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
    attacked: float
    ceiling: float
    rungs: tuple[tuple[int, float], ...]
    claimed: float
    counted: float
    verdict: str
    terms: str
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
) -> Result:
    """Release in both worlds, attack, certify; count what the mechanism states, and what it claims."""
    subject = SUBJECTS[mechanism]
    made = subject.make(epsilon)
    here = delta if releases > 1 else 0.0  # one answer of pure ε needs no δ
    tries = lab.affordable(mechanism, tries, releases)
    attack, worlds = lab.worlds(made, releases, tries, seed)
    shown = certify(worlds, here, SHOWN)
    ledger = mechanism_ledger(mechanism, made, releases)
    unit, relation = terms = (made.claimed.unit, made.claimed.relation)
    bill = guarantee(ledger, unit, relation, here, "server")
    # Whoever claims ε for one answer claims n·ε for n of them, at every δ.
    claim = replace(made.claimed, epsilon=releases * made.claimed.epsilon, delta=here, counts="whole run")
    exact = exact_epsilon(ledger, unit, relation) if releases == 1 else None
    word, _ = verdict(claim, bill, certify(worlds, here, DECIDES).epsilon(DECIDES), exact)
    rungs = tuple((rung.trials, rung.epsilon) for rung in climb(worlds, here))
    return Result(
        mechanism, epsilon, releases, here, tries, seed, attack, lab.right_guesses(*worlds), _seen(worlds, shown),
        shown.epsilon(SHOWN), ceiling(shown.trials, here), rungs, claim.epsilon, bill.epsilon, word, TERMS[terms],
        _bills(made, delta), *lab.shares(subject, made, seed),
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
            f"{percent(result.right)} of our tries; {limit}.")  # fmt: skip
    if result.releases == 1:
        return f"{told} Asked {AGAIN} times, the same promise allows {percent(lab.allowed(result.epsilon, AGAIN))}."
    added, exact = epsilon(result.claimed), epsilon(result.counted, "upper")
    if result.counted > 0.98 * result.claimed:
        return f"{told} The answers add up to ε = {added}."
    return (f"{told} Adding up says ε = {added}; counted exactly it is {exact}, apart from a chance of "
            f"{one_in(result.delta)}.")  # fmt: skip


def _leaky(result: Result) -> str:
    share = lab.allowed(result.epsilon, result.releases)
    allowed = "nearly everything" if share >= lab.SURE else f"at most {percent(share)}"
    told = (f"Asked {_asked(result)} at a claimed ε of {setting(result.epsilon)}, which allows {allowed}, the attacker "
            f"was right in {percent(result.right)} of our tries")  # fmt: skip
    proved, leak = f"ε ≥ {epsilon(result.attacked, 'lower')}", result.subject.leak
    if result.attacked > result.claimed:
        return f"{told} and proves {proved} with {count(result.tries)} of them: broken, since {leak}."
    if result.verdict == "broken":
        return f"{told}. {count(result.tries)} of them prove only {proved}, but the exact ε is larger: {leak}."
    if result.attacked > 0.95 * result.ceiling:
        return (f"{told}. That proves {proved}, the most that {count(result.tries)} tries can show, and the claim is "
                f"{epsilon(result.claimed)}: not refuted here, and yet {leak}.")  # fmt: skip
    return f"{told}. That proves {proved} and the claim is {epsilon(result.claimed)}: not refuted here, and yet {leak}."


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    import pandas as pd

    seen, nothing = result.seen, math.nan
    rows: list[tuple] = [("roc", "certified event", *seen.event, seen.corner[1], nothing, "")]
    step = max(1, len(seen.false) // ROWS)
    rows += [("roc", "the attacker", false, hits, nothing, nothing, "")
             for false, hits in zip(seen.false[::step], seen.hits[::step], strict=True)]  # fmt: skip
    for world, shares in zip(result.subject.worlds, (result.zero, result.one), strict=True):
        rows += [("outputs", f"secret {world}", outcome, share, nothing, nothing, "")
                 for outcome, share in zip(result.subject.outcomes, shares, strict=True)]  # fmt: skip
    for name, (label, _, _) in plots.METHODS.items():
        rows += [("bill", label, n, value, nothing, nothing, "")
                 for n, value in zip(COUNTS, result.bills[name], strict=True)]  # fmt: skip
    rows += [("bound", "attacked, at least", tries, bound, nothing, nothing, "") for tries, bound in result.rungs]
    for name in ("claimed", "counted", "attacked", "ceiling"):
        rows.append(("bound", name, result.tries, getattr(result, name), nothing, nothing, ""))
    return pd.DataFrame(rows, columns=["figure", "series", "x", "y", "low", "high", "note"])


def snippet(values: Values) -> str:
    """Python that prints the numbers of the strip, from the library's own parts."""
    made = SUBJECTS[values["mechanism"]].make(values["epsilon"])
    count, tries = values["releases"], lab.affordable(values["mechanism"], values["tries"], values["releases"])
    delta = values["delta"] if count > 1 else 0.0
    return f"""from {type(made).__module__} import {type(made).__name__}
from recprivlib.audit import audit

found = audit({made!r}, count={count}, trials={tries}, delta={delta}, seed={values["seed"]})
print("claimed ", found.claimed.epsilon)
print("counted ", found.counted.epsilon, found.counted.why_infinite)
print("attacked", found.attacked.epsilon_lower, "of at most", found.attacked.ceiling)
"""


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    points = {"roc": result.seen.event, "bound": (float(result.tries), result.attacked)}
    if math.isfinite(result.counted):
        points["bill"] = (float(result.releases), result.counted)
    return Mark(points, tag=result.mechanism)


# ------------------------------------------------------------------------------------------- figures


def _trail(result: Result, view: View, figure: str) -> list[tuple[float, float]]:
    return [m.points[figure] for m in view.trail if m.tag == result.mechanism and figure in m.points]


def _look(view: View) -> plots.Look:
    return plots.Look(view.filled, view.narrow, view.large)


def draw_roc(result: Result, view: View) -> dict[str, Any]:
    asked = "" if result.releases == 1 else f", {count(result.releases)} times"
    false, hits = lab.frontier(result.epsilon, result.releases)
    region = plots.Region(f"ε = {setting(result.epsilon)}{asked}", tuple(false), tuple(hits))
    return themed(plots.roc(_look(view), region, result.seen, _trail(result, view, "roc")), view.theme)


def draw_outputs(result: Result, view: View) -> dict[str, Any]:
    subject = result.subject
    figure = plots.outputs(_look(view), subject.worlds, subject.outcomes, result.zero, result.one)
    return themed(figure, view.theme)


def draw_bill(result: Result, view: View) -> dict[str, Any]:
    now = plots.Now(result.releases, result.counted, result.attacked)
    return themed(plots.bill(_look(view), COUNTS, result.bills, now, _trail(result, view, "bill")), view.theme)


def draw_bound(result: Result, view: View) -> dict[str, Any]:
    figure = plots.climb(
        _look(view), result.tries, result.attacked, result.ceiling, result.rungs, result.claimed, result.counted,
        _trail(result, view, "bound"),
    )  # fmt: skip
    return themed(figure, view.theme)


def draw_strip(result: Result, view: View) -> str:
    return strip(Strip(
        claimed=result.claimed, counted=result.counted, attacked=result.attacked, ceiling=result.ceiling,
        tries=result.tries, delta=result.delta, why_infinite=result.subject.leak, verdict=result.verdict,
        unit=result.terms, trust="nobody (local)",
        span="one answer" if result.releases == 1 else f"{count(result.releases)} answers",
    ))  # fmt: skip


# ------------------------------------------------------------------------------------------ controls


def _cost(values: Values) -> Cost:
    tries = lab.affordable(values["mechanism"], values["tries"], values["releases"])
    return "on release" if tries > DRAGGED or tries * values["releases"] > 10 * DRAGGED else "live"


CONTROLS = (
    Control("epsilon", "ε of one answer", "number", 1.0, 0.1, 8.0, EPSILONS, log=True, place="under", cost=_cost,
            ends=("more privacy, more noise", "less privacy, less noise"),
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
    Control("seed", "Draw", "seed", 0, 0, 9999, place="more"),
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
    figures=(
        Figure("roc", "Hits and false alarms", draw_roc, "main", 420),
        Figure("outputs", "One answer, two worlds", draw_outputs, "beside", 420),
        Figure("bill", "What many answers cost", draw_bill),
        Figure("bound", "What the attack can prove", draw_bound),
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=None,
    game=Game(lab.deal, ("mechanism", "epsilon", "releases"), "roc"),
    tries=TRIALS,
    strip=draw_strip,
    mark=mark,
    reseed="seed",
    still={"mechanism": tuple(SUBJECTS), "epsilon": (0.1, 0.5, 1.0, 2.0, 4.0), "releases": (1, 20)},
)
