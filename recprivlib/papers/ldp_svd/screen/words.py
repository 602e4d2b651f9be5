"""A `Result` of dashboard `ldp_svd` in sentences."""

from __future__ import annotations

from functools import cache

from recprivlib.dashboard.contract import Predict
from recprivlib.mechanisms import RoundedOrTruth
from recprivlib.mechanisms.common import epsilon_of
from recprivlib.papers.ldp_svd.screen.compute import MECHANISMS, Result
from recprivlib.papers.ldp_svd.screen.reports import ADA
from recprivlib.plots.numerals import apart, bounded, many, setting, stars


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    verb = result.versus.verb
    own, rival = apart(result.error, result.rival, verb, stars, 2)
    error = f"In this draw, on ratings that were kept back, the error is {own}"
    if not result.honest:
        return f"{_claim(result)} {error}; it {verb} one fixed guess for every film, {rival}."
    if result.mechanism == "optimal":
        return f"{_same(result)} {error}; one fixed guess for every film: {stars(result.floors['random'])}."
    return f"{_same(result)} {error}; it {verb} the most telling channel, {rival}."


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
        one = bounded(rounded(result.epsilon1, result.epsilon2))
        return (f"Every report is a whole star now and none is proof. The exact ε of one report is {one}, not "
                f"ε1 + ε2 = {total_claim}{_all_of_hers(result)}.")  # fmt: skip
    claimed = setting(round(result.bill.claimed, 6))
    return f"Claimed ε = {claimed} a report, and it holds: none of these {of} reports is proof{_all_of_hers(result)}."


def _all_of_hers(result: Result) -> str:
    """What a typical person pays, where the bill is for a person."""
    if result.unit == "rating":
        return ""
    return f"; for all {many(result.ratings, 'report')} of a typical person it is {bounded(result.bill.counted)}"


def _same(result: Result) -> str:
    name = MECHANISMS[result.mechanism][2]
    kinds = len(result.heard.names)
    if result.mechanism == "optimal" and kinds == 2:
        low, high = result.heard.names
        return f"At a true ε of {setting(result.epsilon)} the most telling report is one bit: {low} stars, or {high}?"
    if result.mechanism == "optimal":
        return f"At a true ε of {setting(result.epsilon)} the most telling report has {kinds} answers."
    return f"At a true ε of {setting(result.epsilon)}, {name} goes to the same server."


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    proofs, of = result.tape.proofs, len(result.tape.stars)
    return (f"You said {PREDICT.answers[answer].lower()}. Here it is {proofs} of {of}: whatever stands exactly on a "
            f"star was sent as it is, and noise never lands there.")  # fmt: skip


@cache
def rounded(epsilon1: float, epsilon2: float) -> float:
    """The exact ε of one rounded report."""
    return float(epsilon_of(RoundedOrTruth(epsilon1, epsilon2).channel))


def say_rounded(result: Result) -> str:
    """What rounding costs, in words."""
    e1, e2 = setting(result.epsilon1), setting(result.epsilon2)
    total = setting(round(result.epsilon1 + result.epsilon2, 6))
    exact = bounded(rounded(result.epsilon1, result.epsilon2))
    return f"Rounded to stars, a report at ε1 = {e1} and ε2 = {e2} has a true ε of {exact}. The sum says {total}."


def brief(result: Result) -> str:
    """One sentence for a small screen."""
    if result.equal:
        return f"True ε = {setting(result.epsilon)}, {MECHANISMS[result.mechanism][2]}: error {stars(result.error)}."
    return f"{_claim(result)}".partition("; no true")[0]


PREDICT = Predict(
    f"At ε1 = ε2 = 1 the paper promises ε = 2. Ada's phone sends {len(ADA)} reports. Of how many can the attacker be "
    "certain?",
    ("None", "About 5", "About 15"),
    reply,
)
