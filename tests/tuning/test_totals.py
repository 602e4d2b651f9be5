"""A comparison at one bill: what splits ε is turned, the price is restored, and both settings meet the total."""

import dataclasses

import pytest

from recprivlib import tables
from recprivlib.accounting import bill, guarantee
from recprivlib.data import load
from recprivlib.evaluation import Nest
from recprivlib.parameters import UserError, configured
from recprivlib.protocols import Report, Sizes
from recprivlib.registry import get
from recprivlib.tuning.choices import read
from recprivlib.tuning.choose import Contender, tuned
from recprivlib.tuning.compared import comparison, comparisons
from recprivlib.tuning.inverse import Terms
from recprivlib.tuning.totals import Total, restated

USERS, ITEMS = 60, 80
DATA = load("synthetic", users=USERS, items=ITEMS)
PERSON = Terms("user", "replace", "server", 0.0)
TOML = f"""
[[tuned]]
systems = ["popularity", "item-sign", "ldp-popularity"]
parameters = {{ reports = ["one"] }}
data = "synthetic"
users = {USERS}
items = {ITEMS}
protocol = "loo-random"
against = "popularity"
total = [10.0, 60.0]
unit = "user"
splits = "0"
seeds = "0-1"
trials = 6
"""


def counted(system, total):
    terms = total.terms
    ledger = system.ledger(DATA.interactions.sizes)
    return guarantee(ledger, terms.unit, terms.relation, terms.delta, terms.view).epsilon


def contender(system, total, **more):
    return Contender(system, "synthetic", DATA.checksum, "loo-random", users=USERS, items=ITEMS,
                     total=Total(total, PERSON), **more)  # fmt: skip


class Watched:
    """A bench that keeps which systems it was asked about."""

    folder, say = None, None

    def __init__(self):
        self.seen = []

    def scores(self, contender, settings, nest):
        made = [configured(get(contender.system).system, dict(contender.params(one, nest))) for one in settings]
        self.seen += made if nest.draw == 0 else []
        return [1.0 - len(self.seen) / 1000 for _ in made]


@pytest.mark.parametrize("name, total", [("fmf-ldp", 50.0), ("item-sign", 250.0)])
def test_what_splits_the_bill_is_searched_and_no_trial_costs_more_than_the_total(name, total):
    bench, one = Watched(), contender(name, total, least=3.0 if name == "item-sign" else 0.0)
    choice = tuned(one, 0, bench, budget=32, most=32)
    assert len(bench.seen) == 32  # settings that cannot have this bill cost no trial
    assert len({(system.k, system.epochs) for system in bench.seen}) > 8
    for system in bench.seen:
        cost = counted(system, one.total)
        assert cost <= total
        assert cost >= 0.99 * total or system.epsilon == 50.0  # the dial's end
        assert system.epsilon >= one.least
    printed = bench.seen[0]
    assert {key: getattr(printed, key) for key in ("k", "epochs")} == {
        key: getattr(get(name).system, key) for key in ("k", "epochs")
    }
    assert choice.total == {"epsilon": total, "unit": "user", "relation": "replace", "view": "server", "delta": 0.0}
    assert "epsilon" not in choice.chosen


def test_a_printed_setting_that_cannot_have_the_total_is_said_before_anything_runs():
    with pytest.raises(UserError, match="fmf-ldp does not come down to ε = 5 at these terms"):
        tuned(contender("fmf-ldp", 5.0), 0, Watched(), budget=4)
    with pytest.raises(UserError, match=r"epsilon of item-sign would be 2 at a total of 10, below the 3 that are"):
        tuned(contender("item-sign", 10.0, least=3.0), 0, Watched(), budget=4)


