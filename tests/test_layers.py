"""The tree's order, one way: what a module may import, read off its syntax tree."""

import ast
import sys
from pathlib import Path

import pytest

from recprivlib.closure import imports

ROOT = Path(__file__).parents[1]
ORDER = [
    "closure", "definitions", "parameters", "streams", "limits", "protocols", "data", "mechanisms", "training",
    "accounting", "models", "auditing", "orphans", "executors", "population", "yardsticks", "evaluation", "papers",
    "registry", "capacity", "experiment", "sweeps", "tuning", "tables", "plots", "dashboard", "screens", "living",
    "exercises", "bench", "measures", "cli", "federation",
]  # fmt: skip
TOP = ("__init__", "__main__")  # the package itself: it re-exports, lazily
CORE = {"numpy", "scipy", "recprivlib"}
TABLES = ("evaluation", "experiment", "sweeps", "tables", "plots", "dashboard", "screens")
MORE = {
    **{name: {"pandas"} for name in TABLES},
    "executors": {"joblib", "distributed", "threadpoolctl"},
    "accounting": {"dp_accounting", "attr"},  # of its events (dp_events.py), where one asks for them
    "bench": {"pandas", "implicit", "surprise", "dp_accounting", "autodp", "psutil", "torch", "widgets"},
    "measures": {"pandas", "implicit", "surprise", "psutil", "torch", "widgets"},
    "federation": {"flwr"},  # it stands above all: nothing imports it
    "cli": {"argparse", "widgets"},  # `recpriv serve` starts the server
}
SLOW = ("pandas", "scipy.stats", "scipy.optimize", "joblib", "dask", "distributed", "dp_accounting")
FILES = sorted((ROOT / "recprivlib").rglob("*.py"))


# A folder of papers/ or primers/ is a slice: all of one chapter. Its parts stand at different heights.
SLICES = ("papers", "primers")


def name_of(path: Path) -> tuple[str, ...]:
    """The parts of a module's name below the package."""
    return path.relative_to(ROOT / "recprivlib").with_suffix("").parts


def unit(first: str, *rest: str) -> str:
    """The line of ORDER that a module belongs to, by the parts of its name."""
    if first not in SLICES:
        return first
    if rest[1:2] == ("bench",):
        return "measures"
    return "screens" if first == "primers" or rest[1:2] == ("screen",) else first


def offences(path: Path, tree: ast.AST) -> list[str]:
    """What a file imports and may not."""
    here, own = unit(*name_of(path)), name_of(path)[:2]
    found = []
    for name in imports(tree):
        first, *rest = name.split(".")
        if first == "recprivlib" and rest != ["__version__"]:
            there = rest[0] if rest else TOP[0]
            if there not in (*ORDER, *SLICES):  # a name that the package re-exports: it stands above everything
                found.append(f"{name}: name the module it lives in")
            elif here not in TOP and ORDER.index(unit(*rest)) > ORDER.index(here):
                found.append(f"{name}: {unit(*rest)} stands above {here}")
            elif own[0] in SLICES and there in SLICES and tuple(rest[:2]) != own:
                found.append(f"{name}: chapters never import each other")
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
    assert {unit(*name_of(path)) for path in FILES} <= {*ORDER, *TOP}


@pytest.mark.parametrize(
    "path, line",
    [
        ("data/x.py", "from recprivlib.models import rows"),
        ("papers/a.py", "from recprivlib.papers.b import B"),
        ("papers/a.py", "import recprivlib.papers.b"),
        ("papers/a.py", "from recprivlib.papers.dplcf.beyond import B"),
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
        ("papers/dplcf/system.py", "from recprivlib.papers.dplcf.screen.compute import Result"),
        ("papers/dplcf/system.py", "from recprivlib.plots.chart import Chart"),
        ("papers/dplcf/system.py", "from recprivlib.papers.fmf_ldp import SYSTEMS"),
        ("papers/dplcf/system.py", "import pandas"),
        ("papers/dplcf/screen/words.py", "from recprivlib.papers.dplcf.bench import cells"),
        ("papers/dplcf/screen/words.py", "from recprivlib.papers.fmf_ldp import SYSTEMS"),
        ("papers/dplcf/screen/words.py", "from recprivlib.primers.privacy import lab"),
        ("primers/privacy/words.py", "from recprivlib.papers.fmf_ldp import SYSTEMS"),
        ("dashboard/x.py", "from recprivlib.primers.privacy import lab"),
        ("registry.py", "from recprivlib.papers.dplcf.screen.dashboard import EXPLORER"),
    ],
)
def test_a_wrong_import_would_be_seen(path, line):
    assert offences(ROOT / "recprivlib" / path, ast.parse(line))


@pytest.mark.parametrize(
    "path, line",
    [
        ("papers/a.py", "from recprivlib.papers.a import A"),
        ("papers/dplcf/system.py", "from recprivlib.papers.dplcf.beyond import B"),
        ("papers/dplcf/screen/words.py", "from recprivlib.papers.dplcf.system import DPLCF"),
        ("papers/dplcf/screen/words.py", "from recprivlib.dashboard.contract import Card"),
        ("primers/privacy/bench.py", "from recprivlib.primers.privacy.dashboard import compute"),
        ("auditing/x.py", "def f():\n    from scipy.stats import beta"),
        ("experiment.py", "if TYPE_CHECKING:\n    import pandas as pd"),
        ("cli/x.py", "import argparse, json\nfrom recprivlib.experiment import run"),
    ],
)
def test_a_right_import_is_allowed(path, line):
    assert not offences(ROOT / "recprivlib" / path, ast.parse(line))
