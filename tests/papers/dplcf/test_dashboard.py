"""Dashboard dplcf: what it shows is what the library computes, in words that are earned."""

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from recprivlib.dashboard import Appearance
from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.contract import nbytes
from recprivlib.data import load
from recprivlib.data.synthetic import resample
from recprivlib.evaluation import Difference, evaluate, split
from recprivlib.papers.dplcf.screen.compute import SERVERS, UNITS, compute, steps
from recprivlib.papers.dplcf.screen.dashboard import CONTROLS, snippet, table
from recprivlib.papers.dplcf.screen.words import reply, say
from recprivlib.parameters import configured
from recprivlib.registry import get
from recprivlib.training import trained

EXPLORER = explorer("dplcf")
SMALL = {"data": "synthetic"}


@pytest.fixture(scope="module")
def start():
    return compute(**SMALL)


@pytest.mark.parametrize("server", SERVERS)
def test_the_screen_shows_what_the_registered_system_gives(server):
    """Uniform numbers are replayed from a cache: catches any drift between the dashboard's chain and `fit`."""
    shown = compute(server=server, epsilon=1.5, seed=1, **SMALL)
    name, settings, *_ = SERVERS[server]
    (held_out,) = split(load("synthetic").interactions, "loo-latest", 1)
    model = trained(configured(get(name).system, settings | {"epsilon": 1.5}), held_out.train, 1)
    metrics = evaluate(model, held_out, range(1, 11), full=False).metrics
    assert shown.yours.hr == pytest.approx([metrics[f"hr@{k}"] for k in range(1, 11)])
    assert shown.yours.ndcg == pytest.approx([metrics[f"ndcg@{k}"] for k in range(1, 11)])


@pytest.mark.parametrize("people", [2, 8])
def test_a_larger_crowd_is_the_resampled_population(people):
    """×2 replays kept numbers, ×8 draws block by block: both must equal `gather` over `resample`."""
    shown = compute(people=people, **SMALL)
    (held_out,) = split(load("synthetic").interactions, "loo-latest", 0)
    phones = resample(held_out.train, people, np.random.default_rng([0, people]))
    model = trained(get("dplcf-sp").system, phones).fold_in(held_out.train)
    assert shown.yours.at("hr@10") == pytest.approx(evaluate(model, held_out, (10,), full=False).metrics["hr@10"])
    assert shown.users == people * held_out.train.n_users


def test_a_stream_grows_block_by_block_and_ends_with_compute():
    stages = list(steps(people=8, epsilon=2.0, seed=3, **SMALL))
    assert [round(progress, 3) for progress, _ in stages] == [0.333, 0.667, 1.0]
    assert [result.users for _, result in stages] == [4096, 8000, 8000]
    assert stages[-1][1].yours == compute(people=8, epsilon=2.0, seed=3, **SMALL).yours


def test_the_picture_does_not_wait_for_the_attack():
    """Claimed and counted stand at once; who comes back finds the attack done."""
    moved = {"epsilon": 1.234, **SMALL}
    (half, first), (whole, second) = steps(**moved)
    assert (half, whole) == (0.5, 1.0)
    assert (first.bill.attacked, first.bill.ceiling) == (None, None)
    assert 0 < second.bill.attacked <= second.bill.ceiling
    assert replace(first, bill=second.bill) == second
    assert (first.bill.claimed, first.bill.counted) == (second.bill.claimed, second.bill.counted)
    assert [result.bill.attacked for _, result in steps(**moved | {"neighbors": 7})] == [second.bill.attacked]


def test_dragging_epsilon_flips_tiles_one_way():
    """Fixed uniform numbers: as ε grows a lie may become the truth and never the other way round."""
    lies = []
    for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0):
        result = compute(epsilon=epsilon, **SMALL)
        lies.append({i for i, (a, b) in enumerate(zip(result.watched, result.reported, strict=True)) if a != b})
    assert all(later <= earlier for earlier, later in pairwise(lies))
    assert len(lies[0]) > 5
    assert not lies[-1]


def test_one_sided_flipping_never_denies_a_film():
    result = compute(server="ap", epsilon=0.3, **SMALL)
    assert all(said for watched, said in zip(result.watched, result.reported, strict=True) if watched)
    assert "every 'no' your phone sends is certainly true" in say(result)


