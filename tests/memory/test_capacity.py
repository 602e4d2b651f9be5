"""A run that does not fit is refused before it begins, in one sentence that names what would fit."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recprivlib import capacity
from recprivlib.capacity import fits, fits_drawn, needed, require_together
from recprivlib.cli import main
from recprivlib.data import load, synthetic
from recprivlib.data.synthetic import expected
from recprivlib.experiment import run
from recprivlib.models.constants import PerItem
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions, Ledger, Sizes, Volume
from recprivlib.registry import get
from recprivlib.sweeps import sweep
from recprivlib.yardsticks.plain import Ease, Popularity

LARGE = ["--data", "synthetic", "--users", "200000", "--items", "50000"]
SMALL = {"data": "synthetic", "users": 300, "items": 400}


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets how much there is."""
    return lambda bytes_: monkeypatch.setattr("recprivlib.limits.free", lambda: bytes_)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """No population is drawn."""

    def draws(*_: Any, **__: Any) -> None:
        pytest.fail("the population was drawn")

    monkeypatch.setattr("recprivlib.data.synthetic.synthetic", draws)


# ----------------------------------------------------------------------------------------------- refusals


def test_the_run_that_took_nine_minutes_to_fail_is_refused_in_seconds() -> None:
    code = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (8 * 10**9, 8 * 10**9));"
    code += "from recprivlib.cli import main; sys.exit(main(sys.argv[1:]))"
    start = time.process_time(), time.monotonic()
    done = subprocess.run([sys.executable, "-c", code, "run", "dplcf-sp", *LARGE], capture_output=True, text=True)
    assert time.monotonic() - start[1] < 30  # a few tenths of a second, on a machine that has nothing else to do
    assert (done.returncode, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert re.fullmatch(
        r"recpriv: dplcf-sp on 200,000 people and 50,000 items needs about \d\d GB of memory, "
        r"and [67]\.\d GB are free; up to [\d,]+ items fit", said
    )  # fmt: skip


@pytest.mark.parametrize("verb", ["run", "sweep"])
def test_what_is_said_to_fit_does_fit_and_a_little_more_does_not(
    memory: Any, undrawn: None, capsys: pytest.CaptureFixture[str], tmp_path: Path, verb: str
) -> None:
    memory(3.9e9)
    out = ["--out", str(tmp_path / "a.csv")] if verb == "sweep" else []
    assert main([verb, "item-knn", *out, "--data", "synthetic", "--users", "500000", "--items", "9000"]) == 2
    said = capsys.readouterr().err.strip()
    numbers = re.fullmatch(r".* needs about (\S+) GB of memory, and 3\.9 GB are free; up to ([\d,]+) people or up to "
                           r"([\d,]+) items fit", said)  # fmt: skip
    assert numbers, said
    assert float(numbers[1]) > 3.9
    people, items = (int(number.replace(",", "")) for number in numbers.groups()[1:])
    system = get("item-knn").system
    assert fits_drawn(system, "loo-latest", people, 9000)
    assert not fits_drawn(system, "loo-latest", math.ceil(1.1 * people), 9000)
    assert fits_drawn(system, "loo-latest", 500_000, items)
    assert not fits_drawn(system, "loo-latest", 500_000, math.ceil(1.1 * items))
    assert not list(tmp_path.iterdir())


def test_a_data_set_that_is_there_is_not_counted_again_and_its_people_stay(memory: Any) -> None:
    data = load("synthetic", users=300, items=400)
    need = needed(Ease(), data.interactions.volume, "loo-latest", there=True)
    memory(1.01 * need)
    assert run("ease", data).metrics
    memory(0.5 * need)
    own = type(data)("mine.csv", data.interactions, data.titles, data.checksum, data.source)
    with pytest.raises(
        UserError, match=r"ease on the 300 people and 400 items of mine.csv needs about \d+ MB"
    ) as caught:
        run("ease", own)
    assert "people fit" not in str(caught.value)


def test_what_does_not_shrink_to_fit_is_said_too(memory: Any) -> None:
    memory(1000.0)
    with pytest.raises(UserError, match="are free; no smaller population of this form fits"):
        run("popularity", **SMALL)


def test_nothing_is_refused_where_nobody_knows_what_there_is(memory: Any) -> None:
    memory(None)
    assert run("popularity", **SMALL).metrics
    assert fits(Ease(), Volume(10**6, 10**6, 10**9, 10**5))


def test_the_limit_of_another_process_can_be_asked_about() -> None:
    size = Volume(6000, 3700, 10**6, 2300)
    assert fits(Ease(), size, memory=2e9)
    tight = fits(Ease(), size, memory=0.15e9)
    assert not tight
    assert tight.people
    assert tight.items
    assert fits(Ease(), capacity.share(size, tight.people, size.items), memory=0.15e9)
    assert fits(Ease(), capacity.share(size, size.users, tight.items), memory=0.15e9)


# ------------------------------------------------------------------------------------------------- sweeps


def test_a_sweep_names_the_cell_that_does_not_fit_and_does_the_others(memory: Any, tmp_path: Path) -> None:
    data = {"data": "synthetic", "users": 100, "items": 6000}
    memory(1.2 * fits_drawn(Popularity(), "loo-latest", 100, 6000).needed)
    lines: list[str] = []
    frame = sweep(["popularity", "ease"], out=tmp_path / "a.csv", say=lines.append, **data)
    assert set(frame["system"][frame["error"].isna()]) == {"popularity"}
    (error,) = frame["error"].dropna()
    assert error.startswith("ease on the 100 people and 6,000 items of synthetic needs about")
    assert any(line.startswith("failed: ease (") for line in lines)


def test_too_many_workers_are_refused_and_fewer_proposed(memory: Any, tmp_path: Path) -> None:
    each = fits_drawn(Popularity(), "loo-latest", 300, 400).needed + capacity.PROCESS
    memory(2.5 * each)
    with pytest.raises(UserError, match=r"4 workers need about .* free; up to 2 can work beside each other"):
        sweep("popularity", seeds=range(8), out=tmp_path / "a.csv", workers=4, **SMALL)
    require_together([each - capacity.PROCESS] * 8, 2)
    require_together([each - capacity.PROCESS, 9 * each], 4)  # one of which is refused by itself
    require_together([], 4)


def test_workers_elsewhere_look_at_their_own_machine(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell is refused where it is computed: this is what a worker of a cluster does with it."""
    from recprivlib.sweeps import plan
    from recprivlib.sweeps.cells import compute, dataset, sources

    memory(None)
    (cell,) = plan("ease", {}, here=False, **SMALL)
    dataset.cache_clear()
    memory(1e6)
    failed = compute((cell, sources("ease")))
    assert failed.error.startswith("a population of 300 people and 400 items needs about")
    memory(6e6)
    failed = compute((cell, sources("ease")))
    assert failed.error.startswith("ease on the 300 people and 400 items of synthetic needs about")


# ----------------------------------------------------------------------------- memory that runs out all the same


@dataclass(frozen=True)
class Swells:
    """Takes what was not foreseen."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> PerItem:
        return PerItem(np.zeros((10**7, 10**7)))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


def test_memory_that_runs_out_ends_in_one_sentence(memory: Any, capsys: pytest.CaptureFixture[str],
                                                   monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    with pytest.raises(
        UserError, match=r"^memory ran out: Swells on synthetic needs more .*Unable to allocate .*fewer"
    ):
        run(Swells(), protocol="loo-latest", **SMALL)

    def runs_out(*_: Any, **__: Any) -> None:
        raise MemoryError("Unable to allocate 7.3 GiB")

    monkeypatch.setattr("recprivlib.cli.run.load", runs_out)
    assert main(["run", "popularity"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("recpriv: memory ran out (Unable to allocate 7.3 GiB)")


# ---------------------------------------------------------------------------------------- before it is drawn


@pytest.mark.parametrize(("users", "items"), [(1000, 300), (5000, 1700), (300, 6000)])
def test_a_population_is_as_large_as_was_expected(users: int, items: int) -> None:
    size, drawn = expected(users, items), synthetic.synthetic(users=users, items=items).interactions.volume
    assert (size.users, size.items) == (drawn.users, drawn.items)
    deviation = 1.5 * drawn.interactions / users * math.sqrt(users)  # of a sum of lengths whose spread is 1.1 means
    assert abs(size.interactions - drawn.interactions) < 4 * deviation
    assert 1 / 3 < size.longest / drawn.longest < 3  # one draw from a long tail


def test_an_estimate_costs_no_time() -> None:
    """Twenty sizes are tried before a sentence is said; `recpriv run` waits for it."""
    start = time.process_time()
    assert not fits(Ease(), expected(10**6, 10**5), there=False, at=expected, drawn=True, memory=4e9)
    assert time.process_time() - start < 0.5
