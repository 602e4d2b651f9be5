"""Dashboard `recommenders`: how good is good? Recommenders without privacy beside a list that needs no model at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.dashboard import controls, snippets
from recprivlib.dashboard.contract import Control, Explorer, Figure, Mark, Predict, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import dataset, holdout, tidy, votes
from recprivlib.dashboard.memory import MEMORY
from recprivlib.dashboard.people import film, spoken
from recprivlib.data import Dataset
from recprivlib.evaluation import stream
from recprivlib.plots.axes import GROUPS
from recprivlib.plots.frontier import Line
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import count, percent
from recprivlib.primers.recommenders import figures as plots
from recprivlib.primers.recommenders import ranking
from recprivlib.primers.recommenders.ranking import LONGEST, POOLS, Groups, Rates
from recprivlib.protocols import Array
from recprivlib.tables import results
from recprivlib.yardsticks.plain import SYSTEMS

PROTOCOL = "loo-latest"
RESULTS = "recommenders_lengths"  # the committed table of the whole curves
SEEDS = tuple(range(10))  # of the whole curve
STOPS = (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500)
OF = "mean of the seeds"
STALKER = 1158  # in MovieLens 100K: eleven people saw it
NAMES = {"item-knn": "item-kNN", "mf-als": "MF", "ease": "EASE", "popularity": "popularity"}


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    system: str
    neighbors: int | None  # None: the system has none
    k: int
    rivals: str
    data: str
    seed: int
    users: int
    items: int
    sampled: Rates
    full: Rates
    groups: Groups
    whose: str
    liked: tuple[str, ...]
    yours: tuple[str, ...]
    popular: tuple[str, ...]

    @property
    def shown(self) -> Rates:
        """The pool that the reader chose."""
        return self.sampled if self.rivals == "sampled" else self.full

    @property
    def name(self) -> str:
        return NAMES[self.system]


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean over ten seeds with its band, for both pools: (stops, K, 3) = mean, low, high."""

    stops: tuple[int, ...]  # one stop for a system without neighbours
    rates: dict[str, Array]

    def by_length(self, pool: str, neighbors: int | None, name: str) -> Line | None:
        """Against K, at a neighbourhood on the grid."""
        if neighbors is not None and neighbors not in self.stops:
            return None
        part = self.rates[pool][self.stops.index(neighbors) if neighbors else 0]
        mean, low, high = map(tuple, part.T)
        return Line(name, "bound", range(1, LONGEST + 1), mean, low, high, of=OF)

    def by_neighbors(self, pool: str, k: int) -> Line | None:
        """Against the neighbourhood, at a K."""
        if len(self.stops) == 1:
            return None
        mean, low, high = map(tuple, self.rates[pool][:, k - 1].T)
        return Line(NAMES["item-knn"], "bound", self.stops, mean, low, high, of=OF)


# ------------------------------------------------------------------------------------------- compute


def compute(
    system: str = "item-knn",
    neighbors: int = 50,
    k: int = 10,
    rivals: str = "sampled",
    liked: tuple[int, ...] = (),
    data: str = "ml-100k",
    seed: int = 0,
) -> Result:
    """Train, rank everybody's next film, and make a list from the films you liked."""
    source = dataset(data)
    person, whose = ranking.history(source, liked)
    scores = {
        "yours": _hits(source, system, neighbors, seed),
        "popular": _hits(source, "popularity", 0, seed),
        "chance": ranking.chance(source, seed),
    }
    rates, groups = ranking.rates(source, seed, k, rivals, scores)
    lists = [_list(source, name, neighbors, seed, person) for name in (system, "popularity")]
    titles = [spoken(source, items) for items in (person.indices, *lists)]
    return Result(
        system, neighbors if system == "item-knn" else None, k, rivals, data, seed,
        source.interactions.n_users, source.interactions.n_items, rates["sampled"], rates["full"], groups,
        whose, *titles,
    )  # fmt: skip


def _model(data: Dataset, system: str, neighbors: int, seed: int) -> Any:
    """The trained model; a neighbourhood is a slice of the similarities that are already ranked."""
    if system == "item-knn":
        return votes(data, seed, neighbors)
    fit = SYSTEMS[system].system.fit
    return MEMORY.get(
        ("model", data.checksum, seed, system), lambda: fit(holdout(data, seed).train, stream(seed, "fit"))
    )


def _hits(data: Dataset, system: str, neighbors: int, seed: int) -> ranking.Hits:
    return ranking.hits(data, seed, _key(system, neighbors), lambda: _model(data, system, neighbors, seed))


def _list(data: Dataset, system: str, neighbors: int, seed: int, person: sp.csr_array) -> Array:
    """The films for one person; kept, since most moves leave them as they are."""
    key = ("list", data.checksum, seed, *_key(system, neighbors), tuple(person.indices.tolist()))
    return MEMORY.get(key, lambda: ranking.best(_model(data, system, neighbors, seed), person))


def _key(system: str, neighbors: int) -> tuple[str, int | None]:
    return system, neighbors if system == "item-knn" else None


