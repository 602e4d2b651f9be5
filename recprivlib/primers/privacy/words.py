"""A `Result` of dashboard `privacy` in sentences."""

from __future__ import annotations

import math

from recprivlib.plots.numerals import best_guess, bounded, certified, count, many, one_in, percent, setting, times
from recprivlib.primers.privacy import lab
from recprivlib.primers.privacy.compute import COUNTS, Result

AGAIN = 20  # answers that the sentence warns of


def say(result: Result) -> str:
    """What the screen shows, in words."""
    return _sound(result) if result.subject.sound else _leaky(result)


def _asked(result: Result) -> str:
    return "once" if result.releases == 1 else many(result.releases, "time")


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
    added, exact = bounded(result.bill.claimed), bounded(result.bill.counted)
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
    proved, claimed, tries = f"ε ≥ {certified(bill.attacked)}", bounded(bill.claimed), count(result.tries)
    if bill.attacked > bill.claimed:
        return f"{told} and proves {proved} with {tries} of them: broken, since {leak}."
    if bill.verdict == "broken":
        return f"{told}. {tries} of them prove only {proved}, but the exact ε is larger: {leak}."
    if bill.attacked > 0.95 * bill.ceiling:
        return (f"{told}. That proves {proved}, the most that {tries} tries can show, and the claim is {claimed}: "
                f"not refuted here, and yet {leak}.")  # fmt: skip
    return f"{told}. That proves {proved} and the claim is {claimed}: not refuted here, and yet {leak}."


def say_outputs(result: Result) -> str:
    """One answer in two worlds, in words."""
    if not result.subject.sound:
        return f"At a claimed ε of {setting(result.epsilon)}: {result.subject.leak}."
    ratio = _at_most(math.exp(result.epsilon))
    return (f"At ε = {setting(result.epsilon)} no answer is more than {ratio} times as likely in one world as in the "
            f"other. Who believes it is right {percent(best_guess(result.epsilon))} of the time at most.")  # fmt: skip


def _at_most(ratio: float) -> str:
    """A largest ratio, rounded up to three digits."""
    digits = max(0, 2 - math.floor(math.log10(ratio)))
    return setting(math.ceil(ratio * 10**digits - 1e-9) / 10**digits)


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
    answers = "One answer" if at == 1 else many(at, "answer")
    told = f"{answers} at ε = {setting(result.epsilon)}: added up {bounded(added)}, exactly {bounded(exact)}"
    return f"{told}. The sum is {times(added / exact)[:-1]} times the exact bill."


def brief(result: Result) -> str:
    """The attack on a small screen."""
    bill = result.bill
    proved = f"{many(result.tries, 'try', 'tries')} prove ε ≥ {certified(bill.attacked)}"
    return (f"{proved} of at most {certified(bill.ceiling)}; claimed {bounded(bill.claimed)}. Right in "
            f"{percent(result.right)}.")  # fmt: skip