def test_without_a_total_trials_are_what_they_were():
    one = dataclasses.replace(contender("fmf-ldp", 1.0), total=None, fixed={"epsilon": 2.5})
    assert one.name == "fmf-ldp@epsilon=2.5"
    bench = Watched()
    tuned(one, 0, bench, budget=4, most=4)
    assert {(system.epsilon, system.k, system.epochs) for system in bench.seen} == {(2.5, 100, 20)}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A checkout with one small table."""
    folder = tmp_path / "papers" / "small" / "results"
    folder.mkdir(parents=True)
    (folder / "small.toml").write_text(TOML)
    for name, value in (("SLICES", tmp_path), ("CELLS", tmp_path / "cells"), ("TRIALS", tmp_path / "trials")):
        monkeypatch.setattr(tables, name, value)
    monkeypatch.setattr(tables.os, "cpu_count", lambda: 1)
    monkeypatch.setattr("recprivlib.tuning.choose.AGAIN", 2)
    return folder


def test_a_table_at_totals_is_searched_tested_and_checked(here):
    assert tables.main(["--tune"]) == 0
    choices = read(here / "small.choices.toml")
    assert [(one.system, one.total and one.total["epsilon"]) for one in choices.values()] == [
        ("popularity", None), ("item-sign", 10.0), ("ldp-popularity", 10.0), ("item-sign", 60.0),
        ("ldp-popularity", 60.0)]  # fmt: skip
    about = {"data": "synthetic", "users": USERS, "items": ITEMS, "protocol": "loo-random"}
    settings = dataclasses.asdict(get("item-sign").system)
    assert tables.committed("item-sign", settings, about, total=Total(60.0, PERSON).said).total["epsilon"] == 60.0
    with pytest.raises(UserError, match=r"nothing was chosen for item-sign at epsilon=10\.0"):
        tables.committed("item-sign", settings, about)
    with pytest.raises(UserError, match="nothing was chosen for item-sign at a total of 61"):
        tables.committed("item-sign", settings, about, total=Total(61.0, PERSON).said)

    assert tables.main([]) == 0
    rows = tables.results("small")
    rows = rows[rows["metric"] == "hr@10"]
    assert list(rows["total"]) == [10.0] * 6 + [60.0] * 6
    assert list(rows["setting"]) == ["as printed", "tuned"] * 6
    private = rows[rows["system"] != "popularity"]
    terms = private[["unit", "relation", "view", "delta"]].drop_duplicates()
    assert terms.to_numpy().tolist() == [["user", "replace", "server", 0.0]]
    signs, charts = (private[private["system"] == name] for name in ("item-sign", "ldp-popularity"))
    assert ((signs["counted"] <= signs["total"]) & (signs["counted"] >= 0.99 * signs["total"])).all()
    assert charts["counted"].tolist() == [10.0, 10.0, 20.0, 20.0]  # one report of ε ≤ 20 is all that it can spend
    printed = signs[signs["setting"] == "as printed"]
    assert printed["epsilon"].tolist() == [2.0, 12.0]  # five reports, as printed, at either total
    assert tables.stale("small") == []
    assert tables.check("small", tables.sample("small", 100)) == []
    assert tables.main(["--check"]) == 0
    text = (here / "small.csv").read_text()
    (here / "small.csv").write_text(text.replace("user,replace,server", "user,replace,model"))
    assert any(
        "view is server, but model is committed" in line for line in tables.check("small", tables.sample("small", 9))
    )


SYSTEMS = ["item-sign", "ldp-popularity"]
REPORTS = {"reports": ["one"]}


@pytest.mark.parametrize(
    "asked, said",
    [
        (
            {"total": 50.0, "unit": "user", "parameters": {"epsilon": [1.0]}},
            "epsilon of item-sign is given, but it follo",
        ),
        ({"total": 0.0, "unit": "user"}, "total is 0.0, but must be a number above 0"),
        ({"unit": "user"}, "unit says the terms of a total, and there is no total"),
        ({"least": {"item-sign": 2.0}}, "least says the terms of a total"),
        ({"total": 50.0, "unit": "user", "least": {"fmf-ldp": 2.0}}, "least names 'fmf-ldp', which is none"),
        ({"total": 50.0}, "item-sign is counted at user, replace, .* and ldp-popularity at interaction, add-remove"),
        ({"systems": ["popularity"], "total": 50.0}, "none of the systems promises anything about privacy"),
    ],
)
def test_a_mistake_about_totals_is_one_sentence(asked, said):
    with pytest.raises(UserError, match=said):
        comparison(**{"systems": SYSTEMS, **asked})
    with pytest.raises(UserError, match=r"total is \[\], but must be the bills to meet"):
        comparisons(systems=SYSTEMS, total=[])


def test_private_systems_are_held_against_each_other_at_one_set_of_terms_only(here):
    asked = {"systems": SYSTEMS, "parameters": REPORTS, "against": "ldp-popularity"}
    said = "item-sign@ is counted at user, replace, server, δ = 0 and ldp-popularity@reports=one at interaction, add"
    with pytest.raises(UserError, match=f"{said}.*: they are not held against each other unless the table says `mixed"):
        comparison(**asked)
    assert comparison(**asked, mixed=True).against == "ldp-popularity"
    assert comparison(**asked, total=9.0, unit="user").against == "ldp-popularity"
    grid = '[[grid]]\nsystems = ["item-sign", "ldp-popularity"]\nagainst = "ldp-popularity"\nseeds = "0"\n'
    (here / "small.toml").write_text(grid)
    with pytest.raises(UserError, match=r"item-sign is counted at user, replace.* and ldp-popularity at interaction"):
        tables.grids("small")
    (here / "small.toml").write_text(f"{grid}mixed = true\n")
    assert len(tables.grids("small")) == 1


def test_a_bill_at_other_terms_is_of_the_people_that_were_learnt_from():
    entry, asked = get("fmf-ldp"), {"view": "shuffled", "delta": 1e-4}
    report = Report("fmf-ldp", dataclasses.asdict(entry.system), "synthetic", "user-split", 0, {}, {}, {}, {}, users=48)
    found = restated(report, DATA.interactions.sizes, **asked).guarantee["counted"]
    assert found == bill(entry, entry.system, Sizes(48, ITEMS), **asked)["counted"]
    assert "48 honest people" in " ".join(found["assumptions"])


def test_the_price_is_restored_at_the_people_that_a_trial_learns_from():
    one = Contender("dp-privrec", "synthetic", DATA.checksum, "user-split", users=USERS, items=ITEMS,
                    total=Total(3.0, Terms("user", "replace", "model", 1e-5)))  # fmt: skip
    outer, inner = (one.params({}, nest)["noise_multiplier"] for nest in (Nest(0), Nest(0, draw=0)))
    assert inner > outer  # fewer people: each is drawn more often
