"""Keep what the executed chapters print as references under tests/notebooks, for nbval to compare with.

    python tools/notebooks.py

A reference holds the code cells of a chapter and what they say in text (a figure says its numbers rounded). Prose
and pictures are left out, so that a better sentence changes no reference and a changed number stands out in a diff.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml

ROOT = Path(__file__).resolve().parent.parent
REFERENCES = ROOT / "tests" / "notebooks"
sys.path.insert(0, str(ROOT / "book" / "_ext"))


class NotExecuted(Exception):
    """The build has not run this chapter with the code that there is now; the text says which, and the cure."""


def chapters() -> list[Path]:
    """The executable pages of the table of contents that are whole."""
    from drafts import whole

    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    names = [toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])]
    pages = [ROOT / f"{name}.md" for name in names]
    return whole(page for page in pages if page.read_text("utf-8").startswith("---\nfile_format: mystnb"))


def cells(page: Path) -> list[tuple[str, list[str]]]:
    """The code of a chapter as it is written: (source, tags) of each cell."""
    notebook = jupytext.reads(page.read_text("utf-8"), fmt="md:myst")
    return parts(notebook)


def parts(notebook: Any) -> list[tuple[str, list[str]]]:
    """(source, tags) of each code cell of a notebook."""
    code = (cell for cell in notebook.cells if cell.cell_type == "code")
    return [(cell.source, list(cell.metadata.get("tags", []))) for cell in code]


def executed(page: Path) -> Any:
    """A chapter as the build ran it with the present library: the one place that knows where the build keeps that."""
    import kept

    from fingerprint import cells_of, outputs

    folder = ROOT / "_build" / "work" / "executed"
    code = cells_of(jupytext.reads(page.read_text("utf-8"), fmt="md:myst"))
    body = kept.read(folder / page.stem / f"{outputs(code)}.ipynb", folder)
    notebook = nbformat.reads(body.decode(), as_version=4) if body else None
    if notebook is not None and parts(notebook) == cells(page):
        return notebook
    raise NotExecuted(f"{page.name} was not executed as it stands: run make book and read what it says")


def reference(notebook: Any) -> Any:
    """The part of an executed chapter that a test compares."""
    kept = []
    for number, cell in enumerate(cell for cell in notebook.cells if cell.cell_type == "code"):
        fresh = nbformat.v4.new_code_cell(cell.source, id=f"cell-{number}", execution_count=number + 1)
        if tags := cell.metadata.get("tags"):
            fresh.metadata["tags"] = tags
        fresh.outputs = joined([output for output in map(spoken, cell.outputs) if output])
        kept.append(fresh)
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=kept, metadata=kernel)


def spoken(output: Any) -> Any:
    """An output as text, or None if it says nothing in text."""
    if output.output_type == "stream":
        return nbformat.v4.new_output("stream", name=output.name, text=output.text)
    if "text/plain" not in output.get("data", {}):
        return None
    count = {"execution_count": None} if output.output_type == "execute_result" else {}
    return nbformat.v4.new_output(output.output_type, data={"text/plain": output.data["text/plain"]}, **count)


def joined(outputs: list[Any]) -> list[Any]:
    """Lines printed one after another are one output, however the kernel happened to send them."""
    kept: list[Any] = []
    for output in outputs:
        if kept and output.output_type == kept[-1].output_type == "stream" and output.name == kept[-1].name:
            kept[-1].text += output.text
        else:
            kept.append(output)
    return kept


def main() -> None:
    if subprocess.run([sys.executable, ROOT / "tools" / "book.py"]).returncode:
        sys.exit(1)
    pages = chapters()
    for page in pages:
        path = REFERENCES / f"{page.stem}.ipynb"
        try:
            text = nbformat.writes(reference(executed(page))) + "\n"
        except NotExecuted as reason:
            sys.exit(str(reason))
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: written; read the diff before you commit it")
    for path in REFERENCES.glob("*.ipynb"):
        if path.stem not in {page.stem for page in pages}:
            path.unlink()
            print(f"{path.relative_to(ROOT)}: removed, its chapter is gone")


if __name__ == "__main__":
    main()
