"""The numbers of each figure as a table: what is on the x axis in rows, the series in columns, every cell a text."""

from __future__ import annotations

from typing import Any

from recprivlib.plots.numerals import cell, setting

BILLS, SHOWN = ("bill", "bound"), ("attacked", "ceiling")  # how figures and series of bills begin
KNOWN = ("figure", "series", "x", "y", "low", "high")


def tables(frame: Any) -> dict[str, dict[str, list]]:
    """A tidy frame (`Explorer.table`) as one table a figure: {"head": […], "rows": [[…], …]}."""
    return {str(name): _table(part) for name, part in frame.groupby("figure", sort=False)}


def _table(part: Any) -> dict[str, list]:
    words = [column for column in part.columns if column not in KNOWN]
    rows: dict[str, dict[str, str]] = {}
    for row in part.to_dict("records"):
        told = " ".join(str(row[word]) for word in words if isinstance(row[word], str) and row[word])
        cell = " ".join(filter(None, (_interval(row, _bound(row)), told)))
        rows.setdefault(_place(row["x"]), {})[str(row["series"])] = cell
    series = list(dict.fromkeys(map(str, part["series"])))
    return {
        "head": ["x", *series],
        "rows": [[x, *(cells.get(name, "") for name in series)] for x, cells in rows.items()],
    }


def _bound(row: dict[str, Any]) -> str:
    """Which way a number of a bill is rounded: what an attack shows down, what is claimed or counted up."""
    if str(row["series"]).startswith(SHOWN):
        return "lower"
    return "upper" if str(row["figure"]).startswith(BILLS) else ""


def _interval(row: dict[str, Any], bound: str = "") -> str:
    ends = [abs(row[name]) for name in ("y", "low", "high") if isinstance(row[name], float) and row[name] == row[name]]
    beside = max((end for end in ends if end != float("inf")), default=0.0)
    y, low, high = (_number(row[name], beside, bound) for name in ("y", "low", "high"))
    return f"{y} [{low}, {high}]" if low and high else y


def _number(value: Any, beside: float = 0.0, bound: str = "") -> str:
    """What was measured, in the book's numerals; nothing for what is missing."""
    return cell(value, beside, bound) if isinstance(value, float) else str(value)


def _place(value: Any) -> str:
    """What stands on the x axis: a setting as the reader gave it, or a name."""
    if not isinstance(value, float):
        return str(value)
    return "" if value != value else setting(float(f"{value:.3g}") if abs(value) < 1000 else value)
