"""Dashboard `dplcf`: if every phone lies about every film, is the crowd still of use?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.dashboard import bills, controls
from recprivlib.dashboard import people as films
from recprivlib.dashboard.bills import Bill, Terms
from recprivlib.dashboard.contract import Control, Cost, Explorer, Figure, Mark, Predict, Sketch, Try, Values
from recprivlib.dashboard.draw import figures
from recprivlib.dashboard.folds import beside, chance, dataset, holdout, scored, scores, tidy, votes
from recprivlib.dashboard.memory import MEMORY, Memory
from recprivlib.data import Dataset
from recprivlib.evaluation import Difference, Scores, evaluate
from recprivlib.models.constants import PerItem
from recprivlib.models.neighbours import nearest
from recprivlib.papers.dplcf import system as dplcf
from recprivlib.papers.dplcf.screen import crowd
from recprivlib.papers.dplcf.screen import figures as plots
from recprivlib.papers.dplcf.screen import tries as pair
from recprivlib.parameters import configured, parameters
from recprivlib.plots import committed
from recprivlib.plots.frontier import Line
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import bare, best_guess, count, percent, setting
from recprivlib.protocols import Array

LENGTHS = tuple(range(1, 11))
MOST = 200  # neighbours kept in the ranked lists
TILES = 40
PROTOCOL = "loo-latest"
RESULTS = "dplcf"  # the committed table
LEARNED = Memory(80 << 20)  # where each of thirty readers stands now; beside what all their moves go on needing

# server -> (system, settings, role of its line, name)
SERVERS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "sp": ("dplcf-sp", {}, "paper", "SP"),
    "ap": ("dplcf-ap", {}, "paper", "AP"),
    "ap-printed": ("dplcf-ap", {"inverse": "printed"}, "paper", "AP, printed inverse"),
    "blind": ("lcf-sp", {}, "paper", "LCF-SP, blind"),
    "feasible": ("dplcf-sp", {"cut": "feasible"}, "repaired", "SP, feasible"),
    "spectral": ("dplcf-spectral", {}, "beyond", "spectral"),
}
VOTES: Callable[[Values], bool] = lambda values: values["server"] != "spectral"  # noqa: E731
METRICS = {"hr@10": ("hr", 10), "hr@5": ("hr", 5), "hr@2": ("hr", 2), "ndcg@10": ("ndcg", 10)}
UNITS = {
    "click": Terms("interaction", "add-remove", "one click, there or not"),
    "swap": Terms("interaction", "swap", "one click, exchanged for another", other="one click"),
    "history": Terms("user", "replace", "your whole history, exchanged", other="one click", tries=2000),
}
# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {
    "epsilon": 1.0,
    "server": "sp",
    "people": 1,
    "neighbors": 20,
    "metric": "hr@10",
    "unit": "click",
    "data": "ml-100k",
    "seed": 0,
}


@dataclass(frozen=True)
class Rates:
    """One list maker: hit rates and nDCG at K = 1..10."""

    hr: tuple[float, ...]
    ndcg: tuple[float, ...]

    def at(self, metric: str) -> float:
        kind, k = METRICS[metric]
        return float((self.hr if kind == "hr" else self.ndcg)[k - 1])


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


def compute(**moved: Any) -> Result:
    """Flip every bit of every phone, let the server learn, and rank everybody's next film at home."""
    *_, (_, result) = steps(**moved)
    return result


def steps(**moved: Any) -> Iterator[tuple[float, Result]]:
    """The same, after every block of phones that has reported: the crowd grows before your eyes. The attack is last."""
    values = DEFAULTS | moved
    source, system = dataset(values["data"]), _system(values)
    key = ("dplcf", source.checksum, *(values[name] for name in ("people", "seed", "server", "epsilon")))
    learned, share = LEARNED.known(key), 1.0
    turns = bills.in_turn(system, SERVERS[values["server"]][0], source.interactions.sizes, UNITS[values["unit"]])
    bill = next(turns)
    if learned is None:
        for done, sums, own in crowd.heard(system, source, values["people"], values["seed"]):
            share = min(share, done)
            learned = _learn(source, system, sums, own, values["seed"])
            if done < 1:
                yield done / (1 + share), _result(source, system, learned, values, bill)
        LEARNED.get(key, lambda: learned)
    result = _result(source, system, learned, values, bill, key)
    if bill.attacked is None:
        yield 1 / (1 + share), result
        result = replace(result, bill=next(turns))
    yield 1.0, result


def _settings(values: Values) -> tuple[str, dict[str, Any]]:
    """The system behind these settings, and its parameters."""
    name, extra, *_ = SERVERS[values["server"]]
    votes = {"neighbors": values["neighbors"]} if VOTES(values) else {}
    return name, {"epsilon": values["epsilon"], **extra, **votes}


