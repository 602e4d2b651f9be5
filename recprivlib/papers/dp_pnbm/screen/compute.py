"""What a move at dashboard `dp_pnbm` computes: settings become a `Result`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.dashboard import people as films
from recprivlib.dashboard.bills import ThreeNumbers
from recprivlib.dashboard.contract import Values
from recprivlib.dashboard.folds import dataset, fold
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset
from recprivlib.evaluation import Difference, Scores, evaluate, interval, paired, total
from recprivlib.papers.dp_pnbm.screen import publishing
from recprivlib.papers.dp_pnbm.screen.publishing import FLOORS, PROTOCOL, VARIANTS, chosen
from recprivlib.parameters import configured
from recprivlib.protocols import Array
from recprivlib.registry import get
from recprivlib.training import followed

EVERY = 4  # steps of a chain between two pictures


# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {
    "epsilon": 1.0,
    "variant": "dpsgd",
    "noise_only": False,
    "neighbors": 500,
    "iterations": 1,
    "floor": 10.0,
    "film": (),
    "unit": "rating",
    "data": "ml-100k",
    "seed": 0,
}


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    variant: str
    epsilon: float
    noise_only: bool
    neighbors: int
    iterations: int
    floor: float
    unit: str
    film: tuple[int, ...]
    data: str
    seed: int
    error: float
    interval: tuple[float, float]  # over users
    versus: Difference  # less what learns nothing
    floors: Mapping[str, float]
    noise: float | None  # the same noise with no ratings in it, where the variant has that switch
    moved: Array  # how far everybody's changed rating moves a gradient, in printed bounds
    crafted: float  # the same of a made-up person
    title: str
    alike: tuple[str, ...]
    alike_bound: tuple[str, ...]  # of the model without privacy; none until that is there
    bill: ThreeNumbers


def compute(**moved: Any) -> Result:
    """Publish, predict, compare."""
    *_, (_, result) = steps(**moved)
    return result


def steps(**moved: Any) -> Iterator[tuple[float, Result]]:
    """The same; a chain that samples is shown as it walks, then comes the bound, and the attack is last."""
    values = DEFAULTS | moved
    source, seed = dataset(values["data"]), values["seed"]
    name, settings = chosen(values)
    key, turns = publishing.key(source, seed, name, settings), publishing.bill(source, values)
    bill, last, bound = next(turns), 0.5, publishing.bounded(source, seed)  # last: the attack's share of the time
    if values["variant"] == "dpps" and MEMORY.known(key) is None:
        train, model, last = fold(source, PROTOCOL, seed).train, None, 0.05
        walk = followed(configured(get(name).system, settings), train, seed)
        for turn, (progress, model) in enumerate(walk, 1):
            if progress < 1 and turn % EVERY == 0:
                found = evaluate(model, fold(source, PROTOCOL, seed))
                yield progress * (1 - last), _result(source, values, model, found, bill, bound)
        MEMORY.get(key, lambda: model)
    model = publishing.published(source, seed, name, settings)
    found = publishing.scored(source, seed, name, settings)
    if not bound:
        yield 1 - last, _result(source, values, model, found, bill, bound)
    result = _result(source, values, model, found, bill, bound=True)
    if bill.attacked is None:
        yield 1 - last, result
        result = replace(result, bill=next(turns))
    yield 1.0, result


def _result(source: Dataset, values: Values, model: Any, found: Scores, bill: ThreeNumbers, bound: bool) -> Result:
    """All of the screen, with or without what the model without privacy says: that takes longest to train."""
    seed, (name, settings) = values["seed"], chosen(values)
    own = found.per_user["rmse"]
    floors = publishing.floors(source, seed, bound)
    without = publishing.published(source, seed, *FLOORS["bound"]) if bound else None
    noise = None
    if "noise_only" in settings and name != "dpps-pnbm":
        noise = publishing.scored(source, seed, name, settings | {"noise_only": True}).metrics["rmse"]
    film = values["film"][0] if values["film"] else int(films.adas(source)[1])
    title = films.spoken(source, np.array([film]))[0]
    return Result(
        **values, error=total(own), interval=interval(own), versus=paired(own, floors["private-popularity"]),
        floors={role: total(errors) for role, errors in floors.items()}, noise=noise,
        **publishing.moved(source, seed, values["iterations"], values["floor"]), title=title,
        alike=publishing.alike(source, model, film),
        alike_bound=publishing.alike(source, without, film) if bound else (), bill=bill,
    )  # fmt: skip


def role(result: Result) -> tuple[str, str]:
    """Role and name of what is on show; noise alone is nobody's."""
    _, role, name, _ = VARIANTS[result.variant]
    return role, "noise alone" if result.noise_only else name
