"""Ledgers: what is counted, what is refused, what is infinite and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from recprivlib.accounting import guarantee, supported
from recprivlib.accounting.bills import as_json
from recprivlib.mechanisms import (
    Cohort,
    DiscreteLaplace,
    Exact,
    Gaussian,
    KRandomizedResponse,
    Laplace,
    OneBitGradient,
    OnSample,
    OptimalChannel,
    RandomizedResponse,
    Unknown,
    VectorGaussian,
)
from recprivlib.mechanisms.losses import Channel, GaussianShift, Pure, Sampled, SubsampledGaussian
from recprivlib.parameters import UserError
from recprivlib.protocols import Change, Ledger, Release, Unbounded

USER = ("user", "replace")
RATING = ("rating", "replace-value")


@dataclass(frozen=True)
class Fixed:
    """A mechanism with a given loss."""

    value: Any

    def release(self, x, rng):
        return x

    def loss(self, distance=1.0):
        return self.value


def ledger(*releases, **rest):
    return Ledger(releases, **rest)


def release(mechanism, change=None, terms=USER, **rest):
    return Release("report", mechanism, {terms: change or Change()}, **rest)


def test_every_report_of_every_epoch_counts():
    """k reports × T epochs × two bits of a swap: nothing is counted once that happens more often."""
    one = Release("bit", RandomizedResponse(epsilon=0.5), {("interaction", "swap"): Change(inputs=2)}, count=30)
    found = guarantee(ledger(one), "interaction", "swap", 0.0, "server")
    assert found.epsilon == pytest.approx(2 * 30 * 0.5, rel=1e-12)


def test_count_and_repeated_releases_are_the_same():
    often = guarantee(ledger(release(Laplace(epsilon=0.3), count=12)), *USER, 1e-6, "server")
    single = guarantee(ledger(*[release(Laplace(epsilon=0.3))] * 12), *USER, 1e-6, "server")
    assert often.epsilon == single.epsilon


def test_distance_scales_the_loss():
    found = guarantee(ledger(release(Laplace(epsilon=0.3), Change(distance=2.0))), *USER, 0.0, "server")
    assert found.epsilon == pytest.approx(0.6, rel=1e-12)


def test_gaussians_add_their_squared_shifts():
    both = ledger(release(Gaussian(noise_multiplier=3.0), count=9), release(Gaussian(noise_multiplier=4.0), count=16))
    one = ledger(release(Gaussian(noise_multiplier=1 / math.sqrt(2))))
    assert guarantee(both, *USER, 1e-6, "server").epsilon == pytest.approx(
        guarantee(one, *USER, 1e-6, "server").epsilon, rel=1e-9
    )


def test_missing_terms_are_refused_with_those_there_are():
    one = ledger(release(Laplace(), terms=RATING))
    with pytest.raises(UserError, match="user/replace is not stated for 'report'; choose from rating/replace-value"):
        guarantee(one, *USER, 0.0, "server")


@pytest.mark.parametrize(
    "terms, match",
    [
        (("person", "replace", 0.0, "server"), "the unit is 'person'"),
        (("user", "change", 0.0, "server"), "the relation is 'change'"),
        (("user", "replace", 1.0, "server"), "delta is 1.0"),
        (("user", "replace", -1e-9, "server"), "delta is"),
        (("user", "replace", math.nan, "server"), "delta is nan"),
        (("user", "replace", 0.0, "everybody"), "the view is 'everybody'"),
    ],
)
def test_terms_that_do_not_exist_are_refused(terms, match):
    with pytest.raises(UserError, match=match):
        guarantee(ledger(release(Laplace())), *terms)


def test_a_view_that_is_not_priced_is_not_free():
    """A trusted server sees everything: its view has no release in the ledger, which must not read as ε = 0."""
    one = ledger(release(Laplace(), seen_by=("model",)))
    with pytest.raises(UserError, match="choose from model"):
        guarantee(one, *USER, 0.0, "server")
    assert guarantee(one, *USER, 0.0, "model").epsilon == 1.0


def test_a_system_that_promises_nothing_has_no_guarantee():
    with pytest.raises(UserError, match="nothing is promised"):
        guarantee(Ledger(), *USER, 0.0, "server")


def test_the_model_view_does_not_pay_for_what_only_the_server_sees():
    one = ledger(release(Laplace(epsilon=2.0), seen_by=("server",)), release(Laplace(epsilon=1.0)))
    assert guarantee(one, *USER, 0.0, "server").epsilon == 3.0
    assert guarantee(one, *USER, 0.0, "model").epsilon == 1.0


def test_exact_releases_are_infinite_at_all_terms_unless_they_say_otherwise():
    means = Release("item means", Exact("item means are released exactly"), {})
    found = guarantee(ledger(means, release(Laplace())), *USER, 1e-6, "server")
    assert math.isinf(found.epsilon)
    assert found.why_infinite == "item means are released exactly"
    which = Release("which items were rated", Exact("which items are sent in the clear"),
                    {RATING: Change(inputs=0), USER: Change()})  # fmt: skip
    both = ledger(which, Release("rating", Laplace(), {RATING: Change(), USER: Change(inputs=5)}))
    assert guarantee(both, *RATING, 0.0, "server").epsilon == 1.0
    assert guarantee(both, *USER, 0.0, "server").why_infinite == "which items are sent in the clear"


def test_what_is_not_known_says_so_and_a_proof_of_infinity_goes_first():
    sgld = Release("posterior sample", Unknown("δ of SGLD unknown"), {})
    assert guarantee(ledger(sgld), *USER, 1e-5, "server").why_infinite == "not known: δ of SGLD unknown"
    means = Release("item means", Exact("item means are released exactly"), {})
    found = guarantee(ledger(sgld, means), *USER, 1e-5, "server")
    assert found.why_infinite == "item means are released exactly"


def test_unbounded_neighbours_are_infinite_with_their_reason():
    one = Release("bits", Laplace(), {USER: Unbounded("no public cap on a user's ratings")})
    found = guarantee(ledger(one), *USER, 0.0, "server")
    assert found.why_infinite == "no public cap on a user's ratings"


def test_neighbours_that_differ_in_what_is_public_cost_everything():
    """However little noise has to hide: whoever knows who rated what tells them apart without it."""
    terms = {RATING: Change(), USER: Change()}
    for rated in (False, True):
        known = ledger(Release("sums", Laplace(), terms), rated_public=rated)
        assert guarantee(known, *RATING, 0.0, "server").epsilon == 1.0
        found = guarantee(known, *USER, 0.0, "server")
        assert (found.epsilon, found.why_infinite) == (
            (math.inf, "who rated what is public, and these neighbours differ in it") if rated else (1.0, "")
        )


def test_gaussian_noise_at_zero_delta_is_infinite_and_says_why():
    found = guarantee(ledger(release(Gaussian())), *USER, 0.0, "server")
    assert (found.epsilon, found.why_infinite) == (math.inf, "Gaussian noise has no pure ε")


STAYS = Change(parts=1)  # her part is public, and in it she stays


def test_disjoint_data_cost_their_maximum():
    parts = [release(Laplace(epsilon=e), STAYS, partition="items") for e in (0.5, 2.0, 1.0)]
    assert guarantee(ledger(*parts, release(Laplace(epsilon=1.0))), *USER, 0.0, "server").epsilon == 3.0
    apart = [release(Laplace(epsilon=e), STAYS, partition=str(e)) for e in (0.5, 2.0, 1.0)]
    assert guarantee(ledger(*apart), *USER, 0.0, "server").epsilon == 3.5


def test_the_dearest_part_is_chosen_for_the_whole_run():
    """One Gaussian or 40 small Laplace reports, beside the same rest: the bill is that of the dearer run."""
    rest, loud = release(Gaussian(noise_multiplier=2.0)), release(Gaussian(noise_multiplier=0.5), STAYS, partition="p")
    quiet = release(Laplace(epsilon=0.01), STAYS, count=40, partition="p")
    bills = [
        guarantee(ledger(rest, *parts), *USER, 1e-6, "server").epsilon for parts in ([loud], [quiet], [loud, quiet])
    ]
    assert bills[0] > bills[1]
    assert bills[2] == bills[0]


def test_what_rounding_adds_to_a_distance_is_paid_for():
    """An honest sum in float32 moves 1.00000005 of its sensitivity; a bill of the bare distance is below the truth."""
    bare, paid = (
        guarantee(ledger(release(Laplace(epsilon=1.0), Change(rounding=r))), *USER, 0.0, "server").epsilon
        for r in (0.0, 1e-7)
    )
    assert bare == 1.0
    assert paid == pytest.approx(1 + 1e-7, abs=1e-11)
    wide = Change(distance=2.0, rounding=1e-7)
    assert (
        guarantee(ledger(release(Gaussian(), wide)), *USER, 1e-6, "server").epsilon
        > guarantee(ledger(release(Gaussian(), Change(distance=2.0))), *USER, 1e-6, "server").epsilon
    )


def test_rounding_of_a_cohort_is_paid_for():
    cohort = Cohort((VectorGaussian(noise_multiplier=4.0),), rate=0.5)
    bills = [guarantee(ledger(release(cohort, Change(rounding=r))), *USER, 1e-6, "server").epsilon for r in (0.0, 1e-3)]
    assert bills[0] < bills[1] < bills[0] * 1.003


def test_too_many_different_parts_are_refused_not_guessed():
    parts = [release(Laplace(epsilon=0.1 + i / 1000), partition="p") for i in range(300)]
    with pytest.raises(UserError, match="disjoint data"):
        guarantee(ledger(*parts), *USER, 0.0, "server")


@pytest.mark.parametrize("unit, relation, moves", [
    ("user", "add-remove", 1), ("user", "replace", 2), ("rating", "replace-value", 2), ("interaction", "swap", 2),
])  # fmt: skip
def test_who_moves_from_one_part_to_another_is_paid_for_in_both(unit, relation, moves):
    """Two counts of disjoint groups, each a randomised bit: who is there or not changes one of them, who may turn up in
    the other group both. By enumeration of all four answers; the bill of one part would be half the truth."""
    bit = RandomizedResponse(epsilon=1.0)
    line = [release(bit, terms=(unit, relation), partition="groups") for _ in "ab"]
    in_a, in_b, away = (np.kron(bit.channel[a], bit.channel[b]) for a, b in ((1, 0), (0, 1), (0, 0)))
    true = np.abs(np.log(in_a / (away if relation == "add-remove" else in_b))).max()
    assert true == pytest.approx(moves)
    assert guarantee(ledger(*line), unit, relation, 0.0, "server").epsilon == pytest.approx(true, rel=1e-12)


def test_the_dearest_parts_that_may_differ_together_are_the_bill():
    """Of .5, 2, 1 and 2 a person who moves touches two; whose history spans three parts says so, and pays three."""
    parts = [release(Laplace(epsilon=e), partition="p") for e in (0.5, 2.0, 1.0, 2.0)]
    found = guarantee(ledger(*parts), *USER, 0.0, "server")
    assert found.epsilon == 4.0
    assert found.how.endswith("of disjoint data the dearest parts")
    wide = [release(Laplace(epsilon=e), Change(parts=3), partition="p") for e in (0.5, 2.0, 1.0, 2.0)]
    assert guarantee(ledger(*wide), *USER, 0.0, "server").epsilon == 5.0
    mixed = [release(Laplace(epsilon=2.0), STAYS, partition="p"), release(Laplace(epsilon=1.0), partition="p")]
    assert guarantee(ledger(*mixed), *USER, 0.0, "server").epsilon == 3.0


def test_equal_parts_are_one_choice():
    parts = [release(Laplace(epsilon=0.5), STAYS, partition=f"user {i}") for i in range(3)]
    many = [release(Laplace(epsilon=0.5), STAYS, partition="items") for _ in range(2000)]
    assert guarantee(ledger(*many), *USER, 0.0, "server").epsilon == 0.5
    assert guarantee(ledger(*parts), *USER, 0.0, "server").epsilon == 1.5


def test_a_shuffler_helps_only_whom_it_mixes():
    one = release(OneBitGradient(epsilon=1.0), count=10, crowd=1000)
    local = guarantee(ledger(one, trust="nobody (local)"), *USER, 1e-6, "server")
    mixed = guarantee(ledger(one, trust="nobody (local)"), *USER, 1e-6, "shuffled")
    assert mixed.epsilon < local.epsilon / 4
    assert (local.trust, mixed.trust) == ("nobody (local)", "an honest shuffler")
    assert any("1,000 honest people" in said for said in mixed.assumptions)
    assert not any("honest" in said for said in local.assumptions)


@pytest.mark.parametrize("line, relation, delta, why", [
    ({"mechanism": Laplace(), "count": 9}, "replace", 1e-6, ""),
    ({"mechanism": Gaussian()}, "replace", 1e-6, ""),
    ({"mechanism": OnSample(DiscreteLaplace(1.0, 2), 0.1, "poisson", "replace"), "count": 9}, "replace", 1e-6, ""),
    ({"mechanism": Fixed(Sampled(Pure(1.0), Pure(1.0), 0.1, "poisson"))}, "replace", 1e-6, "two contributions"),
    ({"mechanism": OnSample(Gaussian(), 0.1, "fixed-size")}, "replace", 1e-6, ""),
    ({"mechanism": OnSample(Gaussian(), 0.1, "fixed-size"), "count": 9}, "replace", 1e-6, "several cohorts"),
    ({"mechanism": OnSample(Laplace(), 0.1, "fixed-size")}, "replace", 1e-6, ""),
    ({"mechanism": OnSample(Laplace(), 0.1, "fixed-size"), "count": 9}, "replace", 1e-6, "several cohorts"),
    ({"mechanism": RandomizedResponse(), "crowd": 100}, "replace", 1e-6, "crowd"),
    ({"mechanism": KRandomizedResponse(), "crowd": 100}, "replace", 1e-6, "crowd"),
    ({"mechanism": Fixed(Pure(1.0))}, "replace", 1e-6, "pure ε alone"),
    ({"mechanism": Fixed(Pure(1.0))}, "replace", 0.0, ""),
    ({"mechanism": OptimalChannel(), "count": 3}, "replace", 1e-6, ""),
    ({"mechanism": Exact("as it is")}, "replace", 1e-6, ""),
])  # fmt: skip
def test_a_bill_that_may_lie_above_the_truth_says_that_it_is_a_bound(line, relation, delta, why):
    """The random search holds every bill that says nothing to 1 % of the truth (test_search)."""
    one = Release("report", neighbours={("user", relation): Change()}, **line)
    found = guarantee(ledger(one), "user", relation, delta, "shuffled")
    assert why in found.bound
    assert bool(found.bound) == bool(why)
    assert ("bound" in as_json(found)) == bool(why)


def test_a_swap_of_unlike_bits_costs_what_the_two_orders_cost_together():
    """One bit rises and another falls: with P(1|1) = ½, P(0|0) = .9 that is ln 5 + ln 1.8 at δ = 0, not twice ln 5."""
    uneven = Fixed(Channel(np.array([[0.9, 0.1], [0.5, 0.5]]), ((0, 1),)))
    one = Release("bits", uneven, {("interaction", "swap"): Change(inputs=2, back=1)}, count=3)
    found = guarantee(ledger(one), "interaction", "swap", 0.0, "server")
    assert found.epsilon == pytest.approx(3 * (math.log(5) + math.log(1.8)), rel=1e-11)


def test_a_small_change_finds_no_more_clones_than_a_large_one():
    """Clones are other people's reports, which any input may have written: a change of .1 at ε = 3 is not hidden
    by as many as a whole ε of .15 would be."""
    small, large = (
        guarantee(ledger(release(OneBitGradient(epsilon=3.0), Change(distance=d), crowd=1000)), *USER, 1e-6, "shuffled")
        for d in (0.1, 1.0)
    )
    assert small.epsilon == large.epsilon


def test_a_person_who_comes_or_goes_is_not_hidden_by_clones():
    """Clones are proved for replacement: under add-remove of a user a shuffle counts as no shuffle."""
    one = release(OneBitGradient(epsilon=1.0), terms=("user", "add-remove"), count=10, crowd=1000)
    views = [guarantee(ledger(one), "user", "add-remove", 1e-6, view).epsilon for view in ("server", "shuffled")]
    assert views[0] == views[1]


def test_a_fixed_cohort_is_refused_under_add_remove():
    one = release(Fixed(SubsampledGaussian(1.0, 0.01, "fixed-size")), terms=("user", "add-remove"))
    with pytest.raises(UserError, match="fixed size"):
        guarantee(ledger(one), "user", "add-remove", 1e-5, "server")


def test_supported_terms_are_those_that_all_releases_share():
    wide = Release("a", Laplace(), {USER: Change(), RATING: Change()})
    narrow = Release("b", Laplace(), {RATING: Change()})
    assert supported(ledger(wide, narrow), "server") == [RATING]


def test_an_unknown_kind_of_loss_is_refused():
    with pytest.raises(UserError, match="no accountant reads a loss of type str"):
        guarantee(ledger(release(Fixed("ε = 1"))), *USER, 0.0, "server")


def test_nothing_that_differs_costs_nothing():
    found = guarantee(ledger(release(Fixed(Pure(0.0)))), *USER, 0.0, "server")
    assert (found.epsilon, found.how) == (0.0, "neighbours are not told apart")
    assert guarantee(ledger(release(Laplace(), Change(inputs=0))), *USER, 0.0, "server").epsilon == 0.0


def test_a_tiny_delta_falls_back_to_a_sound_bound():
    found = guarantee(ledger(release(Fixed(SubsampledGaussian(1.0, 0.01, "poisson")), terms=("user", "add-remove"),
                                     count=1000)), "user", "add-remove", 1e-40, "server")  # fmt: skip
    assert math.isfinite(found.epsilon)


def test_what_is_public_and_assumed_is_told():
    found = guarantee(
        ledger(release(Fixed(GaussianShift(1.0))), public=("the catalogue",), assumed=("phones are honest",),
               tuned=("the prior",)),
        *USER, 1e-5, "model",
    )  # fmt: skip
    assert found.assumptions[:3] == (
        "phones are honest", "public: the catalogue", "tuned on data, which is not priced: the prior",
    )  # fmt: skip


def test_float_noise_does_not_break_a_claim():
    """A channel's computed ε may be 1 + 2·10⁻¹⁶; the guarantee says 1."""
    for epsilon in np.linspace(0.1, 6.0, 60):
        one = ledger(release(RandomizedResponse(epsilon=float(epsilon))))
        assert guarantee(one, *USER, 0.0, "server").epsilon == pytest.approx(epsilon, abs=1e-11)
