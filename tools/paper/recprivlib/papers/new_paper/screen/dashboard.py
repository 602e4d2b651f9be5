"""Dashboard `new_paper`: what does a count cost?"""

from __future__ import annotations

from typing import Any

from recprivlib.dashboard import bills, controls, snippets
from recprivlib.dashboard.contract import Control, Explorer, Figure, Mark, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.papers.new_paper.screen import figures as plots
from recprivlib.papers.new_paper.screen.compute import (
    DEFAULTS,
    METRIC,
    PROTOCOL,
    SYSTEM,
    Result,
    compute,
    curve,
    settings_of,
    table,
)
from recprivlib.papers.new_paper.screen.words import PREDICT, brief, say
from recprivlib.plots.look import Look


def snippet(values: Values) -> str:
    """Python that prints the numbers of the sentence, from the library's own parts."""
    systems: snippets.Systems = ((SYSTEM, settings_of(values)), ("popularity", {}))
    return snippets.trained(values, PROTOCOL, systems, f"{{metrics['{METRIC}']:.3f}}")


def mark(result: Result) -> Mark:
    """The dot this move leaves behind."""
    return Mark({"rate": (result.epsilon, result.rate)}, tag=f"{result.cap} {result.data}")


def role(result: Result) -> tuple[str, str]:
    """Role and name of what is on show."""
    return "paper", "noisy counts"


def draw_rate(result: Result, look: Look) -> dict[str, Any]:
    return plots.rate_by_epsilon(look, result.epsilon, result.rate, result.interval, result.levels)


def effort(values: Values) -> float:
    """Seconds of a processor that a step takes about, where nothing of it is remembered."""
    return 3.0 if values["data"] == "ml-1m" else 0.3


CONTROLS = (
    Control("epsilon", "ε of a person", "number", DEFAULTS["epsilon"], 0.1, 8, controls.EPSILONS, log=True,
            place="axis", figure="rate", ends=controls.ENDS, spoken=lambda e: f"epsilon {e:g} a person"),
    Control("cap", "Films a person counts", "integer", DEFAULTS["cap"], 1, 50, (1, 2, 5, 10, 20, 50), log=True,
            ends=("few, little noise", "many, more noise"), spoken=lambda cap: f"at most {cap} films a person"),
    controls.data("ml-100k", "ml-1m", "synthetic"),
    controls.seed(),
)  # fmt: skip


STARTS = (
    Try("One film a person", {"cap": 1}, "The noise falls to a fifth. Is the list better for it?"),
    Try("Hardly any budget", {"epsilon": 0.1}, "The noise is as large as most counts. Which films stay on top?"),
)


EXPLORER = Explorer(
    stem="new_paper",
    title="What does a count cost?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure(
            "rate",
            "Is the next film on the list?",
            draw_rate,
            "main",
            340,
            axis="epsilon",
            say=brief,
            controls=("epsilon", "cap", "data", "seed"),
        ),
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
    curve_over=("epsilon", "seed"),
    effort=effort,
    reseed="seed",
    brief=brief,
    still={"epsilon": (0.1, 0.3, 1, 3, 8)},
)
