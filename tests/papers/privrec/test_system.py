"""privrec: the bill as printed and as counted, what a round releases, bad input, the sums beyond the paper."""

from __future__ import annotations

import itertools
import math
from collections import deque
from dataclasses import replace

import numpy as np
import pytest

from recprivlib.accounting import bill, guarantee
from recprivlib.auditing import attack
from recprivlib.data.synthetic import synthetic
from recprivlib.evaluation import evaluate, split
from recprivlib.mechanisms.gate import taped
from recprivlib.mechanisms.noise import Root, along
from recprivlib.models.around_popular import leftovers, popular_sum, top
from recprivlib.papers.privrec import crafted as made_up
from recprivlib.papers.privrec.training import Start
from recprivlib.parameters import UserError
from recprivlib.protocols import Sizes
from recprivlib.registry import get
from recprivlib.training import trained

RNG = np.random.default_rng
QUICK = {"rounds": 4, "cohort": 10, "local_epochs": 2, "size": "small"}


@pytest.fixture(scope="module")
def train():
    """120 invented people and 90 films with genres; nothing is known about the people themselves."""
    return synthetic(users=120, items=90).interactions


def dp(**settings):
    return replace(get("dp-privrec").system, **(QUICK | settings))


# ---------------------------------------------------------------------------------------------------- bills


def test_the_bill_of_table_3s_last_cell():
    """Claimed as printed; counted with the noise as printed, at the count's true reach, on Poisson cohorts."""
    entry = get("dp-privrec")
    found = bill(entry, replace(entry.system, cohort=30, rounds=1000), Sizes(4800, 3883), delta=1e-4)
    assert math.floor(found["claimed"]["epsilon"] * 1e4) / 1e4 == 14.3056
    assert [found["claimed"][name] for name in ("delta", "unit", "relation")] == [1e-4, "user", "replace"]
    assert found["counted"]["epsilon"] == pytest.approx(1.0966, abs=2e-4)
    others = [(other["how"][:15], other["relation"], round(other["epsilon"], 3)) for other in found["also"]]
    assert others == [("the same noise,", "replace", 0.567), ("the same noise ", "add-remove", 0.301),
                      ("the same noise ", "replace", 0.597)]  # fmt: skip


def test_a_claim_speaks_of_any_delta_and_of_none_at_zero():
    entry = get("dp-privrec")
    sizes = Sizes(4800, 3883)
    system = replace(entry.system, cohort=30, rounds=1000)
    assert bill(entry, system, sizes, delta=1e-8)["claimed"]["epsilon"] == pytest.approx(18.9107, abs=1e-4)
    assert bill(entry, system, sizes, delta=0.0)["claimed"]["epsilon"] == math.inf


@pytest.mark.parametrize("settings", [{}, {"balance": 0.0}, {"server_rate": 0.5}, {"sampling": "poisson"}])
def test_every_round_releases_what_the_ledger_says(train, settings):
    """One joint event a round, whose μ is the ledger's whatever S has become."""
    system = dp(clip_init=3.0, **settings)
    with taped() as tape:
        trained(system, train)
    (line,) = system.ledger(train.sizes).releases
    events = [call for call in tape.calls if not call.secret]
    assert len(events) == line.count == 4
    assert len([call for call in tape.calls if call.secret]) == 4
    for call in events:
        assert call.mechanism.loss() == line.mechanism.loss()
        assert len(call.x) == (1 if system.balance == 0 else 2)
    if system.balance:
        assert len({call.mechanism.parts[0].clip for call in events}) == 4


def test_the_split_h_composes_to_z_and_the_server_rate_scales_the_noise():
    """(1−h)/z² + h/z² = 1/z² for sensitivities 2S/M and 2/M; noise outside α₃ is z/α₃ to the update alone."""
    for h in (0.1, 0.7, 0.95):
        (line,) = dp(balance=h, noise_multiplier=2.0).ledger(Sizes(120, 90)).releases
        assert (line.mechanism.mu, line.mechanism.rate) == (pytest.approx(1 / 4), 1 / 12)
    (line,) = dp(balance=0.0, server_rate=0.5).ledger(Sizes(120, 90)).releases
    assert line.mechanism.mu == pytest.approx(0.5 / 2)


def test_nobody_learns_from_a_phone_that_failed(train):
    """An update that is no number counts as zero: the run goes on, and what it releases is finite."""
    system = dp(learning_rate=100.0, local_epochs=30, clip_init=1e-3, size="large", rounds=2)
    with taped() as tape:
        trained(system, train)
    updates = np.concatenate([call.x[0] for call in tape.calls if not call.secret])
    assert np.isfinite(updates).all()
    assert (np.abs(updates).max(axis=1) == 0).any()


