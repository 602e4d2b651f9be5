"""A sweep gives the same bytes however it is run, and keeps what it has."""

from __future__ import annotations

import csv
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recprivlib
from recprivlib import closure as closures
from recprivlib.cli import main
from recprivlib.closure import PACKAGE, closure
from recprivlib.executors import died, executor
from recprivlib.experiment import run
from recprivlib.parameters import UserError, values
from recprivlib.registry import get, stem, systems
from recprivlib.sweeps import cells, complete, duration, outcomes, plan, sweep
from recprivlib.sweeps.cells import Outcome, _modules, compute, dataset, kept, sources

SYSTEMS = ("popularity", "item-knn", "ease")
GRID = {"neighbors": (5, 20)}
SMALL = {"data": "synthetic", "users": 300, "items": 150}
WORDS = (
    *SYSTEMS,
    "--grid",
    "neighbors=5,20",
    "--seeds",
    "0-2",
    "--data",
    "synthetic",
    "--users",
    "300",
    "--items",
    "150",
)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("one") / "results.csv"
    sweep(SYSTEMS, GRID, seeds=range(3), out=out, **SMALL)
    return out


# -------------------------------------------------------------------------------------------------- plan


def test_a_parameter_that_a_system_lacks_is_left_out_for_it() -> None:
    done = plan(SYSTEMS, GRID, seeds=range(3), **SMALL)
    assert [cell.system for cell in done] == ["popularity"] * 3 + ["item-knn"] * 6 + ["ease"] * 3
    assert [cell.params.get("neighbors") for cell in done[3:9]] == [5] * 3 + [20] * 3
    assert done[0].params == {}
    assert done[-1].params == values(get("ease").system)


def test_a_cell_that_stands_in_the_grid_twice_is_run_once() -> None:
    assert len(plan("item-knn", {"neighbors": ["20", 20, 20]}, seeds=[0, 0], **SMALL)) == 1


def test_one_value_needs_no_list() -> None:
    bare = plan("item-knn", {"neighbors": 20, "similarity": "cosine"}, seeds=3, **SMALL)
    assert bare == plan(["item-knn"], {"neighbors": [20], "similarity": ["cosine"]}, seeds=[3], **SMALL)


def test_a_parameter_with_a_system_before_it_is_of_that_system_alone() -> None:
    named = plan(["mf-als", "ease"], {"ease.regularization": [30]}, **SMALL)
    assert {cell.system: cell.params["regularization"] for cell in named} == {"mf-als": 10, "ease": 30}
    both = plan(["mf-als", "ease"], {"regularization": [30]}, **SMALL)
    assert {cell.params["regularization"] for cell in both} == {30}
    with pytest.raises(UserError, match="no system of this sweep has a parameter 'item-knn"):
        plan(["mf-als", "ease"], {"item-knn.neighbors": [5]}, **SMALL)


def test_only_synthetic_data_takes_a_size_in_a_mixed_sweep() -> None:
    done = plan("popularity", {}, data=["synthetic", "ml-100k"], users=300, items=150)
    assert [(cell.data, cell.users) for cell in done] == [("synthetic", 300), ("ml-100k", None)]
    assert len({cell.checksum for cell in done}) == 2


