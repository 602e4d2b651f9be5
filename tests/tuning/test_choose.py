"""From a contender to its choice: on validation alone, finalists on fresh draws, resumable, the same every time."""

import dataclasses

import numpy as np
import pytest

from recprivlib import experiment
from recprivlib.data import load
from recprivlib.evaluation import Nest, nested
from recprivlib.evaluation.nested import VALIDATION
from recprivlib.parameters import UserError
from recprivlib.registry import get
from recprivlib.sweeps import cells
from recprivlib.tuning import choose
from recprivlib.tuning.choices import Choice, read, save
from recprivlib.tuning.choose import Bench, Contender, applied, tuned
from recprivlib.tuning.space import refused, space

USERS, ITEMS = 60, 80
DATA = load("synthetic", users=USERS, items=ITEMS)


def contender(system="item-mean", protocol="kfold", **more):
    return Contender(system, "synthetic", DATA.checksum, protocol, users=USERS, items=ITEMS, **more)


def pairs(x, users=None, items=None):
    users, items = (x.users, x.items) if users is None else (users, items)
    return set(zip(users.tolist(), items.tolist(), strict=True))


@pytest.mark.parametrize("protocol", ["kfold", "loo-latest", "loo-random"])
@pytest.mark.parametrize("outer", [0, 2])
def test_validation_never_touches_a_test_interaction(tmp_path, monkeypatch, protocol, outer):
    test = nested(DATA.interactions, protocol, Nest(outer))
    held = pairs(None, test.users, test.items if protocol == "kfold" else test.held_out)
    learnt, judged = [], []

    def train(system, data, seed):
        learnt.append((pairs(data), seed))
        return experiment_trained(system, data, seed)

    def evaluate(model, fold, ks, full):
        judged.append(pairs(None, fold.users, fold.items if protocol == "kfold" else fold.held_out))
        return experiment_evaluate(model, fold, ks, full=full)

    experiment_trained, experiment_evaluate = experiment.trained, experiment.evaluate
    monkeypatch.setattr(experiment, "trained", train)
    monkeypatch.setattr(experiment, "evaluate", evaluate)
    system = "item-mean" if protocol == "kfold" else "item-knn"
    tuned(contender(system, protocol), outer, Bench(tmp_path), budget=6)
    assert len(learnt) >= 6 + 2 * 3
    for (seen, seed), asked in zip(learnt, judged, strict=True):
        assert not seen & held
        assert not asked & held
        assert asked <= pairs(test.train)
        assert not seen & asked
        assert seed >= VALIDATION  # and no noise that a test will have


def test_people_of_a_user_split_that_are_tested_are_nowhere_in_validation():
    test = nested(DATA.interactions, "user-split", Nest(1))
    inner = nested(DATA.interactions, "user-split", Nest(1, draw=0))
    assert inner.n_users == test.train.n_users < USERS


def test_a_choice_is_the_same_every_time_and_takes_finished_trials_as_they_are(tmp_path, monkeypatch):
    one = tuned(contender(), 0, Bench(tmp_path / "a"), budget=8)
    assert one == tuned(contender(), 0, Bench(tmp_path / "b"), budget=8)

    def never(*_, **__):
        raise AssertionError("this trial was finished before")

    monkeypatch.setattr(cells, "tried", never)
    assert tuned(contender(), 0, Bench(tmp_path / "a"), budget=8) == one


def test_a_search_that_was_stopped_goes_on(tmp_path, monkeypatch):
    whole, done = tuned(contender(), 0, Bench(tmp_path / "a"), budget=8), []
    tried = cells.tried

    def some(*arguments, **options):
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(arguments)
        return tried(*arguments, **options)

    monkeypatch.setattr(cells, "tried", some)
    with pytest.raises(KeyboardInterrupt):
        tuned(contender(), 0, Bench(tmp_path / "b"), budget=8)
    assert len(list((tmp_path / "b").glob("*.npz"))) == 5
    done.clear()
    monkeypatch.setattr(cells, "tried", lambda *a, **o: (done.append(a), tried(*a, **o))[1])
    assert tuned(contender(), 0, Bench(tmp_path / "b"), budget=8) == whole
    assert len(done) == len(list((tmp_path / "a").glob("*.npz"))) - 5


