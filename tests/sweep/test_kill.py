"""Sweeps in processes of their own: killed at random moments, on a full disk, in a folder that cannot be written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

WORDS = ["item-knn", "popularity", "--grid", "neighbors=5,20", "--seeds", "0-9", "--data", "synthetic", "--users",
         "400", "--items", "300"]  # fmt: skip
CELLS = 30


@contextmanager
def started(frozen: Path, out: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "recprivlib", "sweep", *WORDS, "--out", str(out), *more]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=frozen, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):  # its workers, where it did not end them itself
                os.killpg(process.pid, signal.SIGKILL)


def finished(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*.npz")}


def test_killed_and_resumed_equals_uninterrupted_byte_for_byte(frozen: Path, tmp_path: Path) -> None:
    """kill -9, after a random number of cells and a random time more; twice with one worker and once with two.

    Never near the end: on a busy machine the last cells are done before anybody sees that there were enough."""
    whole = tmp_path / "whole.csv"
    with started(frozen, whole) as process:
        assert process.wait(120) == 0
    chance = random.Random(4)
    out, before = tmp_path / "killed.csv", {}
    folder = tmp_path / "killed.csv.cells"
    for workers, enough in (("1", chance.randint(2, 5)), ("1", chance.randint(9, 13)), ("2", chance.randint(14, 17))):
        with started(frozen, out, "--workers", workers) as process:
            while len(finished(folder)) < enough and process.poll() is None:
                time.sleep(0.002)
            time.sleep(chance.random() * 0.02)
            assert process.poll() is None, "the sweep ended before it was killed"
            process.send_signal(signal.SIGKILL)
        assert not out.exists()
        now = finished(folder)
        assert len(now) >= enough
        assert before.items() <= now.items(), "a finished cell was lost or computed again"
        before = now
    with started(frozen, out) as process:
        assert process.stderr
        assert f"{len(before)} of {CELLS} cells were there already" in process.stderr.read()
        process.wait(60)
    assert process.returncode == 0
    assert out.read_bytes() == whole.read_bytes()
    assert before.items() <= finished(folder).items()
    assert [path.name for path in folder.iterdir() if path.suffix != ".npz"] == [".claims"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits on file sizes exist on Unix only")
def test_a_full_disk_ends_in_one_sentence_and_no_half_file(tmp_path: Path) -> None:
    """A limit on the size of files makes writing fail half way, as a full disk does."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500));"
        "from recprivlib.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    out = tmp_path / "full.csv"
    command = [sys.executable, "-c", code, "sweep", *WORDS, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    (said,) = done.stderr.strip().splitlines()
    assert said.startswith(f"recpriv: cannot write to {out}.cells: File too large")
    assert [path.name for path in (tmp_path / "full.csv.cells").iterdir()] == [".claims"]
    assert not out.exists()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which even root cannot write")
def test_a_read_only_folder_ends_in_one_sentence() -> None:
    command = [sys.executable, "-m", "recprivlib", "sweep", *WORDS, "--out", "/proc/self/results.csv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ})
    assert done.returncode == 2
    (said,) = done.stderr.strip().splitlines()
    assert said.startswith("recpriv: cannot write to /proc/self/results.csv.cells")
