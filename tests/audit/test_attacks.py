"""The attacker must catch what leaks, must not cry wolf, and must come close to what is true."""

import math
import time
from dataclasses import dataclass, replace

import numpy as np
import pytest

from recprivlib.accounting import guarantee
from recprivlib.auditing import USUAL, attack, audit, climb, mechanism_game, play, projection_game
from recprivlib.auditing.games import _learned_ratio, _stated_ratio, ledger_games
from recprivlib.mechanisms import MECHANISMS, DiscreteLaplace, Laplace, secure
from recprivlib.mechanisms.gate import released
from recprivlib.mechanisms.leaky import LEAKY, FloatLaplace
from recprivlib.models.constants import PerItem
from recprivlib.parameters import UserError, parameters
from recprivlib.protocols import Change, Ledger, Release, Unbounded
from recprivlib.registry import get, systems

SOUND = sorted(
    name for name in MECHANISMS
    if MECHANISMS[name].claimed is not None and name not in ("laplace-or-truth", "unary-one-sided")
)  # fmt: skip
AT_EPSILON = ["randomized-response", "unary-symmetric", "k-randomized-response", "laplace", "duchi", "piecewise",
              "optimal-channel", "one-bit-gradient", "discrete-laplace"]  # fmt: skip


def at(name, epsilon):
    mechanism = MECHANISMS[name]
    return replace(mechanism, epsilon=epsilon) if "epsilon" in parameters(mechanism) else mechanism


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_mechanism_holds_and_is_never_out_attacked(name):
    for epsilon in (0.5, 1.0, 3.0):
        found = audit(at(name, epsilon), name=name, trials=20_000, seed=5)
        assert found.verdict == "holds", found.reason
        assert found.attacked.decisive <= found.counted.epsilon <= found.claimed.epsilon * (1 + 1e-9)
        assert 0 < found.attacked.epsilon_lower <= found.attacked.ceiling


@pytest.mark.parametrize("name", ["gaussian", "discrete-gaussian", "subsampled-gaussian"])
def test_with_a_delta_the_attack_stays_below_the_bill_too(name):
    found = audit(MECHANISMS[name], delta=1e-5, trials=20_000)
    assert found.attacked.decisive <= found.counted.epsilon < math.inf
    assert (found.verdict, found.reason) == ("open", "nothing is claimed")


@pytest.mark.parametrize("name", AT_EPSILON)
@pytest.mark.parametrize("epsilon", [1.0, 3.0, 6.0])
def test_the_attack_reaches_nine_tenths_of_epsilon(name, epsilon):
    """Power. 10⁵ trials; the rarest certified event has P ≥ e⁻⁶/2 ≈ .0012: 60 misses in 50,000, so its upper
    limit loses about .3 of ε = 6. Catches an attacker that throws trials or likelihood away."""
    found = audit(at(name, epsilon), trials=100_000, seed=2)
    assert found.attacked.epsilon_lower >= 0.9 * found.counted.epsilon


@pytest.mark.parametrize("name", ["laplace-or-truth", "unary-one-sided"])
def test_the_two_printed_mechanisms_without_a_guarantee_are_broken(name):
    found = audit(MECHANISMS[name], trials=20_000)
    assert found.verdict == "broken"
    assert math.isinf(found.counted.epsilon)
    assert found.counted.why_infinite
    assert found.attacked.decisive > 2 * found.claimed.epsilon


@pytest.mark.parametrize("name", sorted(LEAKY))
def test_every_leak_is_caught(name):
    """Half the noise, no clipping, wrong sensitivity, reused noise and uniforms, plain floating point."""
    found = audit(LEAKY[name], trials=20_000)
    assert found.verdict == "broken"
    assert found.attacked.decisive > found.claimed.epsilon


def test_floating_point_betrays_a_single_release_and_the_discrete_sampler_does_not():
    naive = attack(mechanism_game(FloatLaplace(), 1, 5000, rng()), *TERMS, 5000, rng())
    assert naive.decisive > 4
    assert naive.attack == "floating-point reachability"
    exact = audit(MECHANISMS["discrete-laplace"], trials=20_000)
    assert exact.attacked.decisive <= 1


