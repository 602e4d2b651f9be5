"""The chapters as notebooks to hand out, in `_build/handouts`: for students without solutions, for teachers with them.

    python -m tools.handouts            (or --lab: in `_build/notebooks`, where a reader's own work stays)

What MyST alone understands is said in plain Markdown; the dashboard of a chapter stands where its figure does.
Exercises that are graded by attack stand at the end, so that no name of theirs is another's. Cells have nbgrader's
metadata: the teacher's notebooks are what `nbgrader generate_assignment` begins with, ours are what it would make.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import jupytext
import nbformat

from recprivlib.exercises import Exercise, exercise
from tools.book import tell
from tools.notebooks import chapters

import checks  # isort: skip  (a local extension of the book)

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "_build" / "handouts"
LAB = ROOT / "_build" / "notebooks"  # the same where `make lab` opens them
WHO = ("student", "teacher")
SCHEMA = 3  # of nbgrader's metadata
YOURS = "# your answer\n"
FENCED = re.compile(r"^(`{3,}|:{3,})\{([\w:-]+)\} *([^\n]*)\n(.*?)^\1 *$\n?", re.MULTILINE | re.DOTALL)
ROLE = re.compile(r"\{([\w:]+)\}`([^`]*)`")
LABEL = re.compile(r"^(\$\$) *\([\w-]+\) *$", re.MULTILINE)
PLACE = re.compile(r"^\([\w-]+\)=\n", re.MULTILINE)
ENTRY = re.compile(r"^@\w+\{([^,\s]+),(.*?)^\}", re.MULTILINE | re.DOTALL)


def _explored(stem: str) -> str:
    return f'from widgets.notebook import explore\n\nexplore("{stem}")'


def _living(name: str, *settings: str) -> str:
    pairs = (setting.partition("=") for setting in settings)
    told = "".join(f', {key}="{value}"' for key, _, value in pairs)
    return f'from widgets.living import living\n\nliving("{name}"{told})'


SHOWN: dict[str, Callable[..., str]] = {"path": _explored, "living": _living}  # directives that are cells of their own


def notebook(page: Path, who: str) -> Any:
    """A chapter as a notebook for `who`."""
    known = jupytext.reads(page.read_text("utf-8"), fmt="md:myst")
    asked: list[Exercise] = []
    cells = [made for cell in known.cells for made in _cells(cell, who, page.stem, asked)]
    if asked:
        cells.append(nbformat.v4.new_markdown_cell("## Exercises that are graded by attack"))
    cells += [made for one in asked for made in _graded(one, who)]
    kept = _needed(cells, known.cells) if who == "student" else cells
    for number, cell in enumerate(kept):
        cell["id"] = f"cell-{number}"
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=kept, metadata=kernel)


def _cells(cell: Any, who: str, stem: str, asked: list[Exercise]) -> Iterator[Any]:
    """A cell of a chapter, as one or more of a notebook."""
    if cell.cell_type == "markdown":
        yield from _prose(cell.source, who, asked)
    elif solves(cell):
        text = f"### BEGIN SOLUTION\n{cell.source}\n### END SOLUTION\n" if who == "teacher" else YOURS
        yield _marked(nbformat.v4.new_code_cell(text), f"{stem}-{crc32(cell.source.encode()):08x}", solution=True)
    else:
        yield nbformat.v4.new_code_cell(cell.source)


def solves(cell: Any) -> bool:
    """Whether a cell of code is the solution of an exercise."""
    shown = cell.metadata.get("mystnb", {}).get("code_prompt_show", "")
    return cell.cell_type == "code" and shown.startswith("Solution")


def _marked(cell: Any, name: str, *, solution: bool = False, grade: bool = False) -> Any:
    about = {"grade": grade, "grade_id": name, "locked": grade, "schema_version": SCHEMA, "solution": solution,
             "task": False}  # fmt: skip
    cell.metadata["nbgrader"] = about | ({"points": 1} if grade else {})
    return cell


# -------------------------------------------------------------------------------------------------- prose


def _prose(text: str, who: str, asked: list[Exercise]) -> Iterator[Any]:
    """Markdown without MyST; the dashboard of a path is a cell of its own, and so is a living picture."""
    at = 0
    for found in FENCED.finditer(text):
        if found[2] in SHOWN:
            yield from _markdown(text[at : found.start()], who, asked)
            yield nbformat.v4.new_code_cell(SHOWN[found[2]](*found[3].split()))
            at = found.end()
    yield from _markdown(text[at:], who, asked)


def _markdown(text: str, who: str, asked: list[Exercise]) -> Iterator[Any]:
    said = plain(text, who, asked).strip()
    if said:
        yield nbformat.v4.new_markdown_cell(said)


def plain(text: str, who: str = "teacher", asked: list[Exercise] | None = None) -> str:
    """MyST as the Markdown that JupyterLab shows.

    >>> plain("At {set}`ε = 2 <epsilon=2>` the {term}`bill` doubles.")
    'At ε = 2 the bill doubles.'
    """
    known = [] if asked is None else asked
    folded = FENCED.sub(lambda found: _block(found, who, known), text)
    return PLACE.sub("", LABEL.sub(r"\1", ROLE.sub(_role, folded)))


def _block(found: re.Match[str], who: str, asked: list[Exercise]) -> str:
    """What becomes of a directive."""
    _, kind, about, body = found.groups()
    if kind == "exercise":
        asked.append(exercise(about.strip()))
        return f"*{asked[-1].title}* stands at the end of this notebook.\n"
    if kind == "check":
        return _question(body, who)
    if kind == "dropdown":
        return f"**{about}.** {body}" if who == "teacher" else "*Your answer:*\n"
    return ""  # settings of the page, and pictures that it brings


def _question(body: str, who: str) -> str:
    """A question with its answers, a letter each; for teachers, with the key and what is to be said of each answer."""
    asked = checks.read(body.splitlines())
    lettered = list(zip("ABCD", asked.answers, strict=False))
    answers = "".join(f"- **{letter}.** {one.words}\n" for letter, one in lettered)
    if who == "student":
        return f"{asked.asked}\n\n{answers}"
    (right,) = (letter for letter, one in lettered if one.right)
    reasons = "".join(f"- {letter}: {one.why}\n" for letter, one in lettered if one.why)
    return f"{asked.asked}\n\n{answers}\n**Key: {right}.**\n\n{reasons}"


def _role(found: re.Match[str]) -> str:
    kind, text = found.groups()
    words, _, target = text.rstrip(">").partition("<")
    if kind.startswith("cite"):
        return "; ".join(_cited(key.strip(), kind == "cite:p") for key in text.split(","))
    if kind == "eq":
        return "the formula"
    return words.strip() if target else text


def _cited(key: str, brackets: bool) -> str:
    entries = dict(ENTRY.findall((ROOT / "book" / "references.bib").read_text("utf-8")))
    told = dict(re.findall(r"^\s*(author|year)\s*=\s*[{\"](.*?)[}\"],?$", entries[key], re.MULTILINE))
    names = [name.split(",")[0].strip("{} ") for name in told["author"].split(" and ")]
    who = names[0] if len(names) == 1 else f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} et al."
    return f"({who}, {told['year']})" if brackets else f"{who} ({told['year']})"


# ---------------------------------------------------------------------------------------------- exercises


def _graded(one: Exercise, who: str) -> Iterator[Any]:
    """An exercise: its task, the answer, its checks, and the cell that nbgrader looks at."""
    yield nbformat.v4.new_markdown_cell(f"### {one.title}\n{one.task}")
    answer = one.start
    if who == "teacher":
        hints = "".join(f"{number}. {hint}\n" for number, hint in enumerate(one.hints, 1))
        yield nbformat.v4.new_markdown_cell(f"**Hints.**\n\n{hints}")
        answer = f"### BEGIN SOLUTION\n{one.solution}### END SOLUTION\n"
    yield _marked(nbformat.v4.new_code_cell(answer), f"{one.name}-answer", solution=True)
    code = f'from recprivlib.exercises import check\n\npassed = check("{one.name}", globals())'
    yield nbformat.v4.new_code_cell(code)
    last = _marked(nbformat.v4.new_code_cell("assert passed"), f"{one.name}-passed", grade=True)
    last.metadata["tags"] = ["raises-exception"]  # what does not pass yet does not end the notebook
    yield last


def _needed(cells: list[Any], known: list[Any]) -> list[Any]:
    """A student's cells; what a solution imports or makes for later cells is given."""
    answers = iter([cell for cell in known if solves(cell)])
    for at, cell in enumerate(cells):
        if cell.source != YOURS:
            continue
        source = next(answers).source
        later = [other.source for other in cells[at + 1 :] if other.cell_type == "code"]
        given = [part for part in ast.parse(source).body if _bound([part]) & _loose(later)]
        lines = [ast.get_source_segment(source, part) or "" for part in given]
        if lines:
            cell.source = "\n".join(["# given, since later cells use it", *lines, "", YOURS])
    return cells


