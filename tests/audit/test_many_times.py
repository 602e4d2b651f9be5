"""A mechanism by itself: what befalls the 257th person, one answer in a thousand or a large number is found."""

from __future__ import annotations

import numpy as np
import pytest

from recprivlib.auditing import many_times
from recprivlib.auditing.many_times import departing, kinds
from recprivlib.auditing.mutation import lies
from recprivlib.mechanisms import Cohort, Gaussian, Laplace, OptimalChannel, SubsetSelection, VectorGaussian
from recprivlib.mechanisms.gate import Call
from recprivlib.mechanisms.noise import Root
from tests.audit import waiting
from tests.audit.test_mechanism_check import NUMBERS, SYMBOLS

BITS = np.ones((12, 50), np.int8)
QUICK = [SYMBOLS[0], Laplace(1.0)]
OTHERS = [one for one in (*NUMBERS, *SYMBOLS, OptimalChannel(1.0), SubsetSelection(1.0, 5)) if one not in QUICK]
HONEST = [*QUICK, *(pytest.param(one, marks=pytest.mark.slow) for one in OTHERS)]  # seconds each: the rules are one
LIARS = [*QUICK, *(pytest.param(one, marks=pytest.mark.slow) for one in (Gaussian(1.0), OptimalChannel(1.0)))]


def asked(mechanism, x):
    return Call(mechanism, x, None, Root.of(3).stream())


def usual(mechanism):
    """An answer for twelve people, at an end of what the mechanism is made for."""
    low = np.asarray(mechanism.worst_pair()[0])
    return asked(mechanism, np.repeat(low[None], 12, axis=0))


def lying(mechanism, lie):
    kind = type(type(mechanism).__name__, (type(mechanism),), {"release": lie(type(mechanism).release)})
    other = object.__new__(kind)
    vars(other).update(vars(mechanism))
    return other


@pytest.mark.parametrize("mechanism", HONEST, ids=repr)
def test_nothing_is_found_in_honest_mechanisms(mechanism):
    assert departing(usual(mechanism)) == []


@pytest.mark.parametrize("mechanism", LIARS, ids=repr)
def test_noise_that_two_people_share_is_found_however_far_apart_they_are(mechanism):
    (found,) = departing(usual(lying(mechanism, lies.same_for_blocks)))
    assert "share their noise" in found


@pytest.mark.slow
def test_it_is_found_where_nearly_every_answer_is_the_truth():
    """Ten seconds of draws: at ε = 10 one answer in two hundred is another than usual."""
    loud = SubsetSelection(10.0, 100)
    assert departing(usual(loud)) == []
    (found,) = departing(usual(lying(loud, lies.same_for_blocks)))
    assert "share their noise" in found


@pytest.mark.parametrize("mechanism", LIARS, ids=repr)
def test_one_answer_in_a_thousand_that_is_the_truth_is_found(mechanism):
    (found,) = departing(usual(lying(mechanism, lies.silent_once_in(1e3))))
    assert "now and then" in found


def test_a_cohort_that_forgets_its_noise_once_in_a_thousand_is_found():
    cohort = Cohort((VectorGaussian(1.0, clip=1.0), VectorGaussian(1.0, clip=0.5)), rate=0.1)
    x = (np.full((4, 80), 0.1), np.full(4, 0.5))
    assert departing(asked(cohort, x)) == []
    (found,) = departing(asked(lying(cohort, lies.silent_once_in(1e3)), x))
    assert "now and then" in found


@pytest.mark.parametrize("mechanism", QUICK[1:], ids=repr)
def test_noise_that_is_left_out_of_large_numbers_is_found(mechanism):
    (found,) = departing(usual(lying(mechanism, waiting.bare_if_large)))
    assert "hangs on what it is added to" in found


def test_of_each_mechanism_the_widest_answer_is_looked_at_and_none_without_a_price():
    calls = [asked(Laplace(1.0), np.zeros(3)), asked(Laplace(1.0), np.zeros(7)), asked(SYMBOLS[0], BITS)]
    assert [np.size(call.x) for call in kinds(calls)] == [7, 600]
    assert kinds([Call(Laplace(1.0), np.zeros(3), None, None)]) == []  # drawn exactly: it cannot be drawn again


def test_a_pair_that_looks_alike_by_luck_is_drawn_anew(monkeypatch):
    """Where any pair passes the first look, the second one still says that nothing is shared."""
    monkeypatch.setattr(many_times, "RUNS", 24)
    monkeypatch.setattr(many_times, "SELDOM", 1)
    assert departing(usual(Gaussian(1.0))) == []
