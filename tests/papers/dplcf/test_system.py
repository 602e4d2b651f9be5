"""dplcf: the estimator against brute force and simulation, the bill, the claims of our own."""

import math
from dataclasses import replace

import numpy as np
import pytest

from recprivlib import population
from recprivlib.accounting import guarantee
from recprivlib.data import load
from recprivlib.evaluation import evaluate, paired, split
from recprivlib.mechanisms import UnaryOneSided, UnarySymmetric
from recprivlib.papers.dplcf import system as dplcf
from recprivlib.protocols import Sizes
from recprivlib.registry import get
from recprivlib.training import trained

RATES = [(0.73, 0.27), (1.0, math.exp(-1)), (0.9, 0.2)]


def counts_of(bits):
    """(m₀₀, m₀₁, m₁₀, m₁₁) of every pair of items, by looking at every user."""
    table = np.zeros((4, bits.shape[1], bits.shape[1]))
    for row in bits.astype(int):
        for i, a in enumerate(row):
            for j, b in enumerate(row):
                table[2 * a + b, i, j] += 1
    return table


@pytest.mark.parametrize(("p", "q"), RATES)
def test_the_right_inverse_inverts_what_equation_3_does(p, q):
    """A[(a,b),(i,j)] = P(report a | i) P(report b | j): eq. 5 by hand, then both rows against its inverse."""
    report = np.array([[1 - q, 1 - p], [q, p]])
    matrix = np.array([[report[a, i] * report[b, j] for i in (0, 1) for j in (0, 1)] for a in (0, 1) for b in (0, 1)])
    inverse = np.linalg.inv(matrix)
    found = dplcf.right(p, q)
    np.testing.assert_allclose([found.n00, found.n11], inverse[[0, 3]], atol=1e-12)


def test_the_printed_rows_are_not_the_inverse_where_the_notes_say():
    p, q = 1.0, math.exp(-1)
    right, printed = dplcf.right(p, q), dplcf.printed(p, q)
    np.testing.assert_allclose(printed.n00, right.n00)  # this row of eq. 11 is right
    assert not np.allclose(printed.n11, right.n11)
    np.testing.assert_allclose(right.n11, np.array([q**2, -q * (1 - q), -q * (1 - q), (1 - q) ** 2]) / (1 - q) ** 2)


@pytest.mark.parametrize("row", [(1.0, 0, 0, 0), (0, 1.0, 0, 0), (0, 0, 1.0, 0), (0.3, -1.2, 0.7, 2.0)])
def test_a_row_of_the_inverse_is_applied_to_all_four_counts(row):
    """Only m₁₁ and its diagonal are kept; catches a mixed-up index or sign in the reconstruction of the others."""
    bits = np.random.default_rng(1).random((40, 7)) < 0.4
    wanted = np.tensordot(row, counts_of(bits), axes=1)
    found = dplcf.solved(row, dplcf.counted(bits))
    off = ~np.eye(7, dtype=bool)  # on the diagonal an item is paired with itself, which nothing uses
    np.testing.assert_allclose(found[off], wanted[off], atol=1e-3)


@pytest.mark.parametrize("flipping", [UnarySymmetric(1.0), UnaryOneSided(1.0)])
def test_the_estimate_is_right_on_average(flipping):
    """400 draws; sd of one n̂₁₁ ≤ √(Mv² + v(n_i+n_j)) with v = q(1−q)/(p−q)² ≤ .92, of the mean a twentieth."""
    train = load("synthetic", users=200, items=20, seed=3).interactions
    truth = (train.matrix.T @ train.matrix).toarray()
    row = dplcf.right(flipping.p, flipping.q).n11
    draws = [dplcf.solved(row, dplcf.counted(dplcf.reports(train, flipping))) for _ in range(400)]
    off = ~np.eye(20, dtype=bool)
    v, n = 0.92, truth.diagonal()
    sd = np.sqrt(200 * v**2 + v * (n[:, None] + n)) / math.sqrt(len(draws))
    assert (np.abs(np.mean(draws, axis=0) - truth)[off] / sd[off]).max() < 4.5  # 380 pairs


