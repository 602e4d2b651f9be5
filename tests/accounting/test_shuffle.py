"""The clone bounds against every outcome of small shuffles, and the figures of notes/fmf_ldp.md."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from scipy.special import gammaln

from recprivlib.accounting import guarantee
from recprivlib.accounting.compose import tightest
from recprivlib.accounting.pairs import pair
from recprivlib.accounting.shuffle import shuffled
from recprivlib.mechanisms import KRandomizedResponse, RandomizedResponse
from recprivlib.mechanisms.losses import Channel, GaussianShift, Pure
from recprivlib.papers.fmf_ldp import FMFLDP
from recprivlib.parameters import UserError
from recprivlib.protocols import Change, Ledger, Release, Sizes

GRID = np.array([0.0, 0.1, 0.3, 0.6, 1.0, 1.5])


def mixed(rows):
    """The law of the multiset of reports, one a row of probabilities."""
    law = {(): 1.0}
    for row in rows:
        following = defaultdict(float)
        for seen, p in law.items():
            for symbol, q in enumerate(row):
                following[tuple(sorted((*seen, symbol)))] += p * q
        law = following
    return law


def profile(p, q):
    return np.array([sum(max(p[y] - math.exp(e) * q.get(y, 0), 0) for y in p) for e in GRID])


def worst(channel, people):
    """The largest profile over everybody's inputs, at every ε."""
    found = np.zeros(len(GRID))
    for others in itertools.combinations_with_replacement(range(len(channel)), people - 1):
        rest = [channel[x] for x in others]
        laws = [mixed([row, *rest]) for row in channel]
        for p, q in itertools.permutations(laws, 2):
            found = np.maximum(found, profile(p, q))
    return found


def bits(epsilon):
    p = 1 / (1 + math.exp(-epsilon))
    return np.array([[p, 1 - p], [1 - p, p]])


@pytest.mark.parametrize("epsilon", [0.5, 1.5, 3.0])
@pytest.mark.parametrize("people", [1, 2, 7])
def test_randomised_bits_are_bounded_and_the_bound_is_close(epsilon, people):
    """At ε = 0 the bound is at most 1.5 times the truth: clones that are too likely break the first line at n = 7."""
    truth = worst(bits(epsilon), people)
    bound = shuffled(pair(Channel(bits(epsilon), ((0, 1),)), "replace"), people, symbols=2).profile(GRID)
    assert (truth <= bound + 1e-12).all()
    assert bound[0] <= 1.5 * truth[0]


@pytest.mark.parametrize("epsilon", [0.7, 2.0])
def test_bits_with_a_public_cell_are_bounded(epsilon):
    """One-bit gradients: a uniform cell of two and a bit; every pair of sign patterns, every three neighbours."""
    p = 1 / (1 + math.exp(-epsilon))
    signs = list(itertools.product((p, 1 - p), repeat=2))
    channel = np.array([[a / 2, (1 - a) / 2, b / 2, (1 - b) / 2] for a, b in signs])
    bound = shuffled(pair(Channel(bits(epsilon), ((0, 1),)), "replace"), 4, symbols=2).profile(GRID)
    assert (worst(channel, 4) <= bound + 1e-12).all()


BOTH = list(itertools.product((0, 1), repeat=2))  # what one person's two bits may be


def crowd_of_three(see):
    """The largest profile of what is seen of three people with two bits each: every input of everybody."""
    found = np.zeros(len(GRID))
    for *others, mine, hers in itertools.product(BOTH, repeat=4):
        found = np.maximum(found, profile(see(mine, *others), see(hers, *others)))
    return found


def billed(batch, truth):
    """What the ledger's ε says of the δ that was enumerated, beside the ε it was enumerated at."""
    line = Release("bits", RandomizedResponse(1.0), {("user", "replace"): Change()}, count=2, crowd=3, batch=batch)
    bill = [guarantee(Ledger((line,)), "user", "replace", float(delta), "shuffled").epsilon for delta in truth]
    return np.array(bill) - GRID


def heap(*people):
    """All six bits, split and mixed: no message is left."""
    return mixed([bits(1.0)[bit] for one in people for bit in one])


def whole(*people):
    """Three messages of two bits, mixed as they are."""
    return mixed([np.outer(bits(1.0)[first], bits(1.0)[second]).ravel() for first, second in people])


def apart(*people):
    """Two shuffles, one of everybody's first bit and one of everybody's second."""
    one, two = (mixed([bits(1.0)[bit] for bit in turn]) for turn in zip(*people, strict=True))
    return {(a, b): one[a] * two[b] for a in one for b in two}


def test_all_reports_of_an_epoch_in_one_heap_tell_no_more_than_a_shuffle_for_each():
    """Every input, by enumeration: the heap is post-processing of the shuffles, and they compose below the bill."""
    for *others, mine, hers in itertools.product(BOTH, repeat=4):
        together, shuffles = (profile(see(mine, *others), see(hers, *others)) for see in (heap, apart))
        assert (together <= shuffles + 1e-12).all()
    assert (billed(1, crowd_of_three(heap)) >= -1e-9).all()
    assert (billed(1, crowd_of_three(apart)) >= -1e-9).all()


