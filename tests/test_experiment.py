import importlib
import inspect
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import recprivlib
from recprivlib.data import load
from recprivlib.evaluation import evaluate, paired, split, stream
from recprivlib.experiment import PRICED, plain, protocol_of, run, to_frame, to_json
from recprivlib.parameters import UserError
from recprivlib.protocols import Entry, Interactions, Ledger
from recprivlib.training import trained
from recprivlib.yardsticks.plain import ItemKNN, LDPPopularity, Popularity

RANKING = [f"{metric}@{k}{where}" for where in ("", "/full") for metric in ("hr", "ndcg") for k in (2, 5, 10)]


@pytest.fixture(scope="module")
def data():
    return load("synthetic", users=150, items=200)


def test_a_run_is_split_fit_evaluate_at_one_seed(data):
    report = run("item-knn", data, settings={"neighbors": 20}, seed=3)
    (part,) = split(data.interactions, "loo-latest", 3)
    scores = evaluate(trained(ItemKNN(20), part.train, 3), part)
    assert report.metrics == scores.metrics
    assert report.intervals == scores.intervals(3)
    assert list(report.metrics) == RANKING
    assert report.params == {"neighbors": 20, "similarity": "jaccard"}
    assert (report.system, report.data, report.protocol, report.seed) == ("item-knn", "synthetic", "loo-latest", 3)
    assert report.guarantee is None


def test_the_whole_run_repeats(data):
    first, again, other = run("mf-als", data, seed=1), run("mf-als", data, seed=1), run("mf-als", data, seed=2)
    assert first.metrics == again.metrics != other.metrics
    assert first.intervals == again.intervals


def test_all_systems_at_one_seed_meet_the_same_split(data):
    held_out = []

    @dataclass(frozen=True)
    class Spy(Popularity):
        def fit(self, train: Interactions, rng: np.random.Generator):
            rng.random(17)
            held_out.append(train.matrix.toarray())
            return super().fit(train, rng)

    for system in (Spy(), Spy()):
        run(system, data, seed=5)
    assert np.array_equal(*held_out)


def test_every_fit_has_its_own_numbers(data):
    drawn = []

    @dataclass(frozen=True)
    class Spy(Popularity):
        def fit(self, train: Interactions, rng: np.random.Generator):
            drawn.append(rng.random())
            return super().fit(train, rng)

    for seed in (0, 1):
        run(Spy(), data, protocol="kfold", name="spy", seed=seed)
    assert drawn == [stream(seed, "fit", fold).random() for seed in (0, 1) for fold in range(5)]


def test_a_value_is_as_good_as_a_name(data):
    report = run(ItemKNN(30), data)
    assert report.metrics == run("item-knn", data, settings={"neighbors": 30}).metrics
    assert report.system == "item-knn"
    assert run(ItemKNN(30), data, name="mine").system == "mine"


def test_a_system_of_ones_own_needs_no_registry(data):
    @dataclass(frozen=True)
    class Mine:
        def fit(self, train, rng):
            return Popularity().fit(train, rng)

        def ledger(self, sizes):
            return Ledger()

    report = run(Mine(), data)
    assert report.system == "Mine"
    assert report.metrics == run("popularity", data).metrics
    assert list(run(Mine(), data, protocol="kfold").metrics) == ["rmse"]


def test_ratings_are_predicted_by_five_folds_unless_said_otherwise(data):
    report = run("item-mean", data)
    assert report.protocol == "kfold"
    folds = [
        evaluate(trained(recprivlib.get("item-mean").system, f.train, 0, n), f).metrics["rmse"]
        for n, f in enumerate(split(data.interactions, "kfold", 0))
    ]
    assert report.metrics["rmse"] == pytest.approx(np.mean(folds), rel=1e-12)
    low, high = report.intervals["rmse"]
    assert low < report.metrics["rmse"] < high
    assert list(run("item-mean", data, protocol="loo-random").metrics) == RANKING


def test_reports_can_be_paired(data):
    seeds = range(3)
    good, bad = ([run(name, data, seed=seed).per_user["hr@10"] for seed in seeds] for name in ("item-knn", "random"))
    assert paired(good, bad).verb == "beats"


def test_json_has_the_documented_keys_and_survives(data):
    document = to_json(run("item-knn", data, settings={"neighbors": 20}))
    assert list(document)[:8] == ["system", "data", "protocol", "seed", "params", "metrics", "guarantee", "seconds"]
    assert list(document["seconds"]) == ["fit", "evaluate"]
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_what_json_has_no_word_for_is_spelt_out():
    value = {"a": np.float32(0.5), "b": (np.int64(3), np.inf, -np.inf, np.nan), "c": np.array([True]), 4: None}
    assert plain(value) == {"a": 0.5, "b": [3, "inf", "-inf", None], "c": [True], "4": None}
    assert [type(v) for v in plain(value)["b"][:1]] == [int]