def _system(values: Values) -> Any:
    name, settings = _settings(values)
    return configured(dplcf.SYSTEMS[name].system, settings)


@dataclass(frozen=True, eq=False)
class Learned:
    """What a server tells everybody, from so many reports; neighbourhoods are as wide as any slider asks for."""

    users: int
    told: Any
    private: Rates  # of the noisy popularity from the same reports
    estimated: Array  # similarity of the pairs in the scatter


def _learn(source: Dataset, system: Any, sums: Mapping[str, Array], own: np.random.Generator, seed: int) -> Learned:
    wide = replace(system, neighbors=MOST) if "neighbors" in parameters(system) else system
    told, flipping = wide.learn(None, sums, own), _flipping(source, system)
    popular = PerItem(dplcf.popularity(sums, flipping.p, flipping.q).astype(np.float32))
    private = _rates(evaluate(popular, holdout(source, seed), LENGTHS, full=False))
    return Learned(int(sums["users"]), told, private, system.alike(told, sums, *films.pairs(source, seed)))


def _flipping(source: Dataset, system: Any) -> Any:
    return system.ledger(source.interactions.sizes).releases[0].mechanism


def _result(
    source: Dataset, system: Any, learned: Learned, values: Values, bill: Bill, key: tuple | None = None
) -> Result:
    """All of the screen; what everybody reported in the end is kept under `key`."""
    seed, metric, flipping = values["seed"], values["metric"], _flipping(source, system)

    def ranked(held_out: Any) -> Any:
        told = nearest(learned.told, system.neighbors) if "neighbors" in parameters(system) else learned.told
        return system.model(told, held_out.train)

    if key is None:
        yours = evaluate(ranked(holdout(source, seed)), holdout(source, seed), LENGTHS, full=False)
    else:
        yours = scores(source, PROTOCOL, seed, (*key, values["neighbors"]), ranked, LENGTHS)
    popular = scored(source, PROTOCOL, seed, "popularity", ks=LENGTHS)
    bound = scores(source, PROTOCOL, seed, ("votes", values["neighbors"]),
                   lambda _: votes(source, seed, values["neighbors"]), LENGTHS)  # fmt: skip
    name, sizes = "{}@{}".format(*METRICS[metric]), source.interactions.sizes
    interval, versus = beside(yours.per_user[name], popular.per_user[name], seed)
    watched, reported, titles = _tiles(source, flipping, seed)
    return Result(
        **values, users=learned.users, items=sizes.items, truth=flipping.p, honest=1 - flipping.q,
        lies=_lies(source, flipping), yours=_rates(yours), interval=interval, versus=versus, bound=_rates(bound),
        popular=_rates(popular), private_popular=learned.private,
        chance=_rates(chance(source, PROTOCOL, seed, LENGTHS)),
        pairs=plots.Pairs(*films.alike(source, seed), learned.estimated), watched=watched, reported=reported,
        titles=titles, bill=bill,
    )  # fmt: skip


def _rates(scores: Scores) -> Rates:
    metrics = scores.metrics
    return Rates(tuple(metrics[f"hr@{k}"] for k in LENGTHS), tuple(metrics[f"ndcg@{k}"] for k in LENGTHS))


def _lies(source: Dataset, flipping: Any) -> float:
    """Statements of a phone with a median history that are expected to be false."""
    length = float(np.median(np.bincount(source.interactions.users)))
    return length * (1 - flipping.p) + (source.interactions.n_items - length) * flipping.q


def _tiles(source: Dataset, flipping: Any, seed: int) -> tuple[tuple[bool, ...], tuple[bool, ...], tuple[str, ...]]:
    """Ada's films among others, what her phone reports of them, and their titles."""
    shown, watched, rng = films.shown(source, seed, TILES)
    return tuple(watched.tolist()), tuple(flipping.release(watched, rng).tolist()), films.spoken(source, shown)


