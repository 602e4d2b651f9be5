"""What a module is made of: the files of all modules that it imports, and that those import, read off their text.

A result that is kept under the digest of these files is thrown away when one of them changes, and not before.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent
LAZY = PACKAGE / "__init__.py"  # it re-exports on demand: who imports a part of the package does not run the others


def imports(tree: ast.AST, *, at_import: bool = False) -> Iterator[str]:
    """Absolute names of imported modules, as deep as the text says; `at_import`: only those run on import."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports say where from"
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif not (at_import and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)):
            yield from imports(node, at_import=at_import)


def closure(modules: Iterable[str]) -> tuple[Path, ...]:
    """The files of recprivlib behind `modules`, in order of their names."""
    found: set[Path] = set()
    waiting = [path for module in modules for path in _files(module)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [] if path == LAZY else _imported(path)
    return tuple(sorted(found))


def digest(paths: Iterable[Path]) -> str:
    """SHA-256 of files of the package, with their names."""
    total = hashlib.sha256()
    for path in paths:
        total.update(f"{path.relative_to(PACKAGE).as_posix()}\n".encode() + path.read_bytes())
    return total.hexdigest()


@cache
def _imported(path: Path) -> list[Path]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [file for name in imports(tree) for file in _files(name)]


def _files(name: str) -> list[Path]:
    """The files that an import of `name` runs: of the packages on the way, and of the module (or what holds it)."""
    first, *rest = name.split(".")
    if first != PACKAGE.name:
        return []
    files, place = [LAZY], PACKAGE
    for part in rest:
        place = place / part
        if place.with_suffix(".py").is_file():
            return [*files, place.with_suffix(".py")]
        if not (place / "__init__.py").is_file():
            break
        files.append(place / "__init__.py")
    return files
