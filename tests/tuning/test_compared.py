"""From a [[tuned]] to choices and rows: searched by `make tune`, only tested by `make results`."""

import numpy as np
import pandas as pd
import pytest

from recprivlib import tables
from recprivlib.data import load
from recprivlib.evaluation import Nest, evaluate, nested
from recprivlib.parameters import UserError, configured
from recprivlib.registry import get
from recprivlib.sweeps import cells
from recprivlib.training import trained
from recprivlib.tuning.choices import read
from recprivlib.tuning.compared import OWN, comparison

SIZE = "data = 'synthetic'\nusers = 60\nitems = 80\n"
TOML = f"""
[[grid]]
systems = ["item-mean"]
{SIZE}
seeds = "0"
[[tuned]]
systems = ["global-mean", "item-mean", "laplace-svd"]
parameters = {{ epsilon1 = [8.0], factors = [0], clip_reports = [true] }}
{SIZE}
against = "item-mean"
splits = "0-1"
seeds = "0-1"
populations = "0-1"
trials = 4
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A checkout with one small table."""
    folder = tmp_path / "papers" / "small" / "results"
    folder.mkdir(parents=True)
    (folder / "small.toml").write_text(TOML)
    monkeypatch.setattr(tables, "SLICES", tmp_path)
    monkeypatch.setattr(tables, "CELLS", tmp_path / "cells")
    monkeypatch.setattr(tables, "TRIALS", tmp_path / "trials")
    monkeypatch.setattr(tables.os, "cpu_count", lambda: 1)
    monkeypatch.setattr("recprivlib.tuning.choose.AGAIN", 2)
    monkeypatch.setattr("recprivlib.tuning.choose.MOST", 4)
    return folder


def test_results_without_choices_say_what_to_run_and_choices_are_no_table(here):
    with pytest.raises(UserError, match="nothing was chosen for global-mean@ on synthetic, outer split 0: run"):
        tables.main(["small"])
    (here / "small.choices.toml").write_text("")
    assert tables.asked() == ["small"]


def test_tune_searches_and_results_only_test(here, monkeypatch, capsys):
    assert tables.main(["--tune"]) == 0
    text = (here / "small.choices.toml").read_text()
    found = read(here / "small.choices.toml")
    assert [(one.system, one.population, one.outer) for one in found.values()] == [
        ("global-mean", OWN, 0), ("item-mean", OWN, 0), ("laplace-svd", OWN, 0)]  # fmt: skip
    chosen = {one.system: one for one in found.values()}
    assert chosen["laplace-svd"].fixed == {"epsilon1": 8.0, "factors": 0, "clip_reports": True}
    assert (chosen["global-mean"].trials, chosen["item-mean"].trials) == (1, 4)
    assert "3 of 3: laplace-svd" in capsys.readouterr().err
    tables.main(["--tune", "small"])
    assert (here / "small.choices.toml").read_text() == text

    drawn = []
    tried = cells.tried
    monkeypatch.setattr(cells, "tried", lambda *a, **o: (drawn.append(a[5]), tried(*a, **o))[1])
    assert tables.main([]) == 0
    assert drawn
    assert all(nest.draw is None for nest in drawn)  # results never search
    assert {nest.population for nest in drawn} == {0, 1}
    assert (here / "small.choices.toml").read_text() == text

    table = tables.results("small")
    assert list(table.columns[:12]) == ["system", "data", "users", "items", "checksum", "protocol", "seeds", "setting",
                                        "splits", "populations", "price", "trials"]  # fmt: skip
    rows = table[table["setting"].notna()]
    every = [(name, setting) for name in ("global-mean", "item-mean", "laplace-svd")
             for setting in ("as printed", "tuned")]  # fmt: skip
    assert [*zip(rows["system"], rows["setting"], strict=True)] == every
    one = rows[(rows["system"] == "item-mean") & (rows["setting"] == "tuned")].iloc[0]
    values = []
    for population in (0, 1):
        data = load("synthetic", seed=population, users=60, items=80).interactions
        for outer in (0, 1):
            fold = nested(data, "kfold", Nest(outer))
            system = configured(get("item-mean").system, dict(chosen["item-mean"].chosen))
            values += [evaluate(trained(system, fold.train, seed), fold).metrics["rmse"] for seed in (0, 1)]
    assert one["value"] == pytest.approx(np.mean(values), abs=1e-6)
    assert one["first"] == pytest.approx(values[0], abs=1e-6)
    assert one["low"] < one["value"] < one["high"]
    moved = set(chosen["item-mean"].chosen)
    assert pd.isna(one["regularization"]) == ("regularization" in moved)
    noisy = rows[(rows["system"] == "laplace-svd")].iloc[0]
    assert (noisy["against"], noisy["verb"]) in {("item-mean", verb) for verb in ("beats", "loses to", "is level with")}
    assert (noisy["setting"], noisy["price"], noisy["trials"], noisy["counted"]) == ("as printed", "none", 1, 8.0)
    assert rows.iloc[3]["price"] == "public"

    assert tables.stale("small") == []
    assert tables.check("small", tables.sample("small", 100)) == []
    assert tables.main(["--check"]) == 0


