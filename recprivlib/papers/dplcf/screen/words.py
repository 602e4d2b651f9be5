"""A `Result` of dashboard `dplcf` in sentences."""

from __future__ import annotations

from recprivlib.dashboard.contract import Predict
from recprivlib.papers.dplcf.screen import tries as pair
from recprivlib.papers.dplcf.screen.compute import METRICS, Result
from recprivlib.plots.numerals import apart, bare, best_guess, count, many, percent, setting


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    own, popular = result.yours.at(result.metric), result.popular.at(result.metric)
    phones = f"From {count(result.users)} such phones"
    if result.truth == 1:
        first = (f"At ε = {setting(result.epsilon)} every 'no' your phone sends is certainly true; of the films you "
                 f"never watched it claims {percent(1 - result.honest)}.")  # fmt: skip
    else:
        first = (f"At ε = {setting(result.epsilon)} your phone tells the truth about each film "
                 f"{percent(result.truth)} of the time.")  # fmt: skip
    kind, k = METRICS[result.metric]
    one, other = apart(own, popular, result.versus.verb, *((percent,) if kind == "hr" else (bare, 2)))
    if kind == "hr":
        what = (f"{phones}, {_who(result)} finds your next film {one} of the time in this draw, in its top "
                f"{k} of 100")  # fmt: skip
    else:
        what = f"{phones}, {_who(result)} reaches nDCG {one} in the top {k} of 100 in this draw"
    return f"{first} {what}; it {result.versus.verb} just what is popular, {other}."


def _who(result: Result) -> str:
    return {
        "sp": "the paper's server", "ap": "the paper's server", "ap-printed": "the server with the printed inverse",
        "blind": "a server blind to the noise", "feasible": "the server that keeps estimates feasible",
        "spectral": "the spectral server",
    }[result.server]  # fmt: skip


def brief(result: Result) -> str:
    """The same on a small screen."""
    own, popular = (rates.at(result.metric) for rates in (result.yours, result.popular))
    kind, verb = METRICS[result.metric][0], result.versus.verb
    one, other = apart(own, popular, verb, *((percent,) if kind == "hr" else (bare, 2)))
    does = "finds" if kind == "hr" else "reaches nDCG"
    return (f"ε = {setting(result.epsilon)}, {count(result.users)} phones: {_who(result)} {does} {one} in this draw, "
            f"and {verb} what is popular, {other}.")  # fmt: skip


def say_odds(result: Result) -> str:
    """One phone, in words."""
    lies = sum(a != b for a, b in zip(result.watched, result.reported, strict=True))
    return (f"At ε = {setting(result.epsilon)} an answer is true {percent(best_guess(result.epsilon))} of the time: "
            f"{lies} of these {len(result.watched)} {'is a lie' if lies == 1 else 'are lies'}. Who sees one, and had "
            "no idea before, is right as often at most.")  # fmt: skip


def say_tries(result: Result) -> str:
    """The crowd's count of a pair, in words."""
    found = pair.tries(result.data, result.epsilon, result.people, result.seed)
    low, high = (f"{value:.0f}".replace("-", "−") for value in (min(found.estimates), max(found.estimates)))
    per = f", reckoned per {count(result.users // result.people)} people," if result.people > 1 else ""
    both = many(found.true, "person", "people")
    return (f"True: {both} watched both. {pair.TRIES} tries from {count(result.users)} phones at "
            f"ε = {setting(result.epsilon)}{per} say between {low} and {high}.")  # fmt: skip


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    own, bound = result.yours.at("hr@10"), result.bound.at("hr@10")
    return (f"You said {PREDICT.answers[answer].lower()}. Of {percent(bound)} without privacy, {percent(own)} is "
            f"left: {percent(own / bound)} of it. Just what is popular finds "
            f"{percent(result.popular.at('hr@10'))}.")  # fmt: skip


PREDICT = Predict(
    f"At ε = 1 a phone tells the truth about each film {percent(best_guess(1.0))} of the time. The server knows that "
    "and reckons with it. How much of the hit rate without privacy is left?",
    ("Nearly all of it", "Three quarters", "Two thirds", "Less than half"),
    reply,
)
