"""Dashboard 5.3: if every phone lies about every film, is the crowd still of use?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from recprivlib.accounting import guarantee
from recprivlib.audit import audit
from recprivlib.baselines import SYSTEMS as BASELINES
from recprivlib.data import Dataset
from recprivlib.evaluation import Difference, Scores, evaluate, intervals, stream, total
from recprivlib.live import crowd
from recprivlib.live.contract import Control, Cost, Explorer, Figure, Mark, Predict, Try, Values, View
from recprivlib.live.memory import MEMORY
from recprivlib.live.ranking import ADA
from recprivlib.live.shared import dataset, film, holdout
from recprivlib.models.constants import PerItem
from recprivlib.models.items import ItemWeights
from recprivlib.models.neighbours import Ranked, neighbourhood, rank_neighbours
from recprivlib.papers import dplcf
from recprivlib.parameters import configured
from recprivlib.plots import dplcf as plots
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import bare, best_guess, count, percent, setting
from recprivlib.plots.palette import themed
from recprivlib.plots.strip import Strip, strip
from recprivlib.protocols import Array
from recprivlib.results import names, results

LENGTHS = tuple(range(1, 11))
MOST = 200  # neighbours kept in the ranked lists
PAIRS = 2000  # pairs of films in the scatter
TRIES = 100_000
TILES = 40
RESULTS = "dplcf"  # the committed table

# server -> (system, settings, role of its line, name)
SERVERS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "sp": ("dplcf-sp", {}, "printed", "SP, as printed"),
    "ap": ("dplcf-ap", {}, "printed", "AP"),
    "ap-printed": ("dplcf-ap", {"inverse": "printed"}, "printed", "AP, printed inverse"),
    "blind": ("lcf-sp", {}, "printed", "blind to noise"),
    "feasible": ("dplcf-sp", {"cut": "feasible"}, "repaired", "SP, estimates cut"),
    "spectral": ("dplcf-spectral", {}, "beyond", "spectral"),
}
METRICS = {"hr@10": ("hr", 10), "hr@5": ("hr", 5), "hr@2": ("hr", 2), "ndcg@10": ("ndcg", 10)}
UNITS = {"click": ("interaction", "add-remove", "one click, there or not"),
         "swap": ("interaction", "swap", "one click, exchanged for another"),
         "history": ("user", "replace", "your whole history, exchanged")}  # fmt: skip


@dataclass(frozen=True)
class Rates:
    """One list maker: hit rates and nDCG at K = 1..10."""

    hr: tuple[float, ...]
    ndcg: tuple[float, ...]

    def at(self, metric: str) -> float:
        kind, k = METRICS[metric]
        return float((self.hr if kind == "hr" else self.ndcg)[k - 1])


@dataclass(frozen=True)
class Bill:
    """The three numbers at one unit."""

    claimed: float | None
    counted: float
    why_infinite: str
    attacked: float
    ceiling: float
    verdict: str
    other_terms: str


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    epsilon: float
    server: str
    people: int
    users: int  # phones that have reported (fewer than all while a crowd is still reporting)
    items: int
    neighbors: int
    metric: str
    unit: str
    data: str
    seed: int
    truth: float  # P(a watched film is reported as watched)
    honest: float  # P(an unwatched film is reported as unwatched)
    lies: float  # false statements one phone is expected to make
    yours: Rates
    interval: tuple[float, float]  # of `yours` at the metric, over users
    versus: Difference  # yours less popular, same people
    bound: Rates
    popular: Rates
    private_popular: Rates
    chance: Rates
    pairs: plots.Pairs
    watched: tuple[bool, ...]
    reported: tuple[bool, ...]
    titles: tuple[str, ...]
    bill: Bill


# ------------------------------------------------------------------------------------------- compute


def compute(
    epsilon: float = 1.0,
    server: str = "sp",
    people: int = 1,
    neighbors: int = 20,
    metric: str = "hr@10",
    unit: str = "click",
    data: str = "ml-100k",
    seed: int = 0,
) -> Result:
    """Flip every bit of every phone, let the server learn, and rank everybody's next film at home."""
    *_, (_, result) = steps(epsilon, server, people, neighbors, metric, unit, data, seed)
    return result


