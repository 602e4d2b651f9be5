"""Labels are laid out twice, here for the figures of a chapter and in the page for a path: by one table of cases."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from recprivlib.plots.chart import spread

HERE = Path(__file__).parent
STAGE = HERE.parents[1] / "book" / "_static" / "stage.js"
TABLE = HERE / "spread.json"
CASES = json.loads(TABLE.read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case["wanted"])) or "none")
def test_python_lays_labels_out_as_the_table_says(case):
    assert spread(case["wanted"], case["gap"], case["low"], case["high"]) == pytest.approx(case["placed"], abs=1e-9)


def in_the_page(cases: Path) -> list[list[float]]:
    node = shutil.which("node")
    if node is None:
        (pytest.fail if os.environ.get("RECPRIV_REQUIRE_BROWSER") else pytest.skip)("there is no Node")
    command = [node, str(HERE / "spread.mjs"), str(STAGE), str(cases)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_page_lays_labels_out_as_the_table_says():
    for case, placed in zip(CASES, in_the_page(TABLE), strict=True):
        assert placed == pytest.approx(case["placed"], abs=1e-9), case


def test_both_agree_on_a_thousand_crowded_figures(tmp_path):
    rng = np.random.default_rng(23)
    cases = [
        {"wanted": (rng.uniform(0, 300) + rng.normal(0, 20, rng.integers(1, 9))).tolist(),
         "gap": float(rng.choice([14, 15, 21.75])), "low": 0, "high": float(rng.choice([120, 200, 300]))}
        for _ in range(1000)
    ]  # fmt: skip
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    for case, placed in zip(cases, in_the_page(tmp_path / "cases.json"), strict=True):
        assert placed == pytest.approx(spread(**case), abs=1e-9), case
