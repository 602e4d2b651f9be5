"""Two sweeps at one folder, files that are not what their names say, and a cluster that goes away."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from recprivlib.parameters import UserError
from recprivlib.sweeps import complete, outcomes, plan, sweep
from recprivlib.sweeps.cells import Cell, kept
from recprivlib.sweeps.locks import Claims

SMALL = {"data": "synthetic", "users": 120, "items": 80}
WORDS = ["item-knn", "popularity", "--grid", "neighbors=5,20", "--seeds", "0-9", "--data", "synthetic", "--users",
         "400", "--items", "300"]  # fmt: skip


@pytest.fixture
def done(tmp_path: Path) -> tuple[list[Cell], Path]:
    """Two finished cells, and their folder."""
    cells = plan("popularity", {}, seeds=[0, 1], **SMALL)
    complete(cells, tmp_path)
    return cells, tmp_path


def file_of(folder: Path, cell: Cell) -> Path:
    return folder / f"{cell.address()}.npz"


# ------------------------------------------------------------------------------------------------- together


def test_two_sweeps_at_one_folder_share_the_work_and_both_end_well(frozen: Path, tmp_path: Path) -> None:
    """With drafts of fixed names one of them ended with "lost the cell" in 4 of 6 rounds.

    On a busy machine one may be done before the other has begun; then they are sent out once more.
    """
    for turn in range(5):
        out = tmp_path / f"both{turn}.csv"
        command = [sys.executable, "-m", "recprivlib", "sweep", *WORDS, "--out", str(out)]
        both = [subprocess.Popen(command, cwd=frozen, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        said = [one.communicate(timeout=120)[1] for one in both]
        assert [one.returncode for one in both] == [0, 0], said
        if any("the two share the work" in lines for lines in said):
            break
    else:
        pytest.fail(f"they never met: {said}")
    alone = tmp_path / "alone.csv"
    again = subprocess.run([*command[:-1], str(alone)], cwd=frozen, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0
    assert out.read_bytes() == alone.read_bytes()
    assert [path.name for path in Path(f"{out}.cells").iterdir() if path.suffix != ".npz"] == [".claims"]


def test_a_cell_that_another_process_claims_is_left_to_it(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from recprivlib.sweeps.locks import Claims;"
        "claims = Claims(Path(sys.argv[1])); print(claims.take(sys.argv[2]), flush=True); time.sleep(60)"
    )
    address = "a1" * 16
    with subprocess.Popen([sys.executable, "-c", code, tmp_path, address], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "True\n"
        (tmp_path / f"{address}.0.draft").write_text("half")
        with Claims(tmp_path) as claims:
            assert not claims.take(address)
            assert (tmp_path / f"{address}.0.draft").exists()
            assert claims.take("b2" * 16)
            other.kill()  # what it claimed is free, however it ended, and its draft goes with it
            other.wait()
            assert claims.take(address)
        assert not (tmp_path / f"{address}.0.draft").exists()


# ------------------------------------------------------------------------------------------ what files hold


def test_a_cell_file_copied_over_another_is_computed_again(tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    sweep("popularity", seeds=[0, 1], out=out, **SMALL)
    whole = out.read_bytes()
    first, second = plan("popularity", {}, seeds=[0, 1], **SMALL)
    folder = tmp_path / "a.csv.cells"
    shutil.copy(file_of(folder, first), file_of(folder, second))
    assert kept(folder, second) is None
    sweep("popularity", seeds=[0, 1], out=out, **SMALL)
    assert out.read_bytes() == whole


@pytest.mark.parametrize(
    "record", ["[]", "null", "3", "{}", '{"cell": []}', '{"error": "", "seconds": 1, "users": {}}', '"', ""]
)
def test_a_cell_that_holds_something_else_is_no_cell(done: tuple[list[Cell], Path], record: str) -> None:
    (cell, _), folder = done
    with file_of(folder, cell).open("wb") as file:
        np.savez_compressed(file, record=np.array(record))
    assert kept(folder, cell) is None


def test_a_flipped_bit_is_noticed_wherever_it_is(done: tuple[list[Cell], Path]) -> None:
    """In the record, in a user's values, in the archive: what is read is what was written, or nothing."""
    (cell, _), folder = done
    path = file_of(folder, cell)
    true = kept(folder, cell, users=True)
    assert true is not None
    assert true.report is not None
    body, chance, refused = path.read_bytes(), random.Random(1), 0
    for _ in range(400):
        at = chance.randrange(len(body))
        path.write_bytes(body[:at] + bytes([body[at] ^ 1 << chance.randrange(8)]) + body[at + 1 :])
        found = kept(folder, cell, users=True)
        refused += found is None
        if found is not None:
            assert found.report == true.report
            users = zip(found.report.per_user.items(), true.report.per_user.items(), strict=True)
            assert all(a == b and np.array_equal(x, y, equal_nan=True) for (a, x), (b, y) in users)
    assert refused > 200


