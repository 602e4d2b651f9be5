"""What Panel, Bokeh, Tornado and param keep to themselves is touched in one file alone, read off the syntax trees."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from recprivlib.closure import imports

ROOT = Path(__file__).parents[1]
OTHERS = ("panel", "bokeh", "tornado", "param")
OWN = ("recprivlib", "widgets", "tools")
HERE = ROOT / "widgets" / "hooks.py"  # the one file that may
FILES = [path for place in OWN for path in sorted((ROOT / place).rglob("*.py")) if path != HERE]
BY_NAME = ("getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller")


def private(name: object) -> bool:
    """Whether a name is its owner's alone."""
    return isinstance(name, str) and re.fullmatch(r"_[a-zA-Z]\w*", name) is not None


def theirs(module: str) -> bool:
    """Whether a module is one of those that are used and not written here."""
    return module.partition(".")[0] in OTHERS


def nodes(tree: ast.AST, *kinds: type[ast.AST]) -> list[Any]:
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def made(tree: ast.AST) -> set[str]:
    """The private names that a file gives to things of its own."""
    functions = {node.name for node in nodes(tree, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)}
    fields = {node.attr for node in nodes(tree, ast.Attribute) if of_itself(node) and isinstance(node.ctx, ast.Store)}
    values = {node.id for node in nodes(tree, ast.Name) if isinstance(node.ctx, ast.Store)}
    return {name for name in functions | fields | values if private(name)}


@cache
def ours() -> frozenset[str]:
    """All of them."""
    return frozenset().union(*(made(ast.parse(path.read_text(encoding="utf-8"))) for path in FILES))


def of_itself(node: ast.Attribute) -> bool:
    """Whether this is an object's own: what others have put there before is looked for in its class."""
    owner = node.value.func if isinstance(node.value, ast.Call) else node.value
    return isinstance(owner, ast.Name) and owner.id in ("self", "cls", "super")


class Meant:
    """What the names of a file stand for."""

    def __init__(self, tree: ast.AST):
        self.from_: dict[str, tuple[str, str]] = {}
        for node in nodes(tree, ast.Import):
            for alias in node.names:
                self.from_[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0], ""
                )  # fmt: skip
        for node in nodes(tree, ast.ImportFrom):
            self.from_ |= {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}

    def __call__(self, node: ast.AST) -> Any:
        """The thing itself; None where it is none of theirs and no class of ours."""
        if isinstance(node, ast.Attribute):
            owner = self(node.value)
            return getattr(owner, node.attr, None)
        module, name = self.from_.get(node.id, ("", "")) if isinstance(node, ast.Name) else ("", "")
        if not (theirs(module) or module.startswith("widgets")):
            return None
        found = importlib.import_module(module)
        if name and not hasattr(found, name):
            return importlib.import_module(f"{module}.{name}")
        return getattr(found, name) if name else found


@cache
def kept(of: type) -> frozenset[str]:
    """The private names of a class of theirs, and of what it is made from."""
    bases = [base for base in of.__mro__ if theirs(base.__module__)]
    fields = (re.findall(r"\bself\.(_[a-z]\w*)", inspect.getsource(base)) for base in bases)
    return frozenset(name for base in bases for name in vars(base) if private(name)).union(*fields)


def inherited(one: ast.ClassDef, meant: Meant, within: dict[str, ast.ClassDef]) -> frozenset[str]:
    """What a class has from theirs, through others of the same file too."""
    found: set[str] = set()
    for base in one.bases:
        known = meant(base)
        if isinstance(base, ast.Name) and base.id in within and base.id != one.name:
            found |= inherited(within[base.id], meant, within)
        elif isinstance(known, type):
            found |= kept(known)
    return frozenset(found)


def touched(tree: ast.AST) -> list[str]:
    """What a file knows that it should not: private names of theirs, and values of theirs that it exchanges."""
    meant, uses = Meant(tree), any(theirs(name) for name in imports(tree))
    found = [f"import {name}" for name in imports(tree) if theirs(name) and any(map(private, name.split(".")))]
    for node in nodes(tree, ast.Attribute):
        module = meant.from_.get(node.value.id, ("", "x")) if isinstance(node.value, ast.Name) else ("", "x")
        elsewhere = module[1] == "" and not theirs(module[0])  # os._exit
        if private(node.attr) and not of_itself(node) and not elsewhere and (uses or node.attr not in ours()):
            found.append(ast.unparse(node))
        if isinstance(node.ctx, ast.Store) and isinstance(meant(node.value), ModuleType):
            found.append(f"{ast.unparse(node)} = …")
    for call in nodes(tree, ast.Call):
        how = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        named = [each.value for each in call.args if isinstance(each, ast.Constant) and private(each.value)]
        if how in BY_NAME and named and (uses or not ours().issuperset(named)):
            found.append(ast.unparse(call))
    classes = {node.name: node for node in nodes(tree, ast.ClassDef)}
    for one in classes.values():
        names = made(one) | {node.attr for node in nodes(one, ast.Attribute) if of_itself(node)}
        found += [f"{one.name}.{name}" for name in sorted(names & inherited(one, meant, classes))]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_hooks_know_what_others_keep_to_themselves(path):
    assert touched(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "line",
    [
        "from panel.io.resources import _env",
        "import bokeh.core._templates",
        "import panel as pn\ndef f(server):\n    return server._tornado",
        "from panel.io import hold\ndef f(part):\n    part.self._models",
        "from tornado.web import RequestHandler\ndef f(stream):\n    return getattr(stream, '_write_buffer', None)",
        "def f(stream):\n    return stream._write_buffer",
        "def f(stream):\n    return getattr(stream, '_write_buffer', None)",
        "from operator import attrgetter\nf = attrgetter('_render_items')",
        "import panel.template.base\npanel.template.base.config = 1",
        "from panel.template import base\nbase.config = 1",
        "from panel.io.server import WSHandler\nclass A(WSHandler):\n    def _internal_error(self, message): ...",
        "from panel.io.server import WSHandler\nclass A(WSHandler): ...\nclass B(A):\n    def f(self): self._token",
        "import panel as pn\nclass A(pn.Template):\n    def add_panel(self, *_):\n        self._render_items = 1",
        "import panel as pn\nclass A(pn.custom.JSComponent):\n    _esm = 'x'",
        "from widgets.answers import Dashboard\nclass A(Dashboard):\n    def f(self): super()._execute()",
        "from widgets.hooks import Drawn\nclass A(Drawn):\n    def f(self): self._models",
    ],
)
def test_a_private_name_would_be_seen(line):
    assert touched(ast.parse(line))


@pytest.mark.parametrize(
    "line",
    [
        "import panel as pn\nclass A:\n    def f(self): self._models",
        "import os\nfrom panel.io import hold\nos._exit(0)",
        "from bokeh.settings import settings\nsettings.perform_error_diagnostics = False",
        "from panel.io.server import WSHandler\nclass A(WSHandler):\n    _deaf = 1\n    def f(self): super().open()",
        "import panel as pn\nprint(pn.__version__, pn.state.__class__)",
        "def f(door):\n    return door._enter",
    ],
)
def test_what_is_public_or_ones_own_is_not(line):
    assert touched(ast.parse(line)) == []