def test_the_likelihood_attack_does_not_feed_on_low_order_bits():
    """Before the ratio was rounded this audit certified ε ≥ 5 of a Laplace report at ε = 1: a leak of the sampler,
    but not the one that this attack is about."""
    assert audit(Laplace(), trials=100_000).attacked.epsilon_lower <= 1.0


def test_two_hundred_sound_audits_exceed_at_most_seventeen_times_and_never_at_the_deciding_level():
    """P(bound > ε) ≤ 5 % each: more than 17 of 200 has probability < 1 % (binomial). Pinned seeds."""
    loud = certain = 0
    for seed in range(200):
        found = audit(at(SOUND[seed % len(SOUND)], 1.0), trials=2000, seed=seed)
        loud += found.attacked.epsilon_lower > found.counted.epsilon
        certain += found.attacked.decisive > found.counted.epsilon
    assert loud <= 17
    assert certain == 0


def test_many_releases_together_give_more_away_and_stay_below_their_sum():
    one = audit(MECHANISMS["randomized-response"], trials=20_000)
    ten = audit(MECHANISMS["randomized-response"], count=10, trials=20_000)
    assert 2 * one.attacked.epsilon_lower < ten.attacked.decisive <= ten.counted.epsilon == pytest.approx(10)
    assert (ten.verdict, ten.claimed.epsilon) == ("holds", 10)


def test_the_two_bits_of_a_swap_move_in_opposite_directions():
    """A bit kept with p = .9 if set, q = .5 if not: two bits that rise together give ln(.5²/.1²) = 3.2 away, a
    swap ln(.9·.5/(.5·.1)) = 2.2. Catches an attack on inputs that no swap gives."""

    class Bit:
        def worst_pair(self):
            return np.int8(0), np.int8(1)

        def release(self, x, rng):
            return (rng.random(x.shape) < np.where(x, 0.9, 0.5)).astype(np.int8)

        def log_density(self, y, x):
            one = np.where(x, 0.9, 0.5)
            return np.log(np.where(y, one, 1 - one))

    swap = attack(mechanism_game(Bit(), 2, 50_000, rng(), opposite=True), *TERMS, 50_000, rng())
    assert swap.epsilon_lower == pytest.approx(math.log(0.45 / 0.05), abs=0.15)
    rise = attack(mechanism_game(Bit(), 2, 50_000, rng()), *TERMS, 50_000, rng())
    assert rise.epsilon_lower == pytest.approx(math.log(0.25 / 0.01), abs=0.3)


def test_a_climbing_bound_never_falls_and_keeps_below_epsilon_or_its_ceiling():
    game = mechanism_game(MECHANISMS["laplace-or-truth"], 1, 100_000, rng())
    rungs = climb(play(game, 65_536, rng()))
    values = [rung.epsilon for rung in rungs]
    assert values == sorted(values)
    assert values[-1] > 6
    assert len(rungs) == 10
    assert all(rung.epsilon <= rung.ceiling for rung in rungs)
    honest = climb(play(mechanism_game(MECHANISMS["randomized-response"], 1, 1, rng()), 65_536, rng()))
    assert 0.9 < honest[-1].epsilon <= 1


def noisy_step(clip, sigma, users=20, dimension=5):
    """A DP-SGD step: per-user gradients clipped to norm 1 (or not), summed, Gaussian noise. World 1 has one user
    more, whose ratings were crafted: her gradient has norm 10."""
    people = np.random.default_rng(4).normal(size=(users, dimension)) * 0.1
    crafted = np.full((1, dimension), 10 / math.sqrt(dimension))

    def clipped(g):
        return g / np.maximum(1, np.linalg.norm(g, axis=1, keepdims=True)) if clip else g

    sums = (clipped(people).sum(axis=0), clipped(np.vstack([people, crafted])).sum(axis=0))
    return projection_game(
        lambda world, runs, rng: sums[world] + rng.normal(0, sigma, (runs, dimension)), sums[1] - sums[0]
    )


