"""What every mechanism, sound or leaky, must do: names, shapes, types, edges, and a loss that fits its density."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from recprivlib.mechanisms import MECHANISMS
from recprivlib.mechanisms.common import SEEDED, epsilon_of
from recprivlib.mechanisms.leaky import LEAKY
from recprivlib.mechanisms.losses import Channel, GaussianShift, LaplaceShift, NoBound, Pure
from recprivlib.parameters import UserError, configured, parameters, values

EVERYONE = {**MECHANISMS, **LEAKY}
STABLE = {
    "laplace", "laplace-clamped", "laplace-rounded", "laplace-or-truth", "randomized-response",
    "k-randomized-response", "unary-symmetric", "unary-optimized", "unary-one-sided", "one-bit-gradient", "duchi",
    "piecewise", "optimal-channel", "subset-selection", "gaussian", "discrete-laplace", "discrete-gaussian",
    "subsampled-gaussian",
}  # fmt: skip
FINITE = [name for name, m in EVERYONE.items() if hasattr(m, "channel")]
every = pytest.mark.parametrize("name", EVERYONE)


def stacked(x: np.ndarray, runs: int) -> np.ndarray:
    return np.broadcast_to(x, (runs, *np.shape(x)))


def test_the_names_are_the_promised_ones():
    assert set(MECHANISMS) == STABLE
    assert not set(MECHANISMS) & set(LEAKY)


@every
def test_one_likelihood_a_trial_and_one_trial_an_input(name):
    m, rng = EVERYONE[name], np.random.default_rng(1)
    for x in m.worst_pair():
        y = m.release(stacked(x, 50), rng)
        assert len(y) == 50
        for hypothesis in m.worst_pair():
            assert np.shape(m.log_density(y, hypothesis)) == (50,)
        assert np.isfinite(m.log_density(y, x)).all()  # what was seen can happen


@every
def test_shape_survives_and_nothing_in_gives_nothing_out(name):
    m, rng = EVERYONE[name], np.random.default_rng(2)
    x = np.asarray(m.worst_pair()[1])
    grid = np.broadcast_to(x, (3, 4, *x.shape))
    assert m.release(grid, rng).shape[:2] == (3, 4)
    assert m.release(np.broadcast_to(x, (0, *x.shape)), rng).shape[0] == 0


@every
def test_the_input_is_left_alone(name):
    m = EVERYONE[name]
    x = np.array(stacked(m.worst_pair()[1], 20))
    before = x.copy()
    m.release(x, np.random.default_rng(3))
    np.testing.assert_array_equal(x, before)


@every
def test_one_seed_one_release_and_no_state(name):
    m = EVERYONE[name]
    x = stacked(m.worst_pair()[0], 100)
    first = m.release(x, np.random.default_rng(4))
    np.testing.assert_array_equal(first, m.release(x, np.random.default_rng(4)))
    assert not np.array_equal(first, m.release(x, np.random.default_rng(5)))


@every
def test_at_distance_zero_nothing_is_lost(name):
    loss = EVERYONE[name].loss(0.0)
    if isinstance(loss, GaussianShift):
        assert loss.mu == 0
    else:
        assert isinstance(loss, Pure | LaplaceShift)
        assert loss.epsilon == 0


@every
def test_both_ends_of_every_range_work(name):
    m = EVERYONE[name]
    for key, meta in parameters(m).items():
        for end in (meta.low, meta.high):
            if end is None or key in ("k", "size", "low", "high", "sensitivity", "cells"):
                continue  # their other ends need companions, and are tested where they matter
            edge = configured(m, {key: end})
            assert values(edge)[key] == end
            with np.errstate(all="raise", under="ignore"):
                loss = edge.loss()
                y = edge.release(stacked(edge.worst_pair()[0], 3), np.random.default_rng(6))
            assert len(y) == 3
            if isinstance(loss, Channel):
                assert np.abs(loss.matrix.sum(axis=1) - 1).max() < 1e-12
                assert (loss.matrix >= 0).all()


@every
def test_what_is_out_of_range_is_refused_in_words(name):
    for key, meta in parameters(EVERYONE[name]).items():
        if meta.high is not None:
            with pytest.raises(UserError, match=key):
                replace(EVERYONE[name], **{key: meta.high * 2 + 1})


@every
def test_it_says_who_is_protected_and_how_it_was_drawn(name):
    m = EVERYONE[name]
    assert m.neighbours
    assert m.mode == SEEDED or name == "float-laplace"
    if m.claimed is not None:
        assert (m.claimed.unit, m.claimed.relation) in m.neighbours
        assert m.claimed.where
    with pytest.raises((AttributeError, TypeError)):
        m.epsilon = 3.0  # frozen


@pytest.mark.parametrize("name", FINITE)
def test_rows_of_a_channel_are_distributions_over_its_outputs(name):
    m = EVERYONE[name]
    assert m.channel.shape == (len(m.inputs), len(m.outputs))
    assert (m.channel >= 0).all()
    np.testing.assert_allclose(m.channel.sum(axis=1), 1.0, rtol=0, atol=1e-14)


SOUND = sorted({name for name, m in MECHANISMS.items() if m.claimed} - {"laplace-or-truth", "unary-one-sided"})


@pytest.mark.parametrize("name", SOUND)
def test_a_mechanism_that_is_sound_has_the_epsilon_that_it_claims(name):
    m = MECHANISMS[name]
    for epsilon in (0.05, 0.5, 1.0, 3.0, 6.0, 12.0):
        loss = replace(m, epsilon=epsilon).loss()
        real = epsilon_of(loss.matrix, loss.pairs) if isinstance(loss, Channel) else loss.epsilon
        assert real <= epsilon * (1 + 1e-12) + 1e-13
        if name != "laplace-rounded":  # rounding gives a little back
            assert real == pytest.approx(epsilon, rel=1e-9)


def test_claims_that_fail_do_so_in_the_type():
    assert isinstance(MECHANISMS["laplace-or-truth"].loss(), NoBound)
    one_sided = MECHANISMS["unary-one-sided"].loss()
    assert math.isinf(epsilon_of(one_sided.matrix, one_sided.pairs))


def hockey_stick(loss: Channel | LaplaceShift | GaussianShift | Pure, epsilon: float) -> float:
    """δ(ε) of a loss, by its definition, the worse order of each pair."""
    if isinstance(loss, Channel):
        pairs = [*loss.pairs, *((j, i) for i, j in loss.pairs)]
        return max(np.maximum(loss.matrix[i] - math.exp(epsilon) * loss.matrix[j], 0).sum() for i, j in pairs)
    if isinstance(loss, LaplaceShift):
        return max(0.0, -math.expm1((epsilon - loss.epsilon) / 2))
    if isinstance(loss, GaussianShift) and loss.mu > 0:
        from scipy.stats import norm

        cut = epsilon / loss.mu
        return norm.cdf(loss.mu / 2 - cut) - math.exp(epsilon) * norm.cdf(-loss.mu / 2 - cut)
    return 0.0


@pytest.mark.parametrize(
    "name",
    [n for n, m in EVERYONE.items() if n != "subsampled-gaussian" and n != "discrete-gaussian"
     and not isinstance(m.loss(), NoBound)],
)  # fmt: skip
def test_the_loss_is_that_of_the_density(name):
    """δ(ε) = E_y~P max(0, 1 − e^ε Q(y)/P(y)) from 200,000 releases, both orders, at three ε.

    Each mean of values in [0, 1] lies within 5/(2√n) of its expectation (5 σ, Hoeffding's bound on the variance):
    .0056. A density, a sampler or a loss that is off by a factor of 1.1 in scale is caught.
    """
    m, rng, n = EVERYONE[name], np.random.default_rng(7), 200_000
    low, high = m.worst_pair()
    for epsilon in (0.0, 0.3, 0.8):
        found = []
        for one, other in ((low, high), (high, low)):
            y = m.release(stacked(one, n), rng)
            gap = np.asarray(m.log_density(y, other)) - m.log_density(y, one)
            found.append(np.maximum(0.0, 1 - np.exp(epsilon + gap)).mean())
        assert max(found) == pytest.approx(hockey_stick(m.loss(), epsilon), abs=2.5 / math.sqrt(n))


@every
def test_the_loss_grows_with_the_distance(name):
    m = EVERYONE[name]
    if isinstance(m.loss(), Channel | LaplaceShift | GaussianShift):
        stick = [hockey_stick(m.loss(d), 0.2) for d in (0.0, 0.1, 0.3, 0.5, 0.9, 1.0)]
        assert (np.diff(stick) >= -1e-12).all()
