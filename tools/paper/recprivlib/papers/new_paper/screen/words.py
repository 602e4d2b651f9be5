"""A `Result` of dashboard `new_paper` in sentences."""

from __future__ import annotations

from recprivlib.dashboard.contract import Predict
from recprivlib.papers.new_paper.screen.compute import Result
from recprivlib.plots.numerals import percent, setting


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    own, popular = percent(result.rate), percent(result.levels["popularity"])
    return (
        f"For ε = {setting(result.epsilon)} a person, at most {result.cap} of her films are counted. "
        f"The list finds {own} and {result.versus.verb} exact counts, {popular}."
    )


def brief(result: Result) -> str:
    """The same on a small screen."""
    return f"At ε = {setting(result.epsilon)} the list finds {percent(result.rate)}."


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    own, popular = percent(result.rate), percent(result.levels["popularity"])
    return f"You said {PREDICT.answers[answer].lower()} It finds {own}; exact counts find {popular}."


PREDICT = Predict(
    "A server adds noise to every count, ε = 1 for all that a person ever met. How good is its list still?",
    ("Useless.", "Half as good.", "As good as before."),
    reply,
)