def test_the_noise_of_a_pair_has_the_variance_the_chapter_states():
    """Var n̂₁₁ = Mv² + v(n_i + n_j), exactly, for symmetric flips. 2,000 draws: relative sd of a variance ≈ .032."""
    train = load("synthetic", users=200, items=20, seed=3).interactions
    flipping = UnarySymmetric(1.0)
    row = dplcf.right(flipping.p, flipping.q).n11
    draws = np.array([dplcf.solved(row, dplcf.counted(dplcf.reports(train, flipping)))[0, 1] for _ in range(2000)])
    counts = np.asarray(train.matrix.sum(axis=0)).ravel()
    v = flipping.variance
    assert np.var(draws) == pytest.approx(200 * v**2 + v * (counts[0] + counts[1]), rel=0.15)


def test_without_noise_the_private_server_is_the_plain_one():
    """At ε = 20 no bit of a small history flips (e⁻²⁰ · 24,000 bits): catches a wrong sign anywhere in the chain."""
    train = load("synthetic", users=300, items=80, seed=0).interactions
    sums = dplcf.counted(dplcf.reports(train, UnarySymmetric(20.0)))
    plain = dplcf.counted(train.matrix.toarray() > 0)
    np.testing.assert_array_equal(sums["both"], plain["both"])
    found = dplcf.DPLCF(epsilon=20.0).similarities(sums)
    blind = dplcf.DPLCF(epsilon=20.0, inverse="blind").similarities(plain)
    np.testing.assert_allclose(found, blind, atol=1e-3)


@pytest.mark.parametrize("cut", ["ratio", "feasible"])
def test_a_similarity_is_possible_whatever_the_noise(cut):
    train = load("synthetic", users=60, items=50, seed=1).interactions
    sums = dplcf.counted(dplcf.reports(train, UnarySymmetric(0.1)))
    found = dplcf.DPLCF(epsilon=0.1, cut=cut).similarities(sums)
    assert np.isfinite(found).all()
    assert found.min() >= 0
    assert found.max() <= 1


SIZES = Sizes(943, 1682)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_the_bill_is_exact_at_every_unit(epsilon):
    ledger = replace(get("dplcf-sp").system, epsilon=epsilon).ledger(SIZES)
    assert guarantee(ledger, "interaction", "add-remove", 0.0, "server").epsilon == pytest.approx(epsilon)
    assert guarantee(ledger, "interaction", "swap", 0.0, "server").epsilon == pytest.approx(2 * epsilon)
    assert guarantee(ledger, "user", "replace", 0.0, "server").epsilon == pytest.approx(1682 * epsilon)
    capped = replace(get("dplcf-sp").system, epsilon=epsilon, cap=100).ledger(SIZES)
    assert guarantee(capped, "user", "replace", 0.0, "server").epsilon == pytest.approx(200 * epsilon)


def test_a_ledger_says_who_makes_the_lists_and_whose_histories_a_crowd_has():
    """bpr-mf and gmf score at the server; a resampled crowd reports one real history several times."""
    said = {name: " ".join(get(name).system.ledger(SIZES).assumed) for name in ("dplcf-sp", "bpr-mf", "gmf")}
    assert "used at home" in said["dplcf-sp"]
    for name in ("bpr-mf", "gmf"):
        assert "the server makes lists" in said[name]
        assert "used at home" not in said[name]
    for name in ("dplcf-sp", "dplcf-spectral"):
        crowded = replace(get(name).system, population=80).ledger(SIZES)
        assert "80 times as many phones" in " ".join(crowded.assumed)
        assert "phones is a person" not in " ".join(get(name).system.ledger(SIZES).assumed)


