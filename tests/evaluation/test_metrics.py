import itertools

import numpy as np
import pytest

from recprivlib.evaluation import evaluate, scoring, split
from recprivlib.evaluation.metrics import hit, ndcg
from recprivlib.parameters import UserError

ALL_K = tuple(range(1, 21))


class Table:
    """A model that is its own score table; new people have the scores of the first rows."""

    def __init__(self, scores):
        self.scores = scores

    def score(self, users, items):
        return self.scores[users, items]

    def fold_in(self, people):
        return Table(self.scores[: people.n_users])


def constant(x):
    return Table(np.zeros((x.n_users, x.n_items), np.float32))


def gain(rank, k):
    return 1 / np.log2(rank + 1) if rank <= k else 0.0


def brute_force(target, rivals, k):
    """HR and nDCG by trying every order of the tied."""
    above, tied = sum(r > target for r in rivals), sum(r == target for r in rivals)
    ranks = [above + order.index(0) + 1 for order in itertools.permutations(range(tied + 1))]
    return np.mean([r <= k for r in ranks]), np.mean([gain(r, k) for r in ranks])


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_ties_are_the_mean_over_every_way_to_break_them(k):
    for rivals in itertools.combinations_with_replacement([0, 1, 2], 5):
        above, tied = np.array([sum(r > 1 for r in rivals)]), np.array([sum(r == 1 for r in rivals)])
        expected = brute_force(1, rivals, k)
        assert (hit(above, tied, k)[0], ndcg(above, tied, k)[0]) == pytest.approx(expected, abs=1e-14)


def test_a_constant_scorer_gets_exactly_chance(made):
    x = made(80, 300, 0.1)
    (part,) = split(x, "loo-latest")
    metrics = evaluate(constant(x), part, ALL_K).metrics
    catalogue = 300 - np.diff(part.train.matrix.indptr)[part.users]
    for k in ALL_K:
        dcg = sum(gain(r, k) for r in range(1, k + 1))
        assert metrics[f"hr@{k}"] == pytest.approx(k / 100, abs=1e-14)
        assert metrics[f"ndcg@{k}"] == pytest.approx(dcg / 100, abs=1e-14)
        assert metrics[f"hr@{k}/full"] == pytest.approx(np.mean(k / catalogue), abs=1e-14)
        assert metrics[f"ndcg@{k}/full"] == pytest.approx(np.mean(dcg / catalogue), abs=1e-14)


def test_a_constant_scorer_gets_chance_on_new_users(made):
    x = made(60, 80, 0.2)
    (part,) = split(x, "user-split")
    metrics = evaluate(constant(x), part).metrics
    rivals = 80 - np.diff(x.matrix.indptr)[part.users]  # never met; the one sought comes on top
    assert list(metrics) == [f"{m}@{k}/full" for m in ("hr", "ndcg") for k in (5, 10, 20, 30)]
    for k in (5, 10, 20, 30):
        assert metrics[f"hr@{k}/full"] == pytest.approx(np.mean(k / (rivals + 1)), abs=1e-14)


def test_the_best_and_the_worst_scorer(made):
    x = made(50, 200, 0.1)
    (part,) = split(x, "loo-latest")
    scores = np.zeros((50, 200), np.float32)
    scores[part.users, part.held_out] = 1
    assert set(evaluate(Table(scores), part).metrics.values()) == {1.0}
    assert set(evaluate(Table(-scores), part).metrics.values()) == {0.0}


@pytest.mark.parametrize("levels", [3, 50, 10**6])
def test_ranking_equals_a_loop_over_users(made, levels):
    x = made(40, 150, 0.15, seed=1)
    scores = np.random.default_rng(levels).integers(0, levels, (40, 150)).astype(np.float32)
    (part,) = split(x, "loo-latest")
    found = evaluate(Table(scores), part, (1, 7)).per_user
    met = part.train.matrix.toarray() > 0
    for user, item, negatives in zip(part.users, part.held_out, part.negatives, strict=True):
        unmet = [i for i in range(150) if not met[user, i] and i != item]
        for suffix, rivals in (("", negatives), ("/full", unmet)):
            above, tied = (
                (scores[user, rivals] > scores[user, item]).sum(),
                (scores[user, rivals] == scores[user, item]).sum(),
            )
            ranks = np.arange(above + 1, above + tied + 2)
            for k in (1, 7):
                assert found[f"hr@{k}{suffix}"][user] == pytest.approx(np.mean(ranks <= k), abs=1e-12)
                assert found[f"ndcg@{k}{suffix}"][user] == pytest.approx(
                    np.mean([gain(r, k) for r in ranks]), abs=1e-12
                )