class Scripted:
    """A bench whose scores are written down: (first, fresh) of the k-th new setting."""

    folder, say = None, None

    def __init__(self, first, fresh):
        self.first, self.fresh, self.seen = first, fresh, []

    def scores(self, contender, settings, nest):
        self.seen += [dict(one) for one in settings if dict(one) not in self.seen]
        at = [self.seen.index(dict(one)) for one in settings]
        return [self.first(k) if nest.draw == 0 else self.fresh(k, nest.draw) for k in at]


def test_the_first_score_that_picked_a_finalist_does_not_count_again():
    """Trial 3 was so lucky once that a mean with its first score would win; trial 5 is best on fresh draws."""
    bench = Scripted(lambda k: {3: -5.0, 5: 0.5}.get(k, 0.6 + k / 100), lambda k, draw: {3: 0.9, 5: 0.4}.get(k, 0.7))
    found = tuned(contender(), 0, bench, budget=12)
    assert (found.trial, found.validated, found.printed) == (5, 0.4, 0.7)


def test_the_printed_setting_is_a_finalist_however_badly_it_began():
    bench = Scripted(lambda k: 9.0 if k == 0 else 0.5 + k / 100, lambda k, draw: 0.3 if k == 0 else 0.7)
    found = tuned(contender(), 0, bench, budget=12)
    assert (found.trial, found.chosen, found.validated) == (0, {}, 0.3)


def test_a_papers_system_that_still_moves_gets_twice_the_budget_and_a_baseline_does_not():
    def falling(k):
        return 1.0 - k / 1000

    for system, trials in (("laplace-svd", 64), ("item-mean", 16)):
        fixed = {"epsilon1": 1.0} if system == "laplace-svd" else {}
        found = tuned(
            contender(system, fixed=fixed), 0, Scripted(falling, lambda k, draw: falling(k)), budget=16, most=64
        )
        assert found.trials == trials, system
    flat = Scripted(lambda k: 1.0, lambda k, draw: 1.0)
    assert tuned(contender("laplace-svd", fixed={"epsilon1": 1.0}), 0, flat, budget=16, most=64).trials == 16


def test_noise_between_draws_is_no_gain_that_would_double_a_budget():
    bench = Scripted(lambda k: 1.0 - k / 1000, lambda k, draw: 1.0 + (0.1 if (k + draw) % 2 else -0.1))
    assert tuned(contender("laplace-svd", fixed={"epsilon1": 1.0}), 0, bench, budget=16, most=64).trials == 16


def test_a_metric_that_is_better_the_higher_is_searched_upwards(tmp_path):
    found = tuned(contender("item-knn", "loo-latest"), 0, Bench(tmp_path), budget=6)
    assert found.metric == "hr@10"
    assert found.validated >= found.printed > 0


def test_a_setting_that_diverges_is_the_worst_and_stops_nothing(tmp_path, monkeypatch):
    tried = experiment.trained

    def fragile(system, train, seed):
        if system.regularization > 5:
            raise UserError("it has diverged")
        return tried(system, train, seed)

    monkeypatch.setattr(experiment, "trained", fragile)
    found = tuned(contender(), 0, Bench(tmp_path), budget=8)
    assert found.chosen.get("regularization", 2.0) <= 5
    monkeypatch.setattr(experiment, "trained", lambda *_: (_ for _ in ()).throw(UserError("it has diverged")))
    with pytest.raises(UserError, match="no setting of item-mean can be tried here: it has diverged"):
        tuned(contender(), 0, Bench(tmp_path / "other"), budget=4)


def test_an_error_that_is_no_divergence_stops_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "trained", lambda *_: 1 / 0)
    with pytest.raises(UserError, match="ZeroDivisionError"):
        tuned(contender(), 0, Bench(tmp_path), budget=4)


