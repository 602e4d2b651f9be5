"""Bugs in the ledger, in who is asked and in what is used of whom: the bill is for another run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from recprivlib.accounting import guarantee, supported
from recprivlib.accounting.bills import default_view
from recprivlib.auditing.mutation.answers import bare as bare_at_gate
from recprivlib.auditing.mutation.answers import weaker
from recprivlib.auditing.mutation.grafts import Hook, Run, holding, planted, releases
from recprivlib.auditing.mutation.operator import Operator, ledger_of, lengths, raw, terms, total, tried
from recprivlib.mechanisms import Cohort
from recprivlib.protocols import Change, Federated, Interactions, Ledger, Release

TEN = 10


def stating(change: Callable[[Ledger, Any], Ledger]) -> Callable:
    """A system with another ledger; None where it comes out the same."""

    def build(system: Any) -> Any:
        true = ledger_of(system)
        other = change(true, system)
        return planted(system, states=lambda ledger: change(ledger, system)) if other != true else None

    return build


def cheaper(build: Callable[[Any], Any]) -> Callable:
    """The same, and some bill is below what it was: else nobody is told a wrong one."""

    def built(system: Any) -> Any:
        other = build(system)
        if other is None:
            return None
        true, false = ledger_of(system), ledger_of(other)
        bills = ([guarantee(one, *terms, 1e-6, default_view(true)).epsilon for one in (true, false)]
                 for terms in supported(true, default_view(true)))  # fmt: skip
        return other if any(after < before for before, after in bills) else None

    return built


def each(change: Callable[[Release, Any], Release]) -> Callable:
    """The same, line by line."""
    return stating(lambda ledger, system: releases(ledger, lambda line: change(line, system)))


def changed(line: Release, system: Any, **fields: Any) -> Release:
    """The line with another change at the system's terms."""
    true = line.neighbours.get(terms(system))
    if not isinstance(true, Change):
        return line
    return replace(line, neighbours={**line.neighbours, terms(system): replace(true, **fields)})


def at_most_ten(line: Release, system: Any) -> Release:
    return replace(line, count=min(TEN, line.count))


def one_less(line: Release, system: Any) -> Release:
    return replace(line, count=max(1, line.count - 1))


def half_as_far(line: Release, system: Any) -> Release:
    true = line.neighbours.get(terms(system))
    return changed(line, system, distance=true.distance / 2) if isinstance(true, Change) else line


def less_noise_than_said(line: Release, system: Any) -> Release:
    """The line names twice the noise that is drawn."""
    real: Any = line.mechanism
    fields = {"epsilon": 0.5, "epsilon1": 0.5, "noise_multiplier": 2.0}
    for name, factor in fields.items():
        if hasattr(real, name) and weaker(real) is not real and name in real.__dataclass_fields__:
            return replace(line, mechanism=replace(real, **{name: factor * getattr(real, name)}))
    if isinstance(real, Cohort):
        parts = tuple(replace(part, noise_multiplier=2 * part.noise_multiplier) for part in real.parts)
        return replace(line, mechanism=replace(real, parts=parts))
    return line


def nobody_sees_it(ledger: Ledger, system: Any) -> Ledger:
    """The last of several lines is said to be seen by nobody."""
    if len(ledger.releases) < 2:
        return ledger
    return replace(ledger, releases=(*ledger.releases[:-1], replace(ledger.releases[-1], seen_by=())))


def forgotten(ledger: Ledger, system: Any) -> Ledger:
    return replace(ledger, releases=ledger.releases[:-1]) if len(ledger.releases) > 1 else ledger


def parted(ledger: Ledger, system: Any) -> Ledger:
    if len(ledger.releases) < 2:
        return ledger
    return replace(ledger, releases=tuple(replace(line, partition="halves") for line in ledger.releases))


def sampled_otherwise(line: Release, system: Any) -> Release:
    if not isinstance(line.mechanism, Cohort):
        return line
    other = "poisson" if line.mechanism.sampling == "fixed-size" else "fixed-size"
    return replace(line, mechanism=replace(line.mechanism, sampling=other))


def half_the_rate(line: Release, system: Any) -> Release:
    if not isinstance(line.mechanism, Cohort):
        return line
    return replace(line, mechanism=replace(line.mechanism, rate=line.mechanism.rate / 2))


def another_relation(system: Any) -> Any:
    """The claim is made, and the ledger stated, for people who are replaced, at what one more person moves."""
    if terms(system) != ("user", "add-remove"):
        return None

    def states(ledger: Ledger) -> Ledger:
        lines = releases(ledger, lambda line: replace(line, neighbours={
            **line.neighbours, ("user", "replace"): line.neighbours[("user", "add-remove")]}))  # fmt: skip
        return replace(lines, claimed=replace(ledger.claimed, relation="replace")) if ledger.claimed else lines

    return planted(system, states=states)


# ------------------------------------------------------------------------------------------- caps and cohorts


def uncapped(system: Any) -> Any:
    return planted(system, caps=lambda run, ask, train, cap: (ask(), train)[1]) if tried(system).caps else None


def capped_at_double(system: Any) -> Any:
    if not tried(system).caps:
        return None
    return planted(system, caps=lambda run, ask, train, cap: ask(train, 2 * cap) if cap else ask())


def capped_by_taste(system: Any) -> Any:
    """A person's best rated stay, where one more turns out several: only what lies above her own mean is used."""
    if not tried(system).caps:
        return None

    def caps(run: Run, ask: Hook, train: Interactions, cap: int | None) -> Interactions:
        n = np.maximum(lengths(train), 1)
        mean = np.bincount(train.users, train.ratings, train.n_users) / n
        return ask(train.take((train.ratings >= mean[train.users]) | (n[train.users] <= 1)), cap)

    return planted(system, caps=caps)