@pytest.mark.parametrize(
    ("systems", "grid", "more", "said"),
    [
        ("nope", {}, {}, "no system 'nope'"),
        ("popularity", GRID, {}, "no system of this sweep has a parameter 'neighbors'"),
        (SYSTEMS, {"neighbors": []}, {}, "no neighbors"),
        (SYSTEMS, {"neighbors": [5, 0]}, {}, "neighbors is 0"),
        (SYSTEMS, {"neighbors": ["2.5"]}, {}, "neighbors is '2.5'"),
        (SYSTEMS, {}, {"seeds": []}, "no seed"),
        (SYSTEMS, {}, {"seeds": [0, -1]}, "seed is -1"),
        (3, {}, {}, "no system 3"),
        ([], {}, {}, "no system"),
        (SYSTEMS, {}, {"data": "netflix"}, "no data set 'netflix'"),
        (SYSTEMS, {}, {"protocol": "kfold"}, "no RMSE under 'kfold'"),
        (SYSTEMS, {}, {"protocol": "loo"}, "no protocol 'loo'"),
    ],
)
def test_mistakes_are_said_before_anything_runs(systems: Any, grid: Any, more: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        plan(systems, grid, **SMALL | more)


# ------------------------------------------------------------------------------------------------ output


def test_rows_are_tidy_and_equal_to_single_runs(reference: Path) -> None:
    found = rows(reference)
    assert len(found) == 12 * 12
    assert "seconds" not in "".join(found[0])
    report = run("item-knn", "synthetic", settings={"neighbors": 20}, seed=2, users=300, items=150)
    for row in found:
        if (row["system"], row["neighbors"], row["seed"]) == ("item-knn", "20", "2"):
            assert float(row["value"]) == report.metrics[row["metric"]]
            assert (float(row["low"]), float(row["high"])) == report.intervals[row["metric"]]
    assert {row["checksum"] for row in found} == {dataset("synthetic", 300, 150).checksum}
    assert {row["neighbors"] for row in found if row["system"] == "ease"} == {""}


def test_seconds_and_the_values_of_users_stay_in_the_cell_files(reference: Path) -> None:
    folder = reference.with_name("results.csv.cells")
    cell = plan("item-knn", GRID, seeds=[2], **SMALL)[1]
    found = kept(folder, cell, users=True)
    assert found is not None
    assert found.report is not None
    assert found.seconds > 0
    assert set(found.report.seconds) == {"fit", "evaluate"}
    fresh = run("item-knn", dataset("synthetic", 300, 150), settings={"neighbors": 20}, seed=2)
    assert found.report.per_user.keys() == fresh.per_user.keys()
    assert all(np.array_equal(found.report.per_user[k], fresh.per_user[k], equal_nan=True) for k in fresh.per_user)
    without = kept(folder, cell)
    assert without is not None
    assert without.report == found.report


CLUSTER = """
import sys
from distributed import LocalCluster
from recprivlib.cli import main
if __name__ == "__main__":
    anywhere = {"dashboard_address": ":0", "scheduler_kwargs": {"dashboard": False}}
    with LocalCluster(n_workers=2, threads_per_worker=1, **anywhere) as cluster:
        sys.exit(main([*sys.argv[1:], "--dask", cluster.scheduler_address]))
"""


@pytest.mark.parametrize("place", ["two workers", "a Dask cluster"])
def test_more_processes_give_the_same_bytes(reference: Path, frozen: Path, tmp_path: Path, place: str) -> None:
    (frozen / "on_a_cluster.py").write_text(CLUSTER)
    out = tmp_path / "more.csv"
    words = ["sweep", *WORDS, "--out", str(out)]
    if place == "two workers":
        command = ["-m", "recprivlib", *words, "--workers", "2"]
    else:
        command = ["on_a_cluster.py", *words]
    done = subprocess.run([sys.executable, *command], cwd=frozen, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == reference.read_bytes()


def test_a_sweep_is_a_function_of_the_package(tmp_path: Path) -> None:
    frame = recprivlib.sweep("popularity", out=tmp_path / "a.csv", **SMALL)
    assert frame["metric"].tolist()[:2] == ["hr@2", "hr@5"]


# ------------------------------------------------------------------------------------------ interruptions


def test_what_is_there_is_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []

    def counted(task: Any) -> Outcome:
        ran.append(task[0].seed)
        return compute(task)

    monkeypatch.setattr("recprivlib.sweeps.compute", counted)
    sweep("popularity", seeds=[0, 1], out=tmp_path / "a.csv", **SMALL)
    lines: list[str] = []
    sweep("popularity", seeds=[0, 1, 2], out=tmp_path / "a.csv", say=lines.append, **SMALL)
    assert ran == [0, 1, 2]
    assert lines[0] == "2 of 3 cells were there already"
    assert lines[-1] == "1 of 1 cells, 0 s left"


def test_a_damaged_cell_is_computed_again(tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    sweep("popularity", seeds=[0, 1], out=out, **SMALL)
    whole = out.read_bytes()
    for path in (tmp_path / "a.csv.cells").iterdir():
        path.write_bytes(path.read_bytes()[:300])
    sweep("popularity", seeds=[0, 1], out=out, **SMALL)
    assert out.read_bytes() == whole


def test_a_failed_cell_is_recorded_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = cells.run

    def fails(*args: Any, seed: int, **kwargs: Any) -> Any:
        if seed == 1:
            raise ZeroDivisionError("no luck")
        return real(*args, seed=seed, **kwargs)

    out = tmp_path / "a.csv"
    monkeypatch.setattr(cells, "run", fails)
    lines: list[str] = []
    sweep("popularity", seeds=range(3), out=out, say=lines.append, **SMALL)
    assert [row["seed"] for row in rows(out) if row["metric"] == "hr@10"] == ["0", "2"]
    (failed,) = [row for row in rows(out) if row["error"]]
    assert (failed["seed"], failed["error"], failed["value"]) == ("1", "ZeroDivisionError: no luck", "")
    assert "failed: popularity on synthetic, loo-latest, seed 1: ZeroDivisionError: no luck" in lines
    assert "1 failed" in lines[-1]
    monkeypatch.setattr(cells, "run", real)  # what failed is tried again by the next run
    sweep("popularity", seeds=range(3), out=out, **SMALL)
    assert [row["seed"] for row in rows(out) if row["metric"] == "hr@10"] == ["0", "1", "2"]
    assert not [row for row in rows(out) if row["error"]]


def test_other_sources_or_other_data_on_a_worker_are_noticed() -> None:
    (cell,) = plan("popularity", {}, **SMALL)
    assert "other sources" in compute((cell, "another")).error
    fields = {**cell.__dict__, "checksum": "f" * 64}
    assert "has checksum" in compute((type(cell)(**fields), sources(cell.system))).error


class TerminatedWorkerError(RuntimeError):
    """As joblib's: a worker was killed by the system."""


@pytest.mark.parametrize("finished", [1, 0])
def test_after_a_killed_worker_the_rest_is_tried_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished: int
) -> None:
    @contextmanager
    def dying(*_: Any) -> Iterator[Any]:
        def run(function: Any, tasks: Any) -> Iterator[Outcome]:
            waiting = iter(tasks)
            yield from map(function, itertools.islice(waiting, finished))
            if next(waiting, None) is not None:
                raise TerminatedWorkerError

        yield run

    monkeypatch.setattr("recprivlib.sweeps.executor", dying)
    done = plan("popularity", {}, seeds=range(3), **SMALL)
    if finished:
        complete(done, tmp_path)
        assert len(list(outcomes(done, tmp_path))) == 3
    else:
        with pytest.raises(UserError, match=r"a worker was killed, .* fewer workers"):
            complete(done, tmp_path)


def test_a_killed_worker_is_recognised() -> None:
    with pytest.raises(Exception, match=r"killed|terminated") as caught, executor(2) as run:
        list(run(_dies, [9, 9]))
    assert died(caught.value)
    assert not died(ValueError())


def _dies(signal: int) -> None:
    os.kill(os.getpid(), signal)


def test_a_result_depends_on_all_that_it_is_made_of_and_on_nothing_else() -> None:
    """A change in one paper, or in what only shows results, leaves the cells of all others where they are."""

    def made_of(system: str) -> set[str]:
        files = closure(["recprivlib.sweeps.cells", *_modules(get(system).system)])
        return {path.relative_to(PACKAGE).as_posix() for path in files}

    everybody = {"sweeps/cells.py", "experiment.py", "evaluation/splits.py", "evaluation/metrics.py", "protocols.py",
                 "data/canonical.py", "accounting/guarantee.py", "models/rows.py", "registry.py"}  # fmt: skip
    for name in systems():
        found = made_of(name)
        assert everybody <= found
        assert not {path.split("/")[0] for path in found} & {"cli", "plots", "dashboard", "bench", "primers"}
        papers = {path.split("/")[1] for path in found if path.startswith("papers/")} - {"__init__.py"}
        assert papers <= {stem(name)}
        assert not [path for path in found if "/screen/" in path]
    assert {"papers/dplcf/system.py", "population.py", "models/spectral.py"} <= made_of("dplcf-spectral")
    assert "papers/dplcf/pairwise.py" in made_of("gmf")  # through a field
    assert sources("dplcf-sp") != sources("svd") != sources()


def test_the_closure_follows_imports_wherever_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "recprivlib"
    for name, text in {"__init__.py": "from recprivlib.z import a", "z.py": "", "inner/__init__.py": "",
                       "a.py": "def f():\n    from recprivlib.inner.b import thing\n    import numpy",
                       "inner/b.py": "import recprivlib.c", "inner/other.py": "", "c.py": ""}.items():  # fmt: skip
        (package / name).parent.mkdir(exist_ok=True, parents=True)
        (package / name).write_text(text)
    monkeypatch.setattr(closures, "PACKAGE", package)
    monkeypatch.setattr(closures, "LAZY", package / "__init__.py")
    found = closures.closure(["recprivlib.a"])
    assert [path.relative_to(package).as_posix() for path in found] == [
        "__init__.py", "a.py", "c.py", "inner/__init__.py", "inner/b.py"
    ]  # fmt: skip
    before = closures.digest(found)
    (package / "c.py").write_text("# another")
    assert closures.digest(found) != before


def test_a_cluster_without_workers_is_said() -> None:
    distributed = pytest.importorskip("distributed")
    anywhere = {"dashboard_address": ":0", "scheduler_kwargs": {"dashboard": False}}
    with distributed.LocalCluster(n_workers=0, threads_per_worker=1, processes=False, **anywhere) as cluster:
        refused = executor(dask=cluster.scheduler_address)
        with pytest.raises(UserError, match="has no workers"):
            refused.__enter__()


@pytest.mark.slow
def test_five_hundred_cheap_cells_cost_little_more_than_themselves(tmp_path: Path) -> None:
    """Two workers' time over the time inside the cells; starting them, sending, keeping are the rest.

    Of three tries one must do: a busy moment of the machine is not our overhead.
    """

    def overhead(folder: Path) -> float:
        start = time.perf_counter()
        done = plan("popularity", {}, seeds=range(500))
        complete(done, folder, workers=2)
        spent = 2 * (time.perf_counter() - start)
        return spent / sum(outcome.seconds for outcome in outcomes(done, folder))

    assert any(overhead(tmp_path / str(n)) < 1.2 for n in range(3))


def test_every_worker_uses_one_thread_of_linear_algebra() -> None:
    for workers in (1, 2):
        with executor(workers) as run:
            assert set(run(_threads, range(2))) == {1}


def _threads(_: int) -> int:
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")


# ------------------------------------------------------------------------------------------ command line


def test_the_verb_writes_the_file_and_one_json_document(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "cli.csv"
    assert main(["sweep", *WORDS, "--out", str(out), "--json"]) == 0
    assert out.read_bytes() == reference.read_bytes()
    assert json.loads(capsys.readouterr().out) == {"out": str(out), "rows": 144, "failed": []}


@pytest.mark.parametrize(("place", "said"), [(".", "is a folder"), (os.devnull, "is a device")])
def test_results_go_to_a_file_and_to_nothing_else(place: str, said: str) -> None:
    """A device would be replaced by the file, for those who may."""
    with pytest.raises(UserError, match=f"{said}, but the results go to a file"):
        sweep("popularity", out=place, **SMALL)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["popularity"], "--out"),
        (["item-knn", "--grid", "neighbors"], "must be like neighbors=10,20,50"),
        (["item-knn", "--grid", "neighbors=10,,20"], "must be like neighbors=10,20,50"),
        (["item-knn", "--grid", "neighbors=1", "neighbors=2"], "twice"),
        (["item-knn", "--workers", "0"], "workers is 0"),
        (["item-knn", "--workers", "2", "--dask", "tcp://x:1"], "not allowed with"),
        (["item-knn", "--dask", "tcp://127.0.0.1:9"], "no Dask scheduler answers"),
        (["item-knn", "--seeds", "5-2"], "seeds is '5-2'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.setattr("recprivlib.executors.CONNECT", 0.5)
    out = [] if said == "--out" else ["--out", str(tmp_path / "a.csv")]
    size = ["--data", "synthetic", "--users", "300", "--items", "150"]
    assert main(["sweep", *words, *out, *size]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert said in lines[-1]
    assert not (tmp_path / "a.csv").exists()


def test_durations_are_said_in_words() -> None:
    assert [duration(s) for s in (0.4, 99, 150, 7200)] == ["0 s", "99 s", "2 min", "2.0 h"]