def test_what_is_fixed_is_not_searched_and_what_moves_the_bill_only_where_it_is_restored():
    sizes = DATA.interactions.sizes
    assert next(iter(space(get("dpsgd-pnbm"), sizes))) == "floor"
    assert "floor" not in space(get("dpsgd-pnbm"), sizes, ["floor"])
    assert "k" not in space(get("fmf-ldp"), sizes)
    assert "k" in space(get("fmf-ldp"), sizes, restored=True)
    assert "rounds" in space(get("privrec"), sizes)  # nothing is paid there
    assert space(get("item-knn"), sizes)["neighbors"].dial.high == ITEMS - 1
    assert space(get("popularity"), sizes) == {}
    with pytest.raises(UserError, match="epsilon is never searched: what is paid is fixed first"):
        refused(get("dpsgd-pnbm"), ["floor", "epsilon"])
    with pytest.raises(UserError, match="there is no parameter 'ceiling'"):
        refused(get("dpsgd-pnbm"), ["ceiling"])


def test_a_search_on_reports_is_judged_by_reports_and_refused_where_there_are_none(tmp_path, monkeypatch):
    fold = nested(DATA.interactions, "kfold", Nest(0, draw=0))
    judged = []
    monkeypatch.setattr(choose, "AGAIN", 2)
    evaluate = experiment.evaluate
    monkeypatch.setattr(
        experiment, "evaluate", lambda m, f, ks, full: (judged.append(f.ratings), evaluate(m, f, ks))[1]
    )
    tuned(contender("laplace-svd", fixed={"epsilon1": 8.0}, price="reports"), 0, Bench(tmp_path), budget=2, most=2)
    noise = judged[0].astype(float) - fold.ratings
    scale = 4 / 8.0  # of the Laplace noise
    assert abs(noise.mean()) < 4 * scale * np.sqrt(2 / len(noise))
    assert 0.8 < noise.std() / (scale * np.sqrt(2)) < 1.2
    with pytest.raises(UserError, match="optimal-mf is not validated on reports"):
        tuned(contender("optimal-mf", price="reports"), 0, Bench(tmp_path), budget=2)


def test_a_step_along_a_sum_shrinks_as_ratings_grow_and_stays_within_its_range():
    choice = Choice("dpsgd-mf", {"epsilon": 1.0}, "synthetic", 60, 80, "", "kfold", "rmse", 0, 0, "public",
                    {"learning_rate": 0.008, "reach": 3.0}, 5, 64, 1.0, 1.1, 64_000)  # fmt: skip
    assert applied(choice, 80_000) == {"learning_rate": pytest.approx(0.0064), "reach": 3.0}
    assert applied(dataclasses.replace(choice, chosen={"learning_rate": 0.05}), 1)["learning_rate"] == 1.0


def test_choices_are_read_as_they_were_written_and_a_bad_one_is_said_with_its_file(tmp_path):
    path = tmp_path / "a.choices.toml"
    one = Choice("optimal-mf", {"epsilon": 1.0}, "synthetic", 60, 80, "abc", "kfold", "rmse", 3, 1, "public",
                 {"mechanism": "k-rr", "factors": 0, "cap": 5, "fold_in": True}, 5, 64, 1.0,
                 float("inf"), 640)  # fmt: skip
    other = dataclasses.replace(
        one, system="item-mean", fixed={}, chosen={"regularization": 1e-05}, users=None, items=None
    )
    save(path, [one, other])
    assert list(read(path).values()) == [one, other]
    assert list(read(path)) == [one.key, other.key]
    assert read(tmp_path / "none.toml") == {}
    for good, bad, said in (('"k-rr"', '"no-rr"', "mechanism is 'no-rr'"), ("trial = 5", "trail = 5", "'trail'"),
                            ("outer = 3", "outer =", "a.choices.toml")):  # fmt: skip
        path.write_text(path.read_text().replace(good, bad, 1))
        with pytest.raises(UserError, match=said):
            read(path)
        save(path, [one, other])


def test_an_outer_split_that_is_none_is_refused():
    with pytest.raises(UserError, match="the outer split is 5, but kfold has those from 0 to 4"):
        nested(DATA.interactions, "kfold", Nest(5))
