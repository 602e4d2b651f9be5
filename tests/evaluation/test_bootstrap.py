import numpy as np
import pytest

from recprivlib.evaluation import Difference, interval, intervals, paired, total
from recprivlib.evaluation import bootstrap as module
from recprivlib.parameters import UserError


def rng(seed=0):
    return np.random.default_rng(seed)


def squares(n_users=200, folds=5, seed=0):
    """(users, folds, 2): sums of squared errors and counts; people differ in both."""
    counts = rng(seed).integers(0, 9, (n_users, folds))
    return np.stack([counts * rng(seed + 1).gamma(2, 0.5, (n_users, 1)), counts], axis=2)


def test_the_metric_is_the_mean_over_those_who_were_tested():
    assert total(np.array([1.0, np.nan, 0.0, 0.5])) == 0.5


def test_the_rmse_is_the_mean_of_the_folds():
    values = np.array([[[4.0, 1], [9.0, 1]], [[4.0, 1], [9.0, 3]]])  # sums 8/2 and 18/4
    assert total(values) == pytest.approx((2 + np.sqrt(4.5)) / 2)


def test_the_interval_is_as_wide_as_the_central_limit_says():
    # 2·1.96·sd/√n; 20,000 draws leave 1 % of Monte-Carlo error, so 4 % catches a 90 % interval (16 % narrower).
    values = rng().random(900) ** 2
    low, high = interval(values, draws=20_000)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(900), rel=0.04)
    assert (low + high) / 2 == pytest.approx(values.mean(), abs=0.001)


def test_people_who_were_not_tested_leave_the_others_interval_as_it_is():
    values = rng().random(500)
    alone = interval(values, draws=20_000)
    among = interval(np.concatenate([values, np.full(500, np.nan)]), draws=20_000)
    assert among == pytest.approx(alone, abs=0.002)


def test_intervals_of_several_metrics_are_those_of_each():
    values = {"a": rng(1).random(300), "b": squares(300)}
    together = intervals(values, 3)
    for name, value in values.items():  # a product of more columns rounds otherwise
        assert together[name] == pytest.approx(interval(value, 3), rel=1e-12)


def test_the_rmse_is_resampled_by_user():
    # Ten times the ratings of each user with the same errors say nothing new: resampling ratings would be √10 narrower.
    assert interval(10 * squares()) == pytest.approx(interval(squares()), rel=1e-12)


def test_the_seed_decides_and_blocks_do_not(monkeypatch):
    values = rng().random(400)
    first = interval(values, 1)
    assert interval(values, 1) == first != interval(values, 2)
    monkeypatch.setattr(module, "BLOCK", 7 * 400)
    assert interval(values, 1) == pytest.approx(first, rel=1e-12)  # a sum in other blocks rounds otherwise


def test_a_class_with_a_seed_each_has_its_people_drawn_once(monkeypatch):
    """Drawing them takes as long as everything else a reader's step needs."""
    drawn, real = [], module._drawn
    monkeypatch.setattr(module, "_drawn", lambda *args: drawn.append(args) or real(*args))
    module._kept.cache_clear()
    values = rng().random(943)
    first = [interval(values, seed) for seed in range(60)]
    assert [interval(values, seed) for seed in range(60)] == first
    assert len(drawn) == 60
    assert module._kept(943, 1000, 0).nbytes < 1 << 20


def test_whoever_is_drawn_often_is_counted_whole():
    assert module._kept(1, 300, 0).max() == 1
    kept = module._kept(2, 1000, 0)
    assert (kept.sum(axis=1) == 2).all()
    assert (kept == np.concatenate(list(module._drawn(2, 1000, 0)))).all()


def test_a_constant_lead_is_certain_however_much_people_differ():
    b = rng().random(100)
    found = paired(b + 0.01, b)
    assert (found.mean, found.low, found.high) == pytest.approx((0.01, 0.01, 0.01))


def test_seeds_do_not_make_more_people():
    # The same result at five seeds is one result: resampling seeds and users apart would be √5 narrower.
    a, b = rng(1).random(300), rng(2).random(300)
    five, one = paired([a] * 5, [b] * 5), paired(a, b)
    assert (five.mean, five.low, five.high) == pytest.approx((one.mean, one.low, one.high), rel=1e-9)
    assert interval([a] * 5) == pytest.approx(interval(a), rel=1e-9)


def test_independent_seeds_average_out():
    a, b = rng(1).random((20, 300)), rng(2).random((20, 300))
    one, many = paired(a[0], b[0]), paired(list(a), list(b))
    assert many.mean == pytest.approx((a - b).mean())
    assert many.high - many.low < 0.4 * (one.high - one.low)


def test_people_tested_at_some_seeds_only_count_there():
    a = np.array([[1.0, np.nan, 0.0], [np.nan, 0.5, 0.5]])
    found = paired(list(a), list(np.zeros_like(a) + 0 * a))
    assert found.mean == 0.5


def test_a_verb_is_earned():
    noise = rng().normal(0, 0.2, 400)
    assert paired(0.5 + noise * 0 + 0.1 + noise, 0.5 + noise).verb == "beats"
    assert paired(0.5 + noise, 0.5 + 0 * noise).verb == "is level with"
    assert paired(0.4 + noise * 0, 0.5 + noise).verb == "loses to"


def test_for_errors_lower_is_better():
    good = squares()
    bad = good * [1.5, 1]
    assert paired(good, bad).verb == "beats"
    assert paired(bad, good).verb == "loses to"
    assert paired(bad, good).mean == pytest.approx(total(bad) - total(good))


def test_an_interval_that_touches_zero_earns_nothing():
    assert Difference(0.1, 0.0, 0.2).verb == "is level with"
    assert Difference(-0.1, -0.2, 0.0, lower_is_better=True).verb == "is level with"


@pytest.mark.parametrize(
    "a, b",
    [
        (np.zeros(3), np.zeros(4)),
        ([np.zeros(3)], [np.zeros(3), np.zeros(3)]),
        (np.array([1.0, np.nan]), np.array([np.nan, 1.0])),
        (np.zeros(3), np.zeros((3, 1, 2))),
    ],
)
def test_other_people_or_another_split_are_refused(a, b):
    with pytest.raises(UserError, match="same"):
        paired(a, b)


@pytest.mark.parametrize("values", [[], np.array([]), [0.1, 0.2], np.full(5, np.nan)])
def test_nobody_to_resample_is_said(values):
    with pytest.raises(UserError, match="at least one tested user"):
        interval(values)
    with pytest.raises(UserError, match="draws is 0"):
        interval(np.ones(5), draws=0)