def test_messages_that_stay_whole_are_one_report_of_twice_the_budget():
    """They tell more than two shuffles do, and more than two shuffles are billed: splitting is what is paid for."""
    truth = crowd_of_three(whole)
    assert truth[0] > 1.05 * crowd_of_three(apart)[0]
    assert (billed(2, truth) >= -1e-9).all()
    assert (billed(1, truth) < 0).any()


def test_any_channel_is_bounded_by_general_clones():
    """3-ary randomised response and five random channels, scaled to ε = 1.2, among five people."""
    rng, epsilon = np.random.default_rng(8), 1.2
    channels = [(np.ones((3, 3)) + np.expm1(epsilon) * np.eye(3)) / (2 + math.exp(epsilon))]
    for _ in range(5):
        levels = np.exp(epsilon / 2 * rng.uniform(0, 1, (3, 3)))  # ratios of columns at most e^ε after scaling
        channels.append(levels / levels.sum(axis=1, keepdims=True))
    for channel in channels:
        one = pair(Channel(channel, ((0, 1), (0, 2), (1, 2))), "replace")
        bound = shuffled(pair(Pure(max(one.pure, 1e-3)), "replace"), 5).profile(GRID)
        assert (worst(channel, 5) <= bound + 1e-12).all()


def of_symbols(epsilon, k, people):
    """The bound for one of k symbols."""
    return shuffled(pair(KRandomizedResponse(epsilon, k).loss(), "replace"), people, symbols=k).profile


@pytest.mark.parametrize(("epsilon", "k", "people"), [(0.5, 3, 6), (2.0, 3, 5), (4.0, 3, 5), (1.0, 4, 4), (3.0, 5, 3)])
def test_one_of_k_symbols_is_bounded_by_the_lies_of_all_others(epsilon, k, people):
    """Every input of everybody, by enumeration. Lies that hide too well (all k symbols counted as lies of one who tells
    none) would be below it; the clones of any channel are up to three times too dear."""
    truth = worst(KRandomizedResponse(epsilon, k).channel, people)
    bound, general = (
        of_symbols(epsilon, k, people)(GRID),
        shuffled(pair(Pure(epsilon), "replace"), people).profile(GRID),
    )
    assert (truth <= bound + 1e-12).all()
    assert bound[0] <= 1.45 * truth[0]
    assert bound[0] < general[0]
    assert (bound <= general + 1e-12).all()


def all_others_alike(epsilon, k, people):
    """(losses, P-masses) where all others hold a third symbol: of the counts of mine, hers, theirs and the rest.

    P(counts) = Σ_y P(I send y)·P(the others send counts without y).
    """
    a, b, c = (axis.ravel() for axis in np.meshgrid(*[np.arange(people + 1)] * 3, indexing="ij"))
    a, b, c = (axis[a + b + c <= people] for axis in (a, b, c))
    rest, q = people - a - b - c, 1 / (math.exp(epsilon) + k - 1)
    p, others = math.exp(epsilon) * q, max((k - 3) * q, 1e-300)
    log = gammaln(people) - sum(gammaln(n + 1) for n in (a, b, c, rest))
    log = log + (a + b) * math.log(q) + c * math.log(p) + rest * math.log(others)
    same = rest + c * q / p
    here, there = (np.exp(log) * (same + x * p / q + y) for x, y in ((a, b), (b, a)))
    likely = here > 0
    return np.log(here[likely] / there[likely]), here[likely]


def test_a_search_finds_no_bill_of_shuffled_symbols_below_the_truth_and_none_far_above():
    """Forty random crowds of up to 60 people whose others are all alike, a lower bound on what is lost: 80 % of
    the bills lie within 2 % of it, and none below. What was counted was up to thirty times as much."""
    rng, off = np.random.default_rng(24), []
    for _ in range(40):
        epsilon, k = float(np.exp(rng.uniform(-1.5, 1.6))), int(np.exp(rng.uniform(math.log(3), 8)))
        people, delta = int(rng.integers(5, 60)), float(10 ** rng.uniform(-8, -2))
        losses, masses = all_others_alike(epsilon, k, people)
        assert masses.sum() == pytest.approx(1, abs=1e-9)
        line = Release("x", KRandomizedResponse(epsilon, k), {("user", "replace"): Change()}, crowd=people)
        found = guarantee(Ledger((line,)), "user", "replace", delta, "shuffled")
        gain = np.maximum(-np.expm1(np.minimum(found.epsilon - losses, 0)), 0)
        assert masses @ gain <= delta * (1 + 1e-9), (epsilon, k, people, delta)
        less = np.maximum(-np.expm1(np.minimum(found.epsilon / 1.02 - losses, 0)), 0)
        off.append(found.epsilon > 1e-6 and masses @ less <= delta)
        assert found.bound
    assert np.mean(off) <= 0.2


