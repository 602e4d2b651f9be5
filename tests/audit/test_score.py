"""The score of the audit: bugs get into any system by machinery, the table is today's audit's, and it can fall."""

from __future__ import annotations

import math
import re
import zlib
from dataclasses import dataclass, replace

import numpy as np
import pytest

from recprivlib.accounting import guarantee, supported
from recprivlib.accounting.bills import default_view
from recprivlib.auditing import USUAL
from recprivlib.auditing.mutation import OPERATORS, cell, committed, missed, score, scoring, summary, write
from recprivlib.auditing.mutation.blind import SPOTS
from recprivlib.auditing.mutation.grafts import become, holding, lying, planted, poked
from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.rehearsal import WHOLE, rehearse
from recprivlib.cli import main
from recprivlib.closure import PACKAGE
from recprivlib.mechanisms import Laplace, gate
from recprivlib.mechanisms.noise import rooted
from recprivlib.models.constants import PerItem
from recprivlib.papers.privrec import system as privrec
from recprivlib.registry import get, systems

PRIVATE = {name: entry for name, entry in systems().items() if entry.terms}
WORLD = Stage("user", "replace", 60).world()
CHEAP = ("ldp-popularity", "dp-popularity", "dp-item-means", "lcf-sp", "dplcf-sp", "bpr-mf", "laplace-svd", "dp-gram")
SAMPLE = 4  # cells that every `make test` computes anew


def run(system, seed=0):
    with rooted(seed):
        return system.fit(WORLD, np.random.default_rng(seed))


# -------------------------------------------------------------------------------------------- how a bug gets in


def test_a_hook_at_the_gate_sees_what_goes_in_and_gives_what_comes_out():
    system, asked = get("dp-popularity").system, []

    def answers(run, ask, mechanism, x):
        asked.append((type(mechanism).__name__, run.asked))
        return np.zeros_like(ask())

    model = run(planted(system, answers=answers))
    assert asked == [("Gaussian", 1)]
    assert not model.scores.any()
    assert run(system).scores.any(), "the hook stays in the mutated system"


def test_after_a_run_that_fails_nothing_is_hooked():
    def answers(run, ask, mechanism, x):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(planted(get("dp-privrec").system, answers=answers))
    assert privrec.released is gate.released


def test_a_bug_in_a_model_is_planted_once_where_fit_is_the_last_step():
    """`fit` runs `steps`, and both are hooked."""
    times = []
    system = planted(replace(get("laplace-svd").system, epochs=3), leaves=lambda run, model: times.append(1) or model)
    run(system)
    assert len(times) == 1
    with rooted(0):
        assert len(list(system.steps(WORLD, np.random.default_rng(0)))) == len(times) - 1 == 3


def test_streamed_models_can_be_others_than_the_last():
    system = planted(replace(get("laplace-svd").system, epochs=3), streams=lambda run, share, model: share)
    with rooted(0):
        shares = [model for _, model in system.steps(WORLD, np.random.default_rng(0))]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert not isinstance(run(system), float)


def test_a_mutated_system_is_a_value_with_parameters():
    system = planted(get("dp-gram").system, leaves=lambda run, model: holding(model, 7))
    other = replace(system, epsilon=2.0)
    assert run(other).extra == 7
    assert other.ledger(USUAL) == replace(get("dp-gram").system, epsilon=2.0).ledger(USUAL)
    assert not hasattr(run(get("dp-gram").system), "extra")


def test_a_lie_is_told_in_the_run_and_named_in_the_ledger():
    """So that only what it answers can tell."""
    system = lying(get("dp-item-means").system, lambda release: lambda self, x, rng: x)
    exact = planted(get("dp-item-means").system, answers=lambda run, ask, mechanism, x: x)
    assert (run(system).means == run(exact).means).all()
    (line,) = system.ledger(USUAL).releases
    assert (line.mechanism.release(np.ones(3), None) == 1).all()
    assert isinstance(line.mechanism, Laplace)


def test_a_draw_a_cap_and_what_is_told_can_be_hooked():
    called = set()

    def noted(what):
        return lambda run, ask, *args: called.add(what) or ask()

    hooks = {name: noted(name) for name in ("answers", "draws", "caps", "shows")}
    run(planted(replace(get("dp-privrec").system, rounds=1), **hooks))
    run(planted(get("dplcf-sp").system, **hooks))
    assert called == {*hooks}


def test_the_first_public_array_is_poked_wherever_it_lies():
    @dataclass(frozen=True)
    class Outer:
        name: str
        inner: PerItem

    outer = Outer("x", PerItem(np.ones(3, np.float32)))
    assert poked(outer, lambda x: x * 2).inner.scores.tolist() == [2, 2, 2]
    assert outer.inner.scores.tolist() == [1, 1, 1]
    assert poked(Outer("x", PerItem(np.ones(3, np.int32))), np.copy) is None
    assert become(outer, name_of=lambda self: 3).name_of() == 3


# ---------------------------------------------------------------------------------------------------- operators


def test_every_operator_says_what_it_plants_and_how_it_shows():
    assert len(OPERATORS) >= 40
    for name, operator in OPERATORS.items():
        assert re.fullmatch(r"[\w-]+: [\w .'-]+", name), name
        for text in (operator.plants, operator.shows):
            assert re.fullmatch(r".{5,118}[^.]", text), name


