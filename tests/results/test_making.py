"""From a .toml to a .csv, in a folder of its own; and reading it from an installed wheel."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from recprivlib import tables as module
from recprivlib.evaluation import interval, paired
from recprivlib.experiment import run
from recprivlib.parameters import UserError

ROOT = Path(__file__).parents[2]
TOML = """
[[grid]]
systems = ["popularity", "item-knn"]
data = "synthetic"
users = 200
items = 150
seeds = "0-2"
against = "popularity"
[[grid]]
systems = ["item-knn"]
data = "synthetic"
users = 200
items = 150
seeds = "0-2"
parameters = { neighbors = [5, 50] }
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one small table to make."""
    folder = tmp_path / "papers" / "small" / "results"
    folder.mkdir(parents=True)
    (folder / "small.toml").write_text(TOML)
    monkeypatch.setattr(module, "SLICES", tmp_path)
    monkeypatch.setattr(module, "CELLS", tmp_path / "cells")
    monkeypatch.setattr(module.os, "cpu_count", lambda: 1)
    return folder


def test_a_row_is_the_mean_over_seeds_with_interval_and_paired_difference(here: Path) -> None:
    assert module.main([]) == 0
    table = module.results("small")
    runs = {
        n: [run(n, "synthetic", seed=s, users=200, items=150) for s in range(3)] for n in ("popularity", "item-knn")
    }
    mine, theirs = ([r.per_user["hr@10"] for r in runs[n]] for n in ("item-knn", "popularity"))
    row = table[(table["system"] == "item-knn") & (table["metric"] == "hr@10") & (table["neighbors"] == 50)].iloc[0]
    assert row["value"] == pytest.approx(np.mean([r.metrics["hr@10"] for r in runs["item-knn"]]), abs=1e-6)
    assert row["first"] == pytest.approx(runs["item-knn"][0].metrics["hr@10"], abs=1e-6)
    assert (row["low"], row["high"]) == pytest.approx(interval(mine), abs=1e-6)
    gap = paired(mine, theirs)
    assert (row["difference"], row["difference_low"], row["difference_high"]) == pytest.approx(
        (gap.mean, gap.low, gap.high), abs=1e-6
    )
    assert (row["seeds"], row["against"], row["users"]) == ("0-2", "popularity", 200)


def test_a_run_that_two_grids_share_stands_once(here: Path) -> None:
    module.main([])
    table = module.results("small")
    assert len(table) == 3 * 12  # popularity, 50 neighbours (the default), 5 neighbours
    assert not table.duplicated(["system", "neighbors", "metric"]).any()


def test_made_twice_is_the_same_bytes_and_passes_the_check(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module.main(["small"])
    once = (here / "small.csv").read_bytes()
    module.main([])
    assert (here / "small.csv").read_bytes() == once
    assert module.main(["--check"]) == 0
    assert capsys.readouterr().out.endswith("everything comes out as committed\n")


@pytest.mark.parametrize("column", ["value", "first", "low", "difference", "difference_high"])
def test_the_check_of_everything_notices_each_number(
    here: Path, capsys: pytest.CaptureFixture[str], column: str
) -> None:
    module.main([])
    table = module.results("small")
    table.loc[20, column] += 0.02  # 2 users of 200 are 0.01
    table.to_csv(here / "small.csv", index=False)
    assert module.main(["--check"]) == 1
    said = capsys.readouterr().out
    assert f"{column} is" in said
    assert "run `make results`" in said


def test_the_check_of_everything_notices_other_rows(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module.main([])
    table = module.results("small")
    table.iloc[:-1].to_csv(here / "small.csv", index=False)
    assert module.main(["--check"]) == 1
    table.iloc[::-1].to_csv(here / "small.csv", index=False)
    assert module.main(["--check"]) == 1
    assert "is not where small.toml puts it" in capsys.readouterr().out
    (here / "small.toml").write_text(TOML.replace("[5, 50]", "[5, 9]"))
    assert module.stale("small") == ["item-knn (neighbors=9, similarity=jaccard) on synthetic, loo-latest, seed 0 "
                                     "is not in small.csv"]  # fmt: skip


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("systems =", "#", "a grid needs systems"),
        ('["popularity", "item-knn"]', '["popularity", "nope"]', "no system 'nope'"),
        ('against = "popularity"', 'against = "ease"', "against is 'ease'"),
        ("neighbors =", "neighbours =", "no system of this sweep has a parameter 'neighbours'"),
        ('seeds = "0-2"', "", "seeds"),
        ('seeds = "0-2"', 'seeds = "2-0"', "no seed"),
        ('seeds = "0-2"', 'seeds = "few"', "seeds is 'few'"),
        ("users = 200", "people = 200", "people"),
        ("[[grid]]", "[[grid]", "toml"),
    ],
)
def test_a_mistake_in_a_toml_is_said_with_its_name(here: Path, good: str, bad: str, said: str) -> None:
    (here / "small.toml").write_text(TOML.replace(good, bad))
    with pytest.raises(UserError, match=r"small\.toml: ") as caught:
        module.grids("small")
    assert said in str(caught.value)


def test_unknown_names_are_refused(here: Path) -> None:
    with pytest.raises(UserError, match="'nope'; choose from --check, --tune, small"):
        module.main(["nope"])
    module.main([])
    with pytest.raises(UserError, match="'nope'; choose from small"):
        module.results("nope")


def test_an_installed_wheel_reads_its_own_tables_in_any_folder(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as pack:
        pack.extractall(tmp_path / "site")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); import recprivlib;"
        "assert 'site' in recprivlib.__file__;"
        "from recprivlib.tables import home, main; print(len(recprivlib.results('recommenders')), home('recommenders'))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows, where = done.stdout.split(maxsplit=1)
    assert int(rows) == len(module.results("recommenders"))
    assert where.strip() == str(tmp_path / "site" / "recprivlib" / "primers" / "recommenders" / "results")
    make = subprocess.run(
        [sys.executable, "-c", code.split("print")[0] + "main([])"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert "in a checkout, not in an installed package" in make.stderr
