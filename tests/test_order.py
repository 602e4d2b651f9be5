"""Tests that look at a clock run last and alone; those that share a fixture stay together."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.order import ALONE, scope

ROOT = Path(__file__).resolve().parents[1]
BUSY = """
import os, time
from pathlib import Path
import pytest

@pytest.fixture(autouse=True)
def noted():
    start = time.monotonic()
    yield
    with open(Path(__file__).parent / f"ran-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}", "a") as file:
        file.write(f"{start} {time.monotonic()} {os.environ['PYTEST_CURRENT_TEST']}\\n")

@pytest.mark.timing
def test_clock():
    time.sleep(0.2)

@pytest.mark.timing
def test_other_clock():
    time.sleep(0.2)

@pytest.mark.parametrize("n", range(3))
def test_some(n):
    time.sleep(0.3)
"""


def ran(folder: Path, *options: str) -> tuple[list[tuple[float, float, str]], str]:
    """(start, end, name) of the tests of two files that were run, in order of time, and what pytest said last."""
    folder.mkdir(exist_ok=True)
    for name in ("test_one.py", "test_two.py"):
        (folder / name).write_text(BUSY)
    (folder / "pytest.ini").write_text(f"[pytest]\nmarkers = {ALONE}\n")
    command = [sys.executable, "-m", "pytest", "-q", "-c", folder / "pytest.ini", "-p", "xdist", "-p", "tests.order"]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # others take two seconds a process to load
    done = subprocess.run([*command, *options, folder], capture_output=True, text=True, cwd=ROOT, env=environment)
    rows = [line.split(maxsplit=2) for path in folder.glob("ran-*") for line in path.read_text().splitlines()]
    return sorted((float(a), float(b), name.split("::")[1]) for a, b, name in rows), done.stdout.splitlines()[-1]


@pytest.mark.parametrize("workers", ["1", "3"])
def test_what_looks_at_a_clock_runs_when_nothing_else_does(tmp_path, workers):
    rows, last = ran(tmp_path / "own", "-n", workers, "--dist", "loadgroup")
    assert last.startswith("10 passed"), last
    clocks = [row for row in rows if "clock" in row[2]]
    rest = [row for row in rows if "clock" not in row[2]]
    assert len(clocks) == 4
    assert max(end for _, end, _ in rest) <= min(start for start, _, _ in clocks)
    assert all(before[1] <= after[0] for before, after in pairwise(clocks))


def test_a_single_file_with_a_clock_waits_for_the_other_worker_too(tmp_path):
    rows, last = ran(tmp_path / "own", "-n", "2", "--dist", "loadgroup", "-k", "test_one")
    assert last.startswith("5 passed"), last
    assert [row[2].split()[0] for row in rows][-2:] == ["test_clock", "test_other_clock"]


def test_without_workers_clocks_come_last_too(tmp_path):
    rows, last = ran(tmp_path / "own")
    assert last.startswith("10 passed"), last
    assert all("clock" in row[2] for row in rows[-4:])


def test_tests_of_a_file_stay_together_and_those_of_a_browser_are_dealt_out():
    assert scope("tests/data/test_own.py::test_a[1]") == scope("tests/data/test_own.py::test_b")
    path = "tests/browser/test_path.py::"
    assert scope(f"{path}test_a[chromium-::]") == scope(f"{path}test_a[x]") != scope(f"{path}test_b[x]")
    assert scope(f"{path}test_a[firefox]") == scope(f"{path}test_b[firefox-1]") != scope(f"{path}test_b[chromium-1]")
    own = "tests/papers/dplcf/test_browser.py::"
    assert scope(f"{own}test_a[chromium]") == scope(f"{own}test_a[x]") != scope(f"{own}test_b[x]")
    assert scope(f"{own}test_a[firefox]") == scope(f"{path}test_b[firefox]")
    site = "tests/browser/test_site.py::"
    assert scope(f"{site}test_a[x]") == scope(f"{site}test_b[x]")
    assert scope("tests/browser/test_path.py::test_half_of_the_steps_answer_within_300_ms[a]") == ALONE
