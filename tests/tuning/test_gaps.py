"""Intervals that hold what varies: coverage where the truth is known, and verbs that are earned."""

import numpy as np
import pytest

from recprivlib.parameters import UserError
from recprivlib.tuning.gaps import SHARE, STARS, Gap, gap

PEOPLE, SPLITS, SEEDS = 200, 5, 5
TRUTH = 0.3


def runs(rng, worlds, splits, seeds, *, person=1.0, split=0.05, seed=0.05, world=0.0):
    """Runs whose truth is known: people, shared by all runs of a world, splits, seeds and worlds."""
    found = []
    for _ in range(worlds):
        people, shift = rng.normal(TRUTH, person, PEOPLE), rng.normal(0, world)
        rows = []
        for _ in range(splits):
            off = shift + rng.normal(0, split)
            rows.append([people + off + rng.normal(0, seed) + rng.normal(0, 0.1, PEOPLE) for _ in range(seeds)])
        found.append(rows)
    return found


def covered(make, trials=400):
    rng = np.random.default_rng(7)
    found = [gap(make(rng)) for _ in range(trials)]
    return np.mean([one.low <= TRUTH <= one.high for one in found])


@pytest.mark.parametrize(
    "shape, spread",
    [
        ((1, SPLITS, SEEDS), {}),
        ((1, SPLITS, SEEDS), {"person": 0.1, "split": 0.2}),  # the luck of the search is all there is
        ((1, 1, SEEDS), {"split": 0.0, "person": 0.1, "seed": 0.2}),
        ((5, 1, 1), {"world": 0.3}),
        ((5, 2, 2), {"world": 0.05}),
    ],
)
def test_an_interval_of_95_percent_holds_the_truth_in_at_least_93(shape, spread):
    """400 draws: the standard error at .95 is .011, so .93 is 1.8 of them below."""
    assert covered(lambda rng: runs(rng, *shape, **spread)) >= 0.93


def test_a_difference_of_two_systems_holds_the_truth_and_is_narrower_for_the_same_people():
    rng, inside, widths = np.random.default_rng(1), 0, []
    for _ in range(300):
        a, b = runs(rng, 1, SPLITS, SEEDS), []
        b = [[[values - 0.1 + rng.normal(0, 0.05, PEOPLE) for values in seeds] for seeds in splits] for splits in a]
        found = gap(a, b)
        inside += found.low <= 0.1 <= found.high
        widths.append(found.high - found.low)
        assert found.high - found.low < 0.2 * (gap(a).high - gap(a).low)
    assert inside >= 0.93 * 300


def test_rmse_is_covered_too():
    """Squared errors of normal ratings: the RMSE of all is 1."""
    rng, inside = np.random.default_rng(3), 0
    for _ in range(400):
        spread = np.exp(rng.normal(-0.125, 0.5, PEOPLE))[:, None]  # E[spread²] = e^(−.25 + .5) …
        spread = spread / np.sqrt(np.exp(0.25))
        folds = []
        for _ in range(SPLITS):
            errors = rng.normal(0, 1, (PEOPLE, 20)) * spread
            folds.append([np.stack([(errors**2).sum(1), np.full(PEOPLE, 20.0)], axis=1)[:, None, :]])
        found = gap([folds])
        inside += found.low <= 1.0 <= found.high
        assert found.lower_is_better
    assert inside >= 0.93 * 400


def test_five_seeds_do_not_stand_for_what_varies_between_splits_or_populations():
    rng = np.random.default_rng(0)
    alone = [gap(runs(rng, 1, 1, SEEDS, person=0.1, split=0.3)) for _ in range(200)]
    assert np.mean([one.low <= TRUTH <= one.high for one in alone]) < 0.5  # so the other levels are no decoration
    crowds = [gap(runs(rng, 1, SPLITS, 1, person=0.1, world=0.3)) for _ in range(200)]
    assert np.mean([one.low <= TRUTH <= one.high for one in crowds]) < 0.5


def test_what_draws_nothing_may_have_one_seed():
    rng = np.random.default_rng(0)
    a = runs(rng, 1, 3, 5)
    chart = [[[splits[0]] for splits in a[0]]]
    found = gap(a, chart)
    assert abs(found.mean) < 0.05
    assert found.seeds > 0


@pytest.mark.parametrize("lower, least", [(True, STARS), (False, SHARE)])
def test_a_verb_needs_an_interval_without_0_and_a_gap_that_somebody_would_notice(lower, least):
    better, worse = ("loses to", "beats") if lower else ("beats", "loses to")
    assert Gap(1.1 * least, 0.9 * least, 1.3 * least, lower).verb == better
    assert Gap(-1.1 * least, -1.3 * least, -0.9 * least, lower).verb == worse
    assert Gap(0.9 * least, 0.8 * least, 0.95 * least, lower).verb == "is level with"  # sure, and nothing
    assert Gap(3 * least, -0.1 * least, 6 * least, lower).verb == "is level with"  # large, and not sure


def test_sides_that_do_not_belong_together_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(UserError, match="the same populations and the same splits"):
        gap(runs(rng, 1, 3, 1), runs(rng, 1, 2, 1))
    with pytest.raises(UserError, match="at least one run"):
        gap([[[]]])
