"""Private recommender systems with three numbers each: claimed, counted, attacked.

>>> import recprivlib
>>> report = recprivlib.run("popularity", "synthetic", users=200, items=100)
>>> report.metrics["hr@10"] > 0.1
True

Names are imported when first used, so that a command line answers at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recprivlib.accounting import guarantee as guarantee
    from recprivlib.auditing import audit as audit
    from recprivlib.data import load as load
    from recprivlib.evaluation import evaluate as evaluate
    from recprivlib.evaluation import interval as interval
    from recprivlib.evaluation import paired as paired
    from recprivlib.evaluation import split as split
    from recprivlib.evaluation import stream as stream
    from recprivlib.experiment import run as run
    from recprivlib.experiment import to_frame as to_frame
    from recprivlib.parameters import UserError as UserError
    from recprivlib.registry import get as get
    from recprivlib.registry import systems as systems
    from recprivlib.sweeps import sweep as sweep
    from recprivlib.tables import results as results
    from recprivlib.training import followed as followed
    from recprivlib.training import trained as trained
    from recprivlib.tuning import calibrated as calibrated

__version__ = "0.1.0"

# No module may be called like a name of this list: importing it would bind the module over the function.
_HOME = {
    "load": "data",
    "split": "evaluation",
    "evaluate": "evaluation",
    "interval": "evaluation",
    "paired": "evaluation",
    "stream": "evaluation",
    "guarantee": "accounting",
    "trained": "training",
    "followed": "training",
    "run": "experiment",
    "to_frame": "experiment",
    "get": "registry",
    "systems": "registry",
    "UserError": "parameters",
    "audit": "auditing",
    "calibrated": "tuning",
    "results": "tables",
    "sweep": "sweeps",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