@pytest.mark.parametrize("name", CHEAP)
def test_every_operator_makes_a_system_that_trains(name):
    """What does not apply is None; all else runs, and its ledger can be read."""
    entry = PRIVATE[name]
    honest = scoring.base(entry)
    for label, operator in OPERATORS.items():
        if (mutated := operator.build(honest)) is not None:
            with scoring.sides.tidied():
                assert run(mutated) is not None, label
            assert mutated.ledger(USUAL).releases, label


def test_a_system_that_claims_nothing_claims_its_own_bill():
    for name, entry in PRIVATE.items():
        claim, ledger = scoring.base(entry).ledger(USUAL).claimed, entry.system.ledger(USUAL)
        assert claim is not None, name
        if claim.where == "its own bill":
            bill = guarantee(ledger, *entry.terms, claim.delta, default_view(ledger))
            assert bill.epsilon <= claim.epsilon <= bill.epsilon * (1 + 1e-8), name


# --------------------------------------------------------------------------------------------------- the table


def test_what_the_table_says_of_a_system_it_says_of_every_bug():
    known = {one.system for one in committed()}
    assert known <= {*PRIVATE}
    assert {(one.operator, one.system) for one in committed()} == {(a, b) for a in OPERATORS for b in known}


def test_every_bug_applies_somewhere():
    left = {*OPERATORS}
    for name in ("dp-privrec", "dpsgd-pnbm-repaired", "dp-gram", "dpsgd-mf", "fmf-ldp", "laplace-svd"):
        honest = scoring.base(PRIVATE[name])
        left -= {label for label in left if OPERATORS[label].build(honest) is not None}
    assert left == set()


def test_no_bug_passes_as_holds_but_where_the_table_says_why():
    """The blind spots: what no audit of ours looks at, and what it looks at and does not see."""
    named = {one.operator for one in missed(committed()) if one.outcome == "holds"}
    assert named <= {name for name, operator in OPERATORS.items() if operator.blind}


@pytest.mark.slow
def test_a_blind_spot_that_is_mended_is_struck_off():
    """Each that is named is one: some system passes with it."""
    passed = {one.operator for one in missed(committed())}
    assert {*SPOTS} - passed == set()


def sample():
    """A few cells that apply, others whenever the audit changes; of systems that are quick."""
    code = b"".join(path.read_bytes() for path in sorted((PACKAGE / "auditing").rglob("*.py")))
    cells = [one for one in committed() if one.outcome and one.system in CHEAP]
    rng = np.random.default_rng(zlib.crc32(code))
    return [cells[at] for at in rng.choice(len(cells), min(SAMPLE, len(cells)), replace=False)]


def test_a_sample_of_the_score_is_that_of_the_table():
    for one in sample():
        now = cell(one.operator, one.system, PRIVATE[one.system])
        assert now.outcome == one.outcome, f"{now}; `recpriv audit --score` writes the table anew"


def test_an_audit_that_finds_nothing_falls_in_the_score(monkeypatch):
    """The score can fall: without what the replay finds, a bug that was caught is missed."""
    name, bug = "dp-popularity", "model: array"
    entry = PRIVATE[name]
    assert cell(bug, name, entry).outcome == "caught"
    blind = scoring.Heard((), "holds")
    monkeypatch.setattr(scoring, "heard", lambda *args, **rest: blind)
    scoring._base.cache_clear()
    try:
        assert cell(bug, name, entry).outcome == "holds"
    finally:
        scoring._base.cache_clear()


def test_what_is_found_in_the_honest_system_too_is_no_catch():
    honest = scoring.Heard(("Laplace moves 3.1 of 2",), "open")
    assert scoring.Heard(("Laplace moves 3.2 of 2",), "open").beside(honest) == []
    assert scoring.Heard(("Laplace moves 3.1 of 2", "the model.extra moves"), "open").beside(honest) == [
        "the model.extra moves"
    ]


def test_a_table_is_written_and_read_back(tmp_path):
    cells = list(score({"dp-popularity": PRIVATE["dp-popularity"]}, ["model: array", "cohort: drawn once"]))
    assert [one.outcome for one in cells] == ["caught", ""]
    write(cells, tmp_path / "score.csv")
    assert committed(tmp_path / "score.csv") == cells
    (line,) = [line for line in summary(cells) if line.applies]
    assert (line.operator, line.caught) == ("model: array", 1)


def test_the_command_line_refuses_a_score_of_nothing_private(capsys):
    assert main(["audit", "popularity", "--score"]) == 2
    assert "there is no private system 'popularity' to score" in capsys.readouterr().err
    assert main(["audit"]) == 2
    assert "name a system or a mechanism" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------- the slow part


@pytest.mark.slow
def test_the_table_has_every_private_system():
    assert {one.system for one in committed()} == {*PRIVATE}


@pytest.mark.slow
@pytest.mark.parametrize("name", PRIVATE)
def test_the_whole_score_is_that_of_the_table(name):
    before = {one.operator: one.outcome for one in committed() if one.system == name}
    now = {one.operator: one.outcome for one in score({name: PRIVATE[name]})}
    assert now == before, "`recpriv audit --score` writes the table anew"


@pytest.mark.slow
@pytest.mark.parametrize("name", PRIVATE)
def test_nothing_is_found_in_a_system_without_a_bug(name):
    """Over twenty seeds, at all of its terms that have a price."""
    system = PRIVATE[name].system
    ledger = system.ledger(USUAL)
    view = default_view(ledger)
    for unit, relation in supported(ledger, view):
        if guarantee(ledger, unit, relation, 1e-6, view).epsilon < math.inf:
            for seed in range(20):
                run = rehearse(system, USUAL, unit, relation, view, seed, budget=WHOLE)
                assert list(run.found) == [], (unit, relation, seed)
