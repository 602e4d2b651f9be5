"""The table measures, compares and says what it could not measure. How fast anything is, is not tested here."""

import json
import subprocess
import sys
import time

import pytest

from recprivlib import bench
from recprivlib.bench import THREADS, Timing, areas, cells, chosen, measured
from recprivlib.bench.start import peak
from recprivlib.cli import main
from recprivlib.parameters import UserError


@pytest.fixture
def one_thread(monkeypatch):
    """As the command sets it, so that nothing is started anew."""
    for name in THREADS:
        monkeypatch.setenv(name, "1")


def sleeping(seconds):
    return lambda: lambda: time.sleep(seconds)


def test_every_area_lists_its_cells_once():
    names = [(area, cell.name) for area in areas() for cell in cells(area)]
    assert {"evaluation", "loading", "models", "start"} <= {area for area, _ in names}
    assert len(names) == len(set(names))


def test_setup_is_not_timed_and_peers_take_turns():
    turns = []

    def slow_setup():
        time.sleep(0.2)
        return lambda: turns.append("own")

    line = measured("x", Timing("c", 0.1, slow_setup, {"peer": lambda: lambda: turns.append("peer")}), repeats=4)
    assert turns == ["own", "peer"] * 5  # once unmeasured, then four times
    assert line.own.repeats == line.peers["peer"].repeats == 4
    assert line.own.p10 <= line.own.median <= line.own.p90
    assert line.met


def test_waiting_is_told_from_working():
    line = measured("x", Timing("c", 0.01, sleeping(0.05)), repeats=3)
    assert line.own.median >= 0.05
    assert line.own.cpu < 0.025
    assert line.met is False


def test_memory_is_what_the_callable_says():
    line = measured("x", Timing("c", 400, lambda: lambda: 123.0, unit="MB"), repeats=3)
    assert (line.own.median, line.own.cpu, line.met) == (123.0, None, True)


def test_what_cannot_be_measured_is_said_and_the_rest_goes_on():
    def absent():
        raise ModuleNotFoundError("no", name="lenskit")

    def refused():
        raise UserError("no such data")

    line = measured("x", Timing("c", None, sleeping(0), {"a": absent}), repeats=3)
    assert line.own is not None
    assert line.missing == {"a": "lenskit is not installed"}
    line = measured("x", Timing("c", 1.0, refused, {"a": sleeping(0)}), repeats=3)
    assert (line.own, line.met, line.missing) == (None, None, {"": "no such data"})
    assert set(line.peers) == {"a"}


def test_an_unknown_area_or_count_is_refused_in_one_line(capsys):
    for words, said in ((["bench", "modles"], "no area 'modles'"), (["bench", "--repeats", "0"], "repeats is 0")):
        assert main(words) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert said in captured.err
        assert captured.err.count("\n") == 1
    assert chosen([]) == areas()


TOY = """
from recprivlib.bench import Timing

def cells():
    return [
        Timing("quick", 10.0, lambda: lambda: None, {"rival": lambda: lambda: None}),
        Timing("never quick enough", 0.0, lambda: lambda: None),
        Timing("large", None, lambda: lambda: 7.0, unit="MB"),
    ]
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """One more area, added as anybody would: a file."""
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.setattr(bench, "__path__", [*bench.__path__, str(tmp_path)])
    yield
    sys.modules.pop("recprivlib.bench.toy", None)
    vars(bench).pop("toy", None)


def test_a_new_file_is_a_new_area_in_table_and_json(toy, one_thread, capsys):
    assert main(["bench", "toy", "--repeats", "2"]) == 0
    table = capsys.readouterr().out
    assert [line.split("  ")[0].split()[0] for line in table.splitlines()[:3]] == ["toy"] * 3
    assert "met" in table.splitlines()[0]
    assert "rival" in table.splitlines()[0]
    assert "MISSED" in table.splitlines()[1]
    assert table.endswith("1 of 2 targets met\n")

    assert main(["bench", "toy", "--repeats", "2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(c["name"], c["met"]) for c in document["cells"]] == [
        ("quick", True), ("never quick enough", False), ("large", None)
    ]  # fmt: skip
    assert document["cells"][2]["own"] == {"median": 7.0, "p10": 7.0, "p90": 7.0, "cpu": None, "repeats": 2}
    assert document["machine"]["threads"] == dict.fromkeys(THREADS[:2], "1")


def test_the_command_starts_itself_anew_with_one_thread(toy, monkeypatch):
    """BLAS reads its number of threads once, when it is loaded."""
    started = []

    def note(words, env):
        started.append((words, env))
        return subprocess.CompletedProcess(words, 3)

    for name in THREADS:
        monkeypatch.setenv(name, "2")
    monkeypatch.setattr(subprocess, "run", note)
    assert main(["bench", "toy", "--repeats", "4", "--json"]) == 3
    ((words, environment),) = started
    assert words == [sys.executable, "-m", "recprivlib", "bench", "toy", "--repeats", "4", "--json"]
    assert all(environment[name] == "1" for name in THREADS)


@pytest.mark.skipif(sys.platform != "linux", reason="the high-water mark is read from /proc")
def test_peak_memory_is_that_of_the_command_alone():
    """In megabytes, and not that of the process that started it, which holds 300 MB here."""
    ballast = bytearray(300_000_000)
    ballast[::4096] = b"x" * len(ballast[::4096])
    assert 20 < peak("systems")()() < 250
