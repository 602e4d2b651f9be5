"""A `Result` of dashboard `privrec` in sentences."""

from __future__ import annotations

from recprivlib.dashboard.contract import Predict
from recprivlib.papers.privrec.screen import pulls
from recprivlib.papers.privrec.screen.compute import DELTA, Result
from recprivlib.papers.privrec.screen.kept import BOUNDS, GAMMAS
from recprivlib.plots.numerals import bounded, count, many, one_in, percent, setting, times


def say(result: Result) -> str:
    """What the screen shows, in words."""
    system = result.system
    pushed = (f"Each round {count(system.cohort)} phones move the model {_far(result.pull)} the bound S, and the noise "
              f"{_far(result.ratio)} S")  # fmt: skip
    verdict = "further than any phone may" if result.ratio > 1 else "less far than one phone may"
    name = "tight" if system.sampling == "fixed-size" else "Poisson"
    printed, own = bounded(result.now["printed"]), bounded(result.now[name])
    billed = (
        f"For {count(result.people)} people the paper's bill says ε = {printed}, the {result.proved[name]} one {own}."
    )
    return f"{pushed}: {verdict}. {billed}{_found(result)}"


def _far(ratio: float) -> str:
    return f"{times(ratio).rstrip('×')} times as far as" if ratio >= 1 else f"{percent(ratio)} as far as"


def _found(result: Result) -> str:
    if not result.hits:
        return ""
    turn, hits = result.hits[-1]
    popular, random = result.levels["popularity"], result.levels["random"]
    close = ", about as many as by chance" if hits < 2 * random else ""
    return (
        f" After {many(turn, 'round')} it finds {percent(hits)} of next films{close}; popularity: {percent(popular)}."
    )


def brief(result: Result) -> str:
    """The same on a small screen."""
    name = "tight" if result.system.sampling == "fixed-size" else "Poisson"
    return (f"{count(result.system.cohort)} phones, {count(result.weights)} weights: the noise goes "
            f"{_far(result.ratio)} S. ε printed {bounded(result.now['printed'])}, {result.proved[name]} "
            f"{bounded(result.now[name])}.")  # fmt: skip


def say_path(result: Result) -> str:
    """The clipping bound, in words."""
    return (f"The bound begins at {length(result.bounds[0])}. After {many(result.turns[-1], 'round')} it is "
            f"{length(result.bounds[-1])}; the quantile it looks for is {length(result.wanted[-1])}.")  # fmt: skip


def say_kept(result: Result) -> str:
    """What whole trainings found with bounds that began here or there, in words."""
    system = result.system
    begun = f"a bound that begins at {length(system.clip_init)}, γ = {setting(system.unclipped_quantile)}"
    popular, random = (percent(result.levels[name]) for name in ("popularity", "random"))
    beside = f"popularity finds {popular}, chance {random}"
    if result.hits:
        turn, hits = result.hits[-1]
        return f"With {begun}: in this draw {percent(hits)} of next films after {many(turn, 'round')}; {beside}."
    there = dict(result.known.get(system.unclipped_quantile, ())).get(system.clip_init)
    if there is not None:
        return f"With {begun}: {percent(there)} of next films after {many(system.rounds, 'round')}; {beside}."
    if result.known and system.clip_init in BOUNDS and system.unclipped_quantile in GAMMAS:
        return f"With {begun} the training ended without numbers: it diverged. {beside.capitalize()}."
    return f"With {begun} nothing is committed: train it now. {beside.capitalize()}."


def length(value: float) -> str:
    """A length, to two digits."""
    return setting(float(f"{value:.2g}"))


def say_bill(result: Result) -> str:
    """The bill, in words."""
    now = result.now
    asked = (
        f"{many(result.system.rounds, 'round')} of {count(result.system.cohort)} among {count(result.people)} people"
    )
    best, poisson = (f"{result.proved[name]} {bounded(now[name])}" for name in ("tight", "Poisson"))
    return (f"After {asked}, at δ = {one_in(DELTA)}: printed {bounded(now['printed'])}, {best}; on Poisson cohorts, "
            f"where each phone tosses a coin to join, {poisson}.")  # fmt: skip


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    m, d = result.system.cohort, result.weights
    small, more = pulls.ratio(result.system, d // 10, m), pulls.ratio(result.system, d, 10 * m)
    return (f"You said: {PREDICT.answers[answer]}. The noise is made for S, so S changes nothing: "
            f"{times(result.ratio)}. With a tenth of the weights: {times(small)}. With ten times the phones: "
            f"{times(more)}.")  # fmt: skip


PREDICT = Predict(
    "The noise of a round is several times as long as the bound S. Ten times the phones bring it below S. What of a "
    "tenth of S, and a tenth of the weights?",
    ("Both help", "Only the smaller S", "Only fewer weights"),
    reply,
)
