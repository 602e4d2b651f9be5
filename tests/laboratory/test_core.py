"""The core in a browser's Python: NumPy, SciPy and pandas alone, whole numbers of 32 bits, one thread."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.laboratory.settings import SETTINGS, computed, told
from tools import site

HERE = Path(__file__).parent
NO_NODE = "NO NODE FOUND: THE CORE WAS NOT TESTED IN A BROWSER'S PYTHON (Debian: apt install nodejs)"
CLOSE = 1e-6  # another C library, another BLAS; what matters on a screen is a thousand times as coarse


@pytest.fixture(scope="module")
def lab(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laboratory of a site, without its book."""
    folder = tmp_path_factory.mktemp("site") / "lab"
    site.laboratory(folder, lambda line: None)
    return folder


@pytest.fixture(scope="module")
def there(lab: Path) -> dict[str, Any]:
    """What a browser's Python says."""
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        if os.environ.get("RECPRIV_REQUIRE_BROWSER"):
            pytest.fail(NO_NODE, pytrace=False)
        pytest.skip(NO_NODE)
    command = [node, str(HERE / "core.mjs"), str(lab), str(HERE / "settings.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def here() -> dict[str, Any]:
    """What this Python says."""
    return json.loads(json.dumps(told(computed())))


def test_it_is_a_python_of_32_bits_and_the_core_needs_no_other_package(there):
    assert (there["python"], there["intp"]) == ([3, 14], 4)
    assert there["early"] == "", "what a first result does not need is loaded last"


def test_no_thread_is_started_and_a_missing_data_set_is_one_sentence(there):
    assert there["threads"] == 1
    assert there["refused"].startswith("ml-100k is not in this page")
    assert "thread" not in there["refused"]


@pytest.mark.parametrize("stem", SETTINGS)
def test_a_dashboard_says_and_counts_the_same(here, there, stem):
    (sentence, rows), (said, found) = here[stem], there["told"][stem]
    assert said == sentence
    assert len(found) == len(rows) > 0
    for row, other in zip(rows, found, strict=True):
        for one, two in zip(row, other, strict=True):
            if isinstance(one, float) or isinstance(two, float):
                assert two == pytest.approx(one, rel=CLOSE, abs=CLOSE), (row, other)
            else:
                assert one == two, (row, other)
