"""The five seconds of the first page: one flag, one button, one fall. The board of the reckoning, with one row.

ldp_svd is the one that falls: its flag says "a strong hint", and a report on a star is the rating itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recprivlib.living import board, kit
from recprivlib.living.climbs import LOOKS, looked
from recprivlib.living.promises import BY_KEY, CROWDS
from recprivlib.mechanisms.laplace_or_truth import LaplaceOrTruth
from recprivlib.plots.numerals import count, epsilon, setting
from recprivlib.plots.numerals import word as meaning

SCRIPTS = ("reckoning",)
ROW = "ldp_svd"
REPORTS = 20  # as many as the stranger's notebook has of stars; a per cent here would be that of the coin below
BEFORE = (
    "A paper promises that whoever sees your phone's report of a rating is left with no more than **{meaning}**: "
    "ε = {claimed}."
)
CLIMB = "**{tries} tries** to tell two ratings apart, on the code itself: at least **ε = {bound}** is lost."
AFTER = (
    "It fell within {tries} tries; {all} prove at least **ε = {attacked}**, {meant}. And noise has decimals: a "
    "report in whole stars is the rating itself. Some {verbatim} of {reports} are, each of them **proof**."
)


def picture() -> dict[str, Any]:
    """The one row, and what is said of it."""
    one = board.standing(BY_KEY[ROW], "one", "town")
    row = board.row(BY_KEY[ROW])
    row["states"] = {"one town": row["states"]["one town"]}
    marks = {"claimed": f"claimed {setting(one.claimed)}", "counted": f"counted {setting(one.climb.counted)}",
             "attacked": f"attacked ≥ {epsilon(one.climb.attacked, 'lower')}"}  # fmt: skip
    return kit.together({
        "id": "lv-fall", "small": True, "scale": board.scale(), "rows": [row],
        "marks": marks,
        "tries": [count(looked(at)) for at in range(LOOKS)],
        "bounds": [epsilon(bound, "lower") for bound in one.climb.bounds],
        "says": {"plant": before(one), "climb": CLIMB}, "closing": {"one town": after(one)},
    })  # fmt: skip


def before(one: board.Standing) -> str:
    """What is promised."""
    return kit.fill(BEFORE, meaning=meaning(one.claimed), claimed=setting(one.claimed))


def after(one: board.Standing) -> str:
    """What is left of it."""
    at = one.falls_at
    assert at is not None
    return kit.fill(AFTER, tries=count(looked(at)), all=count(looked(LOOKS - 1)), verbatim=round(REPORTS * verbatim()),
                    reports=REPORTS, attacked=epsilon(one.climb.attacked, "lower"),
                    meant=meaning(one.climb.attacked))  # fmt: skip


def verbatim() -> float:
    """How often the phone sends the rating itself."""
    mechanism = BY_KEY[ROW].one.value.ledger(CROWDS["town"]).releases[0].mechanism
    assert isinstance(mechanism, LaplaceOrTruth)
    return mechanism.p


def html(told: Mapping[str, Any]) -> str:
    """The flag before it is attacked; without a script, what became of it."""
    return kit.section(
        "reckoning", told,
        kit.sentence(f"{told['says']['plant']} {told['closing']['one town']}"),
        '<div class="rk-board"><svg role="group" aria-label="one line of ε"></svg></div>',
        f'<div class="lv-bar">{kit.button("Attack it", "lv-go")}</div>',
        label="One promise, attacked", kind="lv-fall",
    )  # fmt: skip
