"""Algorithms 1 and 2 and their silences, the proxy, the bill, bad inputs, and what the chapter says of utility."""

import math
import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from recprivlib import population
from recprivlib.accounting import bill, guarantee
from recprivlib.auditing import audit
from recprivlib.data import load
from recprivlib.data.canonical import most_met
from recprivlib.evaluation import evaluate, paired, split
from recprivlib.mechanisms.gate import taped
from recprivlib.models.gradients import at_cells, histories, level, summed
from recprivlib.papers.fmf_ldp import system as fmf_ldp
from recprivlib.papers.fmf_ldp.system import FMFLDP, FMFLDPStable, ItemSign, Told
from recprivlib.protocols import Interactions, Sizes
from recprivlib.registry import get
from recprivlib.training import followed, trained

CITY = Sizes(50_000, 1000)
ALL = ("fmf-ldp", "fmf-ldp-stable", "item-sign")
BITS = ("fmf-ldp", "fmf-ldp-stable")


@pytest.fixture(scope="module")
def people():
    return load("synthetic", users=400, items=40, seed=2).interactions


def people_who(*histories, items=6):
    """A few people, each with the items of her history."""
    users = np.repeat(np.arange(len(histories)), [len(one) for one in histories]).astype(np.int32)
    met = np.array([item for one in histories for item in one], np.int32)
    return Interactions(users, met, np.ones(len(met), np.float32), np.zeros(len(met), np.int64), len(histories), items)


# ----------------------------------------------------------------------------------------- algorithms 1, 2


@pytest.mark.parametrize("k", [1, 20])
def test_equation_9_estimates_k_times_the_clipped_gradient_and_dividing_by_reports_once(people, k):
    """One step of γ = 1 from a known V over 400 rounds. Regressed on the true mean gradient, the slope is k (printed)
    or 1; its standard error is sd(cell)/(√rounds · ‖truth‖), with sd = √(MF·C²/(N·k)) a report."""
    system, rng, rounds = FMFLDP(epsilon=2.0, k=k, factors=2, init=0.5), np.random.default_rng(0), 400
    told = system.start(people.sizes, rng)
    met, items = histories(people), told.items.astype(np.float32)
    users = fmf_ldp.tastes(met, told.items, system.alpha, system.regularization)
    cells = np.tile(np.arange(items.size, dtype=np.int32), (people.n_users, 1))
    truth = np.clip(at_cells(met, users, items, system.alpha, cells), -1, 1).mean(axis=0)
    sums = population.added(system.collect(people, told, rng) for _ in range(rounds))
    found = {}
    for mean in ("phone", "report"):
        moved = replace(system, mean=mean, learning_rate=0.05, regularization=1e-9).learn(told, sums, rng)
        step = (moved.items - told.items).ravel() / (0.05 * fmf_ldp.STEPS * 2)
        # the sums of all rounds are those of `rounds` times as many phones, which the server does not know apart
        found[mean] = float(step @ truth / (truth @ truth))
    error = math.sqrt(items.size / math.tanh(1.0) ** 2 / (people.n_users * k * rounds)) / float(np.linalg.norm(truth))
    assert found["report"] == pytest.approx(1, abs=5 * error)
    assert found["phone"] == pytest.approx(k, abs=5 * k * error)
    assert 5 * error < 0.5  # a factor of two in either would be seen


def test_down_is_down_and_as_printed_climbs(people):
    """No noise to speak of (ε = 50) and every gradient inside [−1, 1]: the loss falls by eq. 6, and grows by Alg. 2."""

    def error(model):
        met = people.matrix.toarray()
        return ((1 + met) * (met - model.users @ model.items.T) ** 2).sum()

    known = {"epsilon": 50.0, "k": 200, "epochs": 1, "learning_rate": 1e-4, "init": 0.5}
    start = FMFLDP(**known, direction="down")
    told = start.start(people.sizes, np.random.default_rng(1))
    before = error(start.model(told, people))
    for direction, better in (("down", True), ("printed", False)):
        system = replace(start, direction=direction)
        after = system.learn(told, system.collect(people, told, np.random.default_rng(2)), np.random.default_rng(3))
        assert (error(system.model(after, people)) < before) == better


