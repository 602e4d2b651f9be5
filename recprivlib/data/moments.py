"""When something was: seconds, milliseconds, microseconds or nanoseconds since 1970, or dates as ISO 8601 writes them.

What a column of numbers counts is decided once for all of it, by the number in its middle: of the four units only one
gives a time between 1970 and today. What then lies elsewhere is no time.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

import numpy as np

from recprivlib.parameters import real

Array = np.ndarray

NUMBER, NAIVE, ZONED = 0, 1, 2  # forms of a time: a number, a date without and with a zone
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = 86_400.0
UNITS = ((1e11, 1.0, "seconds"), (1e14, 1e3, "milliseconds"), (1e17, 1e6, "microseconds"), (np.inf, 1e9, "nanoseconds"))
BY_DAY, BY_SECOND = (19_700_101, 21_001_231), (19_700_101_000_000, 21_001_231_235_959)  # digits of a date as a number
DAYS = (20_000, 80_000)  # a spreadsheet's dates: days since 1899, with the hour as a fraction
LIKELY = 1e8  # seconds; a smaller number may as well be a rating or a count
_ZONE = re.compile(r"\s*(UTC|GMT|Z|z|[+-]\d\d:?\d\d)$")


def moment(text: str) -> tuple[float, int]:
    """(the number in a field, or the seconds of a date; its form). ValueError where it is neither.

    >>> moment("2024-01-31T10:00:00.5Z"), moment("1970-01-02"), moment("300")
    ((1706695200.5, 2), (86400.0, 1), (300.0, 0))
    """
    try:
        number = real(text)
        if not np.isfinite(number):
            raise OverflowError(text)
        return number, NUMBER
    except OverflowError:
        raise ValueError(text) from None
    except ValueError:
        pass
    if re.match(r"\d{4}/\d\d?/\d", text):
        text = text.replace("/", "-")
    text = _ZONE.sub(lambda found: "+00:00" if found[1].isalpha() else found[1], text)
    when = datetime.fromisoformat(text)
    if when.tzinfo is None:
        return when.replace(tzinfo=UTC).timestamp(), NAIVE
    return when.timestamp(), ZONED


def is_moment(text: str) -> bool:
    """Whether a field is a date, or a number that is too large to be anything but a time."""
    try:
        number, form = moment(text)
    except (ValueError, OverflowError):
        return False
    return form != NUMBER or number >= LIKELY or BY_DAY[0] <= number <= BY_DAY[1]


def seconds(raw: Array, forms: Array) -> tuple[Array, dict[str, Array], list[str]]:
    """(seconds since 1970, which rows hold no time and why, what was decided) of a column of moments."""
    dates = forms != NUMBER
    by_date = dates.mean() > 0.5
    wrong = {"with a time in another form than most": dates != by_date}
    said = []
    if by_date:
        when = raw
        if (forms == NAIVE).any():
            said.append("dates without a time zone are taken as UTC")
    else:
        when, unit = _counted(np.where(dates, np.nan, raw))
        if unit != "seconds":
            said.append(f"times are read as {unit}")
        if DAYS[0] <= np.nanmedian(raw) <= DAYS[1] and (raw % 1 > 0).any():
            wrong["with a time in a spreadsheet's own count of days"] = ~dates
    with np.errstate(invalid="ignore"):
        wrong["with a time that is no date"] = np.isnan(when) & ~wrong["with a time in another form than most"]
        wrong["with a time before 1970"] = when < 0
        wrong["with a time in the future"] = when > time.time() + DAY
    return when, wrong, said


def _counted(numbers: Array) -> tuple[Array, str]:
    middle = float(np.nanmedian(numbers))
    if BY_DAY[0] <= middle <= BY_DAY[1]:
        return _digits(numbers * 1e6), "dates like 20240131"
    if BY_SECOND[0] <= middle <= BY_SECOND[1]:
        return _digits(numbers), "dates like 20240131235959"
    _, scale, unit = next(one for one in UNITS if middle < one[0])
    return numbers / scale, f"{unit} since 1970" if scale > 1 else unit


def _digits(numbers: Array) -> Array:
    """Seconds of numbers whose digits are a date and a time; NaN where they are none."""

    def one(number: float) -> float:
        try:
            return datetime.strptime(f"{number:014.0f}", "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
        except ValueError:
            return np.nan

    distinct, back = np.unique(numbers, return_inverse=True)
    return np.array([one(number) for number in distinct])[back]


def day(second: float) -> str:
    """The date of a second.

    >>> day(0)
    '1970-01-01'
    """
    return (EPOCH + timedelta(seconds=float(second))).strftime("%Y-%m-%d")
