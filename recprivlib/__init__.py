"""Private recommender systems with three numbers each: claimed, counted, attacked.

>>> import recprivlib
>>> report = recprivlib.run("popularity", "synthetic", users=200, items=100)
>>> report.metrics["hr@10"] > 0.1
True

Names are imported when first used, so that a command line answers at once.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recprivlib.accounting import guarantee as guarantee
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

__version__ = "0.1.0"

_HOME = {
    "load": "data",
    "split": "evaluation",
    "evaluate": "evaluation",
    "interval": "evaluation",
    "paired": "evaluation",
    "stream": "evaluation",
    "guarantee": "accounting",
    "run": "experiment",
    "to_frame": "experiment",
    "get": "registry",
    "systems": "registry",
    "UserError": "parameters",
}
_NAMESAKES = ("audit", "results", "sweep")  # a module and its main function share the name: the module can be called

__all__ = [*_HOME, *_NAMESAKES]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    if name in _NAMESAKES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Callable(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


class _Package(ModuleType):
    """Importing a submodule binds it here, so this is where a namesake learns to be called."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _NAMESAKES and isinstance(value, ModuleType):
            value.__class__ = _Callable
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
