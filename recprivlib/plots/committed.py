"""What the committed tables say, for a chapter: curves, rates with their intervals, verbs that were earned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from recprivlib.evaluation import Difference
from recprivlib.parameters import configured, values
from recprivlib.plots.frontier import Series
from recprivlib.plots.numerals import bare, rate
from recprivlib.plots.show import Drawn
from recprivlib.registry import get
from recprivlib.tables import names, once, results, rows_of, value_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Series", "along", "beats_from", "compared", "confirmed", "curve", "known", "level", "line", "rated", "rows",
    "said", "tuned", "verb", "verdicts",
]  # fmt: skip
ERRORS = ("rmse",)  # metrics of which less is better


def rows(table: pd.DataFrame, metric: str, **where: Any) -> pd.DataFrame:
    """The rows of a committed table at these settings."""
    keep = table["metric"] == metric
    for name, value in where.items():
        keep &= table[name] == value
    if not keep.any():
        raise KeyError(f"no {metric} at {where}")
    return once(table[keep]) if "against" not in where else table[keep]


def line(
    table: pd.DataFrame, label: str, role: str, x: str, metric: str = "hr@10", dash: str = "", **where: Any
) -> Series:
    """A system's metric along the parameter `x`."""
    found = rows(table, metric, **where).sort_values(x)
    _same_terms(found, x)
    xs, ys, low, high = (found[name].tolist() for name in (x, "value", "low", "high"))
    return Series(label, role, xs, ys, low, high, dash)


TERMS = {"counted": ("unit", "relation", "view", "delta", "trust"), "claimed": ("claimed_for",)}


def _same_terms(found: pd.DataFrame, x: str) -> None:
    """Bills at different terms are never points of one line."""
    for name in TERMS.get(x, ()):
        if found[name].nunique(dropna=False) > 1:
            raise ValueError(
                f"{x} ε at different terms cannot be compared; {name}: {sorted(set(found[name]), key=str)}"
            )


def curve(
    table: str, about: Mapping[str, Any], settings: Mapping[str, Any], along: str, name: str, role: str, of: str = "",
    x: str = "",
) -> Series | None:  # fmt: skip
    """What was committed of a system `along` one of its parameters, for a dashboard; None where it was not run.

    `about` has the system, the metric and the data; what `settings` leave out is at its default. `x`: another column
    to draw it against, such as what was claimed.
    """
    if table not in names():
        return None
    every = values(configured(get(about["system"]).system, dict(settings)))
    found = rows_of(results(table), dict(about) | {name: value for name, value in every.items() if name != along})
    return _series(found, along, x, Series(name, role, (), (), of=of))


def tuned(
    stem: str, about: Mapping[str, Any], along: str, role: str, name: str = "tuned alike", x: str = ""
) -> Series | None:
    """What a system finds `along` what it costs with its dials searched, of `<stem>_tuned`; None where it was not run.

    `about` has the system, the metric, the data and what was given beside the price.
    """
    if f"{stem}_tuned" not in names():
        return None
    found = rows_of(results(f"{stem}_tuned"), dict(about) | {"setting": "tuned"})
    return _series(found, along, x, Series(name, role, (), (), dash="dot", of="mean of splits and seeds"))


def _series(found: pd.DataFrame, along: str, x: str, shown: Series) -> Series | None:
    """A curve of these rows that looks as is `shown`; None where there are none."""
    found = found.dropna(subset=[along]).drop_duplicates(x or along).sort_values(x or along)
    if not len(found):
        return None
    _same_terms(found, x)
    xs, ys, low, high = (tuple(map(float, found[column])) for column in (x or along, "value", "low", "high"))
    return replace(shown, x=xs, y=ys, low=low, high=high)


def level(table: pd.DataFrame, metric: str = "hr@10", **where: Any) -> float:
    """A single number of a table."""
    return float(_only(table, metric, **where)["value"])


def known(table: str, about: Mapping[str, Any]) -> float | None:
    """A single number, for a dashboard; None where it was not run."""
    return value_of(table, about) if table in names() else None