def test_a_crafted_user_finds_a_missing_clip_in_a_noisy_gradient():
    """σ = 1 and clip 1: (ε, 10⁻⁵) of a Gaussian with μ = 1 is 4.38. Without the clip the same noise hides nothing."""
    sound = attack(noisy_step(clip=True, sigma=1.0), "user", "add-remove", "server", 1e-5, 20_000, rng())
    broken = attack(noisy_step(clip=False, sigma=1.0), "user", "add-remove", "server", 1e-5, 20_000, rng())
    assert sound.epsilon_lower > 1.5
    assert sound.decisive <= 4.38 < broken.decisive


def test_a_learned_ratio_finds_what_a_stated_one_finds():
    mechanism = MECHANISMS["subset-selection"]
    pair = tuple(np.asarray(x) for x in mechanism.worst_pair())
    y = mechanism.release(np.zeros(5000, np.int32), rng())
    learned, stated = _learned_ratio(mechanism, pair, rng())(y), _stated_ratio(mechanism, pair)(y)
    # 20,000 runs and ten sets, the rarest with P ≈ .06: sd of a log-frequency ≤ .03, of a ratio ≤ .045
    assert np.abs(learned - stated).max() < 0.2


def test_the_same_seed_gives_the_same_audit():
    once, again = (audit(MECHANISMS["piecewise"], trials=4000, seed=9).attacked for _ in range(2))
    assert once == again


@pytest.mark.parametrize("trials", [0, 99, 2.5, "many"])
def test_bad_trials_are_refused(trials):
    with pytest.raises(UserError, match=r"trials is .* but must be a whole number from 100"):
        audit(Laplace(), trials=trials)


def test_terms_that_are_not_stated_are_refused():
    with pytest.raises(UserError, match="user is not stated here; choose from rating/replace-value"):
        audit(Laplace(), unit="user")


def of(mechanism, change, terms, **rest):
    return Ledger((Release("report", mechanism, {terms: change}, **rest),))


def games(ledger, terms, view="server"):
    return ledger_games(ledger, *terms, view, 1000, rng())


def test_an_attack_plays_neighbours_only():
    """A release that neighbours do not change, only partly change, or that the view does not see as it is."""
    swap, click = ("interaction", "swap"), ("interaction", "add-remove")
    assert not games(of(Laplace(), Change(inputs=0), swap), swap)
    assert not games(of(Laplace(), Change(distance=0.0), swap), swap)
    assert not games(of(MECHANISMS["duchi"], Change(distance=0.5), ("rating", "replace-value")), TERMS[:2])
    subset = MECHANISMS["subset-selection"]
    assert games(of(subset, Change(), swap), swap)
    assert not games(of(subset, Change(), click), click)  # it knows of exchanges; one more click is less than that
    bit = of(MECHANISMS["unary-symmetric"], Change(), click)
    assert games(bit, click)
    assert not games(bit, click, "model")  # a server computed it
    assert games(of(MECHANISMS["unary-symmetric"], Change(), click, seen_by=("model",)), click, "model")
    assert not games(of(MECHANISMS["unary-symmetric"], Change(), click, crowd=100), click, "shuffled")
    gone = of(MECHANISMS["unary-symmetric"], Unbounded("a phone is seen"), ("user", "add-remove"))
    assert not games(gone, ("user", "add-remove"))


@pytest.mark.parametrize("mechanism", [Laplace(2.0), MECHANISMS["gaussian"], DiscreteLaplace(2.0, 10)])
def test_a_change_of_part_of_the_way_is_attacked_as_that(mechanism):
    """At half the sensitivity the attack must stay below half the ε. Catches an attack that always goes all the way."""
    terms = ("user", "replace")
    ledger = of(mechanism, Change(distance=0.5), terms)
    (game,) = games(ledger, terms)
    delta = 0.0 if mechanism.claimed else 1e-5
    found = attack(game, *terms, "server", delta, 40_000, rng())
    assert 0.3 < found.epsilon_lower
    assert found.decisive <= guarantee(ledger, *terms, delta, "server").epsilon


