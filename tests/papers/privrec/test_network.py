"""Many networks at once: the gradient against differences, one phone against many, kinds against items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recprivlib.papers.privrec.meta import halves, maml, reptile
from recprivlib.papers.privrec.network import Inputs, Shape, gradient, logits
from recprivlib.papers.privrec.phones import Network, Phones, Practice, Vocabulary
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions

RNG = np.random.default_rng


def problem(activation="relu", ids=False):
    """Three phones, nine kinds of items, in doubles."""
    rng = RNG(0)
    shape = Shape((3, 4), 9 if ids else 5, 3, (6, 5, 4), activation)
    kinds = None if ids else rng.random((9, 5))
    theta = rng.normal(0, 0.5, (3, shape.weights))
    inputs = Inputs(rng.integers(0, 3, (3, 2)).astype(np.int32), kinds)
    likes = rng.random((3, 9))
    return shape, theta, inputs, likes, likes + rng.random((3, 9))


def loss(shape, theta, inputs, likes, total):
    z = logits(shape, theta, inputs)
    return (total * np.logaddexp(0, z) - likes * z).sum(axis=1)


@pytest.mark.parametrize("activation", ["relu", "sigmoid"])
@pytest.mark.parametrize("ids", [False, True])
def test_the_gradient_is_that_of_the_loss(activation, ids):
    """Central differences at every weight of every phone, in doubles: a wrong sign or a missed term is of order 1."""
    shape, theta, *rest = problem(activation, ids)
    found = gradient(shape, theta, *rest)
    for weight in range(shape.weights):
        ahead, behind = theta.copy(), theta.copy()
        ahead[:, weight] += 1e-6
        behind[:, weight] -= 1e-6
        slope = (loss(shape, ahead, *rest) - loss(shape, behind, *rest)) / 2e-6
        np.testing.assert_allclose(found[:, weight], slope, rtol=1e-5, atol=1e-7)


def test_phones_do_not_hear_one_another():
    shape, theta, inputs, likes, total = problem()
    together = gradient(shape, theta, inputs, likes, total)
    for phone in range(3):
        one = slice(phone, phone + 1)
        alone = gradient(shape, theta[one], replace(inputs, people=inputs.people[one]), likes[one], total[one])
        np.testing.assert_allclose(alone[0], together[phone], rtol=1e-12)


def test_a_network_is_as_large_as_it_says():
    """3,857 weights by hand: vectors (8+3+22+19)·16, W₁ 64·32+32, then 32·16+16, 16·16+16, 16·8+8, 8+1."""
    shape = Shape((8, 3, 22), 19, 16, (32, 16, 16, 8))
    assert shape.weights == 832 + 2080 + 528 + 272 + 136 + 9 == 3857
    assert len(shape.start(RNG(0))) == 3857


# -------------------------------------------------------------------------------------------------- phones


def people(n=6, items=12, seed=1):
    rng = RNG(seed)
    users, met = np.nonzero(rng.random((n, items)) < 0.5)
    genres = np.eye(3, dtype=bool)[np.arange(items) % 3]
    said = {"age": np.array([7, 18, 60, 0, 30, 44]), "gender": np.array(["F", "M", "", "M", "F", ""])}
    return Interactions(users.astype(np.int32), met.astype(np.int32), rng.integers(1, 6, len(users)).astype(np.float32),
                        np.zeros(len(users), np.int64), n, items, (1.0, 2.0, 3.0, 4.0, 5.0), said,
                        {"genres": genres})  # fmt: skip


def test_who_says_nothing_has_a_number_of_her_own():
    data = people()
    words = Vocabulary.of(data)
    assert words.fields == (8, 3)
    assert words.people(data).tolist() == [[1, 1], [2, 2], [7, 0], [0, 2], [3, 1], [4, 0]]
    nobody = replace(data, user_features={})
    assert words.people(nobody).tolist() == [[0, 0]] * 6
    assert Vocabulary.of(nobody).fields == ()


def test_the_list_of_answers_does_not_depend_on_who_is_there():
    data = people()
    assert Vocabulary.of(data.of(np.array([0]))).fields == Vocabulary.of(data).fields


def test_items_without_features_are_refused():
    with pytest.raises(UserError, match="needs features of items"):
        Vocabulary.of(replace(people(), item_features={}))
    bad = replace(people(), item_features={"price": np.full(12, np.nan)[:, None]})
    with pytest.raises(UserError, match="not a finite number"):
        Vocabulary.of(bad)


def test_kinds_weigh_as_the_items_they_stand_for():
    """The loss over kinds is the loss over items, with four unseen ones in expectation for each that was met."""
    data = people()
    by_kind, by_item = Vocabulary.of(data), Vocabulary.of(data, ids=True)
    users = np.arange(6)
    likes, total = Phones.of(data, by_kind, 4.0).targets(users, by_kind.sizes)
    each_likes, each_total = Phones.of(data, by_item, 4.0).targets(users, by_item.sizes)
    one = np.eye(3)[by_kind.kind_of]
    np.testing.assert_allclose(likes, each_likes @ one, rtol=1e-6)
    np.testing.assert_allclose(total, each_total @ one, rtol=1e-6)
    np.testing.assert_allclose(total.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(likes.sum(axis=1), 0.2, rtol=1e-6)


def test_stars_make_ones_only_where_they_are_more_than_three():
    data = people()
    words = Vocabulary.of(data)
    phones = Phones.of(data, words, 0.0, stars=True)
    liked = np.bincount(data.users[data.ratings > 3], minlength=6)
    assert phones.likes.toarray().sum(axis=1).tolist() == liked.tolist()
    assert phones.seen.toarray().sum() == len(data)


def test_a_phone_without_a_history_learns_nothing():
    data = people()
    empty = data.take(data.users != 2)
    words = Vocabulary.of(data)
    network = Network(Shape(words.fields, words.features, 3, (4,)), words)
    theta = network.shape.start(RNG(0))
    practice = Practice(3, 0.5, 0.1)
    updates = reptile(network, theta, Phones.of(empty, words, 4.0), np.arange(6), practice)
    assert np.flatnonzero(np.abs(updates).max(axis=1) == 0).tolist() == [2]


@pytest.mark.parametrize("activation", ["sigmoid", "relu"])
@pytest.mark.parametrize("epochs", [1, 3])
def test_the_second_order_is_the_gradient_of_what_happens_after_the_steps(activation, epochs):
    """Against differences of the query loss after all local epochs on the support set, in doubles."""
    data = people()
    words = Vocabulary.of(data)
    words = replace(words, kinds=words.kinds.astype(float))
    network = Network(Shape(words.fields, words.features, 2, (3,), activation), words)
    theta, everybody = RNG(3).normal(0, 0.7, network.shape.weights), np.arange(6)
    phones, rate = Phones.of(data, words, 4.0), 0.8
    found, plain = (maml(network, theta, phones, everybody, Practice(epochs, rate, 0.0), n, RNG(5)) for n in (2, 1))
    assert np.abs(found - plain).max() > 0.02  # the second order is there to be checked
    support, query = halves(phones, everybody, RNG(5))
    inputs = Inputs(phones.people, words.kinds)
    targets = [[t.astype(float) for t in side.targets(everybody, words.sizes)] for side in (support, query)]

    def after(weights):
        repeated = np.repeat(weights[None], 6, axis=0)
        for _ in range(epochs):
            repeated = repeated - rate * gradient(network.shape, repeated, inputs, *targets[0])
        return loss(network.shape, repeated, inputs, *targets[1])

    for weight in range(0, len(theta), 3):
        nudge = np.zeros(len(theta))
        nudge[weight] = 1e-5
        slope = (after(theta + nudge) - after(theta - nudge)) / 2e-5
        np.testing.assert_allclose(-found[:, weight], slope, rtol=1e-5, atol=1e-8)


def test_halves_share_a_history_out():
    data = people()
    words = Vocabulary.of(data)
    phones = Phones.of(data, words, 4.0)
    first, second = halves(phones, np.arange(6), RNG(0))
    assert (first.seen + second.seen - phones.seen).nnz == 0 or abs(first.seen + second.seen - phones.seen).max() == 0
    assert 0 < first.seen.sum() < phones.seen.sum()
