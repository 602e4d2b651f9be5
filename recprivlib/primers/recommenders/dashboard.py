"""Dashboard `recommenders`: how good is good? Recommenders without privacy beside a list that needs no model at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from recprivlib.dashboard import controls, snippets
from recprivlib.dashboard.contract import Control, Explorer, Figure, Mark, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import dataset, tidy
from recprivlib.dashboard.memory import MEMORY
from recprivlib.dashboard.people import film
from recprivlib.plots.axes import GROUPS
from recprivlib.plots.look import Look
from recprivlib.primers.recommenders import figures as plots
from recprivlib.primers.recommenders.compute import NAMES, STOPS, Result, compute, curve, order
from recprivlib.primers.recommenders.ranking import LONGEST, POOLS
from recprivlib.primers.recommenders.words import PREDICT, say, say_activity, say_length, say_lists, say_order

PROTOCOL = "loo-latest"


STALKER = 1158  # in MovieLens 100K: eleven people saw it


# ---------------------------------------------------------------------------------------------------- words, numbers


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    rows: list[tuple] = []
    for name, rates in (("100", result.sampled), (str(result.items), result.full)):
        figure = f"hit rate by list length, of {name}"
        for series, values in (("you", rates.yours), ("popularity", rates.popular), ("random", rates.chance)):
            for k, value in enumerate(values, 1):
                bounds = rates.interval if series == "you" and k == result.k else ()
                rows.append((figure, series, k, value, *bounds))
    groups = result.groups
    for at, group in enumerate(GROUPS):
        figure = f"hit rate by films in the history, of {100 if result.rivals == 'sampled' else result.items}"
        rows.append((figure, "you", group, groups.yours[at], *groups.intervals[at]))
        rows.append((figure, "popularity", group, groups.popular[at]))
    for series, titles in (("you", result.yours), ("popularity", result.popular)):
        rows += [("list", series, rank, np.nan, title) for rank, title in enumerate(titles, 1)]
    return tidy(rows, "title")


def snippet(values: Values) -> str:
    """Python that prints the numbers of the sentence, from the library's own parts."""
    system, k = values["system"], values["k"]
    settings = {"neighbors": values["neighbors"]} if system == "item-knn" else {}
    shown = f"{{metrics['hr@{k}']:.3f}} of 100, {{metrics['hr@{k}/full']:.3f}} of all"
    return snippets.trained(values, PROTOCOL, ((system, settings), ("popularity", {})), shown, ks=f", ks=({k},)")


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    y = result.shown.yours[result.k - 1]
    points = {"length": (float(result.k), y)}
    if result.neighbors:
        points["neighbors"] = (float(result.neighbors), y)
    return Mark(points, tag=f"{result.rivals} {result.data}")


# ----------------------------------------------------------------------------------------------------------- figures


def role(result: Result) -> tuple[str, str]:
    """Nothing here is private: the one colour, and the system's name."""
    return "bound", result.name


def draw_length(result: Result, look: Look) -> dict[str, Any]:
    rates, whole = result.shown, look.curve
    look = replace(look, curve=whole and whole.by_length(result.rivals, result.neighbors, result.name))
    return plots.list_length(look, result.rivals, result.k, rates.yours, rates.popular, rates.chance, rates.interval)


def draw_neighbors(result: Result, look: Look) -> dict[str, Any]:
    rates, k, whole = result.shown, result.k, look.curve
    look = replace(look, curve=whole and whole.by_neighbors(result.rivals, k))
    own, popular, chance = (values[k - 1] for values in (rates.yours, rates.popular, rates.chance))
    return plots.by_neighbors(look, result.rivals, result.neighbors, own, popular, chance, rates.interval)


def draw_activity(result: Result, look: Look) -> dict[str, Any]:
    groups = result.groups
    return plots.by_activity(look, result.rivals, groups.yours, groups.intervals, groups.popular)