def test_a_private_run_is_billed(data):
    bill = run("dplcf-sp", data, settings={"epsilon": 2.0}).guarantee
    assert set(bill) == {"claimed", "counted", "also", "mode"}
    assert bill["claimed"] == {"epsilon": 2.0, "delta": 0.0, "unit": "interaction"} | {
        key: value for key, value in bill["claimed"].items() if key not in ("epsilon", "delta", "unit")
    }
    assert bill["counted"]["epsilon"] == pytest.approx(2.0, rel=1e-9)
    assert set(bill["counted"]) >= {"epsilon", "delta", "unit", "relation", "trust", "view", "how"}


def test_rows_carry_the_terms_of_their_numbers(data):
    private, bare = (to_frame([run(name, data)]).iloc[0] for name in ("dplcf-sp", "popularity"))
    assert dict(private[list(PRICED)]) == {
        "claimed": 1.0, "claimed_for": "interaction, add-remove, δ 0, whole run", "counted": 1.0,
        "unit": "interaction", "relation": "add-remove", "view": "server", "delta": 0.0, "trust": "nobody (local)",
    }  # fmt: skip
    assert bare[list(PRICED)].isna().all()


def test_bill_and_row_speak_of_the_people_it_learnt_from(data):
    report = run("ldp-popularity", data, protocol="user-split")
    assert report.users == 120  # of 150, a fifth is never trained on
    heard = []
    system = replace(LDPPopularity(), cap=5)
    seen = type("Heard", (LDPPopularity,), {"ledger": lambda self, sizes: heard.append(sizes.users) or Ledger()})
    run(seen(cap=5), data, protocol="user-split")
    assert heard == [120]
    assert run(system, data).users == 150


def test_a_system_may_have_a_protocol_of_its_own():
    entry = Entry(Popularity(), "ranking", "baseline", "what most people met", protocol="user-split")
    assert protocol_of("popularity", entry, None) == "user-split"
    assert protocol_of("popularity", entry, "loo-random") == "loo-random"
    assert protocol_of("popularity", replace(entry, protocol=None), None) == "loo-latest"


def test_an_infinite_bill_is_a_word_in_json(data):
    assert to_json(run("dplcf-ap", data))["guarantee"]["counted"]["epsilon"] == "inf"


def test_tidy_rows_have_a_row_for_each_metric_and_a_column_for_each_parameter(data):
    reports = [run("item-knn", data, seed=0), run("popularity", data, seed=1)]
    frame = to_frame(reports)
    assert len(frame) == 2 * len(RANKING)
    row = frame[(frame.system == "item-knn") & (frame.metric == "hr@10")].iloc[0]
    assert (row.value, row.low, row.high) == (reports[0].metrics["hr@10"], *reports[0].intervals["hr@10"])
    assert row.neighbors == 50
    assert frame[frame.system == "popularity"].neighbors.isna().all()
    assert frame[frame.system == "popularity"].counted.isna().all()


def test_notes_of_the_split_come_with_the_report():
    small = load("synthetic", users=60, items=100)
    (note,) = run("popularity", small).notes
    assert "fewer than 99 items" in note


def implicit(data):
    return replace(data, interactions=replace(data.interactions, grid=None))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda d: run("item-knn", d, seed=-1), "seed is -1"),
        (lambda d: run("item-knn", d, seed=2.5), "seed is 2.5"),
        (lambda d: run("item-knn", d, settings={"neighbors": 2.5}), "neighbors is 2.5"),
        (lambda d: run("item-knn", d, settings={"nope": 1}), "no parameter 'nope'; choose from neighbors"),
        (lambda d: run("item-knn", d, protocol="kfold"), "item-knn ranks and predicts no stars"),
        (lambda d: run("item-knn", d, protocol="none"), "no protocol 'none'; choose from loo-latest"),
        (lambda d: run("item-mean", implicit(d)), "needs ratings in stars"),
        (lambda d: run(ItemKNN, d), r"system is <class .* or a value: ItemKNN\(\)"),
        (lambda d: run(3, d), "system is 3, but must be a name"),
        (
            lambda d: run("item-knn", d.interactions),
            "data is of type Interactions, but must be a name",
        ),
        (lambda d: run("item-knn", d, users=50), "this data set is there already"),
    ],
)
def test_nonsense_is_refused_in_words(data, call, words):
    with pytest.raises(UserError, match=words):
        call(data)


def test_the_package_hands_out_what_a_reader_needs():
    for name in recprivlib.__all__:
        assert callable(getattr(recprivlib, name)), name
    with pytest.raises(AttributeError, match="nonsense"):
        recprivlib.nonsense  # noqa: B018


def test_every_name_of_the_package_stays_what_it_is_after_all_modules_are_imported():
    folder = Path(recprivlib.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    assert not modules & set(recprivlib.__all__), "importing such a module would bind it over the name"
    for name, home in recprivlib._HOME.items():
        module = importlib.import_module(f"recprivlib.{home}")
        assert getattr(recprivlib, name) is getattr(module, name)
        assert inspect.isfunction(getattr(recprivlib, name)) or inspect.isclass(getattr(recprivlib, name))
