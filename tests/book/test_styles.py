"""What a style sheet must not ask of a browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHEETS = sorted(path for folder in ("book/_static", "widgets") for path in (ROOT / folder).rglob("*.css"))
WHOLE = re.compile(r"(?:\bhtml|\bbody|:root)[^\s,{}>+~]*?:has\(")


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_rule_asks_what_the_whole_page_has_in_it(path):
    """A browser would ask it again of every element at whatever is drawn: `html:has(.path)` was half of the work of
    opening a chapter. A sheet that only some pages load says the same."""
    found = WHOLE.findall(re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S))
    assert not found, f"load a sheet of its own where that holds, as walk.css is: {found}"


@pytest.mark.parametrize("rule", ["html:has(.path) {", "html.dark:has(.path) .x", ":root:has(a)", "body.b:has(> a)"])
def test_such_a_rule_is_seen(rule):
    assert WHOLE.search(rule)
    assert not WHOLE.search(rule.replace(":has(", " .stage-say:has("))