@pytest.mark.parametrize(
    ("low", "high", "verb"),
    [(0.01, 0.02, "beats"), (-0.01, 0.02, "is level with"), (-0.02, -0.01, "loses to")],
)
def test_a_verb_is_earned(start, low, high, verb):
    assert f"it {verb} just what is popular" in say(replace(start, versus=Difference((low + high) / 2, low, high)))


def test_every_setting_says_a_sentence_of_at_most_three_lines(start):
    for server in SERVERS:
        for metric in ("hr@10", "hr@2", "ndcg@10"):
            words = say(replace(start, server=server, metric=metric))
            assert len(words) < 260
            assert words.endswith(".")
    assert all(str(answer) in reply(start, n) for n, answer in enumerate(["nearly", "three", "two", "less"]))


@pytest.mark.parametrize(("unit", "counted"), [("click", 1.0), ("swap", 2.0), ("history", 1700.0)])
def test_the_bill_follows_the_unit(unit, counted):
    bill = compute(unit=unit, **SMALL).bill
    assert bill.counted == pytest.approx(counted)
    assert 0 < bill.attacked <= bill.counted
    assert (bill.verdict == "holds") == (unit == "click")


def test_the_bill_of_one_sided_flipping_is_broken():
    bill = compute(server="ap", **SMALL).bill
    assert bill.verdict == "broken"
    assert np.isinf(bill.counted)


def test_every_figure_draws_in_every_look(start):
    for view in (
        Appearance(),
        Appearance(theme="dark", narrow=True),
        Appearance(large=True, filled=False, trail=(EXPLORER.mark(start),)),
    ):
        for figure in EXPLORER.figures:
            drawn = figure.draw(start, view)
            assert drawn if isinstance(drawn, str) else drawn["layout"]["meta"]["alt"]
        assert "holds" in EXPLORER.strip(start, view)


def test_axes_stay_where_they_are():
    main = EXPLORER.figures[0]
    ranges = {
        (tuple(layout["xaxis"]["range"]), tuple(layout["yaxis"]["range"]))
        for epsilon in (0.1, 0.5, 1.0, 3.0, 8.0)
        for server in ("sp", "spectral")
        for layout in [main.draw(compute(epsilon=epsilon, server=server, **SMALL), Appearance())["layout"]]
    }
    assert len(ranges) == 1


def test_the_table_has_every_number_of_the_sentence(start):
    frame = table(start)
    own = frame[(frame.figure == "hr@K of 100") & (frame.series == "this server") & (frame.x == 10)]
    assert own.y.item() == start.yours.at("hr@10")
    assert set(frame[frame.figure == "bill"].series) == {"claimed", "counted", "attacked, at least"}


def test_the_snippet_prints_the_same_numbers_in_a_fresh_python():
    values = EXPLORER.defaults | SMALL | {"people": 2, "epsilon": 0.8, "server": "feasible"}
    done = subprocess.run([sys.executable, "-c", snippet(values)], capture_output=True, text=True, check=True)
    shown = compute(**values)
    assert done.stdout == (f"dplcf-sp: {shown.yours.at('hr@10'):.3f}\npopularity: {shown.popular.at('hr@10'):.3f}\n")


def test_a_result_is_small_and_links_are_read_back(start):
    assert nbytes(start) < 100_000
    values = EXPLORER.defaults | {"epsilon": 0.7, "server": "spectral", "people": 16, "unit": "swap"}
    assert EXPLORER.read(EXPLORER.link(values)) == (values, ())
    assert {c.name for c in CONTROLS} == set(EXPLORER.defaults)
    assert set(UNITS) == {value for value, _ in EXPLORER.control("unit").choices}


def test_one_server_has_one_name():
    """The chapter's names: what a dashboard calls otherwise is another server to a reader."""
    assert [name for *_, name in SERVERS.values()] == [
        "SP", "AP", "AP, printed inverse", "LCF-SP, blind", "SP, feasible", "spectral",
    ]  # fmt: skip
    chapter = (Path(__file__).parents[3] / "book" / "dplcf.md").read_text(encoding="utf-8")
    for other in ("bits taken at their word", "estimates cut", "blind to noise"):
        assert other not in chapter
