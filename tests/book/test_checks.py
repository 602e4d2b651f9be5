"""A question to ask oneself: what is refused, what a page holds without a script, whence its numbers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.book.test_numbers import numbers, printed

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "tools")]

import checks  # noqa: E402  (of the book's own extensions)
import notebooks  # noqa: E402

BLOCK = re.compile(r"^```\{check\} *(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GOOD = """Which of $a$ and *b* is
it?
- [ ] the *first* :: it is the
  second
- [x] the second
- [ ] neither :: one of them is
""".splitlines()
WRONG = {
    "begins with its question": GOOD[2:],
    "but one has 2": GOOD[:5],
    "but one has 5": [*GOOD, "- [ ] c :: no", "- [ ] d :: no"],
    "one answer of a {check} is right": [line.replace("[x]", "[ ]") for line in GOOD],
    "'neither' has no reason": [line.removesuffix(" :: one of them is") for line in GOOD],
}


def test_a_question_is_read_with_lines_that_go_on():
    read = checks.read(GOOD)
    assert read.asked == "Which of $a$ and *b* is it?"
    assert [(one.words, one.right, one.why) for one in read.answers] == [
        ("the *first*", False, "it is the second"), ("the second", True, ""), ("neither", False, "one of them is")
    ]  # fmt: skip


@pytest.mark.parametrize("said", WRONG)
def test_what_is_missing_is_said(said):
    with pytest.raises(ValueError, match=re.escape(said)):
        checks.read(WRONG[said])


def built(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """A book of one page with these extensions alone."""
    folder.mkdir(exist_ok=True)
    (folder / "index.md").write_text(text, "utf-8")
    config = f"import sys\nsys.path.insert(0, {str(ROOT / 'book' / '_ext')!r})\n"
    config += "extensions = ['myst_parser', 'checks']\nmyst_enable_extensions = ['dollarmath', 'tasklist']\n"
    (folder / "conf.py").write_text(config, "utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", folder, folder / "html"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_without_a_script_a_page_holds_question_answers_and_a_key(tmp_path):
    done = built(tmp_path, "# Page\n\n```{check} one\n" + "\n".join(GOOD) + "\n```\n")
    assert not done.returncode, done.stderr
    html = BeautifulSoup((tmp_path / "html" / "index.html").read_text("utf-8"), "html.parser")
    box = html.select_one("section.check#check-one")
    assert box["aria-labelledby"] == box.select_one(".check-ask")["id"]
    assert box.select_one(".check-ask em").get_text() == "b"
    found = box.select(".check-answers > li")
    assert [one.get_text(strip=True) for one in found] == ["thefirst", "the second", "neither"]
    assert [one.get("data-right") for one in found] == [None, "1", None]
    assert [one.get_text(" ", strip=True) for one in box.select("details.check-key li")] == [
        "No. it is the second", "Right.", "No. one of them is"
    ]  # fmt: skip
    assert html.select("script[src*='check.js']")
    again = built(tmp_path, "# Page\n\n" + 2 * ("```{check} one\n" + "\n".join(GOOD) + "\n```\n"))
    assert again.returncode
    assert "there are two {check} 'one'" in again.stderr


@pytest.mark.parametrize("page", notebooks.chapters(), ids=lambda page: page.stem)
def test_every_number_of_a_question_is_printed_by_the_chapter_s_code(page):
    asked = " ".join(body for _, body in BLOCK.findall(page.read_text("utf-8")))
    plain = re.sub(r"\$[^$]+\$|`[^`]*`|\]\([^)]*\)", " ", asked)
    unknown = numbers(plain) - printed(page) - {str(number) for number in range(11)}
    assert not unknown, f"a question of {page.name} says {', '.join(sorted(unknown))}, and its code does not"
