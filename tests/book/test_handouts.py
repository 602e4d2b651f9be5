"""Notebooks to hand out: no markup that JupyterLab does not know, no solution for students, all for teachers."""

from __future__ import annotations

import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbclient import NotebookClient

from recprivlib.exercises import exercises
from tools import handouts
from tools.notebooks import chapters

RAW = re.compile(r"\{[\w:]+\}`|^[`:]{3,}\{|^:{3,}|^:[\w-]+:|\$\$ *\(|^\([\w-]+\)=", re.MULTILINE)
PAGES = {page.stem: page for page in chapters()}


@pytest.fixture(scope="module")
def made():
    return {(stem, who): handouts.notebook(page, who) for stem, page in PAGES.items() for who in handouts.WHO}


def sources(notebook, kind):
    return [cell.source for cell in notebook.cells if cell.cell_type == kind]


def test_nothing_in_them_is_markup_that_only_the_book_knows(made):
    for (stem, who), notebook in made.items():
        nbformat.validate(notebook)
        raw = [found[0] for text in sources(notebook, "markdown") for found in RAW.finditer(text)]
        assert not raw, f"{stem} for the {who}: {raw[:3]}"


def test_students_have_no_solution_and_teachers_have_all(made):
    for stem, page in PAGES.items():
        cells = handouts.jupytext.reads(page.read_text("utf-8"), fmt="md:myst").cells
        code = {cell.source for cell in cells if handouts.solves(cell)}
        texts = re.findall(r"^:{3,}\{dropdown\} Solution.*\n([^\n]{20})", page.read_text("utf-8"), re.MULTILINE)
        student, teacher = ("\n".join(cell.source for cell in made[stem, who].cells) for who in handouts.WHO)
        assert not [one for one in (*code, *texts) if one in student], stem
        assert all(one in teacher for one in code), stem
        assert teacher.count("**Solution") == len(texts), stem
        assert "### BEGIN SOLUTION" not in student


def test_every_graded_exercise_of_the_book_stands_in_both_and_begins_with_what_fails(made):
    for name, asked in exercises().items():
        (stem,) = [stem for stem, page in PAGES.items() if f"```{{exercise}} {name}\n" in page.read_text("utf-8")]
        student, teacher = (sources(made[stem, who], "code") for who in handouts.WHO)
        assert asked.start in student
        assert asked.solution not in "".join(student)
        assert f"### BEGIN SOLUTION\n{asked.solution}### END SOLUTION\n" in teacher
        assert not [hint for hint in asked.hints if hint in "".join(sources(made[stem, "student"], "markdown"))]


def test_nbgrader_finds_each_of_its_cells_once_and_grades_those_that_check(made):
    for (stem, who), notebook in made.items():
        marked = [cell.metadata["nbgrader"] for cell in notebook.cells if "nbgrader" in cell.metadata]
        names = [about["grade_id"] for about in marked]
        assert len(set(names)) == len(names), stem
        for about in marked:
            assert about["schema_version"] == 3
            assert (about["grade"], about["locked"]) in {(True, True), (False, False)}
            assert about["grade"] != about["solution"]
            assert ("points" in about) == about["grade"]
        other = made[stem, "teacher" if who == "student" else "student"]
        assert names == [cell.metadata["nbgrader"]["grade_id"] for cell in other.cells if "nbgrader" in cell.metadata]


def test_what_later_cells_need_of_a_solution_is_given():
    code = nbformat.v4.new_code_cell
    solves = {"mystnb": {"code_prompt_show": "Solution"}}
    hidden = code("import math\nlow = 3\nanswer = low + 1\nprint(answer)", metadata=solves)
    later = code("print(math.pi * low, [answer for answer in (1, 2)])")
    cells = [code(handouts.YOURS), later]
    given = handouts._needed(cells, [hidden, later])[0].source
    assert "import math\nlow = 3\n" in given
    assert "answer =" not in given