def test_inner_steps_do_not_ask_the_phones_again(people):
    """20 gradient steps an epoch are 20 uses of one release: what is taped is one release an epoch."""
    with taped() as tape:
        trained(FMFLDP(epochs=3, k=5), people)
    assert [np.shape(call.y) for call in tape.calls] == [(400, 5)] * 3


@pytest.mark.parametrize("name", ALL)
def test_nothing_but_the_releases_reaches_the_server(name, people):
    """Played again on other people's data, the answers of the first run give the first run's item vectors."""
    others = load("synthetic", users=400, items=40, seed=9).interactions
    system = replace(get(name).system, epochs=3)
    with taped() as tape:
        first = trained(system, people, 4)
    with taped(tape.calls):
        again = trained(system, others, 4)
    assert np.array_equal(first.items, again.items)
    assert not np.array_equal(first.users, again.users)


def test_a_stable_gradient_keeps_its_size_while_the_printed_one_freezes(people):
    """The printed V grows by noise, x shrinks, and so do the gradients; orthonormal columns keep them."""
    sizes = {}
    for system in (FMFLDP(epsilon=0.5, k=50), FMFLDPStable(epsilon=0.5, k=50)):
        models = [model for _, model in followed(system, people)]
        sizes[type(system)] = [np.linalg.norm(model.items) for model in (models[0], models[-1])]
    grown, kept = sizes[FMFLDP], sizes[FMFLDPStable]
    assert grown[1] > 2 * grown[0]
    assert kept == pytest.approx([math.sqrt(5)] * 2, rel=1e-4)


# ------------------------------------------------------------------------------------------------ the proxy


def test_the_proxy_forgets_who_sent_what_and_in_which_order():
    rng = np.random.default_rng(0)
    cells, signs = rng.integers(0, 30, (50, 8)), rng.choice(np.array([-1, 1], np.int8), (50, 8))
    seen = fmf_ldp.proxy(cells, signs, 30)
    order = rng.permutation(cells.size)
    mixed = (part.ravel()[order].reshape(8, 50) for part in (cells, signs))
    for name, counts in fmf_ldp.proxy(*mixed, 30).items():
        assert np.array_equal(counts, seen[name])
    single = fmf_ldp.shuffled(cells, signs, rng)
    for name, sign in (("plus", 1), ("minus", -1)):
        assert np.array_equal(np.bincount(single[single[:, 1] == sign, 0], minlength=30), seen[name])
    assert fmf_ldp.reports(seen) == 400
    changed = signs.copy()
    changed[3, 4] *= -1
    assert not np.array_equal(fmf_ldp.proxy(cells, changed, 30)["plus"], seen["plus"])  # a report does arrive


@pytest.mark.parametrize("name", ALL)
def test_shards_change_no_bit_of_a_large_population(name, monkeypatch):
    monkeypatch.setattr(population, "BLOCK", 128)
    train = load("synthetic", users=500, items=60, seed=5).interactions
    system = replace(get(name).system, epochs=3)
    whole = system.fit(train, np.random.default_rng(1))
    for shards in (2, 3, 4):
        again = population.learnt(system, train, np.random.default_rng(1), shards=shards)
        assert np.array_equal(again.items, whole.items)
        assert np.array_equal(again.users, whole.users)


# ------------------------------------------------------------------------------------------------- the bill


def test_the_bill_of_the_paper_counts_one_epoch_of_twenty():
    """k·ε = 250 is claimed; k·ε·T = 5,000 is the run. The other figures are those of notes/fmf_ldp.md."""
    system = FMFLDP(epsilon=2.5, k=100, epochs=20)
    ledger = system.ledger(CITY)
    assert ledger.claimed.epsilon == 250
    assert ledger.claimed.counts == "one epoch"
    assert FMFLDP(epochs=1).ledger(CITY).claimed.counts == "whole run"
    found = {
        (delta, view): guarantee(ledger, "user", "replace", delta, view).epsilon
        for delta, view in ((0.0, "server"), (1e-6, "server"), (1e-6, "shuffled"))
    }
    assert found[0.0, "server"] == pytest.approx(5000)
    assert found[1e-6, "server"] == pytest.approx(4505, abs=0.5)
    assert found[1e-6, "shuffled"] == pytest.approx(4.19, abs=0.05)
    soft = FMFLDP(epsilon=0.5, k=100, epochs=20).ledger(CITY)
    assert guarantee(soft, "user", "replace", 1e-6, "server").epsilon == pytest.approx(346, abs=0.5)