def curve(values: Values) -> Curve:
    """The whole curve: ten seeds, and for item-kNN every stop of its slider.

    The book's own data has it in the committed results; other data takes seconds the first time, then it is kept.
    """
    data, system = dataset(values["data"]), values["system"]
    stops = STOPS if system == "item-knn" else (0,)

    def make() -> Curve:
        known = _committed(data.checksum, system, stops)
        if known is not None:
            return known
        rows = [ranking.averaged([_hits(data, system, stop, seed) for seed in SEEDS]) for stop in stops]
        return Curve(stops, {pool: np.array([row[pool] for row in rows]) for pool in POOLS})

    return MEMORY.get(("curve", data.checksum, system), make)


def _committed(checksum: str, system: str, stops: tuple[int, ...]) -> Curve | None:
    """The curve as it was committed; None where these data or stops were not run."""
    frame = results(RESULTS)
    frame = frame[(frame.checksum == checksum) & (frame.system == system)].fillna({"neighbors": 0})
    frame = frame.set_index(["neighbors", "metric"])[["value", "low", "high"]]
    names = {pool: [f"hr@{k}{suffix}" for k in range(1, LONGEST + 1)] for pool, suffix in POOLS.items()}
    try:
        return Curve(stops, {
            pool: np.array([frame.loc[[(stop, metric) for metric in named]].to_numpy() for stop in stops])
            for pool, named in names.items()
        })  # fmt: skip
    except KeyError:
        return None


# ------------------------------------------------------------------------------------- words, numbers


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    near, far = result.sampled, result.full
    k = result.k
    if result.system == "popularity":
        return (f"One list for everybody, no model at all: in a line-up of 100 films your next film is in its "
                f"top {k} {percent(near.yours[k - 1])} of the time. Among all {count(result.items)} films: "
                f"{percent(far.yours[k - 1])}.")  # fmt: skip
    lineup = (f"In a line-up of 100 films, the top {k} of {result.name} holds your next film "
              f"{percent(near.yours[k - 1])} of the time and {near.versus.verb} just what is popular "
              f"({percent(near.popular[k - 1])}).")  # fmt: skip
    catalogue = (f"Among all {count(result.items)} films it holds {percent(far.yours[k - 1])} and "
                 f"{far.versus.verb} what is popular ({percent(far.popular[k - 1])}).")  # fmt: skip
    return f"{lineup} {catalogue}"


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    near, far = result.sampled.yours[result.k - 1], result.full.yours[result.k - 1]
    said = PREDICT.answers[answer].lower()
    return (f"You said {said}. Of {percent(near)} in the line-up, {percent(far)} is left among all "
            f"{count(result.items)} films: {percent(far / near)} of the score.")  # fmt: skip


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


def _field(result: Result) -> str:
    return "In a line-up of 100 films" if result.rivals == "sampled" else f"Among all {count(result.items)} films"


def say_length(result: Result) -> str:
    """One of the two tasks, in words."""
    shown, k = result.shown, result.k
    told = (
        f"{_field(result)} the top {k} of {result.name} holds your next film {percent(shown.yours[k - 1])} of the time"
    )
    if result.system == "popularity":
        return f"{told}. It is one list for everybody."
    return f"{told} in this draw; it {shown.versus.verb} just what is popular, {percent(shown.popular[k - 1])}."


def say_lists(result: Result) -> str:
    """Two lists, in words."""
    same = len(set(result.yours) & set(result.popular))
    return (
        f"{same} of the {len(result.yours)} films on this list are on the popular list too; the others are not for all."
    )


def say_activity(result: Result) -> str:
    """Whom it serves, in words."""
    known = [pair for pair in zip(result.groups.yours, GROUPS, strict=True) if not np.isnan(pair[0])]
    best, least = max(known), min(known)
    return (f"{_field(result)}, {result.name} finds the next film of {percent(best[0])} of those with {best[1]} films, "
            f"and of {percent(least[0])} of those with {least[1]}.")  # fmt: skip


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    y = result.shown.yours[result.k - 1]
    points = {"length": (float(result.k), y)}
    if result.neighbors:
        points["neighbors"] = (float(result.neighbors), y)
    return Mark(points, tag=f"{result.rivals} {result.data}")


# ------------------------------------------------------------------------------------------- figures


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


def draw_lists(result: Result, look: Look) -> str:
    return plots.lists(result.whose, result.liked, result.yours, result.popular, look.large)


# ------------------------------------------------------------------------------------------ controls


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

PREDICT = Predict(
    "So far your next film has 99 random rivals. Let all the films compete: how much of the hit rate is left?",
    ("About the same", "About half", "A fifth or less"),
    reply,
)

TRIES = (
    Try("Five neighbours, then 500", {"neighbors": 5},
        "Move the neighbours to 500 and read your list: well-known films move in. Is it still yours?"),
    Try("One obscure film", {"liked": (STALKER,), "neighbors": 20, "data": "ml-100k"},
        "The server knows one film of yours, and few people saw it. What does it make of it?"),
    Try("Let all films compete", {"rivals": "full"}, "The same model, the same people. Only the rivals are new."),
)  # fmt: skip

EXPLORER = Explorer(
    stem="recommenders",
    title="How good is good?",
    controls=CONTROLS,
    compute=compute,
    figures=figures(
        Figure("length", "Is your next film on the list?", draw_length, "main", 340, say=say_length),
        Figure("lists", "Your list and the popular list", draw_lists, "beside", say=say_lists),
        Figure("neighbors", "How many neighbours should vote?", draw_neighbors, axis="neighbors", say=say_length),
        Figure("activity", "Whom does it serve?", draw_activity, say=say_activity),
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
