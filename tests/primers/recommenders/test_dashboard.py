"""Dashboard `recommenders`: its numbers are those of the library, its words are earned, its axes stay."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from recprivlib.dashboard import Appearance, Card
from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.folds import dataset, holdout
from recprivlib.dashboard.memory import Memory
from recprivlib.dashboard.people import ADA, film
from recprivlib.evaluation import Difference, evaluate, interval, paired
from recprivlib.parameters import UserError
from recprivlib.plots.numerals import THIN
from recprivlib.primers.recommenders import compute as live
from recprivlib.primers.recommenders import dashboard, words
from recprivlib.primers.recommenders.ranking import BOUNDS
from recprivlib.training import trained
from recprivlib.yardsticks.plain import SYSTEMS, ItemKNN

EXPLORER = explorer("recommenders")
MADE_UP = {"data": "synthetic"}


@pytest.fixture(scope="module")
def result():
    return live.compute(**MADE_UP)


@pytest.mark.parametrize("system", ["item-knn", "ease", "mf-als", "popularity"])
def test_compute_is_what_evaluation_says_of_a_freshly_trained_system(system):
    """Catches a wrong slice of the neighbours, a wrong seed, a cache that mixes two settings."""
    neighbors, k, seed = 20, 7, 1
    shown = live.compute(system=system, neighbors=neighbors, k=k, seed=seed, **MADE_UP)
    held_out = holdout(dataset("synthetic"), seed)
    fresh = ItemKNN(neighbors=neighbors) if system == "item-knn" else SYSTEMS[system].system
    own = evaluate(trained(fresh, held_out.train, seed), held_out, (k,))
    popular = evaluate(trained(SYSTEMS["popularity"].system, held_out.train, seed), held_out, (k,))
    for rates, name in ((shown.sampled, f"hr@{k}"), (shown.full, f"hr@{k}/full")):
        assert rates.yours[k - 1] == pytest.approx(own.metrics[name], abs=1e-6)
        assert rates.popular[k - 1] == pytest.approx(popular.metrics[name], abs=1e-6)
        assert rates.interval == pytest.approx(interval(own.per_user[name], seed), abs=1e-6)
        expected = paired(own.per_user[name], popular.per_user[name], seed)
        assert (rates.versus.mean, rates.versus.low, rates.versus.high) == pytest.approx(
            (expected.mean, expected.low, expected.high), abs=1e-6
        )
        assert rates.versus.verb == expected.verb


def test_chance_is_exact(result):
    """A constant score among 1 + 99 items: K / 100, without the luck of one draw of numbers."""
    assert result.sampled.chance == pytest.approx([k / 100 for k in range(1, 21)], abs=1e-6)


def test_the_groups_are_a_partition_of_the_people_tested(result):
    held_out = holdout(dataset("synthetic"), 0)
    lengths = np.bincount(held_out.train.users, minlength=held_out.train.n_users)[held_out.users]
    people = np.bincount(np.searchsorted(BOUNDS, lengths), minlength=5)
    there = people > 0
    mean = np.average(np.array(result.groups.yours)[there], weights=people[there])
    assert mean == pytest.approx(result.sampled.yours[result.k - 1], abs=1e-6)
    assert all((low <= y <= high) for y, (low, high), n in
               zip(result.groups.yours, result.groups.intervals, people, strict=True) if n)  # fmt: skip


def test_the_same_settings_give_the_same_result_and_another_seed_another(result):
    assert live.compute(**MADE_UP) == result
    assert live.compute(seed=1, **MADE_UP).sampled != result.sampled


def test_a_list_is_ten_films_that_were_not_named_and_follows_what_was(result):
    assert len(set(result.yours)) == 10
    assert not set(result.yours) & set(result.liked)
    assert result.whose == "Ada's"
    yours = live.compute(liked=(3, 700), **MADE_UP)
    assert yours.whose == "Your"
    assert yours.liked == ("Film 4", "Film 701")
    assert yours.yours != result.yours
    assert yours.sampled == result.sampled  # what you like trains nobody else's list


def test_the_popular_list_is_the_counts_in_order(result):
    train = holdout(dataset("synthetic"), 0).train
    counts = np.bincount(train.items, minlength=train.n_items)
    shown = [int(title.split()[1]) - 1 for title in result.popular]
    liked = [int(title.split()[1]) - 1 for title in result.liked]
    assert counts[shown].min() >= np.delete(counts, shown + liked).max()


def test_adas_films_are_all_in_the_data_she_is_shown_with():
    assert set(live.compute().liked) == {film(title) for title in ADA}


def test_the_obscure_film_is_the_one_it_says():
    data = dataset("ml-100k")
    assert data.titles[dashboard.STALKER] == "Stalker (1979)"
    assert (data.interactions.items == dashboard.STALKER).sum() == 11


def test_with_many_neighbours_well_known_films_move_in():
    """What the first `try this` tells the reader to watch."""
    data = dataset("ml-100k")
    seen = dict(zip(map(film, data.titles), np.bincount(data.interactions.items), strict=True))
    few, many = (np.mean([seen[title] for title in live.compute(neighbors=n).yours]) for n in (5, 500))
    assert many > 1.2 * few


def test_articles_stand_where_one_says_them():
    assert film("Princess Bride, The (1987)") == "The Princess Bride (1987)"
    assert film("Brazil (1985)") == "Brazil (1985)"


# ------------------------------------------------------------------------------------------- words


def said(result, near, far):
    """The sentence at two paired differences."""
    sampled, full = replace(result.sampled, versus=near), replace(result.full, versus=far)
    return words.say(replace(result, sampled=sampled, full=full))


BEATS, LEVEL, LOSES = Difference(0.1, 0.05, 0.15), Difference(0.1, -0.01, 0.2), Difference(-0.1, -0.2, -0.05)


@pytest.mark.parametrize(
    ("near", "far", "verbs"),
    [(BEATS, LEVEL, ("beats", "is level with")), (LEVEL, LOSES, ("is level with", "loses to")),
     (LOSES, BEATS, ("loses to", "beats"))],
)  # fmt: skip
def test_a_verb_is_earned_by_its_own_interval(result, near, far, verbs):
    lineup, catalogue = said(result, near, far).split(". ", 1)
    assert f" {verbs[0]} just what is popular" in lineup
    assert f" {verbs[1]} what is popular" in catalogue


def test_the_sentence_has_every_number_of_the_screen_and_fits_three_lines(result):
    rates = replace(result.sampled, yours=(0.621,) * 20, popular=(0.408,) * 20)
    text = words.say(replace(result, sampled=rates, items=1682))
    for part in (f"62{THIN}%", f"41{THIN}%", "line-up of 100", f"all 1{THIN}682 films", "top 10", "item-kNN"):
        assert part in text
    assert len(text) <= 300


def test_popularity_is_not_compared_with_itself():
    text = words.say(live.compute(system="popularity", **MADE_UP))
    assert "One list for everybody" in text
    assert not any(verb in text for verb in ("beats", "loses", "level"))


def test_the_answer_to_the_guess_is_computed_and_never_scolds(result):
    rates = {name: replace(getattr(result, name), yours=(share,) * 20) for name, share in
             (("sampled", 0.6), ("full", 0.15))}  # fmt: skip
    reply = EXPLORER.predict.reply(replace(result, **rates), 1)
    assert reply.startswith("You said about half.")
    for part in (f"60{THIN}%", f"15{THIN}%", f"25{THIN}% of the score"):
        assert part in reply
    assert "wrong" not in reply.lower()


def test_a_film_that_is_not_in_the_data_gives_a_card_with_its_cure():
    with pytest.raises(Card, match=r"film 5000 is not in synthetic") as caught:
        live.compute(liked=(5000,), **MADE_UP)
    live.compute(**(MADE_UP | caught.value.cure))


def test_data_that_cannot_be_had_offers_the_synthetic_people(monkeypatch):
    def refuse(name):
        raise UserError(f"{name} could not be fetched")

    monkeypatch.setattr("recprivlib.dashboard.folds.load", refuse)
    with pytest.raises(Card, match="could not be fetched") as caught:
        dataset("ml-20m")
    assert caught.value.cure == {"data": "synthetic"}


# -------------------------------------------------------------------------------- figures, table, code


def states():
    """Twenty moves across all controls."""
    for neighbors in (5, 20, 50, 200, 500):
        yield {"neighbors": neighbors}
    for k in (1, 2, 5, 15, 20):
        yield {"k": k, "rivals": "full"}
    for system in ("popularity", "mf-als", "ease", "item-knn"):
        yield {"system": system}
        yield {"system": system, "rivals": "full", "k": 3}
    yield {"liked": (1,)}
    yield {"seed": 1}


def test_over_twenty_states_the_axes_of_every_figure_stay():
    """A pool has its own axis, so there is one set of ranges a pool."""
    moves = list(states())
    assert len(moves) == 20
    ranges = {}
    trail = ()
    for move in moves:
        shown = live.compute(**(MADE_UP | move))
        for figure in EXPLORER.figures:
            drawn = figure.draw(shown, Appearance(trail=trail))
            if isinstance(drawn, dict):
                json.dumps(drawn, allow_nan=False)
                axes = [drawn["layout"][axis]["range"] for axis in ("xaxis", "yaxis")]
                assert ranges.setdefault((figure.name, shown.rivals), axes) == axes
                assert drawn["layout"]["uirevision"] == "constant"
                assert drawn["layout"]["meta"]["alt"]
        trail += (dashboard.mark(shown),)
    assert len(ranges) == 8


def test_your_curve_comes_with_the_first_move_and_leaves_a_dot(result):
    draw = EXPLORER.figures[0].draw
    before = [trace.get("name") for trace in draw(result, Appearance())["data"]]
    after = [trace.get("name") for trace in draw(result, Appearance(trail=(dashboard.mark(result),)))["data"]]
    assert "item-kNN" not in before
    assert {"item-kNN", "an earlier move"} <= set(after)


def test_dots_of_another_pool_stay_off_these_axes(result):
    other = dashboard.mark(replace(result, rivals="full"))
    assert EXPLORER.figures[0].draw(result, Appearance(trail=(other,))) == EXPLORER.figures[0].draw(
        result, Appearance()
    )


def test_a_result_that_was_read_has_a_hollow_dot(result):
    for filled, symbol in ((True, "circle"), (False, "circle-open")):
        trace = EXPLORER.figures[0].draw(result, Appearance(filled=filled))["data"][-1]
        assert trace["marker"]["symbol"] == [symbol]


def test_the_whole_curve_is_the_mean_of_its_seeds(monkeypatch):
    monkeypatch.setattr(live, "SEEDS", (0, 1))
    monkeypatch.setattr(live, "STOPS", (5, 50))
    monkeypatch.setattr(live, "MEMORY", Memory(1 << 26))  # a curve of two seeds is for nobody else
    found = live.curve(EXPLORER.defaults | MADE_UP).by_neighbors("sampled", 10)
    expected = [
        np.mean([live.compute(neighbors=n, seed=seed, **MADE_UP).sampled.yours[9] for seed in (0, 1)]) for n in (5, 50)
    ]
    assert found.y == pytest.approx(expected, abs=1e-6)
    assert all(low < mean < high for low, mean, high in zip(found.low, found.y, found.high, strict=True))


def test_the_committed_curve_is_the_one_that_would_be_computed(monkeypatch):
    values = EXPLORER.defaults | {"system": "popularity"}
    read = live.curve(values).rates
    monkeypatch.setattr(live, "MEMORY", Memory(1 << 26))
    monkeypatch.setattr(live, "_committed", lambda *about: None)
    computed = live.curve(values).rates
    for pool in live.POOLS:
        assert read[pool].shape == computed[pool].shape == (1, 20, 3)
        assert read[pool] == pytest.approx(computed[pool], abs=2 / 943)  # as forgiving as the check of the table


def test_every_stop_of_the_book_is_committed(monkeypatch):
    monkeypatch.setattr(live, "_hits", None)  # nothing may be computed
    monkeypatch.setattr(live, "MEMORY", Memory(1 << 26))
    for system, _ in EXPLORER.control("system").choices:
        found = live.curve(EXPLORER.defaults | {"system": system})
        assert found.rates["full"].shape == (len(live.STOPS) if system == "item-knn" else 1, 20, 3)


def test_the_lists_escape_titles_and_count_what_they_share(result):
    text = EXPLORER.figures[1].draw(replace(result, yours=("<b>", "A (1999)"), popular=("A (1999)", "B")), Appearance())
    assert "<b>" not in text
    assert "1 of 2 on both lists" in text


def test_the_table_has_every_number_of_the_figures(result):
    rows = dashboard.table(result)
    assert list(rows.columns) == ["figure", "series", "x", "y", "low", "high", "title"]
    chosen = rows[(rows.figure == "hit rate by list length, of 100") & (rows.series == "you") & (rows.x == result.k)]
    assert chosen.y.item() == result.sampled.yours[result.k - 1]
    assert (chosen.low.item(), chosen.high.item()) == result.sampled.interval
    assert rows[rows.figure == "list"].title.tolist() == [*result.yours, *result.popular]


@pytest.mark.parametrize("move", [{"neighbors": 20, "k": 5, "seed": 3}, {"system": "ease"}])
def test_the_snippet_in_a_fresh_python_prints_the_numbers_of_the_screen(move):
    values = EXPLORER.defaults | MADE_UP | move
    done = subprocess.run([sys.executable, "-c", dashboard.snippet(values)], capture_output=True, text=True, check=True)
    shown = live.compute(**values)
    at = shown.k - 1
    near, far = shown.sampled, shown.full
    assert done.stdout.splitlines() == [
        f"{shown.system}: {near.yours[at]:.3f} of 100, {far.yours[at]:.3f} of all",
        f"popularity: {near.popular[at]:.3f} of 100, {far.popular[at]:.3f} of all",
    ]


def test_another_length_of_the_list_needs_neither_split_nor_similarities(monkeypatch):
    """With a seed for each reader those take nine megabytes a reader, and may have been dropped."""
    memory = Memory(64 << 20)
    for module in (
        "primers.recommenders.ranking",
        "primers.recommenders.compute",
        "dashboard.folds",
        "dashboard.people",
    ):
        monkeypatch.setattr(f"recprivlib.{module}.MEMORY", memory)
    first = live.compute(seed=3, k=4, **MADE_UP)
    for key in [key for key in memory._kept if key[0] in ("fold", "ranked", "model")]:
        memory.held -= memory._kept.pop(key)[1]
    for name in ("split", "rank_neighbours"):
        monkeypatch.setattr(f"recprivlib.dashboard.folds.{name}", lambda *_: pytest.fail("made anew"))
    other = live.compute(seed=3, k=5, **MADE_UP)
    assert other.sampled.yours == first.sampled.yours
    assert other.sampled.interval != first.sampled.interval


# --------------------------------------------------------------------------------------------- the order that turns


def drawn_order(k, **how):
    which = explorer("recommenders")
    return which.figure("order").draw(which.compute(k=k), Appearance(**how))


def test_both_orders_stand_in_one_picture():
    """At the step's own ten films one line lies above level and one below, each farther than its interval."""
    sampled, full = (live.order(pool)[9] for pool in ("sampled", "full"))
    assert (sampled.verb, full.verb) == ("beats", "loses to")
    figure = drawn_order(10)
    heights = {one["name"]: one["y"][0] for one in figure["data"] if one["mode"] == "markers"}
    assert heights["among 100 films"] > 0 > heights["among all films"]
    low, high = figure["layout"]["yaxis"]["range"]
    assert all(low < 100 * end < high for gap in (*live.order("sampled"), *live.order("full"))
               for end in (gap.low, gap.high))  # fmt: skip


@pytest.mark.parametrize("k", [1, 10, 20])
def test_who_is_ahead_is_said_only_where_the_interval_earns_it(k):
    said = words.say_order(explorer("recommenders").compute(k=k))
    for pool in ("sampled", "full"):
        gap = live.order(pool)[k - 1]
        word = {"beats": "more than EASE", "loses to": "fewer than EASE"}.get(gap.verb, "about as many as EASE")
        assert word in said
    level = words._ahead(Difference(0.01, -0.01, 0.03))
    assert level == "about as many as EASE [−1.0, +3.0]"
