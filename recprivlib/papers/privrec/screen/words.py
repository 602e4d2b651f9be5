"""A `Result` of dashboard `privrec` in sentences."""

from __future__ import annotations

from recprivlib.dashboard.contract import Predict
from recprivlib.papers.privrec.screen import pulls
from recprivlib.papers.privrec.screen.compute import Result
from recprivlib.plots.numerals import count, epsilon, percent, times


def say(result: Result) -> str:
    """What the screen shows, in words."""
    system = result.system
    pushed = (f"Each round {count(system.cohort)} phones move the model {_far(result.pull)} the bound S, and the noise "
              f"{_far(result.ratio)} S")  # fmt: skip
    verdict = "further than any phone may" if result.ratio > 1 else "less far than one phone may"
    own = result.now["tight" if system.sampling == "fixed-size" else "Poisson"]
    billed = f"The paper's bill says ε = {epsilon(result.now['printed'])}, the tight one {epsilon(own)}."
    return f"{pushed}: {verdict}. {billed}{_found(result)}"


def _far(ratio: float) -> str:
    return f"{times(ratio).rstrip('×')} times as far as" if ratio >= 1 else f"{percent(ratio)} as far as"


def _found(result: Result) -> str:
    if not result.hits:
        return ""
    turn, hits = result.hits[-1]
    popular, random = result.levels["popularity"], result.levels["random"]
    close = ", about as many as by chance" if hits < 2 * random else ""
    return f" After {count(turn)} rounds it finds {percent(hits)} of next films{close}; popularity: {percent(popular)}."


def brief(result: Result) -> str:
    """The same on a small screen."""
    return (f"{count(result.system.cohort)} phones, {count(result.weights)} weights: the noise goes "
            f"{_far(result.ratio)} S. ε printed {epsilon(result.now['printed'])}, tight "
            f"{epsilon(result.now['tight'])}.")  # fmt: skip


def say_path(result: Result) -> str:
    """The clipping bound, in words."""
    return (f"The bound begins at {result.bounds[0]:.3g}. After {count(result.turns[-1])} rounds it is "
            f"{result.bounds[-1]:.2g}; the quantile it looks for is {result.wanted[-1]:.2g}.")  # fmt: skip


def say_bill(result: Result) -> str:
    """The bill, in words."""
    now = result.now
    return (f"After {count(result.system.rounds)} rounds of {count(result.system.cohort)} among {count(result.people)} "
            f"people, at δ = 1 in 100 000: printed {epsilon(now['printed'])}, tight {epsilon(now['tight'])}, on "
            f"Poisson cohorts {epsilon(now['Poisson'])}.")  # fmt: skip


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    m, d = result.system.cohort, result.weights
    small, many = pulls.ratio(result.system, d // 10, m), pulls.ratio(result.system, d, 10 * m)
    return (f"You said: {PREDICT.answers[answer]}. The noise is made for S, so S changes nothing: "
            f"{times(result.ratio)}. With a tenth of the weights: {times(small)}. With ten times the phones: "
            f"{times(many)}.")  # fmt: skip


PREDICT = Predict(
    "The noise of a round is several times as long as the bound S. Ten times the phones bring it below S. What of a "
    "tenth of S, and a tenth of the weights?",
    ("Both help", "Only the smaller S", "Only fewer weights"),
    reply,
)
