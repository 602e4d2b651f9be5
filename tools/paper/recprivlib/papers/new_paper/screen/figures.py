"""The figure of dashboard `new_paper`, from plain numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recprivlib.plots.axes import EPSILON, SAMPLED, Axis
from recprivlib.plots.frontier import Level, Now, frontier
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import setting

AXES: dict[str, Axis] = {"epsilon": replace(EPSILON, title="ε of a person"), "rate": SAMPLED}
NAMES = {"popularity": "exact counts", "random": "random"}


def rate_by_epsilon(
    look: Look, epsilon: float, rate: float, interval: tuple[float, float], levels: Mapping[str, float]
) -> dict[str, Any]:
    """Hit rate against what a person pays; yardsticks lie level across. `look.curve`: what was committed."""
    chart = look.chart(AXES["epsilon"], AXES["rate"], 260 if look.narrow else 340, right=128)
    known = [Level(NAMES[role], role, value) for role, value in levels.items()]
    lines = [look.curve] if look.curve else []
    now = Now(epsilon, rate, interval)
    return frontier(chart, "Hit rate by budget", known, lines, now, look, at=f"At ε = {setting(epsilon)}")
