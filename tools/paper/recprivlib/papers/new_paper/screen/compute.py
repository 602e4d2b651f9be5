"""What a move at dashboard `new_paper` computes: settings become a `Result`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recprivlib.dashboard import bills
from recprivlib.dashboard.bills import BillLabel, ThreeNumbers
from recprivlib.dashboard.contract import Values
from recprivlib.dashboard.folds import beside, chance, dataset, fold, scored, tidy
from recprivlib.evaluation import Difference
from recprivlib.papers.new_paper.system import BILL
from recprivlib.parameters import configured
from recprivlib.plots import committed
from recprivlib.plots.frontier import Series
from recprivlib.registry import get

SYSTEM, PROTOCOL, METRIC = "new-paper", "loo-latest", "hr@10"
TABLE = "new_paper"  # of the committed results
SET = ("epsilon", "cap")  # the controls that are the system's own
YOU = BillLabel(BILL[0], BILL[1], "you, there or not", tries=1000)

# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {"epsilon": 1.0, "cap": 5, "data": "ml-100k", "seed": 0}


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    epsilon: float
    cap: int
    data: str
    seed: int
    rate: float  # of the next items of everybody, how many the list of ten finds
    interval: tuple[float, float]
    versus: Difference  # less what is popular, same people
    levels: Mapping[str, float]  # role -> the hit rate of a yardstick
    bill: ThreeNumbers


def compute(**moved: Any) -> Result:
    """Count with noise, and look how good the list is."""
    values = DEFAULTS | moved
    data, seed, chosen = dataset(values["data"]), values["seed"], settings_of(values)
    own = scored(data, PROTOCOL, seed, SYSTEM, chosen)
    popular, random = scored(data, PROTOCOL, seed, "popularity"), chance(data, PROTOCOL, seed)
    interval, versus = beside(own.per_user[METRIC], popular.per_user[METRIC], seed)
    levels = {"popularity": popular.metrics[METRIC], "random": random.metrics[METRIC]}
    system, sizes = configured(get(SYSTEM).system, chosen), fold(data, PROTOCOL, seed).train.sizes
    bill = bills.of_system(system, SYSTEM, sizes, YOU)
    return Result(**values, rate=own.metrics[METRIC], interval=interval, versus=versus, levels=levels, bill=bill)


def settings_of(values: Values) -> dict[str, Any]:
    """The parameters of the system among the controls."""
    return {name: values[name] for name in SET}


def curve(values: Values) -> Series | None:
    """What was committed along ε at these settings."""
    about = {"system": SYSTEM, "metric": METRIC, "data": values["data"], "protocol": PROTOCOL}
    return committed.curve(TABLE, about, settings_of(values), "epsilon", "noisy counts", "paper", "mean of the seeds")


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    rows: list[tuple] = [("hit rate", "noisy counts", result.epsilon, result.rate, *result.interval)]
    rows += [("hit rate", role, result.epsilon, value) for role, value in result.levels.items()]
    return tidy(rows + result.bill.climbed())
