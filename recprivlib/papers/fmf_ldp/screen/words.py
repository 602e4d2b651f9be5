"""A `Result` of dashboard `fmf_ldp` in sentences."""

from __future__ import annotations

from recprivlib.dashboard.contract import Predict
from recprivlib.papers.fmf_ldp.screen.compute import Result
from recprivlib.plots.numerals import apart, best_guess, bounded, count, many, percent, setting, word


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    sent, last = result.k * result.done, {name: values[result.done - 1] for name, values in result.course.items()}
    reports = many(sent, "report") if sent > 1 else "one report"
    billed = (f"By epoch {result.done} your phone has sent {reports}: ε = {bounded(last['sum'])} added up, "
              f"{bounded(last['exact'])} by the best exact sum, {bounded(last['mixed'])} if an honest "
              f"mixer shuffles {count(result.people)} phones.")  # fmt: skip
    alone = f"One report alone: {word(result.epsilon)}."
    own, popular = _found(result)
    if result.versus is None:
        return f"{alone} {billed} So far the list finds {own}; just what is popular: {popular}."
    verb = result.versus.verb
    return f"{alone} {billed} In this draw the list finds {own} and {verb} just what is popular, {popular}."


def _found(result: Result) -> tuple[str, str]:
    """The hit rate and that of what is popular, in as many digits as the verb needs."""
    verb = result.versus.verb if result.versus else ""
    return apart(result.points[-1].sampled, result.levels["popularity"], verb, percent)


def brief(result: Result) -> str:
    """The same on a small screen."""
    own, popular = _found(result)
    spent = bounded(result.course["sum"][result.done - 1])
    verb = result.versus.verb if result.versus else "stands beside"
    found = f"In this draw the list finds {own} and {verb} what is popular, {popular}."
    return f"Epoch {result.done}: ε = {spent} added up. {found}"


def say_one(result: Result) -> str:
    """One report, in words."""
    return (f"A report of ε = {setting(result.epsilon)} is one bit about one of {count(result.films * result.factors)} "
            f"cells. Who sees it, and had no idea before, is right {percent(best_guess(result.epsilon))} of the time "
            "at most.")  # fmt: skip


def say_bill(result: Result) -> str:
    """The bill, in words."""
    last = {name: bounded(values[result.done - 1]) for name, values in result.course.items()}
    asked = "in one epoch" if result.done == 1 else f"in each of {many(result.done, 'epoch')}"
    return (f"{many(result.k, 'report')} {asked}: ε = {last['sum']} added up, {last['exact']} by the best exact sum, "
            f"{last['mixed']} if an honest mixer shuffles {count(result.people)} phones. The "
            f"paper counts one epoch: {last['epoch']}.")  # fmt: skip


def say_health(result: Result) -> str:
    """Why a run learns or does not, in words."""
    first, last = result.points[0], result.points[-1]
    if result.done == 1:
        return (f"After epoch 1 the vectors of films have a length of {first.items:.2g}, those of people one of "
                f"{first.users:.2g} (medians).")  # fmt: skip
    return (f"From epoch 1 to {result.done} the vectors of films go from a length of {first.items:.2g} to "
            f"{last.items:.2g}, those of people from {first.users:.2g} to {last.users:.2g} (medians).")  # fmt: skip


def say_pools(result: Result) -> str:
    """What 99 strangers hide, in words."""
    last = result.points[-1]
    return (f"Among 99 strangers the list finds {percent(last.sampled)}, among all {count(result.films)} films "
            f"{percent(last.full)}. Just what is popular: {percent(result.levels['popularity'])} and "
            f"{percent(result.everywhere)}.")  # fmt: skip


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    return (f"You said {PREDICT.answers[answer]}. {many(result.k, 'report')} an epoch, {many(result.epochs, 'epoch')}, "
            f"{setting(result.epsilon)} each: {bounded(result.course['sum'][-1])} for the run. The paper's "
            f"{bounded(result.course['epoch'][-1])} is one epoch of it.")  # fmt: skip


PREDICT = Predict(
    "One report costs ε = 2.5. A phone sends 100 in every epoch, for 20 epochs. What does the whole run cost its "
    "owner?",
    ("ε = 2.5", "ε = 50", "ε = 250", "ε = 5 000"),
    reply,
)
