"""A planted system proves the plumbing: what it learns is known, and it notices a block, stream or user gone astray."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from recprivlib import population
from recprivlib.data import load
from recprivlib.data.synthetic import synthetic
from recprivlib.executors import executor
from recprivlib.parameters import UserError
from recprivlib.population import BLOCK, added, block, blocks, capped, gather, learnt, steps
from recprivlib.protocols import Array, Interactions, Ledger, Sizes


@dataclass(frozen=True)
class Learnt:
    sums: Mapping[str, Array]
    last: float


@dataclass(frozen=True)
class Planted:
    """Everybody sends her items and as many random bits; the server counts, and draws once itself."""

    rounds: int = 1

    def fit(self, train: Interactions, rng: np.random.Generator) -> Learnt:
        return learnt(self, train, rng)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()

    def start(self, sizes: Sizes, rng: np.random.Generator) -> Learnt:
        return Learnt({}, 0.0)

    def collect(self, block: Interactions, told: Learnt, rng: np.random.Generator) -> Mapping[str, Array]:
        assert block.n_users <= BLOCK
        assert len(block) == 0 or block.users.max() < block.n_users
        noise = rng.integers(1000 + int(1000 * told.last), size=(block.n_users, block.n_items))
        return {
            "true": np.bincount(block.items, minlength=block.n_items),
            "noisy": noise.sum(axis=0),
            "people": np.array([block.n_users, 1]),
        }

    def learn(self, told: Learnt, sums: Mapping[str, Array], rng: np.random.Generator) -> Learnt:
        return Learnt(sums, rng.random())

    def model(self, told: Learnt, train: Interactions) -> Learnt:
        return told


@pytest.fixture(scope="module")
def train() -> Interactions:
    return synthetic(users=5 * BLOCK + 100, items=30).interactions


@pytest.fixture(scope="module")
def whole(train: Interactions) -> Learnt:
    return Planted().fit(train, np.random.default_rng(7))


def same(one: Learnt, other: Learnt) -> bool:
    return one.last == other.last and all((one.sums[k] == other.sums[k]).all() for k in ("true", "noisy", "people"))


def test_every_user_is_collected_exactly_once(train: Interactions, whole: Learnt) -> None:
    assert whole.sums["people"].tolist() == [train.n_users, 6]
    assert (whole.sums["true"] == np.bincount(train.items, minlength=30)).all()


@pytest.mark.parametrize("shards", [2, 3, 6, 50])
def test_the_number_of_shards_never_changes_a_result(train: Interactions, whole: Learnt, shards: int) -> None:
    assert same(learnt(Planted(), train, np.random.default_rng(7), shards=shards), whole)


def test_the_order_in_which_shards_come_back_never_changes_a_result(train: Interactions, whole: Learnt) -> None:
    def backwards(function, tasks):  # type: ignore[no-untyped-def]
        return [function(task) for task in reversed(list(tasks))]

    assert same(learnt(Planted(), train, np.random.default_rng(7), shards=4, run=backwards), whole)


def test_another_seed_or_a_shared_stream_is_noticed(train: Interactions, whole: Learnt) -> None:
    assert not same(learnt(Planted(), train, np.random.default_rng(8)), whole)
    parts, told = list(blocks(train))[:2], Learnt({}, 0.0)
    noise = [Planted().collect(part, told, np.random.default_rng(0))["noisy"] for part in parts]
    assert (noise[0] == noise[1]).all()  # the sums do show a stream that two blocks share …
    streams = np.random.default_rng(7).spawn(2)
    noise = [Planted().collect(part, told, rng)["noisy"] for part, rng in zip(parts, streams, strict=True)]
    assert (noise[0] != noise[1]).any()  # … and gather's do not


@pytest.mark.parametrize("shards", [2, 6])
def test_later_rounds_hear_what_was_told_and_shards_change_nothing(train: Interactions, shards: int) -> None:
    once = learnt(Planted(rounds=3), train, np.random.default_rng(7))
    assert same(learnt(Planted(rounds=3), train, np.random.default_rng(7), shards=shards), once)
    first, second, third = (told.sums["noisy"] for _, told in gather(Planted(3), train, np.random.default_rng(7)))
    assert (first != second).any()  # each round draws anew …
    assert second.sum() > 1.05 * first.sum()  # … from a range that depends on what the server told last
    assert (third == once.sums["noisy"]).all()
    assert [progress for progress, _ in steps(Planted(3), train, np.random.default_rng(7))] == [1 / 3, 2 / 3, 1.0]


def test_a_cap_is_kept_and_leaves_short_histories_alone(train: Interactions) -> None:
    lengths = np.bincount(train.users, minlength=train.n_users)
    kept = capped(train, 5, np.random.default_rng(0))
    assert (np.bincount(kept.users, minlength=train.n_users) == np.minimum(lengths, 5)).all()
    assert capped(train, None, np.random.default_rng(0)) is train
    assert capped(train, int(lengths.max()), np.random.default_rng(0)) is train
    again = capped(train, 5, np.random.default_rng(1))
    assert (kept.items != again.items).any()  # which ones is chance


def test_two_processes_give_the_same(train: Interactions, whole: Learnt) -> None:
    with executor(2) as run:
        assert same(learnt(_planted(), train, np.random.default_rng(7), shards=3, run=run), whole)


def test_a_dask_cluster_gives_the_same(train: Interactions, whole: Learnt) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1,
        processes=False,
        threads_per_worker=2,
        dashboard_address=":0",
        scheduler_kwargs={"dashboard": False},
    ) as cluster:
        address = cluster.scheduler_address
        with executor(dask=address) as run:
            assert same(learnt(_planted(), train, np.random.default_rng(7), shards=3, run=run), whole)


def _planted() -> Planted:
    """Made for another process: pickled by value, as this file is no module there."""
    import sys

    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[Planted.__module__])
    return Planted()


def test_blocks_partition_the_users_and_keep_their_features() -> None:
    data = load("synthetic", users=60, items=40).interactions
    (only,) = blocks(data)
    assert (only.users == data.users).all()
    many = synthetic(users=BLOCK + 7, items=20).interactions
    features = {"number": np.arange(many.n_users)}
    many = Interactions(
        many.users, many.items, many.ratings, many.times, many.n_users, 20, many.grid, features, many.item_features
    )
    second = block(many, 1)
    assert second.n_users == 7
    assert second.user_features["number"].tolist() == list(range(BLOCK, BLOCK + 7))
    assert (second.items == many.items[many.users >= BLOCK]).all()


def test_sums_that_depend_on_the_order_are_refused() -> None:
    with pytest.raises(TypeError, match="'gradient' is float64, but only whole numbers cross blocks"):
        added([{"gradient": np.array([0.1])}])


@pytest.mark.parametrize("shards", [0, -1, 1.5, True])
def test_nonsense_shards_are_refused(train: Interactions, shards: float) -> None:
    with pytest.raises(UserError, match="shards is"):
        learnt(Planted(), train, np.random.default_rng(0), shards=shards)  # type: ignore[arg-type]


def test_memory_does_not_grow_with_the_number_of_blocks(train: Interactions) -> None:
    """A dense array of all users (here 8 bytes × 20,580 × 30) must never exist; a block's is 5 times smaller."""
    tracemalloc.start()
    learnt(Planted(), train, np.random.default_rng(7), shards=6)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 30 * train.n_users / 2


def test_the_blocks_of_population_and_of_the_generator_are_the_same() -> None:
    assert population.BLOCK == 4096
