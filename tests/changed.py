"""`make test ARGS=--changed`: what was green and is made of the same as then is left out, for days of work.

What a test is made of is read off the text: its file, what that imports, and so on, with all that every test has (its
conftests, the lock). Whatever could reach further than its imports (it starts processes, reads files, lists folders,
imports by name, asks for the book or a browser) is made of everything. What was green is kept in pytest's cache.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from recprivlib.closure import imports

ROOT = Path(__file__).resolve().parents[1]
KEPT = "recpriv/green"
OWN = ("recprivlib", "widgets", "tools", "tests")
ALL = ["pyproject.toml", "requirements.lock", "Makefile", "_config.yml", "_toc.yml", ".ci", "environment.yml"]
ALL += ["package.json", "package-lock.json", "eslint.config.mjs", "tsconfig.json", ".prettierignore"]
ALL += ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
PACKAGE = ROOT / "recprivlib"  # it re-exports on demand: who imports a part of it does not run the others
COMMON = ["pyproject.toml", "requirements.lock", "Makefile", "recprivlib/__init__.py"]
COMMON += [f"tests/{name}.py" for name in ("conftest", "chapters", "order", "changed")]
FURTHER = {
    *("subprocess", "importlib", "import_module", "iter_modules", "pkgutil", "__import__", "exec", "eval"),
    *("__file__", "open", "glob", "rglob", "iterdir", "read_text", "read_bytes", "resources", "ROOT", "argv"),
    *("multiprocessing", "joblib", "dask", "distributed"),
    *(
        "book",
        "site",
        "visit",
        "pool",
        "published",
        "serving",
        "browser",
        "still_site",
        "wheels",
        "shoot",
        "accessible",
    ),
}


def digest(paths: Iterable[Path]) -> str:
    """A name for the contents of files, and for the Python and the data that run them."""
    total = hashlib.sha256(repr((sys.version_info[:3], os.environ.get("RECPRIV_DATA"))).encode())
    for path in sorted(set(paths)):
        total.update(f"{path.relative_to(ROOT).as_posix()}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return total.hexdigest()[:16]


@cache
def everything() -> tuple[Path, ...]:
    """Every file of the project but the tests themselves."""
    folders = [ROOT / name for name in (*OWN, "book") if name != "tests"]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    files += [path for path in (ROOT / "tests").rglob("*") if path.is_file() and not path.name.startswith("test_")]
    named = [ROOT / name for name in ALL]
    files += [path for one in named for path in ([one] if one.is_file() else one.rglob("*")) if path.is_file()]
    return tuple(path for path in files if "__pycache__" not in path.parts)


def made_of(path: Path) -> set[Path]:
    """The files that a file of tests, or a module with examples, is made of."""
    common = {ROOT / name for name in COMMON}
    above = {folder / "conftest.py" for folder in path.parents if folder.is_relative_to(ROOT)}
    waiting = {path, *(one for one in above - common if one.is_file())}
    found, far = common | waiting, False
    while waiting:
        files, further = reached(waiting.pop())
        far |= further
        waiting |= files - found
        found |= files
    return found | set(everything()) if far else found


@cache
def reached(path: Path) -> tuple[frozenset[Path], bool]:
    """The files of the project that a file imports, and whether it may reach anything else."""
    if path.suffix != ".py":
        return frozenset(), True
    tree = ast.parse(path.read_text("utf-8"))
    named = words(tree)
    far = not FURTHER.isdisjoint(named) or any(word.startswith("recprivlib.") for word in named)
    files: set[Path] = set()
    for name in imports(tree):
        if (first := name.split(".")[0]) in OWN:
            some = behind(name)
            files |= some
            far |= not some
        else:
            far |= any((ROOT / place / f"{first}.py").is_file() for place in ("tools", "book/_ext"))
    return frozenset(files), far


def words(tree: ast.AST) -> set[str]:
    """What a text names: variables, attributes, arguments, modules, and strings that are one word."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
                found.add(word)
            case ast.alias(name=word):
                found.update(part for part in word.split(".") if part != "recprivlib")
            case ast.ImportFrom(module=str(word)):
                found.update(part for part in word.split(".") if part != "recprivlib")
            case ast.Constant(value=str(word)) if " " not in word:
                found.add(word)
    return found


def behind(name: str) -> set[Path]:
    """The files that an import runs: of the module, or of the one that holds what is imported, and of those above.

    None of them where the package itself chooses what to import.
    """
    parts = name.split(".")
    for length in (len(parts), len(parts) - 1):
        place = ROOT.joinpath(*parts[:length])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file() and place != PACKAGE:
                above = (up / "__init__.py" for up in place.parents if up.is_relative_to(ROOT) and up != PACKAGE)
                return {file, *(one for one in above if one.is_file())}
    return set()


# -------------------------------------------------------------------------------------------------- pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "Leave out tests that were green and whose code has not changed since."
    parser.getgroup("general").addoption("--changed", action="store_true", help=told)


def pytest_configure(config: pytest.Config) -> None:
    if config.option.changed:
        config.pluginmanager.register(Changed(config), "recpriv-changed")


class Changed:
    """Which tests are known to be green as they stand; a worker is told so by the process that started it."""

    def __init__(self, config: pytest.Config):
        self.told = getattr(config, "workerinput", None)
        self.config, self.left_out, self.red = config, 0, set[str]()
        self.names: dict[str, str] = {}
        self.green: dict[str, str] = {} if self.told else dict(config.cache.get(KEPT, {}))  # type: ignore[union-attr]
        self.known = set(self.told["unchanged"]) if self.told else {id for id in self.green if self.same(id)}
        self.seen: set[str] = set()

    def name(self, nodeid: str) -> str:
        """The name of all that a test is made of, as it was when this run began to ask."""
        file = nodeid.split("::")[0]
        if file not in self.names:
            self.names[file] = digest(made_of(ROOT / file)) if (ROOT / file).is_file() else "gone"
        return self.names[file]

    def same(self, nodeid: str) -> bool:
        return self.green[nodeid] == self.name(nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["unchanged"] = sorted(self.known)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        for nodeid in ids:
            self.name(nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if not self.told:
            for item in items:
                self.name(item.nodeid)
        kept = [item for item in items if item.nodeid not in self.known]
        out = [item for item in items if item.nodeid in self.known]
        self.left_out, items[:] = len(out), kept
        config.hook.pytest_deselected(items=out)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.seen.add(report.nodeid)
        elif not report.passed:
            self.red.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if self.told:
            self.config.workeroutput["left_out"] = self.left_out  # type: ignore[attr-defined]
            return
        green = {nodeid: self.name(nodeid) for nodeid in self.seen - self.red}
        kept = {nodeid: name for nodeid, name in self.green.items() if nodeid not in self.red}
        self.config.cache.set(KEPT, kept | green)  # type: ignore[union-attr]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        self.left_out = max(self.left_out, getattr(node, "workeroutput", {}).get("left_out", 0))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.write_line(f"--changed: {self.left_out} tests were green and are made of the same; left out")
