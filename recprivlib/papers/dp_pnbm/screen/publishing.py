"""What the server of dp_pnbm publishes at a setting, how well it predicts one fold, and how far one rating moves it.

published, scored   the model on the fold, and its scores; another number of neighbours is a slice of the same model
alike               the films most like one film, as far as the model compares films
moved               everybody's changed rating, and a made-up person's, in units of the printed bound
bill                the three numbers for the unit that is asked about
curve, crowds       what was committed over ε, and over the number of people
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from recprivlib.dashboard import bills
from recprivlib.dashboard import people as films
from recprivlib.dashboard.bills import BillLabel, ThreeNumbers
from recprivlib.dashboard.contract import Values
from recprivlib.dashboard.folds import fold, scores
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset
from recprivlib.evaluation import Scores
from recprivlib.papers.dp_pnbm import crafted as made_up
from recprivlib.papers.dp_pnbm.pnbm import beginning
from recprivlib.papers.dp_pnbm.system import DPSGD, bounds_of
from recprivlib.papers.dp_pnbm.weighted import Neighbours, beyond, item_means
from recprivlib.parameters import configured
from recprivlib.plots import committed
from recprivlib.plots.frontier import Series
from recprivlib.protocols import Array
from recprivlib.registry import get
from recprivlib.training import trained

PROTOCOL, RESULTS = "kfold", "dp_pnbm"
TAU = 200  # the paper's ε of a person is x · τ; the slider is x
ALIKE = 10  # films in a list
EVERY = 1681  # neighbours that a film of MovieLens 100K has
# variant -> (system, role of its dot, name, what of the settings it takes)
VARIANTS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "dpsgd": ("dpsgd-pnbm", "paper", "DPSGD-PNBM", ("iterations", "floor", "noise_only", "neighbors")),
    "dpps": ("dpps-pnbm", "paper", "DPPS-PNBM", ("noise_only", "neighbors")),
    "dpsgd-mf": ("dpsgd-mf", "paper", "DPSGD-MF", ()),
    "dpps-mf": ("dpps-mf", "paper", "DPPS-MF", ()),
    "repaired": ("dpsgd-pnbm-repaired", "repaired", "repaired", ("iterations", "floor", "noise_only", "neighbors")),
    "means": ("dp-item-means", "beyond", "noisy averages", ("protects",)),
    "covariance": ("dp-covariance", "beyond", "noisy covariance", ("protects",)),
}
SAMPLED = ("dpps", "dpps-mf")
PULLS = {"pull_items": 3.3, "pull_people": 3.7}  # what the search finds for the floor: medians of dp_pnbm_tuned
FLOORS: dict[str, tuple[str, dict[str, Any]]] = {
    "bound": ("pnbm", {}), "private-popularity": ("uniform-similarity", PULLS), "popularity": ("item-mean", {}),
}  # fmt: skip
UNITS = {
    "rating": BillLabel("rating", "replace-value", "one rating, changed"),
    "user": BillLabel("user", "add-remove", "all of yours"),
}


def chosen(values: Values) -> tuple[str, dict[str, Any]]:
    """The system behind these settings, and its parameters."""
    name, _, _, takes = VARIANTS[values["variant"]]
    epsilon = values["epsilon"] * (TAU if values["variant"] in SAMPLED else 1)
    taken = {part: values["unit" if part == "protects" else part] for part in takes}
    return name, {"epsilon": round(epsilon, 9), **taken}


def key(source: Dataset, seed: int, name: str, settings: Mapping[str, Any]) -> tuple:
    kept = {part: value for part, value in settings.items() if part != "neighbors"}
    return ("dp_pnbm", source.checksum, seed, name, tuple(sorted(kept.items())))


def published(source: Dataset, seed: int, name: str, settings: Mapping[str, Any]) -> Any:
    """The model on the fold, kept before it is cut to a number of neighbours: another number is a slice."""
    system = configured(get(name).system, dict(settings))

    def make() -> Any:
        model = trained(system, fold(source, PROTOCOL, seed).train, seed)
        return model.among(ALIKE) if isinstance(model, Neighbours) else model

    model = MEMORY.get(key(source, seed, name, settings), make)
    return model.among(system.neighbors) if isinstance(model, Neighbours) else model


def scored(source: Dataset, seed: int, name: str, settings: Mapping[str, Any]) -> Scores:
    key = (name, tuple(sorted(settings.items())))
    return scores(source, PROTOCOL, seed, key, lambda _: published(source, seed, name, settings))


def bounded(source: Dataset, seed: int) -> bool:
    """Whether the model without privacy has been trained before."""
    return MEMORY.known(key(source, seed, *FLOORS["bound"])) is not None


def floors(source: Dataset, seed: int, bound: bool) -> dict[str, Array]:
    """Squared errors of what a publication is held against, role by role."""
    asked = {role: floor for role, floor in FLOORS.items() if bound or role != "bound"}
    return {role: scored(source, seed, *floor).per_user["rmse"] for role, floor in asked.items()}


def alike(source: Dataset, model: Any, film: int) -> tuple[str, ...]:
    """The films most like this one, as far as the model compares films."""
    if isinstance(model, Neighbours):
        row = model.similarity[film].astype(float)
    elif model.items.shape[1]:
        lengths = np.linalg.norm(model.items, axis=1)
        row = model.items @ model.items[film] / np.maximum(lengths, 1e-9)
    else:
        return ()
    row[film] = -np.inf
    return films.spoken(source, np.argsort(-row, kind="stable")[:ALIKE])


def moved(source: Dataset, seed: int, iterations: int, floor: float) -> dict[str, Any]:
    """How far one rating moves the last gradient of Algorithm 1, everybody's and a made-up person's."""

    def make() -> dict[str, Any]:
        train, system = fold(source, PROTOCOL, seed).train, DPSGD(iterations=iterations, floor=floor)
        start, choose = np.random.default_rng([seed, 14]).spawn(2)
        similarity = beginning(train.n_items, "random", system.rescale, start)
        sizes = source.interactions.sizes
        person = made_up.crafted(system, sizes, similarity, choose)
        far = made_up.change(system, person.similarity, person.x, bounds_of(system, iterations, sizes.grid))
        far_each = made_up.measured(system, train, beyond(train, item_means(train)), similarity, iterations)
        return {"moved": far_each, "crafted": float(far.sum()) / system.largest(iterations, sizes.grid)}

    return MEMORY.get(("dp_pnbm moved", source.checksum, seed, iterations, floor), make)


def bill(source: Dataset, values: Values) -> Iterator[ThreeNumbers]:
    """Claimed and counted at once, for the unit that is asked about; then attacked too."""
    name, settings = chosen(values)
    system, sizes = configured(get(name).system, settings), source.interactions.sizes
    claim, terms = system.ledger(sizes).claimed, UNITS[values["unit"]]
    if claim.unit == terms.unit:
        terms = replace(terms, relation=claim.relation)
    else:
        terms = replace(terms, other="one rating" if claim.unit == "rating" else "a whole person")
    return bills.in_turn(system, name, sizes, replace(terms, delta=claim.delta))


def curve(values: Values) -> tuple[Series | None, Series | None]:
    """The committed curves of this variant: at these settings, and with its dials searched."""
    if values["variant"] in SAMPLED:
        return None, None
    name, settings = chosen(values)
    if settings.get("neighbors", 0) >= EVERY:
        settings |= {"neighbors": get(name).system.neighbors}  # all there are, as it was committed
    about = {"system": name, "metric": "rmse", "data": values["data"], "protocol": PROTOCOL}
    _, role, label, _ = VARIANTS[values["variant"]]
    given = {part: value for part, value in settings.items() if part in ("noise_only", "protects")}
    alike = committed.tuned(RESULTS, about | given, "epsilon", role)
    return committed.curve(RESULTS, about, settings, "epsilon", label, role, "five folds"), alike


def crowds(unit: str) -> tuple[Series, ...]:
    """The committed errors over the number of people at ε = 1, for a changed rating or for whole people."""
    shown = [("dp-item-means", "beyond", "averages", "dash"), ("dp-covariance", "beyond", "covariance", "")]
    if unit == "user":
        shown.append(("dpsgd-pnbm-repaired", "repaired", "repaired", ""))
    found = []
    for name, role, label, dash in shown:
        settings = {"epsilon": 1.0} | ({} if role == "repaired" else {"protects": unit})
        about = {"system": name, "metric": "rmse", "data": "ml-100k", "protocol": PROTOCOL}
        line = committed.curve("dp_pnbm_people", about, settings, "population", label, role, "five folds")
        found += [replace(line, dash=dash)] if line else []
    return tuple(found)
