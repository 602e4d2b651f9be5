"""What the template frame.html prints, whoever serves the page."""

from __future__ import annotations

from typing import Any

from recprivlib.dashboard import Explorer
from recprivlib.plots.palette import css_variables
from widgets.kit.part import HERE
from widgets.kit.session import Session

TEMPLATE = HERE / "frame.html"
MOTION = HERE.parents[1] / "book" / "_static" / "move.js"  # how figures move: one script for chapters and dashboards
FRAME_WORDS = ("theme", "size", "present")  # of an address: how the frame is to be seen


def printed(explorer: Explorer, session: Session) -> dict[str, Any]:
    """What the template prints."""
    where = {place: [c.name for c in session.seen if c.place == place] for place in ("rail", "axis", "more", "under")}
    figures = {place: [f for f in explorer.shown if f.place == place] for place in ("beside", "band", "evidence")}
    return where | figures | {
        "labels": [c.label for c in session.seen if c.place in ("rail", "more")],
        "main": explorer.figures[0],
        "stem": explorer.stem,
        "heading": explorer.title,
        "style": css_variables() + (HERE / "frame.css").read_text(encoding="utf-8"),
        "motion": MOTION.read_text(encoding="utf-8"),
        "html_attrs": f'data-theme="{session.view.theme}"',
        "size": session.frame.size,
        "question": explorer.predict.question if explorer.predict else "",
        "answers": explorer.predict.answers if explorer.predict else (),
        "game": explorer.game is not None,
        "tries": [trial.label for trial in explorer.tries],
        "has_curve": explorer.curve is not None,
        "has_strip": explorer.strip is not None,
        "reseed": explorer.control(explorer.reseed).label.lower() if explorer.reseed else "",
    }  # fmt: skip
