"""From an interaction to a person: through a public cap, or not at all."""

from __future__ import annotations

import math

import pytest

from recprivlib.accounting import group, guarantee
from recprivlib.accounting.dominating import gaussian_pair
from recprivlib.accounting.exact import epsilon
from recprivlib.mechanisms import RandomizedResponse
from recprivlib.parameters import UserError
from recprivlib.protocols import Change, Ledger, Release, Unbounded


def test_a_replaced_user_changes_twice_the_cap():
    """notes/dplcf.md: one bit ε, one swap 2ε, a user 2dε under a public cap d."""
    one, user = Change(), group.of_user(Change(), 50, times=2)
    ledger = Ledger((Release("bits", RandomizedResponse(epsilon=0.5), {("interaction", "add-remove"): one,
                                                                       ("user", "replace"): user}),))  # fmt: skip
    assert guarantee(ledger, "user", "replace", 0.0, "server").epsilon == pytest.approx(2 * 50 * 0.5)


def test_without_a_public_cap_there_is_no_bound():
    assert isinstance(group.of_user(Change(), None), Unbounded)
    assert group.of_user(Unbounded("why"), 5) == Unbounded("why")
    with pytest.raises(UserError, match="cap is 0"):
        group.of_user(Change(), 0)


def test_groups_of_one_and_of_pure_epsilon():
    assert group.of_size(1.5, 1e-5, 1) == (1.5, pytest.approx(1e-5))
    assert group.of_size(0.5, 0.0, 7) == (3.5, 0.0)
    with pytest.raises(UserError, match="0 records"):
        group.of_size(1.0, 0.0, 0)


def test_group_privacy_bounds_what_a_group_really_costs():
    """Three records move a Gaussian three times as far: its exact ε at the group's δ is at most the group's ε."""
    one = epsilon(gaussian_pair(0.3), 1e-8)
    total, delta = group.of_size(one, 1e-8, 3)
    assert delta == pytest.approx(1e-8 * math.expm1(3 * one) / math.expm1(one))
    assert epsilon(gaussian_pair(0.9), delta) <= total