def _bound(body: list[ast.stmt]) -> set[str]:
    """The names that statements make."""
    names: set[str] = set()
    for node in (inner for part in body for inner in ast.walk(part)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(one.asname or one.name).split(".")[0] for one in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def _local(part: ast.stmt) -> set[str]:
    """The names that a statement makes for itself: arguments, and what a loop runs over."""
    names: set[str] = set()
    for node in ast.walk(part):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names |= _bound(node.body)
        if isinstance(node, ast.For):
            names |= _bound(node.body)
        if isinstance(node, ast.For | ast.comprehension):
            names |= {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
    return names


def _loose(sources: list[str]) -> set[str]:
    """The names that cells use before one of them has made them."""
    made: set[str] = set()
    used: set[str] = set()
    for part in (part for source in sources for part in ast.parse(source).body):
        reads = {n.id for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        used |= reads - made - _local(part)
        made |= _bound([part])
    return used


def written(page: Path, who: str) -> str:
    """A notebook as text; the same chapter gives the same one."""
    return nbformat.writes(notebook(page, who)) + "\n"


def write(say: Callable[[str], None] = tell, target: Path = TARGET, pages: Iterable[Path] | None = None) -> list[Path]:
    """All notebooks, of every chapter that has code, or of these pages."""
    files = []
    for page in chapters() if pages is None else pages:
        for who in WHO:
            path = target / who / f"{page.stem}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(written(page, who), encoding="utf-8")
            files.append(path)
    say(f"handouts: {len(files)} notebooks, for students and for teachers -> {target}")
    return files


def lay_out(say: Callable[[str], None] = tell, target: Path = LAB, pages: Iterable[Path] | None = None) -> list[Path]:
    """The same for JupyterLab, where people work in them: what they have changed is left as it is, and returned."""
    sums = target / "written.json"  # what each was when it was laid there
    known = json.loads(sums.read_text("utf-8")) if sums.is_file() else {}
    changed = []
    for page, who in ((page, who) for page in (chapters() if pages is None else pages) for who in WHO):
        path = target / who / f"{page.stem}.ipynb"
        if path.is_file() and _sum(path.read_bytes()) != known.get(f"{who}/{page.stem}"):
            changed.append(path)
            continue
        text = written(page, who)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        known[f"{who}/{page.stem}"] = _sum(text.encode())
    sums.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    for path in changed:
        say(f"handouts: {path.relative_to(target)} has your work in it and stays; delete it to get it anew")
    return changed


def _sum(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


if __name__ == "__main__":
    if sys.argv[1:] == ["--lab"]:
        lay_out()
    else:
        write()
