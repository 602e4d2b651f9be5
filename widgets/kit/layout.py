"""What the template frame.html prints, whoever serves the page."""

from __future__ import annotations

from typing import Any

from recprivlib.dashboard import Explorer, Figure
from recprivlib.plots.palette import css_variables
from widgets.kit.part import HERE
from widgets.kit.session import Session

TEMPLATE = HERE / "frame.html"
MOTION = HERE.parents[1] / "book" / "_static" / "move.js"  # how figures move: one script for chapters and dashboards
MANY = 4  # pieces of evidence, from which on they have the column to themselves
FRAME_WORDS = ("theme", "size", "present")  # of an address: how the frame is to be seen


def aside(explorer: Explorer) -> tuple[list[Figure], list[Figure]]:
    """What stands beside the main figure: what is seen at once, and below it the evidence, one figure at a time.

    Where nothing belongs at once the first piece of evidence does, unless so many are left that their names alone
    take its room; and a game has its place already.
    """
    lead = [f for f in explorer.shown if f.place in ("beside", "band")]
    evidence = [f for f in explorer.shown if f.place == "evidence"]
    if explorer.game is not None:
        return [], lead + evidence
    return (lead, evidence) if lead or len(evidence) >= MANY else (evidence[:1], evidence[1:])


def printed(explorer: Explorer, session: Session) -> dict[str, Any]:
    """What the template prints."""
    where = {place: [c.name for c in session.seen if c.place == place] for place in ("rail", "axis", "more", "under")}
    lead, evidence = aside(explorer)
    return where | {
        "lead": lead,
        "evidence": evidence,
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
