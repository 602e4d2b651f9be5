"""The form of an exercise in JupyterLab: the page's checks, hints and words."""

from __future__ import annotations

import subprocess
import sys
from html import escape

from recprivlib.exercises import exercise, graded
from widgets.exercise import Form


def test_code_that_is_changed_and_checked_is_told_what_was_found():
    asked, here = exercise("coin"), Form("coin")
    assert here.code.value == asked.start
    here.go.click()
    assert "✗ attacked" in here.found.value
    here.code.value = asked.solution
    here.go.click()
    assert here.found.value.count("✓") == len(asked.checks)
    assert all(escape(one.say) in here.found.value for one in graded("coin", asked.solution))


def test_hints_come_one_by_one_and_the_solution_after_the_last():
    asked, here = exercise("coin"), Form("coin")
    for used, hint in enumerate(asked.hints, 1):
        here.hint.click()
        assert here.ladder.value.count("<li>") == used
        assert "<pre>" not in here.ladder.value
        assert escape(hint) in here.ladder.value
    assert here.hint.description == "The solution"
    here.hint.click()
    assert "<pre>" in here.ladder.value
    assert here.hint.disabled


def test_what_the_code_says_is_text_and_never_markup():
    here = Form("coin")
    here.code.value = "print('<img src=x>')\nraise ValueError('<b>')\n"
    here.go.click()
    assert "<img" not in here.found.value
    assert "&lt;b&gt;" in here.found.value


def test_it_needs_no_panel():
    code = "import sys; import widgets.exercise; sys.exit('panel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