def test_a_shuffler_hides_in_people_and_not_in_reports():
    """N·k reports of N people are no crowd of N·k: with 100 reports each the bill must not fall below k shuffles."""
    few, many = (FMFLDP(epsilon=2.5, k=100).ledger(Sizes(n, 1000)) for n in (50_000, 5_000_000))
    assert few.releases[0].crowd == 50_000
    price = [guarantee(one, "user", "replace", 1e-6, "shuffled").epsilon for one in (few, many)]
    assert price[1] < price[0] / 5
    said = " ".join(guarantee(few, "user", "replace", 1e-6, "shuffled").assumptions)
    for word in ("honest", "exactly k of them in every epoch", "fresh noise"):
        assert word in said


def test_the_three_currencies_of_the_command_line():
    entry = get("fmf-ldp")
    found = bill(entry, replace(entry.system, epsilon=2.5, k=100, epochs=20), CITY, delta=1e-6)
    assert found["claimed"]["epsilon"] == 250
    assert found["counted"]["epsilon"] <= 5000
    also = [(one["view"], one["epsilon"]) for one in found["also"] if (one["unit"], one["relation"]) == fmf_ldp.BILL]
    assert ("server", 5000) in also
    assert any(view == "shuffled" and epsilon < 10 for view, epsilon in also)


def test_the_attack_stays_below_the_bill_and_the_verdict_says_what_the_claim_counts():
    found = audit(get("fmf-ldp").system, name="fmf-ldp", trials=20_000)
    assert (found.verdict, found.reason) == ("open", "the claim counts one epoch")
    assert 1.5 < found.attacked.decisive <= found.attacked.epsilon_lower <= found.attacked.ceiling + 1e-9
    assert found.attacked.epsilon_lower <= found.counted.epsilon


def test_a_run_of_one_epoch_costs_what_is_claimed_and_holds():
    found = audit(FMFLDP(k=1, epochs=1), name="fmf-ldp", trials=20_000)
    assert found.verdict == "holds", found.reason
    assert found.counted.epsilon == found.claimed.epsilon == 2.5


def test_item_sign_costs_what_it_says():
    ledger = ItemSign(epsilon=10.0, k=5, epochs=5).ledger(CITY)
    assert guarantee(ledger, "user", "replace", 0.0, "server").epsilon == pytest.approx(250)
    assert ledger.releases[0].mechanism.k == 2000


# ------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "train",
    [
        people_who([0, 1, 2]),  # one user
        people_who([], [1, 2], []),  # users who met nothing
        people_who([], []),  # nobody met anything
        people_who([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]),  # everybody met everything
        people_who([0], [0], items=1),  # one item, fewer than factors
    ],
    ids=["one user", "some met nothing", "nobody met anything", "everybody met everything", "one item"],
)
def test_odd_populations_end_in_finite_scores(name, train):
    """Warnings are errors in these tests."""
    for settings in ({"k": 500}, {"epsilon": 50.0}, {"epsilon": 0.01}):  # more reports than cells; saturated; nothing
        model = trained(replace(get(name).system, epochs=3, **settings), train)
        scores = model.score(np.arange(train.n_users)[:, None], np.arange(train.n_items)[None, :])
        assert np.isfinite(scores).all()
        silent = np.bincount(train.users, minlength=train.n_users) == 0
        assert not scores[silent].any()


def test_all_equal_scores_are_chance():
    """A V of zeros gives everybody zero taste; what ties with everything is ranked by chance, 10 of 100."""
    (fold,) = split(load("synthetic", users=60, items=200, seed=1).interactions, "loo-random", 0)
    model = FMFLDP().model(Told(np.zeros((200, 5))), fold.train)
    assert evaluate(model, fold, (10,), full=False).metrics["hr@10"] == pytest.approx(0.1)


