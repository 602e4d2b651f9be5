"""`--changed` leaves out what was green and is made of the same, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import changed

ROOT = Path(__file__).resolve().parents[1]
FILES = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "requirements.lock": "",
    "Makefile": "",
    "recprivlib/__init__.py": "",
    "recprivlib/one.py": "from recprivlib.deep import value\n",
    "recprivlib/deep.py": "value = 1\n",
    "recprivlib/lists.py": "import importlib\nvalue = 1\n",
    "recprivlib/other.py": "",
    "tests/conftest.py": "",
    "tests/chapters.py": "",
    "tests/order.py": "",
    "tests/test_imports.py": "from recprivlib.one import value\n\n\ndef test_a():\n    assert value\n",
    "tests/test_lists.py": "from recprivlib.lists import value\n\n\ndef test_b():\n    assert value\n",
    "tests/test_red.py": "import os\n\n\ndef test_c():\n    assert 'RED' not in os.environ\n",
    "tests/test_plain.py": "import math\n\n\ndef test_d():\n    assert math\n",
}


@pytest.fixture
def project(tmp_path):
    """A small project of the same form, with our two modules in it."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    shutil.copy(ROOT / "tests" / "changed.py", tmp_path / "tests")
    shutil.copy(ROOT / "recprivlib" / "closure.py", tmp_path / "recprivlib")
    return tmp_path


def run(project: Path, *options: str, **environment: str) -> tuple[set[str], str]:
    """The tests that were run, by their letters, and pytest's output.

    It loads no plugin that it does not need: those of notebooks and of guesses take two seconds a process.
    """
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "tests.changed", "-rA", "--color=no"]
    environment = os.environ | {"PYTHONPATH": str(project), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | environment
    done = subprocess.run([*command, *options, "tests"], cwd=project, capture_output=True, text=True, env=environment)
    lines = done.stdout.splitlines()
    ran = {line.split("::test_")[1][0] for line in lines if line.startswith(("PASSED", "FAILED")) and "::test_" in line}
    return ran, done.stdout


def test_only_what_was_green_and_is_the_same_is_left_out(project):
    ran, said = run(project, "--changed", RED="1")
    assert ran == {"a", "b", "c", "d"}, said
    assert run(project, "--changed", RED="1")[0] == {"c"}, "it failed: it is run until it is green"
    ran, said = run(project, "--changed")
    assert ran == {"c"}
    assert "--changed: 3 tests were green and are made of the same; left out" in said
    (project / "recprivlib" / "deep.py").write_text("value = 2\n")
    assert run(project, "--changed")[0] == {"a", "b"}, "one imports it, the other could"
    (project / "recprivlib" / "other.py").write_text("value = 2\n")
    assert run(project, "--changed")[0] == {"b"}, "nobody imports it, but one imports by name"
    (project / "tests" / "test_plain.py").write_text(FILES["tests/test_plain.py"] + "\n")
    assert run(project, "--changed")[0] == {"d"}
    (project / "requirements.lock").write_text("numpy==3\n")
    assert run(project, "--changed")[0] == {"a", "b", "c", "d"}


def test_without_the_option_everything_runs_and_workers_leave_out_the_same(project):
    assert run(project, "--changed", "-n", "2")[0] == {"a", "b", "c", "d"}
    assert run(project)[0] == {"a", "b", "c", "d"}
    (project / "recprivlib" / "deep.py").write_text("value = 2\n")
    ran, said = run(project, "--changed", "-n", "2")
    assert ran == {"a", "b"}, said
    assert "--changed: 2 tests were green" in said


def test_what_could_reach_further_than_its_imports_is_made_of_everything():
    page = ROOT / "book" / "privacy.md"
    assert page in changed.made_of(ROOT / "tests" / "browser" / "test_path.py")  # asks for pages
    assert page in changed.made_of(ROOT / "tests" / "test_registry.py")  # lists the papers
    assert page in changed.made_of(ROOT / "tests" / "notebooks" / "privacy.ipynb")
    assert ROOT / "tests" / "audit" / "test_mechanism_check.py" in changed.made_of(
        ROOT / "tests" / "audit" / "test_false_alarms.py"
    )
    plain = changed.made_of(ROOT / "tests" / "mechanisms" / "test_samplers.py")
    assert page not in plain
    assert ROOT / "recprivlib" / "mechanisms" / "laplace.py" in plain


def test_the_project_s_machine_leaves_nothing_out():
    assert "--changed" not in (ROOT / ".ci" / "run").read_text("utf-8")
    assert "--changed" not in (ROOT / "Makefile").read_text("utf-8")