@pytest.mark.parametrize(("k", "epsilon", "people", "was", "now"), [
    (1000, 3.0, 10_000, 0.322, 0.0285), (2000, 1.0, 1000, 0.183, 0.0062), (5, 1.0, 943, 0.160, 0.0935),
])  # fmt: skip
def test_figures_of_shuffled_symbols(k, epsilon, people, was, now):
    """`was` is what the clones of any channel cost, δ = 10⁻⁶ (10⁻⁵ for the last)."""
    delta = 1e-5 if k == 5 else 1e-6
    found, any_channel = (
        tightest([(shuffled(pair(KRandomizedResponse(epsilon, k).loss(), "replace"), people, symbols=n), 1)], delta)[0]
        for n in (k, 0)
    )
    assert any_channel == pytest.approx(was, rel=0.01)
    assert found == pytest.approx(now, rel=0.03)


def test_bill_of_fmf_ldp_behind_a_shuffler():
    """notes/fmf_ldp.md: ε = 2.5, 2,000 shuffles of 50,000 people, δ = 10⁻⁶: about 6 in general, about 4.2 for bits."""
    local = pair(Channel(bits(2.5), ((0, 1),)), "replace")
    assert tightest([(shuffled(local, 50_000), 2000)], 1e-6)[0] == pytest.approx(5.94, abs=0.05)
    assert tightest([(shuffled(local, 50_000, symbols=2), 2000)], 1e-6)[0] == pytest.approx(4.18, abs=0.05)
    ledger = FMFLDP().ledger(Sizes(50_000, 1000))
    assert [(line.count, line.batch, line.crowd) for line in ledger.releases] == [(2000, 1, 50_000)]
    assert any("splits messages" in words for words in ledger.assumed)
    assert guarantee(ledger, "user", "replace", 1e-6, "shuffled").epsilon == pytest.approx(4.19, abs=0.01)


def test_general_clones_agree_with_simulation():
    """C ~ Bin(n−1, e^−ε), A ~ Bin(C, ½), Δ ~ Bern(e^ε/(e^ε+1)) (Feldman et al. 2021), 400,000 draws, 4 std errors.

    Catches clones drawn with the wrong chance (δ off by 30 %) and a person too many (δ off by 2 %).
    """
    rng, epsilon, n, runs = np.random.default_rng(2), 1.0, 40, 400_000
    clones = rng.binomial(n - 1, math.exp(-epsilon), runs)
    ones = rng.binomial(clones, 0.5) + (rng.random(runs) < 1 / (1 + math.exp(-epsilon)))
    lean = math.tanh(epsilon / 2) * (2 * ones - clones - 1) / (clones + 1)
    loss = np.log1p(lean) - np.log1p(-lean)
    found = shuffled(pair(Pure(epsilon), "replace"), n).profile(np.array([0.05, 0.2]))
    for e, delta in zip((0.05, 0.2), found, strict=True):
        gain = np.maximum(-np.expm1(e - loss), 0)
        assert delta == pytest.approx(gain.mean(), abs=4 * gain.std() / runs**0.5)


def test_more_people_hide_better_and_nobody_hides_nothing():
    local = pair(Pure(2.0), "replace")
    bills = [tightest([(shuffled(local, n), 50)], 1e-6)[0] for n in (1, 10, 1_000, 100_000)]
    assert bills == sorted(bills, reverse=True)
    assert bills[0] == pytest.approx(tightest([(local, 50)], 1e-6)[0], rel=1e-3)
    assert bills[-1] < bills[0] / 50


@pytest.mark.parametrize("epsilon", [30.0, 40.0, 250.0])
def test_a_large_budget_is_no_infinity(epsilon):
    """tanh(ε/2) is 1 in doubles from ε = 38 on; the mixer then hides nothing, and nothing is worse than no mixer."""
    one = shuffled(pair(Pure(epsilon), "replace"), 50_000)
    assert np.isfinite([one.mean, one.variance]).all()
    assert one.mean == pytest.approx(epsilon, rel=1e-6)
    assert tightest([(one, 20)], 1e-6)[0] <= 20 * epsilon * (1 + 1e-9)


def test_noise_without_a_local_epsilon_is_refused():
    with pytest.raises(UserError, match="finite local"):
        shuffled(pair(GaussianShift(1.0), "replace"), 100)


def test_multisets_are_enumerated_right():
    """The oracle itself: three fair coins."""
    assert mixed([(0.5, 0.5)] * 3)[0, 0, 1] == pytest.approx(3 / 8)
    assert Counter(len(y) for y in mixed([(0.5, 0.5)] * 3)) == {3: 4}


@pytest.mark.parametrize("delta", [1e-6, 1e-9, 1e-13])
def test_a_larger_crowd_hides_more_at_every_delta(delta):
    """ε falls nearly like 1/√n. Gamma functions of n = 10⁹ lost 10⁻⁶ of the probability: ε was 1 at δ = 10⁻⁹."""
    found = [tightest([(shuffled(pair(Pure(1.0), "replace"), 10**k), 1)], delta)[0] for k in (4, 5, 6, 7)]
    for small, large in itertools.pairwise(found):
        assert 2.2 < small / large < 4.2