# ------------------------------------------------------------------------------------------------- clipping


def watched(system, train, seed=0):
    return list(along(Root.of(seed), system.watched(Start.of(system, train, RNG(seed)))))


def test_the_bound_goes_to_the_quantile(train):
    """Nearly without noise, the geometric rule from far below and above: the share below S ends near γ (±.15)."""
    for first in (0.01, 20.0):
        system = dp(noise_multiplier=0.05, cohort=60, rounds=80, clip_init=first, clip_rate=0.5, server_rate=0.01,
                    unclipped_quantile=0.6)  # fmt: skip
        rounds = watched(system, train)[-20:]
        share = np.mean([(each.norms <= each.bound).mean() for each in rounds])
        assert share == pytest.approx(0.6, abs=0.15)


def test_the_order_as_printed_lets_the_bound_fall_for_ever(train):
    """b ≡ 1 after clipping, so S − α₄(1−γ) a round, to the floor; compared before, it rises from there."""
    common = {"noise_multiplier": 0.05, "cohort": 60, "rounds": 20, "rule": "linear", "clip_rate": 0.2,
              "unclipped_quantile": 0.9}  # fmt: skip
    printed = [each.bound for each in watched(dp(order="printed", clip_init=0.2, **common), train)]
    assert all(after < before or after == 1e-6 for before, after in itertools.pairwise(printed))
    assert printed[-1] == 1e-6
    assert watched(dp(order="before", clip_init=1e-6, **common), train)[-1].bound > 0.05


def test_without_a_share_for_the_count_the_bound_stays(train):
    assert {each.bound for each in watched(dp(balance=0.0, clip_init=0.3), train)} == {0.3}


def test_the_noise_is_as_long_as_the_ratio_says(train):
    """(2z/M)·√(d/(1−h)) times S, within 6/√(2d) of it."""
    system = dp(size="medium", cohort=20, rounds=1, clip_init=0.7)
    (only,) = watched(system, train)
    d = len(only.theta)
    expected = 0.7 * 2 * 1.0 / 20 * math.sqrt(d / (1 - 0.7))
    assert only.noise == pytest.approx(expected, rel=6 / math.sqrt(2 * d))


# ------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    "settings, said",
    [
        ({"balance": 1.0}, "balance is 1"),
        ({"unclipped_quantile": 0.0}, "unclipped_quantile is 0"),
        ({"unclipped_quantile": 1.0}, "unclipped_quantile is 1"),
        ({"clip_init": 0.0}, "clip_init is 0"),
        ({"noise_multiplier": math.nan}, "noise_multiplier is nan"),
        ({"cohort": 0}, "cohort is 0"),
        ({"size": "huge"}, "size is 'huge'"),
    ],
)
def test_nonsense_is_refused_where_it_enters(settings, said):
    with pytest.raises(UserError, match=said):
        dp(**settings)


@pytest.mark.parametrize("name", ["privrec", "privrec-cen", "fofl-self", "nn-self", "dp-privrec"])
def test_a_cohort_larger_than_the_population_is_refused(name, train):
    system = replace(get(name).system, cohort=121)
    with pytest.raises(UserError, match="cohort is 121, but there are only 120 people"):
        trained(system, train)
    if name == "dp-privrec":
        with pytest.raises(UserError, match="cohort is 121, but there are only 120 people"):
            system.ledger(train.sizes)
    everybody = replace(system, cohort=120, rounds=1, local_epochs=1)
    assert np.isfinite(trained(everybody, train).theta).all()


def test_training_that_loses_its_numbers_stops_and_is_never_scored(train):
    with pytest.raises(UserError, match="training stopped in round"):
        trained(replace(get("privrec").system, learning_rate=100.0, rounds=50, cohort=30), train)
    with pytest.raises(UserError, match="clipping bound has grown"):
        trained(dp(clip_init=1e6, clip_rate=10.0, rounds=50), train)
    fold = split(train, "user-split", 0)[0]
    model = trained(replace(get("privrec").system, **QUICK), fold.train)
    with pytest.raises(UserError, match="has diverged"):
        evaluate(replace(model, theta=model.theta * np.nan), fold)


def test_one_interaction_each_and_nothing_known_about_anybody(train):
    """Half the people keep one film; demographics are missing. Everything is finite, and new people are scored."""
    rows = np.arange(len(train))
    first = np.searchsorted(train.users, train.users, side="left")
    few = train.take((train.users % 2 == 0) | (rows == first))
    for name in ("privrec", "nn-self", "fofl-self"):
        model = trained(replace(get(name).system, cohort=30, rounds=3), few)
        found = model.fold_in(few.of(np.arange(5))).score(np.arange(5)[:, None], np.arange(90)[None, :])
        assert np.isfinite(found).all()


