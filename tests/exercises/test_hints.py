"""What the hints claim: each number and each way that they name is tried."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recprivlib.exercises import crowd as pairs
from recprivlib.exercises import exercises, graded
from recprivlib.exercises import follow as bound
from recprivlib.exercises.coin import COLLEAGUE
from recprivlib.exercises.means import FILMS
from recprivlib.exercises.means import town as rated
from recprivlib.exercises.moves import LARGEST, part_of
from recprivlib.exercises.question import BUDGETS
from recprivlib.exercises.repair import explained
from recprivlib.exercises.save import town as updates
from recprivlib.mechanisms import OneBitGradient, OptimalChannel, UnarySymmetric
from recprivlib.mechanisms.common import all_pairs, worst
from recprivlib.mechanisms.randomized_response import RandomizedResponse

ALL = exercises()


def names(text):
    """What a program defines."""
    found = {"np": np}
    exec(text, found)
    return found


def hint(name, words):
    """That a hint says so, so that its words and this test stay together."""
    assert any(words in one for one in ALL[name].hints), words


def test_five_answers_of_yes_add_up_and_the_price_is_the_largest_of_all():
    hint("price", "Five answers add up")
    zero, one = np.array(names(ALL["price"].start)["law"]())
    ratios = np.log(one / zero)
    assert ratios[-1] == pytest.approx(5)
    assert np.abs(ratios).max() == pytest.approx(5)
    hint("price", "the same lie for ever")
    kept = names(ALL["price"].solution)
    assert kept["epsilon"] <= 1.9  # of the coin that is kept, however often it is asked about


def test_the_leak_that_waits_for_a_day_is_what_the_solution_does():
    hint("cheat", "(train.times == 19690720).all()")
    assert "(train.times == 19690720).all()" in ALL["cheat"].solution


def test_what_a_no_of_the_colleague_s_phone_says_and_which_coin_wastes_nothing():
    hint("coin", "P(no | not watched) = .8, P(no | watched) = .1")
    p, q = COLLEAGUE
    assert (1 - q, 1 - p) == pytest.approx((0.8, 0.1))
    hint("coin", "p = 1 − q, and p/q = e^ε")
    for budget in (0.5, 1.0, 3.0):
        p, q = names(ALL["coin"].solution)["best"](budget)
        assert (p + q, math.log(p / q)) == pytest.approx((1, budget))
        others = np.linspace(0.01, 1, 400)
        noise = [
            math.sqrt(b * (1 - b)) / abs(a - b)
            for a in others
            for b in others
            if a > b and max(abs(math.log(a / b)), abs(math.log((1 - a + 1e-300) / (1 - b + 1e-300)))) <= budget
        ]
        assert math.sqrt(q * (1 - q)) / (p - q) <= min(noise) + 1e-9  # fmt: skip


@pytest.mark.parametrize("directions", [5, 10])
def test_five_or_ten_directions_find_more_than_the_chart(directions):
    hint("chart", "five or ten strongest directions")
    text = ALL["chart"].solution.replace("(y.shape[1], 6)", f"(y.shape[1], {directions})")
    assert text != ALL["chart"].solution or directions == 6
    assert all(one.passed for one in graded("chart", text))


def test_the_chance_that_gives_two_is_the_solution_s():
    hint("repair", "ln(p / ((1 − p)/4))")
    keep = names(ALL["repair"].solution)["keep"]
    assert math.log(keep / ((1 - keep) / 4)) == pytest.approx(2)


def test_four_stars_or_more_is_best_up_to_two_and_four_answers_beyond():
    hint("question", "best up to ε = 2. Beyond it, four answers")
    one_bit = names(next(one.text for one in ALL["question"].wrong if "[0, 0, 0, 1, 1]" in one.text))["law"]
    for budget in BUDGETS:
        best = OptimalChannel(budget).channel
        near = explained(one_bit(budget)) / explained(best)
        assert (near > 1 - 1e-9) == (budget <= 2)
        assert best.shape[1] == (2 if budget <= 2 else 4)
    hint("question", "c and c·e^−ε: 30 ways")
    assert 2**5 - 2 == 30
    for column in OptimalChannel(3.0).channel.T:
        assert np.unique((column / column.max()).round(9)).tolist() == pytest.approx([math.exp(-3), 1])


def test_what_a_bit_says_is_what_the_library_says_and_reports_add_up():
    hint("listen", "(1 + x b tanh(ε/2))/2")
    coin, rng = OneBitGradient(1.0), np.random.default_rng(0)
    x, b = rng.uniform(-1, 1, 50), rng.choice([-1, 1], 50)
    assert coin.log_density(b, x) == pytest.approx(np.log((1 + x * b * np.tanh(0.5)) / 2))
    odds = names(ALL["listen"].solution)["odds"]
    halves = [odds(b[part], x[part], -x[part], 1.0) for part in (slice(25), slice(25, None))]
    assert odds(b, x, -x, 1.0) == pytest.approx(sum(halves))


def test_two_lies_make_a_pair_of_yes_and_what_the_product_of_two_bits_varies_by():
    hint("crowd", "more than 7 in 100 phones say yes to both films of which nobody watched either")
    assert 0.07 < UnarySymmetric(1.0).q ** 2 < 0.08
    hint("crowd", "v² + .2 v + .03")
    rng, coin = np.random.default_rng(0), UnarySymmetric(1.0)
    y = rng.multinomial(10**6, pairs.reported(pairs.TOGETHER, 1.0))
    q = coin.q
    no, yes = -q / (1 - 2 * q), (1 - q) / (1 - 2 * q)
    values = np.array([no * no, no * yes, no * yes, yes * yes])
    mean = y @ values / y.sum()
    varies = y @ (values - mean) ** 2 / y.sum()
    v = coin.variance
    assert mean == pytest.approx(pairs.TOGETHER, abs=5 * math.sqrt(varies / y.sum()))
    assert varies == pytest.approx(v * v + 0.2 * v + 0.03, rel=0.01)


def test_a_run_of_two_epochs_multiplies_and_an_equal_share_is_nearly_a_coin_flip():
    hint("ration", "at ε = .1 a bit is nearly a coin flip")
    assert RandomizedResponse(0.1).channel.max() < 0.53
    law = names(ALL["ration"].start)["law"]
    assert math.log(law((1, 1), (1, 1)) / law((-1, -1), (1, 1))) == pytest.approx(4)
    hint("ration", "may spend all of the total there")
    quiet = names(ALL["ration"].solution)["law"]
    assert quiet((1, 1), (0, 0)) == 0  # everybody speaks once, whatever the numbers are
    pair = np.array([[quiet((x, 0), y) for y in ((1, 0), (-1, 0), (0, 1), (0, -1))] for x in (-1, 1)])
    assert worst(pair, all_pairs(2))[0] == pytest.approx(2)


def test_a_rating_among_twenty_moves_far_more_than_one_among_two():
    hint("moves", "compare it with 1.6")
    assert pytest.approx(1.6) == LARGEST
    few, many = (names(text) for text in (ALL["moves"].start, ALL["moves"].solution))
    for one in (few, many):
        for stars in one["worlds"]():
            assert one["gradient"](stars) == pytest.approx(part_of(np.array(stars, float)), abs=1e-6)
    moved = [np.abs(np.subtract(*(one["gradient"](stars) for stars in one["worlds"]()))).sum() for one in (few, many)]
    assert moved[0] < LARGEST
    assert moved[1] > 10 * LARGEST
    hint("moves", "Give her twenty")
    assert len(many["worlds"]()[0]) == 21  # the one that is changed, and twenty others


def test_a_person_with_all_films_moves_all_numbers_and_one_vote_moves_two():
    hint("means", "a person who rated all 60 films")
    assert FILMS == 60
    table = rated(0)[0][:100]
    loud = np.vstack([np.full(FILMS, 5.0), table])
    moved = {key: np.abs(names(text)["sums"](loud) - names(text)["sums"](table)).sum()
             for key, text in (("start", ALL["means"].start), ("solution", ALL["means"].solution))}  # fmt: skip
    assert moved == pytest.approx({"start": 60 * 5 + 60, "solution": 2})


def test_noise_in_twelve_numbers_is_a_fifth_of_that_in_three_hundred():
    hint("save", "how long in 12")
    rng = np.random.default_rng(0)
    long, short = (np.linalg.norm(rng.normal(size=(2000, many)), axis=1).mean() for many in (300, 12))
    assert long / short == pytest.approx(5, rel=0.05)
    hint("save", "goes by kind")
    people, kinds = updates(rng)
    mean = people.mean(axis=0)
    by_kind = (np.bincount(kinds, mean) / np.bincount(kinds))[kinds]
    assert np.linalg.norm(by_kind) > 0.8 * np.linalg.norm(mean)


def test_steps_a_factor_and_the_noise_of_the_votes():
    hint("follow", "A step of .05 needs 400 rounds to 20")
    assert bound.MEDIANS[0] / 0.05 == 400
    assert 0.1 * 0.5 == pytest.approx(0.05)  # the start's, where everybody says no
    hint("follow", "as long as a bound of .05")
    assert bound.MEDIANS[1] == 0.05
    hint("follow", "(1 − 1/1.21)^−½ z")
    update, votes = names(ALL["follow"].solution)["noise"](1.0)
    assert (update, votes) == pytest.approx((1.1, (1 - 1 / 1.21) ** -0.5))