def test_one_sided_flipping_has_no_finite_epsilon_and_the_delta_that_the_chapter_states():
    ledger = get("dplcf-ap").system.ledger(SIZES)
    assert math.isinf(guarantee(ledger, "interaction", "add-remove", 0.0, "server").epsilon)
    delta = 1 - math.exp(-1)
    assert guarantee(ledger, "interaction", "add-remove", delta + 1e-9, "server").epsilon == 0


def test_popularity_from_one_report_a_person_is_priced_for_the_person():
    system = replace(get("ldp-popularity").system, epsilon=4.0, reports="one")
    assert guarantee(system.ledger(SIZES), "user", "replace", 0.0, "server").epsilon == pytest.approx(4)


def test_popularity_from_one_report_estimates_the_mean_share_of_a_history():
    """Each person names one film of her history: the estimate is Σ_u R_ui / |R_u|. 4,096 people at ε = 6, 40
    items: sd of a count ≤ √(M·q(1−q))/(p−q) ≈ 40, so 5 deviations are 200 of up to 700."""
    train = load("synthetic", users=4096, items=40, seed=2).interactions
    system = replace(get("ldp-popularity").system, epsilon=6.0, reports="one")
    found = trained(system, train).scores
    share = np.asarray((train.matrix / train.matrix.sum(axis=1)[:, None]).sum(axis=0)).ravel()
    assert np.abs(found - share).max() < 200
    assert np.corrcoef(found, share)[0, 1] > 0.95


def scores(name, data="ml-100k", seeds=3, **settings):
    found = []
    for seed in range(seeds):
        (fold,) = split(load(data).interactions, "loo-latest", seed)
        model = trained(replace(get(name).system, **settings), fold.train, seed)
        found.append(evaluate(model, fold, full=False).per_user["hr@10"])
    return found


def test_at_epsilon_one_a_town_is_too_small_for_the_paper_and_large_enough_for_the_spectral_server():
    """The chapter's two claims, by paired bootstrap on ML-100K."""
    popular, printed, spectral = scores("popularity"), scores("dplcf-sp"), scores("dplcf-spectral")
    assert paired(printed, popular).verb == "loses to"
    assert paired(spectral, popular).verb == "beats"
    assert paired(spectral, printed).verb == "beats"


def test_spectral_falls_back_to_popularity_when_nothing_stands_out():
    train = load("synthetic", users=100, items=60, seed=0).interactions
    model = trained(dplcf.DPLCFSpectral(epsilon=0.05), train)
    assert len(model.filter) < 4
    assert model.floor.any()


@pytest.mark.slow
def test_the_spectral_server_beats_popularity_and_the_paper_on_ml_1m_too():
    popular, printed, spectral = (scores(n, "ml-1m", 1) for n in ("popularity", "dplcf-sp", "dplcf-spectral"))
    assert paired(spectral, popular).verb == "beats"
    assert paired(spectral, printed).verb == "beats"


def test_a_crowd_reports_and_the_real_people_are_scored():
    """`population` multiplies phones, not the people who are scored; 1 changes nothing."""
    train = load("synthetic", users=50, items=30, seed=0).interactions
    one = dplcf.DPLCF(population=1).fit(train, np.random.default_rng(0))
    plain = population.learnt(dplcf.DPLCF(), train, np.random.default_rng(0))
    np.testing.assert_array_equal(one.weights.toarray(), plain.weights.toarray())
    users = np.arange(50)[:, None]
    for system in (dplcf.DPLCF(population=4), dplcf.DPLCFSpectral(population=4)):
        model = trained(system, train)
        np.testing.assert_array_equal(model.histories.toarray(), train.matrix.toarray())
        assert model.score(users, np.arange(30)[None, :]).shape == (50, 30)


def test_more_phones_with_the_same_noise_find_more():
    """ML-100K at ε = 1: 943 phones lose to popularity, eight times as many beat it."""
    popular = scores("popularity")
    assert paired(scores("dplcf-sp"), popular).verb == "loses to"
    assert paired(scores("dplcf-sp", population=8), popular).verb == "beats"
