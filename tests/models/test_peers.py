"""The yardsticks against libraries that others trust, at equal settings on the same split of ML-100K.

implicit 0.7: cosine neighbours and ALS. scikit-surprise 1.1: global and item means. EASE, which neither has, is
held against its closed form in test_items.py.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import surprise
from implicit.cpu.als import AlternatingLeastSquares
from implicit.nearest_neighbours import CosineRecommender

from recprivlib.evaluation import evaluate
from recprivlib.models.items import ItemWeights
from recprivlib.models.neighbours import neighbourhood, rank_neighbours
from recprivlib.models.similarity import cosine, gram
from recprivlib.yardsticks.plain import GlobalMean, ImplicitALS, ItemKNN, ItemMean

pytestmark = pytest.mark.filterwarnings("ignore:Method expects CSR")  # implicit speaks to itself


@dataclass(frozen=True, eq=False)
class Table:
    """A peer's scores of everything."""

    scores: np.ndarray

    def score(self, users, items):
        return self.scores[users, items]


@pytest.fixture(scope="module")
def people(ml100k_split):
    return sp.csr_matrix(ml100k_split.train.matrix.astype(np.float64))


def implicit_knn(people, k):
    """implicit counts an item among its own neighbours, so it is asked for one more."""
    peer = CosineRecommender(K=k + 1, num_threads=1)
    peer.fit(people, show_progress=False)
    own = peer.similarity.tolil()
    own.setdiag(0)
    return peer, own.tocsr()


@pytest.fixture(scope="module")
def cosines(ml100k_split):
    shared = gram(ml100k_split.train.matrix)
    return cosine(shared, shared.diagonal())


def test_cosine_equals_implicits_everywhere(people, cosines):
    n = people.shape[1]
    _, theirs = implicit_knn(people, n)
    ours = cosines - np.diag(cosines.diagonal())
    np.testing.assert_allclose(ours, theirs.toarray(), atol=4 * 2**-24)  # a root, a product, a quotient in float32


def test_fifty_neighbours_are_as_near_as_implicits(people, cosines):
    """At the edge of a list ties may fall either way, the similarities in it may not."""
    _, theirs = implicit_knn(people, 50)
    lists = np.zeros((people.shape[1], 51))
    for item in range(people.shape[1]):
        row = np.sort(theirs[[item]].data)[::-1]
        lists[item, : len(row)] = row
    np.testing.assert_allclose(rank_neighbours(cosines, 50).similarities, lists[:, :50], atol=4 * 2**-24)


def test_voting_equals_implicits(people, cosines, ml100k_split):
    """implicit lets the lists of what you met vote (i ∈ KNN(j)); eq. 12 asks the list of the candidate (j ∈ KNN(i)).

    So its weights are ours transposed. Both score matrices give the same metrics on the same split.
    """
    split = ml100k_split
    n_users, n_items = people.shape
    peer, _ = implicit_knn(people, n_items)
    ours = ItemKNN(neighbors=n_items, similarity="cosine").fit(split.train, np.random.default_rng(0))
    theirs = np.zeros((n_users, n_items))
    for user in range(n_users):
        items, scores = peer.recommend(user, people[user], N=n_items)  # what was met is left out
        theirs[user, items] = scores
    unseen = ~people.toarray().astype(bool)
    found = ours.score(np.arange(n_users)[:, None], np.arange(n_items)[None, :])
    longest = np.diff(people.indptr).max()  # float32 loses at most one rounding a term
    np.testing.assert_allclose(found[unseen], theirs[unseen], rtol=longest * 2**-24)
    a, b = evaluate(ours, split).metrics, evaluate(Table(theirs), split).metrics
    # only scores that float32 and float64 round apart can change places: none or one person in 943
    assert a == pytest.approx(b, abs=1.5 / n_users)

    mine = ItemWeights(split.train.matrix, neighbourhood(rank_neighbours(cosines, 50), 50).T.tocsr())
    narrow = CosineRecommender(K=51, num_threads=1)
    narrow.fit(people, show_progress=False)
    scores = (people @ narrow.similarity).toarray()
    # ties at the edge of 50 touch rare items only: at most 2 people in 943
    assert evaluate(mine, split).metrics == pytest.approx(evaluate(Table(scores), split).metrics, abs=2.5 / n_users)


def test_als_walks_implicits_way(people, ml100k_split):
    """From the same start, exact solves take the same ten steps; implicit's α is our 1 + α."""
    system, split = ImplicitALS(), ml100k_split
    start = np.random.default_rng(3).normal(0, 0.1, (people.shape[1], system.factors)).astype(np.float32)
    peer = AlternatingLeastSquares(
        factors=system.factors, regularization=system.regularization, alpha=1 + system.alpha,
        iterations=system.iterations, use_cg=False, num_threads=1,
    )  # fmt: skip
    peer.item_factors = start.copy()
    peer.fit(people.astype(np.float32), show_progress=False)

    class Start:  # stands in for the generator that draws the start
        def normal(self, mean, deviation, shape):
            return start

    ours = system.fit(split.train, Start())
    for mine, theirs in ((ours.users, peer.user_factors), (ours.items, peer.item_factors)):
        assert np.abs(mine - theirs).max() < 1e-3 * np.abs(theirs).max()  # float32 rounding over ten steps
    peers = Table(peer.user_factors @ peer.item_factors.T)
    assert evaluate(ours, split).metrics == pytest.approx(evaluate(peers, split).metrics, abs=1.5 / len(people.indptr))


def test_another_start_of_als_does_as_well_as_implicits_own(people, ml100k_split):
    """Our own random start against implicit's: HR@10 of the two differ by luck alone.

    Both see the same people, so the difference has a standard error below √(2·.05/943) = .010 if at most 5 % of
    them change sides; .03 is 3 of these. Catches a start that stays in a saddle (all factors alike).
    """
    system, split = ImplicitALS(), ml100k_split
    peer = AlternatingLeastSquares(
        factors=system.factors, regularization=system.regularization, alpha=1 + system.alpha,
        iterations=system.iterations, num_threads=1, random_state=0,
    )  # fmt: skip
    peer.fit(people.astype(np.float32), show_progress=False)
    ours = evaluate(system.fit(split.train, np.random.default_rng(0)), split, full=False).metrics
    theirs = evaluate(Table(peer.user_factors @ peer.item_factors.T), split, full=False).metrics
    assert ours["hr@10"] == pytest.approx(theirs["hr@10"], abs=0.03)


def test_means_equal_surprises(ml100k_split):
    train = ml100k_split.train
    table = surprise.Dataset.load_from_df(
        pd.DataFrame({"u": train.users, "i": train.items, "r": train.ratings.astype(float)}),
        surprise.Reader(rating_scale=(1, 5)),
    ).build_full_trainset()
    peer = surprise.KNNWithMeans(sim_options={"user_based": False, "name": "msd"}, verbose=False)
    peer.fit(table)
    theirs = np.full(train.n_items, table.global_mean)
    for item in table.all_items():
        theirs[table.to_raw_iid(item)] = peer.means[item]
    ours = ItemMean(regularization=0).fit(train, np.random.default_rng(0))
    np.testing.assert_allclose(ours.scores, theirs, rtol=1e-6)
    assert GlobalMean().fit(train, np.random.default_rng(0)).scores[0] == pytest.approx(table.global_mean)