# --------------------------------------------------------------------------------------- two people made up


def made(train, **settings):
    system = dp(cohort=120, clip_init=0.02, **settings)
    start = Start.of(system, train, RNG(0))
    return system, start, made_up.pair(system, start)


def test_the_made_up_two_send_what_a_run_clips(train):
    """A town like the first of them, but for one person like the second, and everybody is asked."""
    system, start, two = made(train, rounds=1)
    films = [np.flatnonzero(start.network.words.kind_of == kind) for kind in two.kinds]
    met = [films[1], *[films[0]] * 119]
    users, items = np.repeat(np.arange(120), [len(each) for each in met]), np.concatenate(met)
    one = np.ones(len(items))
    town = replace(train, users=users.astype(np.int32), items=items.astype(np.int32), ratings=one.astype(np.float32),
                   times=one.astype(np.int64))  # fmt: skip
    with taped() as tape:
        deque(system.watched(Start.of(system, town, RNG(0))), maxlen=0)
    (call,) = [call for call in tape.calls if not call.secret]
    np.testing.assert_allclose(call.x[0], two.updates[[1] + [0] * 119], atol=1e-6)
    np.testing.assert_array_equal(call.x[1], made_up.below(system, two.updates)[[1] + [0] * 119])
    assert 0.8 < two.gap(system.event(120, 0.02)) <= 1


@pytest.mark.parametrize(("settings", "caught"), [
    ({}, False), ({"balance": 0.0}, False), ({"sampling": "poisson", "cohort": 60}, True),
])  # fmt: skip
def test_an_attack_shows_no_more_than_is_counted_and_finds_noise_that_is_missing(train, settings, caught):
    """Four rounds. With a quarter of the noise it shows more, and exceeds the bill of all of it where so many trials
    could show that much."""
    system, _, two = made(train)
    system = replace(system, **settings)
    bound = guarantee(system.ledger(train.sizes), "user", "replace", 1e-5, "model").epsilon
    found, worse = (attack(made_up.game(each, 120, two, 4), "user", "replace", "model", 1e-5, 20_000, RNG(1))
                    for each in (system, replace(system, noise_multiplier=1 / 4)))  # fmt: skip
    assert found.decisive <= bound
    if system.cohort == 120:
        assert found.epsilon_lower > 0.1 * bound
    assert worse.epsilon_lower > found.epsilon_lower + 1
    assert (worse.decisive > bound) == (worse.ceiling > bound) == caught


# --------------------------------------------------------------------------------------------- beyond the paper


def test_no_person_moves_the_sums_of_dp_gram_further_than_the_noise_is_made_for():
    """Random small crowds with one person added or replaced: at most 1 and √2, and disjoint histories reach √2."""
    import scipy.sparse as sp

    rng, worst = RNG(0), {"add": [0.0, 0.0], "replace": [0.0, 0.0]}
    for trial in range(300):
        met = (rng.random((6, 8)) < rng.choice([0.1, 0.5])).astype(np.float32)
        if trial < 50:
            met[0], met[1] = np.arange(8) < 3, np.arange(8) > 4
        chosen, direction = top(popular_sum(sp.csr_array(met[2:])), 6)
        sums = [(popular_sum(sp.csr_array(rows)), leftovers(sp.csr_array(rows), chosen, direction))
                for rows in (met[2:], met[[0, 2, 3, 4, 5]], met[1:])]  # fmt: skip
        for kind, (a, b) in {"add": (0, 1), "replace": (1, 2)}.items():
            for part in (0, 1):
                worst[kind][part] = max(worst[kind][part], float(np.linalg.norm(sums[a][part] - sums[b][part])))
    assert max(worst["add"]) <= 1 + 1e-6
    assert max(worst["replace"]) <= math.sqrt(2) + 1e-6
    assert min(worst["add"]) > 0.99
    assert worst["replace"][0] > 1.41


@pytest.mark.parametrize("name", ["dp-popularity", "dp-gram"])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_the_budget_is_what_is_counted(name, relation):
    entry = get(name)
    found = bill(entry, replace(entry.system, epsilon=2.0, relation=relation), Sizes(754, 1682))
    assert (found["counted"]["epsilon"], found["counted"]["relation"]) == (pytest.approx(2.0, rel=1e-4), relation)
    assert found["counted"]["delta"] == 1e-5
