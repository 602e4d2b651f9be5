"""ldp_svd: the factorisation against a peer, the channels against their closed forms, the claims of our own."""

import math
from dataclasses import replace

import numpy as np
import pytest

from recprivlib.accounting import guarantee
from recprivlib.auditing import audit
from recprivlib.data import load
from recprivlib.evaluation import evaluate, merged, paired, split
from recprivlib.papers.ldp_svd import ordinal
from recprivlib.papers.ldp_svd.answering import MECHANISMS, answers
from recprivlib.papers.ldp_svd.system import STARS
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions, Sizes
from recprivlib.registry import get
from recprivlib.training import trained

SIZES = Sizes(943, 1682, grid=STARS)


def errors(name, folds=5, seed=0, data="ml-100k", **settings):
    """Per-user squared errors of a system on the first folds."""
    scores = []
    for part, fold in enumerate(split(load(data).interactions, "kfold", seed)[:folds]):
        model = trained(replace(get(name).system, **settings), fold.train, seed, part)
        scores.append(evaluate(model, fold))
    return merged(scores)


def rmse(name, **settings):
    return errors(name, **settings).metrics["rmse"]


def test_svd_is_as_good_as_surprise_on_the_same_folds():
    """Same hyper-parameters; batches instead of single steps. Both near .934; sd of an RMSE over inits ≈ .001."""
    surprise = pytest.importorskip("surprise")
    theirs = []
    for fold in split(load("ml-100k").interactions, "kfold", 0)[:2]:
        train = fold.train
        rows = zip(train.users.tolist(), train.items.tolist(), train.ratings.tolist(), strict=True)
        ratings = [(u, i, r, None) for u, i, r in rows]
        data = surprise.Dataset(surprise.Reader(rating_scale=(1, 5)))
        data.raw_ratings = ratings
        peer = surprise.SVD(n_factors=20, n_epochs=20, lr_all=0.005, reg_all=0.02, random_state=0)
        peer.fit(data.construct_trainset(ratings))
        found = [peer.predict(u, i).est for u, i in zip(fold.users.tolist(), fold.items.tolist(), strict=True)]
        theirs.append(np.sqrt(np.mean((np.array(found) - fold.ratings) ** 2)))
    assert rmse("svd", folds=2) == pytest.approx(np.mean(theirs), abs=0.005)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_the_channel_the_server_uses_is_the_one_the_phones_send_through(mechanism, epsilon):
    """20,000 draws a star: sd of a share ≤ .0035, so 5 deviations are .018. Catches a shifted bin or a wrong input."""
    heard = answers(MECHANISMS[mechanism](epsilon, STARS), STARS)
    np.testing.assert_allclose(heard.matrix.sum(axis=1), 1, atol=1e-9)
    for row, star in enumerate(STARS):
        drawn = np.bincount(heard.release(np.full(20_000, star)), minlength=heard.matrix.shape[1]) / 20_000
        assert np.abs(drawn - heard.matrix[row]).max() < 0.018
        assert np.abs(np.cumsum(drawn) - np.cumsum(heard.matrix[row])).max() < 0.02


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_channel_behind_the_server_keeps_its_epsilon(mechanism):
    system = replace(get("optimal-mf").system, mechanism=mechanism, epsilon=1.3)
    assert guarantee(system.ledger(SIZES), "rating", "replace-value", 0.0, "server").epsilon <= 1.3 + 1e-9
    ratio = np.log(answers(MECHANISMS[mechanism](1.3, STARS), STARS).matrix)
    assert np.ptp(ratio, axis=0).max() <= 1.3 + 0.02  # binning may only lose: .02 is the error of the sums


def test_the_tables_of_the_likelihood_are_its_derivatives():
    """m − e is s² times the slope of ln P(y|η): by differences of the log-likelihood itself."""
    heard = answers(MECHANISMS["k-rr"](1.0, STARS), STARS)
    known = ordinal.tables(heard.matrix, STARS)
    eta = known.eta(np.arange(ordinal.STEPS)).astype(float)
    drawn = np.exp(-((np.array(STARS)[:, None] - eta) ** 2) / (2 * ordinal.SPREAD**2))
    likelihood = np.log(heard.matrix.T @ (drawn / drawn.sum(axis=0)))
    slope = np.gradient(likelihood, eta, axis=1)[:, 1:-1]
    found = (known.posterior - known.prior)[:, 1:-1] / ordinal.SPREAD**2
    np.testing.assert_allclose(found, slope, atol=2e-3)


@pytest.mark.parametrize(("pair", "epsilon"), [((1, 1), 3.87), ((0.1, 0.1), 4.57), ((3, 3), 6.35)])
def test_the_repaired_mixture_has_the_epsilon_of_its_channel_and_not_a_sum(pair, epsilon):
    """Known answers: notes/ldp_svd.md, from C = pI + (1−p)L."""
    system = replace(get("discrete-rr-mf").system, epsilon1=pair[0], epsilon2=pair[1])
    counted = guarantee(system.ledger(SIZES), "rating", "replace-value", 0.0, "server").epsilon
    assert counted == pytest.approx(epsilon, abs=0.005)


def test_a_person_is_priced_through_a_public_cap_alone():
    ledger = get("optimal-mf").system.ledger(SIZES)
    assert math.isinf(guarantee(ledger, "user", "replace-value", 0.0, "server").epsilon)
    capped = replace(get("optimal-mf").system, cap=65).ledger(SIZES)
    assert guarantee(capped, "user", "replace-value", 0.0, "server").epsilon == pytest.approx(65)