def test_the_check_notices_another_choice_and_a_lost_one(here):
    tables.main(["--tune"])
    tables.main([])
    path = here / "small.choices.toml"
    text = path.read_text()
    start = text.index("[[choice]]", text.index('system = "laplace-svd"') - 20)
    head, last = text[:start], text[start:]
    line = next(line for line in last.splitlines() if line.startswith("chosen"))
    path.write_text(head + last.replace(line, "chosen = { epochs = 2, learning_rate = 0.0005 }"))
    wrong = tables.check("small", tables.sample("small", 100))
    assert len(wrong) == 1
    assert "laplace-svd" in wrong[0]
    assert "rmse is" in wrong[0]
    path.write_text(head)
    assert any("nothing was chosen for laplace-svd@clip_reports=True" in line for line in tables.stale("small"))


def test_a_table_without_tuned_rows_has_the_columns_it_always_had(here):
    (here / "small.toml").write_text(TOML[: TOML.index("[[tuned]]")])
    tables.main([])
    assert list(tables.results("small").columns) == [*tables.ABOUT, "regularization", *tables.FOUND]
    with pytest.raises(UserError, match=r"small\.toml has no \[\[tuned\]\], so there is nobody to search for"):
        tables.main(["--tune", "small"])


def test_every_outer_split_has_a_search_of_its_own_and_other_data_take_what_was_chosen_first():
    own = comparison(systems=["item-mean"], splits="0-4")
    assert [outer for _, outer in own.searches()] == [0, 1, 2, 3, 4]
    frozen = comparison(systems=["item-mean"], data="ml-1m", searched_on="ml-100k", splits="0")
    assert list(frozen.searches()) == []
    with pytest.raises(UserError, match="nothing was chosen for item-mean@ on ml-100k, outer split 0"):
        frozen.choice(frozen.contenders[0], 0, {})


def test_what_is_searched_on_private_data_says_so():
    assert comparison(systems=["item-mean"]).contenders[0].price == "public"
    assert comparison(systems=["item-mean"], data="ml-1m").contenders[0].price == "private"
    assert comparison(systems=["item-mean"], data="ml-1m", searched_on="ml-100k").contenders[0].price == "public"


@pytest.mark.parametrize(
    "asked, said",
    [
        ({"against": "ease"}, "against is 'ease', but must be one of the systems"),
        ({"price": "free"}, "price is 'free', but must be one of public, reports, private, none"),
        ({"splits": "few"}, "splits is 'few'"),
        ({"splits": "3-1"}, "splits is '3-1'"),
        ({"populations": "0-4"}, "ml-100k is one population"),
        ({"data": "synthetic", "populations": "1000"}, "population 1000 is the one that is searched on"),
        ({"trials": 0}, "trials is 0"),
        ({"most": 0}, "most is 0"),
        ({"parameters": {"regularization": [-1]}}, "regularization is -1"),
    ],
)
def test_a_mistake_is_said_before_anything_runs(asked, said):
    with pytest.raises(UserError, match=said):
        comparison(systems=["item-mean"], **asked)


def test_a_rival_may_be_named_by_its_parameters_whatever_the_others_have():
    asked = {"epsilon1": [1.0], "epsilon": [1.0], "mechanism": ["laplace", "optimal"]}
    plan = comparison(systems=["laplace-svd", "optimal-mf"], against="optimal-mf mechanism=laplace", parameters=asked)
    rivals = {one.name: plan.rival(one) for one in plan.contenders}
    named = rivals.pop("laplace-svd@epsilon1=1.0")
    assert (named.system, named.fixed["mechanism"]) == ("optimal-mf", "laplace")
    assert [(None if one is None else one.fixed["mechanism"]) for one in rivals.values()] == [None, "laplace"]


def test_a_rival_is_held_against_at_the_same_price_and_one_that_is_not_alone_is_refused():
    plan = comparison(systems=["dp-item-means", "dpsgd-pnbm", "uniform-similarity"], against="dp-item-means",
                      parameters={"epsilon": [1.0, 3.0]})  # fmt: skip
    rivals = {one.name: plan.rival(one) for one in plan.contenders[:-1]}
    assert rivals["dpsgd-pnbm@epsilon=3.0"].name == "dp-item-means@epsilon=3.0"
    assert rivals["dp-item-means@epsilon=1.0"] is None
    with pytest.raises(UserError, match="dp-item-means is there 2 times for uniform-similarity@"):
        plan.rival(plan.contenders[-1])


def test_a_parameter_may_be_of_one_system_alone():
    plan = comparison(systems=["dp-item-means", "dpsgd-pnbm"], against="dp-item-means",
                      parameters={"epsilon": [1.0], "dpsgd-pnbm.regularization": [0.005]})  # fmt: skip
    assert [dict(one.fixed) for one in plan.contenders] == [{"epsilon": 1.0}, {"epsilon": 1.0, "regularization": 0.005}]
    assert plan.rival(plan.contenders[1]) == plan.contenders[0]