def steps(
    epsilon: float = 1.0,
    server: str = "sp",
    people: int = 1,
    neighbors: int = 20,
    metric: str = "hr@10",
    unit: str = "click",
    data: str = "ml-100k",
    seed: int = 0,
) -> Iterator[tuple[float, Result]]:
    """The same, after every block of phones that has reported: the crowd grows before your eyes."""
    source = dataset(data)
    system = configured(dplcf.SYSTEMS[SERVERS[server][0]].system, SERVERS[server][1] | {"epsilon": epsilon})
    if server != "spectral":
        system = configured(system, {"neighbors": neighbors})
    flipping = system.ledger(source.interactions.sizes).releases[0].mechanism
    number = crowd.blocks(source, people)
    key = (source.checksum, people, seed, server, epsilon)

    def shown(learned: Learned, yours: Scores) -> Result:
        return _result(source, system, flipping, learned, yours, people, server, neighbors, metric, unit, seed)

    def kept(learned: Learned) -> Result:
        make = partial(_yours, source, learned, neighbors, seed)
        return shown(learned, MEMORY.get(("dplcf yours", *key, neighbors), make))

    known = MEMORY.known(("learned", *key))
    if known is not None:
        yield 1.0, kept(known)
        return
    for done, sums in enumerate(crowd.sums(source, people, seed, flipping), 1):
        learned = _learn(source, system, flipping, sums, people, seed)
        if done == number:
            MEMORY.get(("learned", *key), lambda made=learned: made)  # type: ignore[misc]
            yield 1.0, kept(learned)
        else:
            yield done / number, shown(learned, _yours(source, learned, neighbors, seed))


@dataclass(frozen=True, eq=False)
class Learned:
    """What a server made of the reports; `model` is None where a neighbourhood is still to be cut from `ranked`."""

    users: int
    ranked: Ranked | None
    model: Any
    private: Rates  # of the noisy popularity from the same reports
    estimated: Array  # similarity of the pairs in the scatter


def _learn(source: Dataset, system: Any, flipping: Any, sums: Mapping[str, Array], people: int, seed: int) -> Learned:
    held_out, rng = holdout(source, seed), crowd.learner(source, people, seed)
    popular = dplcf.popularity(sums, flipping.p, flipping.q).astype(np.float32)
    private, users = _rates(_scores(held_out, PerItem(popular))), int(sums["users"])
    first, second = _pairs(source, seed)
    if isinstance(system, dplcf.DPLCFSpectral):
        model: Any = system.model(system.learn(None, sums, rng), held_out.train)
        estimated = _spectral_similarity(model, system, users, popular, first, second)
        return Learned(users, None, model, private, estimated)
    similarity = system.similarities(sums)
    ranked = rank_neighbours(similarity, MOST, rng)
    return Learned(users, ranked, None, private, similarity[first, second])


def _spectral_similarity(model: Any, system: Any, users: int, popular: Array, first: Array, second: Array) -> Array:
    """Jaccard similarity of pairs from the denoised Gram matrix V diag(x²) Vᵀ."""
    f, ridge = model.filter, system.ridge * users
    lengths = ridge * f / np.maximum(1 - f, 1e-6)  # f ≈ x²/(x² + ridge) with c² ≈ 1
    both = ((model.vectors[first] * lengths) * model.vectors[second]).sum(axis=1)
    whole = np.clip(popular, 1, users)
    both = np.clip(both, 0, np.minimum(whole[first], whole[second]))
    return both / (whole[first] + whole[second] - both)


def _result(
    source: Dataset, system: Any, flipping: Any, learned: Learned, yours: Scores, people: int, server: str,
    neighbors: int, metric: str, unit: str, seed: int,
) -> Result:  # fmt: skip
    popular = _baseline(source, seed, "popularity")
    name = "{}@{}".format(*METRICS[metric])
    drawn = intervals({"own": yours.per_user[name], "versus": yours.per_user[name] - popular.per_user[name]}, seed)
    versus = Difference(total(yours.per_user[name]) - total(popular.per_user[name]), *drawn["versus"])
    watched, reported, titles = _tiles(source, flipping, seed)
    sizes = source.interactions.sizes
    return Result(
        epsilon=system.epsilon, server=server, people=people, users=learned.users, items=sizes.items,
        neighbors=neighbors, metric=metric, unit=unit, data=source.name, seed=seed,
        truth=flipping.p, honest=1 - flipping.q, lies=_lies(source, flipping),
        yours=_rates(yours), interval=drawn["own"], versus=versus,
        bound=_rates(_bound(source, seed, neighbors)), popular=_rates(popular),
        private_popular=learned.private,
        chance=_rates(_baseline(source, seed, "chance")),
        pairs=plots.Pairs(*_truth(source, seed), learned.estimated), watched=watched, reported=reported, titles=titles,
        bill=_bill(system, source, unit, SERVERS[server][0]),
    )  # fmt: skip