def test_popularity_from_one_report_each_tells_no_more_than_epsilon():
    """The sampler of large sets once spared symbol 0: this audit certified 1.15 at ε = 1."""
    system = get("ldp-popularity").system
    found = audit(replace(system, reports="one"), trials=20_000)
    assert (found.attacked.unit, found.attacked.relation) == ("user", "replace")
    assert 0.85 < found.attacked.epsilon_lower
    assert found.attacked.decisive <= found.counted.epsilon == 1.0
    click = audit(replace(system, reports="one"), unit="interaction", relation="add-remove", trials=20_000)
    assert 0 < click.attacked.epsilon_lower <= click.counted.epsilon == 1.0
    with pytest.raises(UserError, match="no attack of ours plays user/replace for the view 'model'"):
        audit(replace(system, reports="one"), view="model", trials=1000)


@pytest.mark.parametrize(("name", "epsilon"), [("unary-one-sided", "epsilon"), ("laplace-or-truth", "epsilon1")])
def test_an_exact_proof_outlives_composition_and_a_low_ceiling(name, epsilon):
    """Claimed 5·20 and more, where 1,000 trials can show 4: only the exact channel knows that it is infinite."""
    found = audit(replace(MECHANISMS[name], **{epsilon: 20.0}), count=5, trials=1000)
    assert found.attacked.ceiling < 5 < 100 <= found.claimed.epsilon
    assert found.verdict == "broken"


def test_two_exact_answers_break_a_claim_for_one_and_a_half():
    """Exact ε adds up over answers about one input: half the noise twice is 4, claimed 2; 100 trials show nothing."""
    found = audit(LEAKY["half-noise"], count=2, trials=100)
    assert (found.verdict, found.reason) == ("broken", "the exact ε is 4")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name, entry in systems().items() if entry.terms))
def test_an_audit_at_its_usual_trials_takes_less_than_half_a_minute(name):
    """By the processor's clock, which a busy machine leaves alone; most take less than a second."""
    start = time.process_time()
    found = audit(get(name).system, name=name)
    assert time.process_time() - start < 30
    assert found.attacked.trials > 1000
    assert found.attacked.decisive <= found.counted.epsilon


def test_without_a_pure_epsilon_an_audit_takes_the_delta_of_a_bill():
    found = audit(MECHANISMS["gaussian"], trials=1000)
    assert found.attacked.delta == found.counted.delta == 1e-6
    assert math.isfinite(found.counted.epsilon)
    assert audit(MECHANISMS["subsampled-gaussian"], relation="replace", trials=1000).counted.relation == "replace"


def test_a_proof_about_real_numbers_does_not_speak_for_doubles():
    assert "doubles" in audit(Laplace(), trials=1000).reason
    assert "doubles" not in audit(MECHANISMS["randomized-response"], trials=1000).reason


@pytest.mark.parametrize("name", ["randomized-response", "laplace", "subset-selection"])
def test_a_secure_mechanism_is_audited_as_it_is_drawn(name):
    found = audit(secure(MECHANISMS[name]), name=name, trials=1000)
    assert found.mode.startswith("secure")
    assert found.verdict == "holds"
    assert "doubles" not in found.reason


TERMS = ("rating", "replace-value", "server", 0.0)


def rng():
    return np.random.default_rng(0)


def test_answers_whose_questions_hang_on_earlier_answers_are_not_drawn_anew():
    """A bound from fixed inputs holds for the run only where no other answer would have changed them."""

    @dataclass(frozen=True)
    class Twice:
        """Asks for a noisy sum, then for another whose size is the first answer."""

        follow: bool = True

        def fit(self, train, rng):
            noise = Laplace(1.0, sensitivity=4.0)
            first = released(noise, train.ratings.sum(keepdims=True, dtype=float))
            share = np.abs(first) / 1e6 if self.follow else 0.5
            second = released(noise, train.ratings.sum(keepdims=True, dtype=float) * share)
            return PerItem(np.full(train.n_items, first[0] + second[0], np.float32))

        def ledger(self, sizes):
            one = {("rating", "replace-value"): Change()}
            return Ledger((Release("a noisy sum", Laplace(1.0, sensitivity=4.0), one, count=2),), trust="the server")

    alone, hanging = (audit(Twice(follow), sizes=USUAL, trials=20_000).attacked for follow in (False, True))
    assert "hang" not in alone.attack
    assert "without 1 later answer, whose questions hang on earlier ones" in hanging.attack
    assert hanging.epsilon_lower < 1 < alone.epsilon_lower
