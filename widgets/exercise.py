"""An exercise as a form in JupyterLab, with ipywidgets; it runs in the notebook's own kernel.

from widgets.exercise import form
form("repair")
"""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as ipw

from recprivlib.exercises import Outcome, exercise, graded
from widgets.fields import FULL

MARKS = {True: "✓", False: "✗"}


class Form:
    """Code, checks and a ladder of hints, as the page of the book has them."""

    def __init__(self, name: str):
        self.asked, self.used = exercise(name), 0
        rows = self.asked.start.count("\n") + 2
        self.code = ipw.Textarea(self.asked.start, layout=ipw.Layout(width="auto", height=f"{1.4 * rows}em"))
        self.code.add_class("rp-code")
        self.go = ipw.Button(description="Check it", button_style="primary")
        self.hint = ipw.Button(layout=ipw.Layout(width="auto"))
        self.found, self.ladder = ipw.HTML(layout=FULL), ipw.HTML(layout=FULL)
        self.go.on_click(lambda _: self.check())
        self.hint.on_click(lambda _: self.more())
        head = ipw.HTML(f"<style>.rp-code textarea {{ font-family: monospace }}</style>"
                        f"<b>{escape(self.asked.title)}.</b> {escape(self.asked.task)}")  # fmt: skip
        buttons = ipw.HBox([self.go, self.hint])
        self.box = ipw.VBox([head, self.code, buttons, self.found, self.ladder])
        self._name_hint()

    def check(self) -> None:
        """Runs the code, and tells of each check as soon as it is known."""
        rows: list[str] = []
        for one in graded(self.asked.name, self.code.value):
            rows.append(told(one))
            self.found.value = "".join(rows)

    def more(self) -> None:
        """The next hint; after the last one the solution."""
        self.used += 1
        hints = "".join(f"<li>{escape(one)}</li>" for one in self.asked.hints[: self.used])
        whole = f"<pre>{escape(self.asked.solution)}</pre>" if self.used > len(self.asked.hints) else ""
        self.ladder.value = f"<ol>{hints}</ol>{whole}"
        self._name_hint()

    def _name_hint(self) -> None:
        all_ = len(self.asked.hints)
        self.hint.description = f"A hint ({self.used + 1} of {all_})" if self.used < all_ else "The solution"
        self.hint.disabled = self.used > all_

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display(self.box)


def told(one: Outcome) -> str:
    """What a check found, in HTML."""
    printed = f"<pre>{escape(one.printed)}</pre>" if one.printed else ""
    return f"<p style='margin:0'><b>{MARKS[one.passed]} {escape(one.check)}</b>: {escape(one.say)}</p>{printed}"


def form(name: str) -> Any:
    """The exercise of that name; it shows itself at the end of a cell."""
    return Form(name)