def test_citations_and_settings_are_words():
    said = handouts.plain("{cite:t}`wang2022privrec` and {set}`ε = 2 <epsilon=2>`,\n$$\nx\n$$ (eq-x)\nsee {eq}`eq-x`.")
    assert re.fullmatch(r"\w.* \(20\d\d\) and ε = 2,\n\$\$\nx\n\$\$\nsee the formula\.", said), said


ASKED = """```{check} odd
Is {term}`seven` odd?
- [ ] no :: it is 2 times 3,
  and 1
- [x] yes
- [ ] at night :: by day too
```
"""


def test_a_question_is_read_with_its_answers_and_its_key_is_for_teachers():
    listed = "Is seven odd?\n\n- **A.** no\n- **B.** yes\n- **C.** at night\n"
    assert handouts.plain(ASKED, "student") == listed
    assert (
        handouts.plain(ASKED, "teacher") == f"{listed}\n**Key: B.**\n\n- A: it is 2 times 3, and 1\n- C: by day too\n"
    )


def test_every_question_stands_in_both_and_its_key_in_the_teachers_alone(made):
    for stem, page in PAGES.items():
        many = len(re.findall(r"^```\{check\}", page.read_text("utf-8"), re.MULTILINE))
        student, teacher = ("\n".join(sources(made[stem, who], "markdown")) for who in handouts.WHO)
        assert (student.count("- **A.** "), teacher.count("- **A.** ")) == (many, many), stem
        assert (student.count("**Key: "), teacher.count("**Key: ")) == (0, many), stem
        assert not re.search(r"^- \[[ x]\]| :: ", student + teacher, re.MULTILINE), stem


def test_they_stand_beside_the_book_and_its_pages_link_to_them(book):
    """Students' on each chapter's own page, both on the page for teachers; none is dead, and none is an old one."""
    linked = {}
    for page in (*PAGES, "classroom"):
        html = BeautifulSoup((book / "book" / f"{page}.html").read_text("utf-8"), "html.parser")
        for link in html.select("a[download]"):
            path = (book / "book" / link["href"]).resolve()
            linked.setdefault(page, []).append("/".join(path.parts[-2:]))
            who, stem = path.parent.name, path.stem
            assert path.read_text("utf-8") == handouts.written(PAGES[stem], who), path
    paths = [stem for stem in PAGES if "```{path}" in PAGES[stem].read_text("utf-8")]
    assert {stem: linked[stem] for stem in paths} == {stem: [f"student/{stem}.ipynb"] for stem in paths}
    assert sorted(linked["classroom"]) == sorted(f"{who}/{stem}.ipynb" for who in handouts.WHO for stem in PAGES)


def test_what_somebody_has_done_in_one_of_them_stays(tmp_path):
    pages = [PAGES["privrec"]]
    assert handouts.lay_out(lambda line: None, tmp_path, pages) == []
    mine, other = (tmp_path / who / "privrec.ipynb" for who in handouts.WHO)
    mine.write_text(mine.read_text("utf-8").replace("# your answer", "# 42"), "utf-8")
    other.unlink()
    said = []
    assert handouts.lay_out(said.append, tmp_path, pages) == [mine]
    assert "# 42" in mine.read_text("utf-8")
    assert other.read_text("utf-8") == handouts.written(pages[0], "teacher")
    assert said == ["handouts: student/privrec.ipynb has your work in it and stays; delete it to get it anew"]


LONG = pytest.mark.slow  # each runs a whole chapter: half a minute to a minute and a half, its own simulations
AT_ONCE = ("federation",)  # little to compute


@pytest.mark.parametrize("who", handouts.WHO)
@pytest.mark.parametrize("stem", [stem if stem in AT_ONCE else pytest.param(stem, marks=LONG) for stem in PAGES])
def test_both_run_from_top_to_bottom_and_the_teacher_s_passes_every_check(stem, who, made):
    notebook = NotebookClient(made[stem, who], timeout=600, resources={"metadata": {"path": str(PAGES[stem].parent)}})
    done = notebook.execute()
    verdicts = [cell.outputs for cell in done.cells if cell.source == "assert passed"]
    assert all(bool(outputs) == (who == "student") for outputs in verdicts)