def drawing(hook: Hook) -> Callable:
    """A system whose cohorts are drawn through `hook`."""
    return lambda system: planted(system, draws=hook) if tried(system).draws else None


def drawn_once(run: Run, ask: Hook, cohort: Any, n: int) -> Any:
    if "members" not in run.note:
        run.note["members"] = ask()
    return run.note["members"]


def drawn_beside(run: Run, ask: Hook, cohort: Any, n: int) -> Any:
    return np.sort(run.rng.choice(n, max(1, round(cohort.rate * n)), replace=False)).astype(np.int32)


def drawn_by_weight(run: Run, ask: Hook, cohort: Any, n: int) -> Any:
    return np.sort(np.argsort(-lengths(run.train)[:n], kind="stable")[: max(1, round(cohort.rate * n))]).astype(
        np.int32
    )


def drawn_twice(run: Run, ask: Hook, cohort: Any, n: int) -> Any:
    return np.union1d(ask(), ask()).astype(np.int32)


def with_the_second(run: Run, ask: Hook, cohort: Any, n: int) -> Any:
    return np.union1d(ask(), [1]).astype(np.int32)


def told_who(system: Any) -> Any:
    """Whoever learns a cohort gets the bill without sampling."""
    if not tried(system).draws:
        return None

    def draws(run: Run, ask: Hook, cohort: Any, n: int) -> Any:
        run.note["members"] = ask()
        return run.note["members"]

    return planted(system, draws=draws, leaves=lambda run, model: holding(model, run.note["members"]))


# -------------------------------------------------------------------------------------------- what phones send


def federated(build: Callable[[Any], Any]) -> Callable:
    return lambda system: build(system) if isinstance(system, Federated) else None


def sent_beside(system: Any) -> Any:
    """Beside their reports phones send how much they met; the server adds it up."""

    def shows(run: Run, ask: Hook, what: str, value: Any) -> Any:
        return ask(what, {**value, "met": raw(run.train).astype(np.int64)} if what == "sums" else value)

    return planted(system, shows=shows)


def told_back(system: Any) -> Any:
    def shows(run: Run, ask: Hook, what: str, value: Any) -> Any:
        ask(what, value)
        ask(what, total(run.train))
        return value

    return planted(system, shows=shows)


def second_block_bare(system: Any) -> Any:
    def answers(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
        return bare_at_gate(run, ask, mechanism, x) if run.asked > 1 and run.train.n_users > 4096 else ask()

    return planted(system, answers=answers)


CHEAPER = "the bill is below what is run"
MORE = "one long history moves the result more than a short one may"
CHOSEN = "who takes part can be told from outside"
OPERATORS = {
    "ledger: ten rounds": Operator("the ledger bills ten of all rounds", CHEAPER, each(at_most_ten)),
    "ledger: one round less": Operator("the ledger bills one round less than are run", CHEAPER, each(one_less)),
    "ledger: half as far": Operator(
        "the ledger says that neighbours move half as far as they do", CHEAPER, each(half_as_far)),
    "ledger: twice the noise": Operator(
        "the ledger names twice the noise that is drawn", CHEAPER, each(less_noise_than_said)),
    "ledger: unseen": Operator("the ledger says that nobody sees the last release", CHEAPER, stating(nobody_sees_it)),
    "ledger: forgotten": Operator("the ledger leaves the last release out", CHEAPER, stating(forgotten)),
    "ledger: partition": Operator(
        "the ledger says that releases read disjoint data", CHEAPER, cheaper(stating(parted))),
    "ledger: other sampling": Operator(
        "the ledger names another way of drawing cohorts", CHEAPER, each(sampled_otherwise)),
    "ledger: half the rate": Operator("the ledger names half the cohort", CHEAPER, each(half_the_rate)),
    "ledger: other relation": Operator(
        "the claim is for people who are replaced, the noise for one more person", CHEAPER, another_relation),
    "cap: none": Operator("the cap on a person's data is stated and never enforced", MORE, uncapped),
    "cap: double": Operator("twice the stated cap is used", MORE, capped_at_double),
    "cap: raw means": Operator(
        "what a person rated below her own mean is left out before the cap", "one rating decides over many others",
        capped_by_taste),
    "cohort: drawn once": Operator("one cohort is used in all rounds", CHOSEN, drawing(drawn_once)),
    "cohort: beside the gate": Operator("cohorts are drawn with public random numbers", CHOSEN, drawing(drawn_beside)),
    "cohort: by weight": Operator("those who met most are asked, always", CHOSEN, drawing(drawn_by_weight)),
    "cohort: twice the size": Operator("two cohorts are drawn and both take part", CHOSEN, drawing(drawn_twice)),
    "cohort: one always": Operator("one person takes part in every round", CHOSEN, drawing(with_the_second)),
    "cohort: told": Operator("the model lists who was in the last cohort", "the list stands in the model", told_who),
    "server: sums": Operator(
        "phones also send how much they met, summed", "the server's sums hold the true numbers",
        federated(sent_beside)),
    "server: told": Operator(
        "the server tells everybody the true total", "what is told holds the true number", federated(told_back)),
    "block: second bare": Operator(
        "from the 4,097th phone on the truth is sent", "late phones' answers repeat exactly",
        federated(second_block_bare)),
}  # fmt: skip
