"""The tree's order, one way: what a module may import, read off its syntax tree."""

import ast
import sys
from pathlib import Path

import pytest

from recprivlib.closure import imports

ROOT = Path(__file__).parents[1]
ORDER = [
    "closure", "definitions", "parameters", "limits", "protocols", "data", "mechanisms", "accounting", "models",
    "auditing", "orphans", "executors", "population", "baselines", "trusted", "evaluation", "papers", "registry", "capacity",
    "experiment", "cells", "claims", "sweeps", "tables", "plots", "live", "bench", "cli", "federation",
]  # fmt: skip
TOP = ("__init__", "__main__")  # the package itself: it re-exports, lazily
CORE = {"numpy", "scipy", "recprivlib"}
TABLES = ("evaluation", "experiment", "cells", "sweeps", "tables", "plots", "live")
MORE = {
    **{name: {"pandas"} for name in TABLES},
    "executors": {"joblib", "distributed", "threadpoolctl"},
    "bench": {"pandas", "implicit", "surprise", "dp_accounting", "autodp", "psutil", "torch", "widgets"},
    "federation": {"flwr"},  # it stands above all: nothing imports it
    "cli": {"argparse", "widgets"},  # `recpriv serve` starts the server
}
SLOW = ("pandas", "scipy.stats", "scipy.optimize", "joblib", "dask", "distributed")
FILES = sorted((ROOT / "recprivlib").rglob("*.py"))


def unit(path: Path) -> str:
    """The line of ORDER that a file belongs to."""
    return path.relative_to(ROOT / "recprivlib").parts[0].removesuffix(".py")


def paper(module: str) -> str:
    """The paper that a module of papers/ belongs to: a part of one is called `_<stem>_…`."""
    stems = [path.stem for path in FILES if path.parent.name == "papers" and path.stem[0] != "_"]
    return next((stem for stem in stems if module.startswith(f"_{stem}_")), module)


def offences(path: Path, tree: ast.AST) -> list[str]:
    """What a file imports and may not."""
    here = unit(path)
    found = []
    for name in imports(tree):
        first, *rest = name.split(".")
        if first == "recprivlib" and rest != ["__version__"]:
            there = rest[0] if rest else TOP[0]
            if there not in ORDER:  # a name that the package re-exports: it stands above everything
                found.append(f"{name}: name the module it lives in")
            elif here not in TOP and ORDER.index(there) > ORDER.index(here):
                found.append(f"{name}: {there} stands above {here}")
            elif here == there == "papers" and rest[1:2] and paper(rest[1]) != paper(path.stem):
                found.append(f"{name}: papers never import each other")
        elif first not in CORE | MORE.get(here, set()) and (
            first not in sys.stdlib_module_names or first == "argparse"
        ):
            found.append(f"{name}: {here} needs no {first}")
    found += [f"{name}: slow to import, do it where it is used" for name in imports(tree, at_import=True)
              if any(f"{name}.".startswith(f"{slow}.") for slow in SLOW)]  # fmt: skip
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT / "recprivlib")))
def test_imports_go_one_way(path):
    assert offences(path, ast.parse(path.read_text(encoding="utf-8"))) == []


def test_every_module_has_its_place_in_the_order():
    assert {unit(path) for path in FILES} <= {*ORDER, *TOP}


@pytest.mark.parametrize(
    "path, line",
    [
        ("data/x.py", "from recprivlib.models import rows"),
        ("papers/a.py", "from recprivlib.papers.b import B"),
        ("papers/a.py", "import recprivlib.papers.b"),
        ("papers/a.py", "from recprivlib.papers._dplcf_b import B"),
        ("models/x.py", "import pandas as pd"),
        ("models/x.py", "def f():\n    import pandas"),
        ("experiment.py", "import pandas as pd"),
        ("plots/x.py", "import panel"),
        ("population.py", "from recprivlib.federation import roles"),
        ("cli/x.py", "def f():\n    import flwr"),
        ("registry.py", "import argparse"),
        ("auditing/x.py", "from scipy.stats import beta"),
        ("auditing/x.py", "from scipy import stats"),
        ("cli/x.py", "from recprivlib import load"),
    ],
)
def test_a_wrong_import_would_be_seen(path, line):
    assert offences(ROOT / "recprivlib" / path, ast.parse(line))


@pytest.mark.parametrize(
    "path, line",
    [
        ("papers/a.py", "from recprivlib.papers.a import A"),
        ("papers/dplcf.py", "from recprivlib.papers._dplcf_b import B"),
        ("papers/_dplcf_a.py", "from recprivlib.papers._dplcf_b import B"),
        ("auditing/x.py", "def f():\n    from scipy.stats import beta"),
        ("experiment.py", "if TYPE_CHECKING:\n    import pandas as pd"),
        ("cli/x.py", "import argparse, json\nfrom recprivlib.experiment import run"),
    ],
)
def test_a_right_import_is_allowed(path, line):
    assert not offences(ROOT / "recprivlib" / path, ast.parse(line))
