"""What is committed beside the chapters is what the code computes today."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import recprivlib
from recprivlib.data import pinned
from recprivlib.data.sources import RECIPES
from recprivlib.models.constants import PerItem
from recprivlib.tables import (
    asked,
    check,
    grids,
    home,
    names,
    remedy,
    results,
    rows_of,
    sample,
    stale,
    tolerance,
    value_of,
)
from recprivlib.yardsticks.plain import Popularity

SAMPLE = 3  # runs of each table that every `make test` computes anew


def test_a_single_value_is_read_as_pandas_reads_it() -> None:
    rng = np.random.default_rng(0)
    for name in names():
        table = results(name)
        for at in rng.integers(len(table), size=3):
            row = table.iloc[at]
            whole = {
                name: None if pd.isna(cell) else bool(cell) if isinstance(cell, np.bool_) else cell
                for name, cell in row.drop("value").items()
                if not name.endswith(".1")
            }
            some = dict(rng.permutation(np.array(list(whole.items()), object))[:6])
            for about in (some, whole, {**some, "metric": "none"}):
                found = rows_of(table, about)
                assert value_of(name, about) == (found["value"].iloc[0] if len(found) == 1 else None), about


def test_every_grid_has_its_table_and_every_table_its_grid() -> None:
    assert set(asked()) == set(names()) != set()


@pytest.mark.parametrize("name", names())
def test_a_table_holds_what_its_grid_asks_for(name: str) -> None:
    wrong = stale(name)
    assert not wrong, remedy(wrong)


@pytest.mark.parametrize("name", names())
def test_a_sample_comes_out_as_committed(name: str) -> None:
    wrong = check(name, sample(name, SAMPLE))
    assert not wrong, remedy(wrong)


@pytest.mark.parametrize("name", names())
def test_tables_are_small_and_tidy(name: str) -> None:
    table = results(name)
    assert (home(name) / f"{name}.csv").stat().st_size < 1_000_000
    assert not [column for column in table if "seconds" in column]
    assert ((table["low"] <= table["value"]) & (table["value"] <= table["high"])).all()
    for row in table.itertuples():
        if row.data in RECIPES:
            assert row.checksum in (pinned(row.data), pinned(row.data, items=row.items))


def test_another_algorithm_fails_the_check_with_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    (cell,) = [run[0] for run in grids("recommenders")[0].runs().values() if run[0].system == "popularity"]
    assert check("recommenders", [cell]) == []
    fit = Popularity.fit

    def worse(self, train, rng):  # type: ignore[no-untyped-def]
        return PerItem(fit(self, train, rng).scores[::-1])

    monkeypatch.setattr(Popularity, "fit", worse)
    wrong = check("recommenders", [cell])
    assert re.fullmatch(r"popularity on ml-100k, loo-latest, seed 0: hr@2 is 0\S*, but 0\.16\d+ is committed", wrong[0])
    assert remedy(wrong).endswith("run `make results` and commit the tables.")


@pytest.mark.parametrize(
    "committed, said", [({"counted": 0.9}, "counted ε is 1, but 0.9 is"), ({"counted": math.inf}, "but inf is"),
                        ({"counted": math.nan}, "but nan is"), ({"unit": "user"}, "unit is interaction, but user is")],
)  # fmt: skip
def test_another_bill_fails_the_check(monkeypatch: pytest.MonkeyPatch, committed: dict[str, Any], said: str) -> None:
    (cell, *_) = [run[0] for grid in grids("dplcf") for run in grid.runs().values()
                  if run[0].system == "lcf-sp" and run[0].params["epsilon"] == 1]  # fmt: skip
    assert check("dplcf", [cell]) == []
    monkeypatch.setattr("recprivlib.tables.results", lambda name: results(name).assign(**committed))
    wrong = check("dplcf", [cell])
    assert len(wrong) == 1
    assert said in wrong[0]


def test_the_sample_rotates_with_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    for number in range(40):
        monkeypatch.setattr("recprivlib.tables.sources", lambda number=number: f"{number:08x}")
        picked = sample("recommenders", SAMPLE)
        assert len(picked) == SAMPLE
        assert picked == sample("recommenders", SAMPLE)
        assert all(cell.data == "ml-100k" for cell in picked)  # what is slow is never in it
        seen |= {str(cell) for cell in picked}
    # 14 runs; each misses all of 40 samples of 3 with probability (11/14)^40 < 10⁻⁴
    assert len(seen) == sum(len(grid.runs()) for grid in grids("recommenders") if not grid.slow) - 1


def test_a_difference_of_two_users_is_forgiven_and_no_more() -> None:
    assert tolerance("hr@10/full", 943) == 2 / 943
    assert tolerance("rmse", 943) == 0.001


def test_tables_are_read_in_any_folder_by_a_function_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(recprivlib.results("recommenders")) == len(results("recommenders"))
