"""Sums in floating point: neighbours are no farther apart than is billed, without any tolerance of ours."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from recprivlib import get, load
from recprivlib.accounting.rounding import once, summed
from recprivlib.mechanisms.gate import taped
from recprivlib.mechanisms.noise import rooted
from recprivlib.parameters import UserError
from recprivlib.protocols import HasSigma

OURS = 1 + 1e-13  # of the arithmetic below, in doubles
DATA = load("synthetic", users=300, items=120, seed=4).interactions

PERSON, RATING = ("user", "add-remove"), ("rating", "replace-value")
CASES = [
    ("dp-popularity", {}, PERSON),
    ("dp-gram", {}, PERSON),
    ("dp-item-means", {}, RATING),
    ("dp-item-means", {"protects": "user", "cap": 50}, PERSON),
    ("dpsgd-pnbm-repaired", {"cap": 50}, PERSON),
    ("dp-covariance", {}, RATING),
    ("dp-covariance", {"protects": "user", "cap": 50}, PERSON),
    ("dpsgd-mf", {"iterations": 2}, RATING),
]


def without(train, person):
    """The same people, of whom one has met nothing."""
    return train.take(train.users != person)


def rated_otherwise(train, row):
    """One rating at the other end of the scale."""
    stars = train.ratings.copy()
    low, high = train.grid[0], train.grid[-1]
    stars[row] = low if stars[row] > (low + high) / 2 else high
    return dataclasses.replace(train, ratings=stars)


def neighbours_of(unit):
    rng = np.random.default_rng(3)
    if unit == "user":
        return [without(DATA, int(person)) for person in rng.choice(DATA.n_users, 12, replace=False)]
    return [rated_otherwise(DATA, int(row)) for row in rng.choice(len(DATA), 12, replace=False)]


def heard(system, train, played=None):
    with rooted(0), taped(played) as tape:
        system.fit(train, np.random.default_rng(0))
    return tape.calls


@pytest.mark.parametrize("name, settings, terms", CASES)
def test_no_honest_sum_moves_farther_than_is_billed(name, settings, terms):
    """Twelve neighbours of 300 people. Parts clipped in float32 moved sums by 1.00000014 of what was billed."""
    system = dataclasses.replace(get(name).system, **settings)
    lines = [release.neighbours[terms] for release in system.ledger(DATA.sizes).releases for _ in range(release.count)]
    tape = heard(system, DATA)
    base = heard(system, DATA, tape)
    most = np.zeros(len(lines))
    for other in neighbours_of(terms[0]):
        for turn, (here, there) in enumerate(zip(base, heard(system, other, tape), strict=True)):
            steps = np.ravel(np.subtract(here.x, there.x, dtype=float))
            moved = np.linalg.norm(steps, 2 if isinstance(here.mechanism, HasSigma) else 1)
            most[turn] = max(most[turn], moved / here.mechanism.sensitivity)
    assert (most > 0).any()
    for far, change in zip(most, lines, strict=True):
        assert far <= change.distance * (1 + change.rounding) * OURS
        assert change.rounding > 0


def test_a_sum_of_floats_errs_by_no_more_than_is_stated():
    """Against exact fractions, in the worst order that is easy to find: rising, so that each addition rounds."""
    rng = np.random.default_rng(0)
    for kind, n in ((np.float32, 50), (np.float64, 400)):
        x = rng.random(n).astype(kind)
        total = kind(0)
        for each in np.sort(x):
            total = kind(total + each)
        true = sum(Fraction(float(each)) for each in x)
        assert abs(Fraction(float(total)) - true) <= Fraction(summed(n, kind, steps=0) / 2)
    exact = np.arange(1, 1000) / 2
    assert abs(Fraction(float(exact.sum() / 3)) - sum(map(Fraction, exact)) / 3) <= Fraction(once(500)) * 500


def test_what_rounding_costs_is_far_below_what_is_printed():
    """At the sizes of the book a bill in doubles pays 10⁻⁶ of itself at most; sums in float32 could not be paid for."""
    assert summed(943) < 1e-9 < summed(6040) < 1e-7
    assert summed(943, np.float32) > 0.1
    with pytest.raises(UserError, match="may be all rounding"):
        summed(20_000_000, np.float32)


@pytest.mark.parametrize("name", ["dp-item-means", "dpsgd-mf", "dpsgd-pnbm-repaired", "dp-covariance"])
def test_what_is_claimed_still_covers_what_rounding_costs(name):
    from recprivlib.accounting import bill
    from recprivlib.protocols import Sizes

    entry = get(name)
    found = bill(entry, entry.system, Sizes(6040, 3706, grid=(1.0, 2.0, 3.0, 4.0, 5.0)))
    assert found["counted"]["epsilon"] <= found["claimed"]["epsilon"] * (1 + 1e-9)
