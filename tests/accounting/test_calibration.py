"""Noise for a budget: the accountant run backwards keeps the budget and wastes next to nothing."""

from __future__ import annotations

import pytest

from recprivlib.accounting import calibration
from recprivlib.accounting.compose import tightest
from recprivlib.accounting.dominating import gaussian_pair
from recprivlib.parameters import UserError


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("count", [1, 50])
def test_gaussian_noise_keeps_its_budget(epsilon, count):
    noise = calibration.gaussian_noise(epsilon, 1e-6, count)
    assert tightest([(gaussian_pair(1 / noise), count)], 1e-6)[0] <= epsilon
    assert tightest([(gaussian_pair(1.0001 / noise), count)], 1e-6)[0] > epsilon


def test_gaussian_noise_is_that_of_dp_accounting():
    dp = pytest.importorskip("dp_accounting")
    assert calibration.gaussian_noise(1.0, 1e-5) == pytest.approx(dp.get_sigma_gaussian(1.0, 1e-5), rel=1e-4)


def test_impossible_budgets_are_refused():
    with pytest.raises(UserError, match="between 0 and 1"):
        calibration.gaussian_noise(1.0, 0.0)
    with pytest.raises(UserError, match="no noise up to"):
        calibration.least(lambda z: 1.0, 0.5, 1.0, 10.0)