@pytest.mark.parametrize("levels", [3, 10**6])
def test_new_users_equal_a_loop_over_their_items(made, levels):
    x = made(60, 50, 0.2, seed=2)
    (part,) = split(x, "user-split")
    scores = np.random.default_rng(levels).integers(0, levels, (60, 50)).astype(np.float32)
    found = evaluate(Table(scores), part, (3,)).per_user
    for row, user in enumerate(part.users):
        met = set(x.items[x.users == user].tolist())
        rivals = [i for i in range(50) if i not in met]
        hits, gains = [], []
        for item in part.held_out[[row]].indices:
            above, tied = (
                (scores[row, rivals] > scores[row, item]).sum(),
                (scores[row, rivals] == scores[row, item]).sum(),
            )
            ranks = np.arange(above + 1, above + tied + 2)
            hits.append(np.mean(ranks <= 3))
            gains.append(np.mean([gain(r, 3) for r in ranks]))
        assert found["hr@3/full"][user] == pytest.approx(np.mean(hits), abs=1e-12)
        assert found["ndcg@3/full"][user] == pytest.approx(np.mean(gains), abs=1e-12)
    assert np.isnan(np.delete(found["hr@3/full"], part.users)).all()


def test_items_of_the_training_history_do_not_compete_for_the_catalogue(made):
    x = made(50, 200, 0.1)
    (part,) = split(x, "loo-latest")
    scores = 2 * part.train.matrix.toarray()
    scores[part.users, part.held_out] = 1
    assert evaluate(Table(scores), part).metrics["hr@2/full"] == 1


def test_where_negatives_are_missing_chance_is_one_among_those_there_are(made):
    x = made(40, 60, 0.3)
    (part,) = split(x, "loo-latest")
    found = evaluate(constant(x), part).per_user["hr@5"]
    there = (part.negatives >= 0).sum(axis=1)
    assert there.max() < 99
    assert found[part.users] == pytest.approx(5 / (there + 1), abs=1e-14)


def test_small_blocks_change_nothing(made, monkeypatch):
    x = made(50, 200, 0.1)
    model = Table(np.random.default_rng(0).integers(0, 9, (50, 200)).astype(np.float32))
    parts = [split(x, protocol)[0] for protocol in ("loo-latest", "user-split")]
    whole = [evaluate(model, part).metrics for part in parts]
    monkeypatch.setattr(scoring, "BLOCK", 450)
    assert [evaluate(model, part).metrics for part in parts] == whole


def test_the_catalogue_can_be_left_out(made):
    x = made(50, 200, 0.1)
    (part,) = split(x, "loo-latest")
    model = Table(np.random.default_rng(0).random((50, 200), np.float32))
    both, sampled = evaluate(model, part).metrics, evaluate(model, part, full=False).metrics
    assert sampled == {name: value for name, value in both.items() if not name.endswith("/full")}
    assert list(sampled) == [f"{m}@{k}" for m in ("hr", "ndcg") for k in (2, 5, 10)]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("protocol", ["loo-latest", "user-split", "kfold"])
def test_a_score_that_is_no_finite_number_raises(made, bad, protocol):
    x = made(50, 200, 0.1)
    part = split(x, protocol)[0]
    scores = np.zeros((50, 200), np.float32)
    scores[(part.users[3], part.items[3]) if protocol == "kfold" else (3, slice(None))] = bad
    with pytest.raises(UserError, match=f"the score of user .* for item .* is {bad}.*diverged"):
        evaluate(Table(scores), part)


def test_scores_of_the_wrong_shape_raise(made):
    x = made(20, 120, 0.1)

    class Flat:
        def score(self, users, items):
            return np.zeros(items.size)

    with pytest.raises(ValueError, match=r"Flat\.score gave shape"):
        evaluate(Flat(), split(x)[0])


@pytest.mark.parametrize("ks", [(0,), (2.5,), ("10",), (-1,), (True,), (), 2.5])
def test_nonsense_list_lengths_are_refused(made, ks):
    x = made(20, 120, 0.1)
    with pytest.raises(UserError, match="list lengths"):
        evaluate(constant(x), split(x)[0], ks)


def test_a_model_that_cannot_fold_in_is_told_so(made):
    class Fixed:
        def score(self, users, items):
            return np.zeros(np.broadcast_shapes(users.shape, items.shape))

    with pytest.raises(UserError, match="cannot fold them in"):
        evaluate(Fixed(), split(made(20, 30, 0.3), "user-split")[0])


def test_rmse_is_the_root_of_the_mean_square_in_stars(made):
    x = made(30, 40, 0.3)
    part = split(x, "kfold")[0]
    scores = np.random.default_rng(0).normal(3, 1, (30, 40)).astype(np.float32)
    errors = scores[part.users, part.items] - part.ratings
    assert evaluate(Table(scores), part).metrics["rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-6)


def test_the_rmse_of_folds_is_their_mean(made):
    x = made(30, 40, 0.3)
    model = Table(np.random.default_rng(0).normal(3, 1, (30, 40)))
    folds = [evaluate(model, part) for part in split(x, "kfold")]
    assert scoring.merged(folds).metrics["rmse"] == pytest.approx(
        np.mean([f.metrics["rmse"] for f in folds]), rel=1e-12
    )