def curve(values: Values) -> tuple[Line | None, Line | None]:
    """The committed curves over ε, from ten draws: this server's, and popularity from the same reports."""
    name, settings = _settings(values)
    about = {"metric": values["metric"], "data": values["data"], "protocol": PROTOCOL}

    def read() -> tuple[Line | None, Line | None]:
        role, label = SERVERS[values["server"]][2:]
        many = settings | {"population": values["people"]}
        own = committed.curve(RESULTS, about | {"system": name}, many, "epsilon", label, role, "mean of the seeds")
        if own is None or values["people"] > 1:
            return own, None
        noisy = about | {"system": "ldp-popularity"}
        private = committed.curve(RESULTS, noisy, {"reports": "bits"}, "epsilon", "", "private-popularity")
        return own, private.within(own.x) if private else None

    kept = {part: value for part, value in settings.items() if part != "epsilon"}
    return MEMORY.get(("dplcf curve", name, values["people"], *about.values(), *kept.items()), read)


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
        what = (f"{phones}, {_who(result)} finds your next film {percent(own)} of the time in this draw, in its top "
                f"{k} of 100")  # fmt: skip
        return f"{first} {what}; it {result.versus.verb} just what is popular, {percent(popular)}."
    what = f"{phones}, {_who(result)} reaches nDCG {bare(own, 2)} in the top {k} of 100"
    return f"{first} {what}; it {result.versus.verb} just what is popular, {bare(popular, 2)}."


def _who(result: Result) -> str:
    return {
        "sp": "the paper's server", "ap": "the paper's server", "ap-printed": "the server with the printed inverse",
        "blind": "a server blind to the noise", "feasible": "the server that keeps estimates feasible",
        "spectral": "the spectral server",
    }[result.server]  # fmt: skip


def brief(result: Result) -> str:
    """The same on a small screen."""
    own, popular = (rates.at("hr@10") for rates in (result.yours, result.popular))
    return (f"ε = {setting(result.epsilon)}, {count(result.users)} phones: {_who(result)} finds {percent(own)} in this "
            f"draw, and {result.versus.verb} what is popular, {percent(popular)}.")  # fmt: skip


def say_odds(result: Result) -> str:
    """One phone, in words."""
    lies = sum(a != b for a, b in zip(result.watched, result.reported, strict=True))
    return (f"At ε = {setting(result.epsilon)} an answer is true {percent(best_guess(result.epsilon))} of the time: "
            f"{lies} of these {len(result.watched)} are lies. Who sees one, and had no idea before, is right as often "
            "at most.")  # fmt: skip


def say_tries(result: Result) -> str:
    """The crowd's count of a pair, in words."""
    found = pair.tries(result.data, result.epsilon, result.people, result.seed)
    low, high = (f"{value:.0f}".replace("-", "−") for value in (min(found.estimates), max(found.estimates)))
    per = f", reckoned per {count(result.users // result.people)} people," if result.people > 1 else ""
    return (f"True: {found.true} people watched both. {pair.TRIES} tries from {count(result.users)} phones at "
            f"ε = {setting(result.epsilon)}{per} say between {low} and {high}.")  # fmt: skip


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    own, bound = result.yours.at("hr@10"), result.bound.at("hr@10")
    return (f"You said {PREDICT.answers[answer].lower()}. Of {percent(bound)} without privacy, {percent(own)} is "
            f"left: {percent(own / bound)} of it. Just what is popular finds "
            f"{percent(result.popular.at('hr@10'))}.")  # fmt: skip


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    rows: list[tuple] = []
    series = (("this server", result.yours), ("no privacy", result.bound), ("popularity", result.popular),
              ("private popularity", result.private_popular), ("random", result.chance))  # fmt: skip
    for kind in ("hr", "ndcg"):
        for name, rates in series:
            values = rates.hr if kind == "hr" else rates.ndcg
            for k, value in zip(LENGTHS, values, strict=True):
                shown = name == "this server" and METRICS[result.metric] == (kind, k)
                low, high = result.interval if shown else (np.nan, np.nan)
                rows.append((f"{kind}@K of 100", name, k, value, low, high))
    for title, watched, reported in zip(result.titles, result.watched, result.reported, strict=True):
        word = "the truth" if watched == reported else "a lie"
        rows.append(("Ada's phone", "reported", title, float(reported), word))
    bill = result.bill
    for name, number in (("claimed", bill.claimed), ("counted", bill.counted), ("attacked, at least", bill.attacked)):
        rows.append(("bill", name, bill.unit, number))
    return tidy(rows)


def snippet(values: Values) -> str:
    """Python that prints the numbers of the sentence, from the library's own parts."""
    name, settings = _settings(values)
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


def role(result: Result) -> tuple[str, str]:
    """Role and name of the server on show."""
    return SERVERS[result.server][2:]


def levels(result: Result) -> dict[str, Rates]:
    """What the server is held against, by role."""
    return {"bound": result.bound, "popularity": result.popular, "private-popularity": result.private_popular,
            "random": result.chance}  # fmt: skip


def draw_rate(result: Result, look: Look) -> dict[str, Any]:
    known = {name: rates.at(result.metric) for name, rates in levels(result).items()}
    own = result.yours.at(result.metric)
    return plots.rate_by_epsilon(look, METRICS[result.metric], result.epsilon, own, result.interval, known)


