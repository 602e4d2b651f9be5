"""Every solution passes, every start and every known wrong program fails, and where is said."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from recprivlib.auditing.overheard import alone
from recprivlib.exercises import exercises, graded
from recprivlib.exercises.contract import agrees, price
from recprivlib.parameters import UserError

ROOT = Path(__file__).parents[2]
ALL = exercises()
WRONG = [(name, at) for name, asked in ALL.items() for at in range(len(asked.wrong))]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("seed", range(5))
def test_a_solution_passes_every_check_whatever_the_coins(name, seed):
    found = list(graded(name, ALL[name].solution, seed))
    assert [one.check for one in found] == [label for label, _ in ALL[name].checks]
    assert all(one.passed and one.say for one in found), found[-1]


@pytest.mark.parametrize("name", ALL)
def test_the_same_program_is_told_the_same_twice(name):
    first, second = (list(graded(name, ALL[name].solution)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("name", "at"), WRONG)
def test_a_wrong_program_fails_where_it_is_wrong_and_is_told_what_was_seen(name, at):
    wrong = ALL[name].wrong[at]
    last = outcome(name, at) if alone() else by_itself(name, at)
    assert (last["check"], last["passed"]) == (wrong.fails, False), last
    assert len(last["say"]) > 20
    assert "wrong" not in last["say"].lower()


def outcome(name, at):
    return asdict(list(graded(name, ALL[name].wrong[at].text))[-1])


def by_itself(name, at):
    """In a process of its own: where other threads run, the audit does not look at what is printed."""
    code = (
        f"import json; from tests.exercises.test_exercises import outcome; print(json.dumps(outcome({name!r}, {at})))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def test_by_itself_it_says_the_same():
    assert by_itself("cheat", 6)["check"] == ALL["cheat"].wrong[6].fails


@pytest.mark.parametrize("name", ALL)
def test_an_exercise_begins_with_what_fails_and_has_programs_that_reach_its_checks(name):
    asked = ALL[name]
    assert asked.wrong[0].text == asked.start
    assert {one.fails for one in asked.wrong} <= {label for label, _ in asked.checks}
    assert len({one.fails for one in asked.wrong}) >= 2
    assert len({one.text for one in asked.wrong} | {asked.solution}) == len(asked.wrong) + 1
    assert len(asked.hints) == 3
    assert not any(asked.solution in hint for hint in asked.hints)


def test_each_exercise_stands_in_one_chapter_in_the_order_of_the_book_and_every_paper_has_two():
    """A chapter's evening: the primer on recommenders, which promises nothing, has none to attack."""
    names = re.findall(r"file: (book/\w+)$", (ROOT / "_toc.yml").read_text("utf-8"), re.MULTILINE)
    texts = {name: (ROOT / f"{name}.md").read_text("utf-8") for name in names}
    found = {name: re.findall(r"^```\{exercise\} (\w+)$", text, re.MULTILINE) for name, text in texts.items()}
    assert [one for names in found.values() for one in names] == list(ALL)
    for stem in ("privacy", "dplcf", "ldp_svd", "fmf_ldp", "dp_pnbm", "privrec"):
        assert len(found[f"book/{stem}"]) >= 2, stem


def test_what_stops_a_program_is_told_with_its_line_and_what_it_printed_before():
    syntax = "x = 1\ny = = 2\n"
    within = "def release(x, rng):\n    print('here')\n    return x + nobody\n\n\ndef law():\n    return 1\n"
    for code, line, printed in ((syntax, 2, ""), (within, 3, "here\n"), ("raise SystemExit\n", 1, "")):
        (only,) = graded("repair", code)
        assert (only.passed, only.line, only.printed) == (False, line, printed)
        assert only.say.startswith(f"Line {line}: ")


def test_names_that_are_missing_and_exercises_that_are_none_are_named():
    (only,) = graded("repair", "def release(x, rng):\n    return x\n")
    assert (only.check, only.say) == ("code", "The code must define law.")
    with pytest.raises(UserError, match="there is no exercise 'magic'; choose from price, cheat"):
        list(graded("magic", ""))


def test_nothing_of_the_program_that_grades_can_be_changed_by_the_graded_one():
    """`release` may not change the secrets, nor remember how often it was asked."""
    counting = "n = [0]\n\n\ndef release(x, rng):\n    n[0] += 1\n    return x * 0 + n[0] % 5 + 1\n\n\n"
    changing = "def release(x, rng):\n    x[:] = 1\n    return x\n\n\n"
    told = {text: list(graded("repair", text + "def law():\n    return 0\n"))[-1].say for text in (counting, changing)}
    assert "drawn from, or remembered" in told[counting]
    assert told[changing] == "release changes the secrets that it is given."


def test_where_no_process_has_children_as_in_a_browser_a_system_is_audited_all_the_same(monkeypatch):
    def fork():
        raise OSError(52, "Function not implemented")

    monkeypatch.setattr(os, "fork", fork)
    monkeypatch.setattr("recprivlib.auditing.memory.alone", lambda: True)  # whatever other tests have left behind
    assert "not implemented" in list(graded("cheat", ALL["cheat"].solution))[-1].say
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert all(one.passed for one in graded("cheat", ALL["cheat"].solution))


def test_a_rate_is_held_to_five_standard_errors_and_what_is_never_said_to_none():
    rng = np.random.default_rng(0)
    seen = rng.binomial(20_000, 0.3, 2000) / 20_000
    assert all(agrees(one, 0.3, 20_000) for one in seen)
    assert not any(agrees(one, 0.34, 20_000) for one in seen)  # 12 standard errors away
    assert not agrees(1 / 20_000, 0.0, 20_000)
    assert (price(1.001), price(1.0)) == ("1.01", "1.00")
