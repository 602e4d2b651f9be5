"""nbval compares what the book's build executed: each chapter runs once, for its page and for its test.

Where a kernel would stand, nbval finds the cells of the build's own run, cell by cell with all that they said; what it
reads of them, how it sanitises and what it compares is its own. `--own-kernels` has the chapters run again instead, in
kernels that nbval starts; they are then slow by nature, and `make test-slow` takes them.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from queue import Empty
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
# jsonschema compiles forty grammars of addresses as it is imported, a second of processor: no notebook here needs one.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
SKIPPED = ("text/html", "text/markdown", "image/svg+xml", "application/vnd.plotly.v1+json")


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "Execute the chapters again in kernels of their own; they count as slow."
    parser.getgroup("nbval").addoption("--own-kernels", action="store_true", help=told)


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Executed chapters are compared by what they say in text: numbers, tables, summaries of figures."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += SKIPPED
        if not collector.config.option.own_kernels:
            collector.setup = lambda: prepare(collector)  # type: ignore[method-assign]


def pytest_itemcollected(item: pytest.Item) -> None:
    if hasattr(item.parent, "skip_compare") and item.config.option.own_kernels:
        item.add_marker(pytest.mark.slow)


def prepare(collector: Any) -> None:
    """nbval's setup of a notebook, but for its kernel."""
    collector.kernel = Replayed(run(collector.path.stem))
    collector.setup_sanitize_files()


def run(stem: str) -> Any:
    """A chapter as the build ran it with the present code; the book is built if it was not."""
    import notebooks

    page = next((page for page in notebooks.chapters() if page.stem == stem), None)
    if page is None:
        pytest.fail(f"no chapter is called {stem!r}: run make notebooks", pytrace=False)
    built()
    try:
        return notebooks.executed(page)  # by this very library, of these very cells
    except notebooks.NotExecuted as reason:
        pytest.fail(str(reason), pytrace=False)


@cache
def built() -> None:
    """Has the book built unless it is up to date."""
    done = subprocess.run([sys.executable, ROOT / "tools" / "book.py"], capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"the book does not build:\n{done.stdout}\n{done.stderr}", pytrace=False)


class Replayed:
    """As much of a kernel as nbval asks for. It says of the cells, in their order, what they said in the build."""

    def __init__(self, notebook: Any):
        self.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        self.number = -1
        self.waiting: list[dict[str, Any]] = []

    def is_alive(self) -> bool:
        return True

    def execute_cell_input(self, source: str, allow_stdin: bool | None = None) -> str:
        """Goes on to the cell of this text; what the build ran must be what the reference asks for."""
        later = (at for at in range(self.number + 1, len(self.cells)) if self.cells[at].source == source)
        found = next(later, None)
        assert found is not None, "the build ran no such cell: run make notebooks and read the diff"
        self.number = found
        self.waiting = [message(output) for output in self.cells[found].outputs]
        return self.asked

    @property
    def asked(self) -> str:
        return f"cell-{self.number}"

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        assert msg_id == self.asked

    def await_idle(self, msg_id: str, timeout: float) -> None:
        self.waiting = []

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        """What the cell said next, and at last that it is done."""
        if stream != "iopub" or self.number < 0:
            raise Empty
        told = self.waiting.pop(0) if self.waiting else {"msg_type": "status", "content": {"execution_state": "idle"}}
        return told | {"parent_header": {"msg_id": self.asked}}

    def interrupt(self) -> None: ...

    def stop(self) -> None: ...


def message(output: Any) -> dict[str, Any]:
    """An output of a notebook as the message that it came in."""
    content = {key: value for key, value in output.items() if key != "output_type"}
    return {"msg_type": output["output_type"], "content": content}
