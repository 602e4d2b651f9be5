"""In which order tests run, and beside which others.

Under xdist (`--dist loadgroup`) tests of a file stay together, since they share its fixtures; a browser's tests share
nothing but what every worker has, and are dealt out one function at a time. What takes longest comes first, so that
the cores are done together. What is marked `timing` looks at a clock: it comes last, when the others have ended.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
ALONE = "timing"
LONGEST = (
    "tests/browser/test_site.py",
    "tests/browser/test_warm.py",
    "tests/setup/test_install.py",
    "tests/book/test_build.py",
    "tests/sweep/test_sweep.py",
    "tests/browser/",
    "tests/server/",
    "tests/book/",
    "tests/setup/",
    "tests/federation/",
    "tests/results/",
    "tests/test_contract.py",
    "tests/audit/",
    "tests/papers/",
)
DEALT = "tests/browser/"  # and what a chapter has of its own: `test_browser.py`
TOGETHER = ("tests/browser/test_site.py",)  # by a host of its own
OTHER = "firefox"  # its tests stand together: a worker that goes from one browser to the other starts it anew


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=place)


def place(item: pytest.Item) -> tuple[bool, bool, int]:
    """Where a test stands; those of one place stay in their order."""
    name = item.nodeid if item.nodeid.startswith(DEALT) or not in_browser(item.nodeid) else DEALT
    at = next((at for at, start in enumerate(LONGEST) if name.startswith(start)), len(LONGEST))
    return item.get_closest_marker(ALONE) is not None, not walked_in(OTHER, item.nodeid), at


def in_browser(nodeid: str) -> bool:
    """Whether this is a walk in a browser, by the file that it stands in."""
    path = nodeid.partition("::")[0]
    return path.startswith(DEALT) or path.endswith("/test_browser.py")


def walked_in(browser: str, nodeid: str) -> bool:
    """Whether this is a walk in that browser."""
    return in_browser(nodeid) and f"[{browser}" in nodeid


def scope(nodeid: str, root: Path = ROOT) -> str:
    """The name of the tests that one worker takes together.

    xdist tells a scheduler nothing of a test but its name (groups used to be written into it, until pytest 9.2).
    """
    path, _, test = nodeid.partition("::")
    if test.split("[")[0] in clocks(root / path):
        return ALONE
    if walked_in(OTHER, nodeid):
        return OTHER
    if in_browser(nodeid) and not nodeid.startswith(TOGETHER):
        return nodeid.split("[")[0]
    return path


@cache
def clocks(path: Path) -> frozenset[str]:
    """The functions of a file that are marked `timing`."""
    if path.suffix != ".py" or not path.exists():
        return frozenset()
    known = (node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef))
    return frozenset(
        node.name for node in known if f"pytest.mark.{ALONE}" in (ast.unparse(one) for one in node.decorator_list)
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Schedule(LoadScopeScheduling):  # type: ignore[misc]
        """Scopes in the order of collection; the one of ALONE once a single worker is left."""

        def _split_scope(self, nodeid: str) -> str:
            return scope(nodeid, config.rootpath)

        def _held(self) -> bool:
            """Whether what comes next has to wait for the other workers' end."""
            if ALONE in self.workqueue:
                self.workqueue.move_to_end(ALONE)
            return list(self.workqueue)[:1] == [ALONE] and len(self.nodes) > 1

        def _assign_work_unit(self, node: Any) -> None:
            if not self._held():
                super()._assign_work_unit(node)

        def _reschedule(self, node: Any) -> None:
            if not self._held():
                super()._reschedule(node)
            elif node is not self.nodes[0] and not node.shutting_down:
                node.shutdown()

        def remove_node(self, node: Any) -> str | None:
            crashed: str | None = super().remove_node(node)
            for other in self.nodes:
                self._reschedule(other)
            return crashed

    config.option.loadscopereorder = False
    return Schedule(config, log)