def differs(other: Result, shown: Result) -> str:
    """What sets a comparison apart."""
    server = SERVERS[other.server][3].partition(",")[0] if other.server != shown.server else ""
    return " ".join(filter(None, (server, f"×{other.people}" if other.people != shown.people else "")))


def draw_odds(result: Result, look: Look) -> dict[str, Any]:
    return plots.odds(look, result.epsilon)


def draw_tries(result: Result, look: Look) -> dict[str, Any]:
    here = pair.tries(result.data, result.epsilon, result.people, result.seed)
    others = {at: pair.tries(result.data, at, 1, result.seed).estimates for at in pair.AT}
    return plots.tries(look, result.epsilon, here.true, here.estimates, others)


def draw_lengths(result: Result, look: Look) -> dict[str, Any]:
    return plots.by_length(look, result.yours.hr, {name: rates.hr for name, rates in levels(result).items()})


def draw_tiles(result: Result, look: Look) -> str:
    return plots.tiles(result.watched, result.reported, result.titles, result.lies, result.items, look.large)


# ------------------------------------------------------------------------------------------ controls


def _cost(values: Values) -> Cost:
    return "on release" if values["people"] > crowd.QUICK else "live"


def effort(values: Values) -> float:
    """Seconds that a step takes about, where nothing of it is remembered: every phone of every town reports."""
    return 0.2 + 0.045 * values["people"]


CONTROLS = (
    Control("epsilon", "ε", "number", DEFAULTS["epsilon"],
            0.1, 8.0, controls.EPSILONS, log=True, place="axis", figure="rate",
            cost=_cost, ends=controls.ENDS,
            spoken=lambda e: f"epsilon {e:g}, phone truthful {100 * best_guess(e):.0f} percent"),
    Control("server", "Server", "choice", DEFAULTS["server"], choices=tuple((k, v[3]) for k, v in SERVERS.items()),
            hint="SP phones lie about any film, AP phones only about films not watched."),
    Control("people", "People", "choice", DEFAULTS["people"],
            choices=tuple((n, f"×{n}") for n in (1, 2, 4, 8, 16, 32, 80)),
            hint="×1: one town. ×80: a country."),
    Control("neighbors", "Neighbours", "integer", DEFAULTS["neighbors"],
            5, MOST, (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200),
            ends=("few close films", "many"), log=True, cost="live", spoken=lambda n: f"{n} neighbours",
            active=VOTES, ahead=True),
    Control("metric", "Score", "choice", DEFAULTS["metric"], place="more",
            choices=(("hr@10", "top 10"), ("hr@5", "top 5"), ("hr@2", "top 2"), ("ndcg@10", "nDCG@10"))),
    controls.unit(("click", "one click"), ("swap", "one swap"), ("history", "your whole history")),
    controls.data("ml-100k", "synthetic"),
    controls.seed(),
)  # fmt: skip

PREDICT = Predict(
    f"At ε = 1 a phone tells the truth about each film {percent(best_guess(1.0))} of the time. The server knows that "
    "and reckons with it. How much of the hit rate without privacy is left?",
    ("Nearly all of it", "Three quarters", "Two thirds", "Less than half"),
    reply,
)

DRAWN = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0)


def measured(curve: Any) -> tuple[float, ...]:
    """The committed hit rates where the reader draws."""
    known = dict(zip(curve[0].x, curve[0].y, strict=True))
    return tuple(known[x] for x in DRAWN)


SKETCH = Sketch("How much of the hit rate is left? Draw it.", "rate", DRAWN, measured, 0.0, 0.8)

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
    figures=figures(
        Figure("rate", "Is your next film on the list?", draw_rate, "main", 340),
        Figure("tiles", "Forty answers of one phone", draw_tiles, "band", 130),
        Figure("lengths", "The length of the list", draw_lengths),
        Figure(
            "pairs",
            "How alike two films are, and how alike they look",
            lambda it, look: plots.similarity(look, it.pairs),
        ),
        Figure("odds", "Who sees one answer is right", draw_odds, "path", axis="epsilon", say=say_odds),
        Figure("tries", "How many watched both?", draw_tries, "path", axis="epsilon", say=say_tries),
        mark=mark,
        role=role,
        differs=differs,
    ),
    say=say,
    table=table,
    snippet=snippet,
    predict=PREDICT,
    tries=STARTS,
    strip=bills.draw_strip,
    mark=mark,
    steps=steps,
    curve=curve,
    curve_over=("epsilon", "unit", "seed"),
    effort=effort,
    reseed="seed",
    brief=brief,
    sketch=SKETCH,
    still={"epsilon": (0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0), "server": tuple(SERVERS)},
)