def test_damaged_values_of_users_are_computed_again_where_they_are_wanted(done: tuple[list[Cell], Path]) -> None:
    """`make results` reads them: it said "run the same command again", and said so again each time."""
    cells, folder = done
    path = file_of(folder, cells[0])
    with np.load(path) as file:
        arrays = dict(file)
    name = next(name for name in arrays if name.startswith("user/"))
    arrays[name] = arrays[name] + 1
    with path.open("wb") as body:
        np.savez_compressed(body, **arrays)
    complete(cells, folder)
    with pytest.raises(UserError, match="lost the cell"):
        list(outcomes(cells, folder, users=True))
    complete(cells, folder, users=True)
    assert len(list(outcomes(cells, folder, users=True))) == 2


def test_a_clock_set_back_changes_nothing(done: tuple[list[Cell], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    cells, folder = done
    whole = [file_of(folder, cell).read_bytes() for cell in cells]
    for path in folder.iterdir():  # as if they were written ten years from now
        os.utime(path, (time.time() + 315e6,) * 2)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    third = plan("popularity", {}, seeds=[0, 1, 2], **SMALL)
    complete(third, folder)
    assert [file_of(folder, cell).read_bytes() for cell in cells] == whole
    assert len(list(outcomes(third, folder))) == 3


# --------------------------------------------------------------------------------------------------- places


@pytest.mark.parametrize("name", ["x" * 300, "x" * 252, "zero\0byte"])
def test_a_name_that_no_file_can_have_is_said_before_anything_runs(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="cannot write to"):
        sweep("popularity", out=tmp_path / name, **SMALL)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------------------ Dask


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.timing
@pytest.mark.parametrize("address", ["nonsense", "", "tcp://127.0.0.1:99999", "tcp://127.0.0.1:{port}", "127.0.0.1"])
def test_an_address_where_no_scheduler_is_is_refused_within_a_second(tmp_path: Path, port: int, address: str) -> None:
    def refused() -> float:
        start = time.monotonic()
        with pytest.raises(UserError, match="no Dask scheduler answers at"):
            complete(plan("popularity", {}, **SMALL), tmp_path, dask=address.format(port=port))
        return time.monotonic() - start

    assert any(refused() < 1.5 for _ in range(3))  # a busy moment of the machine is not our patience


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
def test_a_server_that_is_no_scheduler_is_refused(tmp_path: Path, greeting: bytes) -> None:
    def answer() -> None:
        line, _ = listening.accept()
        with line, contextlib.suppress(OSError):
            line.sendall(greeting)
            line.recv(1)  # until the other side hangs up

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(UserError, match="no Dask scheduler answers at"):
            complete(plan("popularity", {}, **SMALL), tmp_path, dask=f"tcp://127.0.0.1:{listening.getsockname()[1]}")


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Parts of a cluster, which end with the test."""
    parts: list[subprocess.Popen[bytes]] = []

    def start(module: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *words, "--no-dashboard"]
        parts.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return parts[-1]

    yield start
    for part in parts:
        part.kill()
        part.wait()


@pytest.mark.slow
def test_a_scheduler_lost_in_mid_sweep_is_one_sentence_and_loses_nothing(
    tmp_path: Path, port: int, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    address, out = f"tcp://127.0.0.1:{port}", tmp_path / "lost.csv"
    words = ["popularity", "--seeds", "0-39", "--data", "synthetic", "--users", "4000", "--items", "1000"]
    command = [sys.executable, "-m", "recprivlib", "sweep", *words, "--out", str(out)]
    scheduler = started("dask_scheduler", "--host", "127.0.0.1", "--port", str(port))
    started("dask_worker", address, "--nthreads", "1")
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.2)
    time.sleep(5)  # the worker signs on
    with subprocess.Popen([*command, "--dask", address], stderr=subprocess.PIPE, text=True) as process:
        folder = tmp_path / "lost.csv.cells"
        while len(list(folder.glob("*.npz"))) < 3 and process.poll() is None:
            time.sleep(0.01)
        scheduler.send_signal(signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 2, said
    assert said.splitlines()[-1].startswith("recpriv: the Dask cluster was lost; ")
    assert "Traceback" not in said
    before = {path.name for path in folder.glob("*.npz")}
    assert len(before) >= 3
    assert subprocess.run(command, capture_output=True, timeout=300).returncode == 0
    assert before < {path.name for path in folder.glob("*.npz")}
    assert out.exists()