def rated(table: pd.DataFrame, named: Mapping[str, Mapping[str, Any]], metrics: Mapping[str, str]) -> pd.DataFrame:
    """Means with their intervals, one row a name; the last column says how the first metric compares."""
    import pandas as pd

    found: dict[str, dict[str, str]] = {}
    first = {name: _only(table, next(iter(metrics)), **where) for name, where in named.items()}
    rivals = dict.fromkeys(row["against"] for row in first.values() if isinstance(row["against"], str))
    for name, where in named.items():
        found[name] = {title: said(table, metric, **where) for metric, title in metrics.items()}
        found[name][f"beside {' or '.join(rivals)}"] = verb(first[name])
    return pd.DataFrame(found).T


def along(table: pd.DataFrame, named: Mapping[str, Mapping[str, Any]], x: str, metric: str = "hr@10") -> pd.DataFrame:
    """Means without intervals, one row a name and one column a value of the parameter `x`."""
    import pandas as pd

    found = {}
    for name, where in named.items():
        cells = rows(table, metric, **where).sort_values(x)
        found[name] = {f"{at:g}": bare(value) for at, value in zip(cells[x], cells["value"], strict=True)}
    return pd.DataFrame(found).T


def said(table: pd.DataFrame, metric: str = "hr@10", **where: Any) -> str:
    """One number with its interval."""
    row = _only(table, metric, **where)
    return rate(row["value"], row["low"], row["high"])


def compared(table: pd.DataFrame, metric: str = "hr@10", **where: Any) -> str:
    """The verb of one row beside the system it was held against."""
    return verb(_only(table, metric, **where))


def _only(table: pd.DataFrame, metric: str, **where: Any) -> Mapping[str, Any]:
    (row,) = rows(table, metric, **where).to_dict("records")
    return row


def verb(row: Mapping[str, Any]) -> str:
    """What may be said of a row beside the system it was held against; nothing of that system itself."""
    if not isinstance(row["against"], str):
        return ""
    if isinstance(row.get("verb"), str):  # of a comparison tuned alike: its interval holds more than people
        return str(row["verb"])
    gap = (row["difference"], row["difference_low"], row["difference_high"])
    return Difference(*gap, lower_is_better=row["metric"] in ERRORS).verb


def beats_from(table: pd.DataFrame, x: str, metric: str = "hr@10", **where: Any) -> float:
    """The least of the committed values of `x` from which on the system beats what it was held against."""
    found = rows(table, metric, **where).sort_values(x).to_dict("records")
    least = None
    for row in reversed(found):
        if verb(row) != "beats":
            break
        least = row[x]
    if least is None:
        raise KeyError(f"it never beats the other at {where}")
    return float(least)


VERDICTS = (
    ".rp-verdicts{width:100%;border-collapse:collapse;color:var(--rp-ink,#1A1A1A)}"
    ".rp-verdicts :is(th,td){padding:.5rem .6rem .5rem 0!important;vertical-align:top;text-align:left!important;"
    "font-weight:400;border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)}"
    ".rp-verdicts thead th{color:var(--rp-secondary,#5F6673)}.rp-verdicts td:nth-child(3){font-weight:600}"
    "@media(max-width:640px){.rp-verdicts thead{display:none}.rp-verdicts :is(th,td){display:block;border:0;"
    "padding:.1rem 0!important}.rp-verdicts tr{display:block;padding:.6rem 0;"
    "border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)}}"
)


def verdicts(found: Sequence[tuple[str, str, str, str]]) -> Drawn:
    """What a paper says, what we find, the verdict, and why."""
    heads = ("the paper", "our runs", "verdict", "why")
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in found
    )
    table = f'<table class="rp-verdicts"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return Drawn(f"<style>{VERDICTS}</style>{table}", "\n".join(" | ".join(row) for row in found))


def confirmed(
    tables: Mapping[str, pd.DataFrame], metric: str, named: Mapping[str, Mapping[str, Any]], **where: Any
) -> pd.DataFrame:
    """How far each of `named` is from what it is held against, tuned, with its verb: a column a table.

    The first table is where everybody was searched; the others are looked at once, with what was chosen there.
    """
    import pandas as pd

    def said(table: pd.DataFrame, **how: Any) -> str:
        (row,) = rows(table, metric, setting="tuned", **how).to_dict("records")
        apart = ", ".join(f"{row[name]:+.3f}" for name in ("difference_low", "difference_high"))
        return f"{row['difference']:+.3f} [{apart}], {row['verb']}"

    return pd.DataFrame(
        {name: {who: said(table, **how, **where) for who, how in named.items()} for name, table in tables.items()}
    )