def test_the_printed_mixture_is_broken_and_the_others_hold():
    """The claim of the issue: a bound above 6 for claimed 2."""
    printed = audit(get("laplace-rr-svd").system, sizes=SIZES)
    assert printed.verdict == "broken"
    assert printed.attacked.epsilon_lower > 6 > printed.claimed.epsilon
    for name in ("laplace-svd", "discrete-rr-mf", "optimal-mf"):
        found = audit(get(name).system, sizes=SIZES)
        assert found.verdict == "holds", found.reason
        assert 0.9 * found.counted.epsilon < found.attacked.epsilon_lower


def test_at_true_epsilon_one_no_channel_is_better_than_the_optimal_one():
    """Paired over users, two folds. Piecewise comes so close that ML-100K cannot tell them apart (on ML-1M it
    overtakes: see the slow test); the paper's Laplace-SVD at ε1 = 1 is worse by at least .3 stars."""
    optimal = errors("optimal-mf", folds=2)
    for mechanism in MECHANISMS:
        other = errors("optimal-mf", folds=2, mechanism=mechanism)
        verb = paired(optimal.per_user["rmse"], other.per_user["rmse"]).verb
        assert verb == ("is level with" if mechanism in ("optimal", "piecewise") else "beats"), mechanism
        assert optimal.metrics["rmse"] <= other.metrics["rmse"]
    assert optimal.metrics["rmse"] < rmse("laplace-svd", folds=2, epsilon1=1.0) - 0.3


@pytest.mark.slow
def test_on_ml_1m_piecewise_overtakes_the_optimal_bit():
    """What holds at ML-100K does not grow: a bit tells the mean only through the model of stars, and with a million
    ratings the model's error outweighs the bit's smaller noise. Piecewise reports are right on average."""
    optimal = errors("optimal-mf", folds=2, data="ml-1m").per_user["rmse"]
    other = errors("optimal-mf", folds=2, data="ml-1m", mechanism="piecewise").per_user["rmse"]
    assert paired(other, optimal).verb == "beats"


def test_the_paper_s_shape_more_budget_less_error():
    by_epsilon = [rmse("laplace-svd", folds=1, epsilon1=e) for e in (0.5, 1.0, 2.0, 3.0)]
    assert by_epsilon == sorted(by_epsilon, reverse=True)
    assert rmse("laplace-rr-svd", folds=1) < by_epsilon[1]


def test_raw_ratings_at_home_help_a_user_and_cost_nothing():
    assert rmse("optimal-mf", folds=1, fold_in=True) < rmse("optimal-mf", folds=1) - 0.01
    home, server = (replace(get("optimal-mf").system, fold_in=f).ledger(SIZES) for f in (True, False))
    assert [r.what for r in home.releases] == [r.what for r in server.releases]


# ------------------------------------------------------------------------------------------- bad input


def toy(ratings, grid=STARS, users=None, items=None):
    n = len(ratings)
    users = np.arange(n, dtype=np.int32) % 4 if users is None else np.asarray(users, np.int32)
    items = np.arange(n, dtype=np.int32) // 4 if items is None else np.asarray(items, np.int32)
    return Interactions(users, items, np.asarray(ratings, np.float32), np.zeros(n, np.int64), 4, 5, grid)


@pytest.mark.parametrize("name", ["laplace-svd", "laplace-rr-svd"])
def test_divergence_names_its_cause_and_its_cure(name):
    (fold, *_) = split(load("ml-100k").interactions, "kfold", 0)
    system = replace(get(name).system, epsilon1=0.1, scale="stars", learning_rate=0.05)
    with pytest.raises(UserError, match=r"diverged: the noise is too large .* scale=unit or clip_reports=true"):
        trained(system, fold.train)
    cured = replace(system, scale="unit", clip_reports=True, learning_rate=0.005)
    assert np.isfinite(trained(cured, fold.train).user_bias).all()


@pytest.mark.parametrize("name", ["laplace-svd", "laplace-rr-svd", "discrete-rr-mf", "optimal-mf"])
def test_a_rating_off_the_grid_is_refused(name):
    """Noise is made for the grid's range: a 50 among stars would come through as a 50."""
    with pytest.raises(UserError, match=r"rating 2\.7"):
        trained(get(name).system, toy([1, 2, 3, 2.7, 5, 4]))


@pytest.mark.parametrize("name", ["svd", "laplace-svd", "laplace-rr-svd", "discrete-rr-mf", "optimal-mf"])
def test_a_grid_of_one_value_and_data_without_stars_are_refused(name):
    with pytest.raises(UserError, match="needs two values or more"):
        trained(get(name).system, toy([3, 3, 3, 3], grid=(3.0,)))
    with pytest.raises(UserError, match="no ratings in stars"):
        trained(get(name).system, toy([1, 1, 1, 1], grid=None))


@pytest.mark.parametrize("name", ["svd", "laplace-svd", "laplace-rr-svd", "discrete-rr-mf", "optimal-mf"])
def test_one_rating_a_user_and_films_never_met_still_get_a_prediction_on_the_scale(name):
    train = toy([1, 5, 3, 4], users=[0, 1, 2, 3], items=[0, 0, 1, 2])
    model = trained(get(name).system, train)
    scores = model.score(np.arange(4)[:, None], np.arange(5)[None, :])
    assert scores.shape == (4, 5)
    assert ((scores >= 1) & (scores <= 5)).all()


def test_another_grid_works_end_to_end():
    halves = tuple(np.arange(1, 11) / 2)
    rng = np.random.default_rng(0)
    train = toy(rng.choice(halves, 20), grid=halves)
    for mechanism in MECHANISMS:
        system = replace(get("optimal-mf").system, mechanism=mechanism)
        assert np.isfinite(system.fit(train, rng).score(np.array([0]), np.array([0]))).all()