def _yours(source: Dataset, learned: Learned, neighbors: int, seed: int) -> Scores:
    """How well the server does, with so many neighbours cut from what it learned."""
    held_out, model = holdout(source, seed), learned.model
    if learned.ranked is not None:
        model = ItemWeights(held_out.train.matrix, neighbourhood(learned.ranked, neighbors))
    return _scores(held_out, model)


def _scores(held_out: Any, model: Any) -> Scores:
    return evaluate(model, held_out, LENGTHS, full=False)


def _rates(scores: Scores) -> Rates:
    metrics = scores.metrics
    return Rates(tuple(metrics[f"hr@{k}"] for k in LENGTHS), tuple(metrics[f"ndcg@{k}"] for k in LENGTHS))


def _baseline(source: Dataset, seed: int, name: str) -> Scores:
    """Popularity, or chance (a constant score: ties in expectation)."""

    def make() -> Scores:
        held_out = holdout(source, seed)
        if name == "chance":
            return _scores(held_out, PerItem(np.zeros(source.interactions.n_items, np.float32)))
        return _scores(held_out, BASELINES[name].system.fit(held_out.train, stream(seed, "fit")))

    return MEMORY.get(("dplcf", name, source.checksum, seed), make)


def _bound(source: Dataset, seed: int, neighbors: int) -> Scores:
    """The same recommender without noise, at the same number of neighbours."""

    def rank() -> Ranked:
        sums = dplcf.counted(holdout(source, seed).train.matrix.toarray() > 0)
        return rank_neighbours(dplcf.DPLCF(inverse="blind").similarities(sums), MOST)

    def make() -> Scores:
        ranked = MEMORY.get(("dplcf bound", source.checksum, seed), rank)
        held_out = holdout(source, seed)
        return _scores(held_out, ItemWeights(held_out.train.matrix, neighbourhood(ranked, neighbors)))

    return MEMORY.get(("dplcf bound", source.checksum, seed, neighbors), make)


def _lies(source: Dataset, flipping: Any) -> float:
    """Statements of a phone with a median history that are expected to be false."""
    length = float(np.median(np.bincount(source.interactions.users)))
    return length * (1 - flipping.p) + (source.interactions.n_items - length) * flipping.q


