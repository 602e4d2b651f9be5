"""The core in a browser's Python: NumPy, SciPy and pandas alone, whole numbers of 32 bits, one thread."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.laboratory.alike import LOOSE, differences
from tests.laboratory.settings import MOVES, SLOW, computed, told, walked
from tools import site

HERE = Path(__file__).parent
NO_NODE = "NO NODE FOUND: THE CORE WAS NOT TESTED IN A BROWSER'S PYTHON (Debian: apt install nodejs)"
QUICK = [["cheap" if stem in SLOW else "ten", stem] for stem in MOVES]


@pytest.fixture(scope="module")
def lab(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laboratory of the site that other tests have built, where it is up to date; else one without a book."""
    if site.fresh():
        return site.SITE / "lab"
    folder = tmp_path_factory.mktemp("site") / "lab"
    site.laboratory(folder, lambda line: None)
    return folder


def ran(lab: Path, asked: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What a browser's Python says to these."""
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        if os.environ.get("RECPRIV_REQUIRE_BROWSER"):
            pytest.fail(NO_NODE, pytrace=False)
        pytest.skip(NO_NODE)
    command = [node, str(HERE / "core.mjs"), str(lab), str(HERE / "settings.py"), *map(":".join, asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def there(lab: Path) -> dict[str, Any]:
    """A browser's Python, on what is quick."""
    return ran(lab, QUICK)


def test_it_is_a_python_of_32_bits_and_the_core_needs_no_other_package(there):
    assert (there["python"], there["intp"]) == ([3, 14], 4)
    assert there["early"] == "", "what a first result does not need is loaded last"


def test_no_thread_is_started_and_a_missing_data_set_is_one_sentence(there):
    assert there["threads"] == 1
    assert there["refused"].startswith("ml-100k is not in this page")
    assert "thread" not in there["refused"]


@pytest.mark.parametrize("asked", QUICK, ids=":".join)
def test_a_dashboard_says_and_counts_the_same(there, asked):
    compared(there, asked)


@pytest.mark.slow
def test_what_trains_long_says_and_counts_the_same_at_ten_settings(lab):
    there = ran(lab, [["ten", stem] for stem in SLOW])
    for stem in SLOW:
        compared(there, ["ten", stem])


def compared(there: dict[str, Any], asked: Sequence[str]) -> None:
    """Both Pythons' sentences and tables at the settings that were asked for."""
    _, stem = asked
    here = json.loads(json.dumps(told(computed([asked]))))[stem]
    assert here.keys() == there["told"][stem].keys()
    wrong = []
    for at, (sentence, rows) in here.items():
        said, found = there["told"][stem][at]
        wrong += [(at, *cell) for cell in differences(stem, rows, found)]
        if stem not in LOOSE:
            assert said == sentence
    assert not wrong, f"{len(wrong)} cells differ: {wrong[:3]} … {wrong[-3:]}"


def test_there_are_ten_settings_of_every_dashboard():
    """A move that changes nothing, or nothing that is seen, is none."""
    for stem in MOVES:
        assert len({json.dumps(values, default=str) for _, values in walked(stem)}) >= 9, stem
