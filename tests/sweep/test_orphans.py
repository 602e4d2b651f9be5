"""Workers end with the sweep that started them, and whatever they started with them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from recprivlib.executors import executor

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads who is in a session from /proc")
SECONDS = 8  # in which everything is gone; idle workers went after 30, busy ones when their cell was done
SWEEP = """
import sys
import recprivlib.sweeps as sweeping
from slow_cells import slow
sweeping.compute = slow
from recprivlib.cli import main
sys.exit(main(sys.argv[1:]))
"""
SLOW = """
import os, time
from pathlib import Path
from recprivlib.sweeps.cells import compute

def slow(task):
    found = compute(task)
    if task[0].seed >= 3:
        Path(f"asleep.{os.getpid()}").touch()
    time.sleep(0.3 if task[0].seed < 3 else 40)
    return found
"""
NESTED = """
import os, time
from pathlib import Path
from recprivlib.executors import executor

def asleep(seconds):
    Path(f"asleep.{os.getpid()}").touch()
    time.sleep(seconds)

def nested(seconds):
    with executor(2) as run:
        list(run(asleep, [seconds] * 2))
"""


def session(leader: int) -> set[int]:
    """The processes of a session that have not ended."""
    found = set()
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            state, _, _, own = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(own) == leader and state not in "ZX":
                found.add(int(entry.name))
    return found


def left_after_kill(process: subprocess.Popen[Any]) -> set[int]:
    process.send_signal(signal.SIGKILL)
    process.wait()
    end = time.monotonic() + SECONDS
    while session(process.pid) and time.monotonic() < end:
        time.sleep(0.05)
    return session(process.pid)


def asleep(folder: Path) -> int:
    """How many workers have begun what takes long: one that is still importing ends as soon as it has done so."""
    return len(list(folder.glob("asleep.*")))


def forget(folder: Path) -> None:
    for path in folder.glob("asleep.*"):
        path.unlink()


def ended(process: subprocess.Popen[Any]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def until(condition: Any, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


def test_the_workers_of_a_killed_sweep_are_gone_in_seconds_and_it_goes_on(frozen: Path, tmp_path: Path) -> None:
    """Two workers in the middle of a cell of forty seconds; what was finished before is there for the next sweep."""
    (frozen / "slow_cells.py").write_text(SLOW)
    forget(frozen)
    out = tmp_path / "killed.csv"
    words = ["sweep", "popularity", "--data", "synthetic", "--users", "60", "--items", "60", "--out", str(out)]
    with subprocess.Popen(
        [sys.executable, "-c", SWEEP, *words, "--seeds", "0-9", "--workers", "2"], cwd=frozen, start_new_session=True,
        stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            until(lambda: len(list(Path(f"{out}.cells").glob("*.npz"))) >= 3 and asleep(frozen) == 2)
            assert process.poll() is None
            assert len(session(process.pid)) >= 3, "there are no workers"
            assert left_after_kill(process) == set()
        finally:
            ended(process)
    again = subprocess.run([sys.executable, "-m", "recprivlib", *words, "--seeds", "0-9"], cwd=frozen,
                           capture_output=True, text=True, timeout=120)  # fmt: skip
    assert again.returncode == 0
    assert "3 of 10 cells were there already" in again.stderr


def test_what_a_worker_started_is_gone_too(frozen: Path) -> None:
    (frozen / "nested_work.py").write_text(NESTED)
    forget(frozen)
    code = "from recprivlib.executors import executor\nfrom nested_work import nested\n"
    code += "with executor(2) as run:\n    list(run(nested, [60] * 2))"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=frozen, start_new_session=True, stderr=subprocess.DEVNULL
    ) as process:
        try:
            until(lambda: asleep(frozen) == 4)  # two of each of the two
            assert len(session(process.pid)) >= 1 + 2 + 4
            assert left_after_kill(process) == set()
        finally:
            ended(process)


def test_workers_outlive_the_thread_that_asked_for_them() -> None:
    """Linux would end them with it; the next who asks from another thread would find a broken pool."""
    found: list[int] = []

    def ask() -> None:
        with executor(2) as run:
            found.extend(run(_who, [0.2] * 2))

    for _ in range(2):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        time.sleep(0.2)
    assert len(set(found)) == 2, "the workers of the first thread are those of the second"


def _who(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()