def _pairs(source: Dataset, seed: int) -> tuple[Array, Array]:
    """The same pairs of films always: half of them any two, half two that somebody met both of."""

    def make() -> tuple[Array, Array]:
        rng, matrix = np.random.default_rng(0), holdout(source, seed).train.matrix
        n = matrix.shape[1]
        first = rng.integers(0, n, PAIRS)
        second = (first + rng.integers(1, n, PAIRS)) % n
        both = (matrix.T @ matrix).tocoo()
        met = rng.choice(np.flatnonzero(both.row != both.col), PAIRS // 2, replace=False)
        first[: PAIRS // 2], second[: PAIRS // 2] = both.row[met], both.col[met]
        return first, second

    return MEMORY.get(("dplcf pairs", source.checksum, seed), make)


def _truth(source: Dataset, seed: int) -> tuple[Array, Array]:
    """The true similarity of the pairs, and how many people met the rarer of the two."""

    def make() -> tuple[Array, Array]:
        matrix = holdout(source, seed).train.matrix.tocsc()
        first, second = _pairs(source, seed)
        counts = np.diff(matrix.indptr)
        both = np.asarray(matrix[:, first].multiply(matrix[:, second]).sum(axis=0)).ravel()
        union = counts[first] + counts[second] - both
        return both / np.maximum(union, 1), np.minimum(counts[first], counts[second])

    return MEMORY.get(("dplcf truth", source.checksum, seed), make)


def _tiles(source: Dataset, flipping: Any, seed: int) -> tuple[tuple[bool, ...], tuple[bool, ...], tuple[str, ...]]:
    """Ada's films among others, what her phone reports of them, and their titles. Ada is invented."""

    def make() -> tuple[Array, Array, tuple[str, ...]]:
        numbers = {title: item for item, title in enumerate(source.titles)}
        popular = np.argsort(-np.bincount(source.interactions.items, minlength=len(source.titles)), kind="stable")
        hers = [numbers[title] for title in ADA if title in numbers] or [int(i) for i in popular[40:360:40]]
        others = [int(item) for item in popular[: 4 * TILES : 4] if item not in hers][: TILES - len(hers)]
        rng = np.random.default_rng([seed, TILES])
        shown = rng.permutation(np.array(hers + others))
        return np.isin(shown, hers), rng.random(len(shown)), tuple(film(source.titles[i]) for i in shown)

    watched, uniforms, titles = MEMORY.get(("dplcf tiles", source.checksum, seed), make)
    reported = flipping.release(watched, crowd.Replay(uniforms))
    return tuple(watched.tolist()), tuple(reported.tolist()), titles


def _bill(system: Any, source: Dataset, unit: str, name: str) -> Bill:
    """Claimed, counted, attacked at one unit; the attack runs now, on the real release."""
    what, relation, _ = UNITS[unit]
    sizes = source.interactions.sizes

    def make() -> Bill:
        ledger = system.ledger(sizes)
        counted = guarantee(ledger, what, relation, 0.0, "server")  # type: ignore[arg-type]
        tries = TRIES if unit != "history" else 2000
        done = audit(system, name=name, sizes=sizes, unit=what, relation=relation, trials=tries)  # type: ignore[arg-type]
        other = "" if unit == "click" else "one click"
        return Bill(
            done.claimed.epsilon if done.claimed else None, counted.epsilon, counted.why_infinite,
            done.attacked.epsilon_lower, done.attacked.ceiling, done.verdict, other,
        )  # fmt: skip

    return MEMORY.get(("dplcf bill", name, sizes, system.epsilon, unit), make)


def curve(values: Values) -> plots.Whole:
    """The committed curve of this server over ε, from ten draws; empty where nothing was committed."""
    told = {name: values[name] for name in ("server", "people", "neighbors", "metric", "data")}
    return MEMORY.get(("dplcf curve", *told.values()), lambda: _curve(told))


def _curve(values: Values) -> plots.Whole:
    name, settings, *_ = SERVERS[values["server"]]
    common = {"data": values["data"], "metric": values["metric"]}
    wanted = {**common, "population": values["people"], **settings}
    if name != "dplcf-spectral":
        wanted = {"neighbors": values["neighbors"], "cut": "ratio", **wanted}
    nothing = plots.Whole((), (), (), ())
    if RESULTS not in names():
        return nothing
    frame = results(RESULTS)
    rows = _rows(frame, name, wanted)
    if not len(rows):
        return nothing
    private = _rows(frame, "ldp-popularity", {**common, "reports": "bits"}) if values["people"] == 1 else rows[:0]
    shared = tuple(epsilon for epsilon in rows.index if epsilon in private.index)
    mean, low, high = (tuple(map(float, rows[column])) for column in ("value", "low", "high"))
    return plots.Whole(tuple(rows.index), mean, low, high, shared, tuple(float(private["value"][e]) for e in shared))


def _rows(frame: Any, system: str, wanted: Mapping[str, Any]) -> Any:
    """The committed rows of a system, by ε."""
    rows = frame[frame.system == system]
    for column, value in wanted.items():
        if column in rows:
            rows = rows[rows[column] == value]
    return rows.dropna(subset=["epsilon"]).drop_duplicates("epsilon").set_index("epsilon").sort_index()


# ------------------------------------------------------------------------------------- words, numbers


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    own, popular = result.yours.at(result.metric), result.popular.at(result.metric)
    phones = f"From {count(result.users)} such phones"
    if result.truth == 1:
        first = (f"At ε = {setting(result.epsilon)} every 'no' your phone sends is certainly true; of the films you "
                 f"never watched it claims {percent(1 - result.honest)}.")  # fmt: skip
    else:
        first = (f"At ε = {setting(result.epsilon)} your phone tells the truth about each film "
                 f"{percent(result.truth)} of the time.")  # fmt: skip
    kind, k = METRICS[result.metric]
    if kind == "hr":
        what = f"{phones}, {_who(result)} finds your next film {percent(own)} of the time, in its top {k} of 100"
        return f"{first} {what}; it {result.versus.verb} just what is popular, {percent(popular)}."
    what = f"{phones}, {_who(result)} reaches nDCG {bare(own, 2)} in the top {k} of 100"
    return f"{first} {what}; it {result.versus.verb} just what is popular, {bare(popular, 2)}."


def _who(result: Result) -> str:
    return {
        "sp": "the paper's server", "ap": "the paper's server", "ap-printed": "the server with the printed inverse",
        "blind": "a server blind to the noise", "feasible": "the server that cuts impossible estimates",
        "spectral": "the spectral server",
    }[result.server]  # fmt: skip


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    own, bound = result.yours.at("hr@10"), result.bound.at("hr@10")
    return (f"You said {PREDICT.answers[answer].lower()}. Of {percent(bound)} without privacy, {percent(own)} is "
            f"left: {percent(own / bound)} of it. Just what is popular finds "
            f"{percent(result.popular.at('hr@10'))}.")  # fmt: skip


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    import pandas as pd

    rows: list[tuple] = []
    series = (("this server", result.yours), ("no privacy", result.bound), ("popularity", result.popular),
              ("private popularity", result.private_popular), ("random", result.chance))  # fmt: skip
    for kind in ("hr", "ndcg"):
        for name, rates in series:
            values = rates.hr if kind == "hr" else rates.ndcg
            for k, value in zip(LENGTHS, values, strict=True):
                shown = name == "this server" and METRICS[result.metric] == (kind, k)
                low, high = result.interval if shown else (np.nan, np.nan)
                rows.append((f"{kind}@K of 100", name, k, value, low, high, ""))
    for title, watched, reported in zip(result.titles, result.watched, result.reported, strict=True):
        word = "the truth" if watched == reported else "a lie"
        rows.append(("Ada's phone", "reported", title, float(reported), np.nan, np.nan, word))
    bill = result.bill
    for name, number in (("claimed", bill.claimed), ("counted", bill.counted), ("attacked, at least", bill.attacked)):
        rows.append(("bill", name, UNITS[result.unit][2], number, np.nan, np.nan, ""))
    return pd.DataFrame(rows, columns=["figure", "series", "x", "y", "low", "high", "note"])


def snippet(values: Values) -> str:
    """Python that prints the numbers of the sentence, from the library's own parts."""
    name, extra, _, _ = SERVERS[values["server"]]
    settings: dict[str, Any] = {"epsilon": values["epsilon"], **extra}
    if values["server"] != "spectral":
        settings["neighbors"] = values["neighbors"]
    kind, k = METRICS[values["metric"]]
    seed, people = values["seed"], values["people"]
    phones = "held_out.train"
    if people > 1:
        phones = f"resample(held_out.train, {people}, np.random.default_rng([{seed}, {people}]))"
    return f'''import numpy as np
from recprivlib.data import load
from recprivlib.data.synthetic import resample
from recprivlib.evaluation import evaluate, split, stream
from recprivlib.parameters import configured
from recprivlib.registry import get

data = load("{values["data"]}")
(held_out,) = split(data.interactions, "loo-latest", seed={seed})
phones = {phones}
for name, settings, learns_from in (("{name}", {settings!r}, phones), ("popularity", {{}}, held_out.train)):
    model = configured(get(name).system, settings).fit(learns_from, stream({seed}, "fit"))
    metrics = evaluate(model.fold_in(held_out.train), held_out, ks=({k},), full=False).metrics
    print(f"{{name}}: {{metrics['{kind}@{k}']:.3f}}")
'''


def mark(result: Result) -> Mark:
    """The dots this move leaves behind."""
    y = result.yours.at(result.metric)
    tag = f"{result.metric} {result.data} {result.server}"
    return Mark({"rate": (result.epsilon, y)}, tag=tag)


# ------------------------------------------------------------------------------------------- figures


def _look(result: Result, view: View) -> Look:
    return Look(SERVERS[result.server][2], SERVERS[result.server][3], view.filled, view.narrow, view.large)


def draw_rate(result: Result, view: View) -> dict[str, Any]:
    earlier = [m.points["rate"] for m in view.trail if m.tag == mark(result).tag]
    levels = {name: rates.at(result.metric) for name, rates in (
        ("bound", result.bound), ("popularity", result.popular), ("private-popularity", result.private_popular),
        ("random", result.chance))}  # fmt: skip
    figure = plots.rate_by_epsilon(
        _look(result, view), METRICS[result.metric], result.epsilon, result.yours.at(result.metric), result.interval,
        levels, earlier, view.curve,
    )  # fmt: skip
    return themed(figure, view.theme)


def draw_lengths(result: Result, view: View) -> dict[str, Any]:
    lines = {"bound": result.bound.hr, "popularity": result.popular.hr,
             "private-popularity": result.private_popular.hr, "random": result.chance.hr}  # fmt: skip
    return themed(plots.by_length(_look(result, view), result.yours.hr, lines), view.theme)


def draw_pairs(result: Result, view: View) -> dict[str, Any]:
    return themed(plots.similarity(_look(result, view), result.pairs), view.theme)


def draw_tiles(result: Result, view: View) -> str:
    return plots.tiles(result.watched, result.reported, result.titles, result.lies, result.items, view.large)


def draw_strip(result: Result, view: View) -> str:
    bill = result.bill
    return strip(Strip(
        claimed=bill.claimed, counted=bill.counted, attacked=bill.attacked, ceiling=bill.ceiling,
        tries=TRIES if result.unit != "history" else 2000, why_infinite=bill.why_infinite, verdict=bill.verdict,
        other_terms=bill.other_terms, unit=UNITS[result.unit][2], trust="nobody (local)",
    ))  # fmt: skip


# ------------------------------------------------------------------------------------------ controls

EPSILONS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 1.7, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8)


def _cost(values: Values) -> Cost:
    return "on release" if values["people"] > crowd.KEPT else "live"


CONTROLS = (
    Control("epsilon", "ε", "number", 1.0, 0.1, 8.0, EPSILONS, log=True, place="axis", figure="rate", cost=_cost,
            ends=("more privacy, more noise", "less privacy, less noise"),
            spoken=lambda e: f"epsilon {e:g}, phone truthful {100 * best_guess(e):.0f} percent"),
    Control("server", "Server", "choice", "sp", choices=tuple((k, v[3]) for k, v in SERVERS.items()),
            hint="SP phones lie about any film, AP phones only about films not watched."),
    Control("people", "People", "choice", 1, choices=tuple((n, f"×{n}") for n in (1, 2, 4, 8, 16, 32, 80)),
            hint="×1: one town. ×80: a country."),
    Control("neighbors", "Neighbours", "integer", 20, 5, MOST, (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200),
            ends=("few close films", "many"), log=True, cost="live", spoken=lambda n: f"{n} neighbours",
            active=lambda values: values["server"] != "spectral"),
    Control("metric", "Score", "choice", "hr@10", place="more",
            choices=(("hr@10", "top 10"), ("hr@5", "top 5"), ("hr@2", "top 2"), ("ndcg@10", "nDCG@10"))),
    Control("unit", "The bill is for", "choice", "click", place="under",
            choices=(("click", "one click"), ("swap", "one swap"), ("history", "your whole history"))),
    Control("data", "Data", "choice", "ml-100k", place="more", cost="on release",
            choices=(("ml-100k", "MovieLens 100K"), ("synthetic", "1 000 invented people"))),
    Control("seed", "Draw", "seed", 0, 0, 9999, place="more"),
)  # fmt: skip

PREDICT = Predict(
    f"At ε = 1 a phone tells the truth about each film {percent(best_guess(1.0))} of the time. The server knows that "
    "and reckons with it. How much of the hit rate without privacy is left?",
    ("Nearly all of it", "Three quarters", "Two thirds", "Less than half"),
    reply,
)

STARTS = (
    Try("Where does it cross?", {"epsilon": 0.5}, "Drag ε until the dot meets the dashed line: what does a vote of "
        "943 phones cost before it beats a popularity chart?"),
    Try("A bigger crowd", {"epsilon": 0.5, "people": 4}, "The same noise on every phone. Now make it ×80 and watch "
        "the crowd report."),
    Try("The same reports, another server", {"server": "spectral"}, "Nothing changed on any phone."),
)  # fmt: skip

EXPLORER = Explorer(
    stem="dplcf",
    title="If every phone lies about every film, is the crowd still of use?",
    controls=CONTROLS,
    compute=compute,
    figures=(
        Figure("rate", "Is your next film on the list?", draw_rate, "main", 340),
        Figure("tiles", "Forty answers of one phone", draw_tiles, "band", 130),
        Figure("lengths", "The length of the list", draw_lengths),
        Figure("pairs", "How alike two films are, and how alike they look", draw_pairs),
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=PREDICT,
    tries=STARTS,
    strip=draw_strip,
    mark=mark,
    steps=steps,
    curve=curve,
    reseed="seed",
    still={"epsilon": (0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0), "server": tuple(SERVERS)},
)