def test_no_gradient_is_ever_held_for_every_phone():
    """4,096 phones and 20,000 items: a bit a phone and item would be 10 MB, a gradient 1.6 GB; the largest array
    that is allowed is one of the items' own, 4,096 × 10 reports or the histories."""
    rng = np.random.default_rng(0)
    users = np.repeat(np.arange(4096, dtype=np.int32), 5)
    items = rng.integers(0, 20_000, len(users)).astype(np.int32)
    block = Interactions(users, items, np.ones(len(users), np.float32), np.zeros(len(users), np.int64), 4096, 20_000)
    for name in ALL:
        system = replace(get(name).system, k=10)
        told = system.start(block.sizes, rng)
        tracemalloc.start()
        system.collect(block, told, rng)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4096 * 20_000, f"{name}: {peak / 1e6:.0f} MB"


# -------------------------------------------------------------------------------------------------- utility


def rates(name, seeds=3, data="ml-100k", items=None, **settings):
    """The hit rates of each user at each seed, after a random split."""
    found, whole = [], load(data)
    interactions = (whole if items is None else most_met(whole, items)).interactions
    for seed in range(seeds):
        (fold,) = split(interactions, "loo-random", seed)
        model = trained(replace(get(name).system, **settings), fold.train, seed)
        found.append(evaluate(model, fold, (10,), full=False).per_user["hr@10"])
    return found


def test_as_printed_a_town_learns_next_to_nothing_and_the_same_bits_thaw():
    """ML-100K, ε = 2.5, k = 100: notes .11 to .14 as printed, .53 stable; standard error of three seeds ≈ .01."""
    printed, stable, popular = rates("fmf-ldp"), rates("fmf-ldp-stable"), rates("popularity")
    assert 0.09 < np.nanmean(printed) < 0.16
    assert np.nanmean(stable) == pytest.approx(0.53, abs=0.03)
    assert paired(stable, printed).verb == "beats"
    assert paired(printed, popular).verb == "loses to"


def test_the_stable_variant_rises_in_epsilon_and_in_k():
    by_epsilon = [rates("fmf-ldp-stable", epsilon=epsilon) for epsilon in (0.5, 1.0, 2.5)]
    by_k = [rates("fmf-ldp-stable", k=k) for k in (10, 50, 250)]
    for rising in (by_epsilon, by_k):
        for less, more in pairwise(rising):
            assert paired(more, less).verb == "beats"


@pytest.mark.slow
@pytest.mark.parametrize(("k", "epochs", "total"), [(1, 5, 50), (5, 5, 250)])
def test_item_sign_beats_both_at_equal_total_epsilon_on_the_thousand_most_met_films_of_ml_1m(k, epochs, total):
    where = {"data": "ml-1m", "items": 1000, "seeds": 5}
    mine = rates("item-sign", epsilon=10.0, k=k, epochs=epochs, **where)
    for name in BITS:
        for reports, rounds in ((1, 20), (2, 10), (5, 4), (5, 20), (10, 10)):
            theirs = rates(name, epsilon=total / (reports * rounds), k=reports, epochs=rounds, **where)
            assert paired(mine, theirs).verb == "beats", (name, reports, rounds)


def test_the_gradient_that_the_stable_phone_sends_is_levelled(people):
    """What is clipped to [−1, 1] is c(p − x·v)·x_f/‖x‖∞, whose last factor reaches ±1 for everybody."""
    met = histories(people)
    items = FMFLDPStable().start(people.sizes, np.random.default_rng(0)).items.astype(np.float32)
    users = fmf_ldp.tastes(met, items, 1.0, 1e-6)
    cells = np.tile(np.arange(items.size, dtype=np.int32), (people.n_users, 1))
    each = at_cells(met, users, items, 1.0, cells, level(users))
    scale = np.abs(users).max(axis=1, keepdims=True)
    np.testing.assert_allclose((each * scale).sum(axis=0), summed(met, users, items, 1.0).ravel(), rtol=1e-3, atol=1e-3)