def draw_order(result: Result, look: Look) -> dict[str, Any]:
    return plots.order(look, result.k, {pool: order(pool) for pool in POOLS})


def draw_lists(result: Result, look: Look) -> str:
    return plots.lists(result.whose, result.liked, result.yours, result.popular, look.large)


# ---------------------------------------------------------------------------------------------------------- controls


def _films(values: Values) -> tuple[tuple[int, str], ...]:
    """Every film of the chosen data, by title."""
    data = dataset(values["data"])

    def make() -> tuple[tuple[int, str], ...]:
        named = ((item, film(title)) for item, title in enumerate(data.titles))
        return tuple(sorted(named, key=lambda pair: pair[1].lower()))

    return MEMORY.get(("titles", data.checksum), make)


def effort(values: Values) -> float:
    """Seconds that a step takes about, where nothing of it is remembered."""
    return 3.0 if values["data"] == "ml-1m" else 0.1


CONTROLS = (
    Control("k", "Length of the list, K", "integer", 10, 1, LONGEST, tuple(range(1, LONGEST + 1)),
            ends=("one film", "twenty films"), place="axis", figure="length",
            spoken=lambda k: f"a list of {k} film{'' if k == 1 else 's'}"),
    Control("system", "System", "choice", "item-knn",
            choices=(("popularity", "just what is popular"), ("item-knn", "item-kNN"), ("mf-als", "MF"),
                     ("ease", "EASE"))),
    Control("neighbors", "Neighbours", "integer", 50, 5, 500, STOPS, ends=("few close films", "everything"), log=True,
            spoken=lambda n: f"{n} neighbours", active=lambda values: values["system"] == "item-knn", ahead=True),
    Control("rivals", "Rivals", "choice", "sampled", choices=(("sampled", "99 random films"), ("full", "all films"))),
    Control("liked", "Films I liked", "films", (), 0, 10, ends=("Ada's", ""), options=_films,
            hint="None chosen: Ada's films. Ada is invented."),
    controls.data("ml-100k", "ml-1m", "synthetic"),
    controls.seed(),
)  # fmt: skip


TRIES = (
    Try("Five neighbours, then 500", {"neighbors": 5},
        "Move the neighbours to 500 and read your list: well-known films move in. Is it still yours?"),
    Try("One obscure film", {"liked": (STALKER,), "neighbors": 20, "data": "ml-100k"},
        "The server knows one film of yours, and few people saw it. What does it make of it?"),
    Try("Let all films compete", {"rivals": "full"}, "The same model, the same people. Only the rivals are new."),
)  # fmt: skip


LINED = ("k", "system", "neighbors", "rivals", "data", "seed")  # what moves a hit rate


EXPLORER = Explorer(
    stem="recommenders",
    title="How good is good?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("length", "Is your next film on the list?", draw_length, "main", 340, say=say_length, controls=LINED),
        Figure(
            "lists",
            "Your list and the popular list",
            draw_lists,
            "beside",
            say=say_lists,
            controls=("system", "neighbors", "liked", "data", "seed"),
        ),
        Figure(
            "neighbors",
            "How many neighbours should vote?",
            draw_neighbors,
            axis="neighbors",
            say=say_length,
            controls=LINED,
        ),
        Figure("activity", "Whom does it serve?", draw_activity, say=say_activity, controls=LINED),
        Figure("order", "Who is ahead?", draw_order, "path", 340, axis="k", say=say_order, controls=("k",)),
        mark=mark,
        role=role,
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=PREDICT,
    tries=TRIES,
    mark=mark,
    curve=curve,
    curve_over=("k", "neighbors", "rivals", "liked", "seed"),
    effort=effort,
    reseed="seed",
    brief=say_length,
    still={
        "k": (1, 3, 5, 10, 15, 20),
        "neighbors": (5, 10, 20, 50, 100, 200, 500),
        "system": tuple(NAMES),
        "rivals": tuple(POOLS),
    },
)
