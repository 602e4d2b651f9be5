"""Numbers in the voice of the book: one function a kind, for every sentence, strip, table, legend and line.

bounded          a claimed or counted ε: rounded up, so that what is printed still holds
certified        an attacked ε, and the most that its tries could show: rounded down
epsilon, times   an estimate: to the nearest
setting, tiny    what somebody chose
many             how many of something, in the right number

>>> bounded(1.318), certified(1.318), epsilon(1.318), epsilon(9.96), bounded(4504.1)
('1.4', '1.3', '1.3', '10', '4\u202f505')
>>> percent(0.283), rate(0.283, 0.262, 0.305), one_in(1e-5)
('28\u202f%', '.283 [.262, .305]', '1\xa0in\xa0100\u202f000')
"""

from __future__ import annotations

import math
from collections.abc import Callable

THIN = "\u202f"  # narrow no-break space: in long numbers, and before units
STEPS = (0.2, 1.0, 3.0, 10.0)
WORDS = ("almost a coin flip", "a hint", "a strong hint", "nearly sure", "as good as sure", "proof")


HIGH = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DIFFER = ("beats", "loses to")  # verbs that speak of a difference
MOST = 6  # digits after the point
SMALLEST = 1e-4  # below, a number is written by its power of ten


def count(n: float) -> str:
    """A whole number, with a thin space between thousands from 1 000 on."""
    return f"{round(n):,}".replace(",", THIN)


def many(n: float, one: str, several: str = "") -> str:
    """So many of something: "1 epoch", "2 epochs", "1 lie", "20 lies".

    >>> many(1, "epoch"), many(20, "epoch"), many(1, "is a lie", "are lies")
    ('1 epoch', '20 epochs', '1 is a lie')
    """
    return f"{count(n)} {one if n == 1 else several or one + 's'}"


def setting(value: float) -> str:
    """A number the reader set: as short as it can be written (1, 0.5, 1 000, 10⁻⁶)."""
    if math.isinf(value):
        return "∞"
    if 0 < abs(value) < SMALLEST:
        return tiny(value)
    return count(value) if value == round(value) else f"{value:.6g}"


def tiny(value: float) -> str:
    """A very small number by its power of ten.

    >>> tiny(1e-6), tiny(2.5e-7)
    ('10⁻⁶', '2.5·10⁻⁷')
    """
    lead, _, power = f"{value:.3e}".partition("e")
    lead = f"{float(lead):g}"
    return f"{'' if lead == '1' else lead + '·'}10{str(int(power)).translate(HIGH)}"


def bounded(value: float) -> str:
    """A claimed or counted ε: the bound is rounded up."""
    return epsilon(value, "upper")


def certified(value: float) -> str:
    """What an attack has shown, and the most that its tries could show: rounded down."""
    return epsilon(value, "lower")


def epsilon(value: float, bound: str = "") -> str:
    """A measured or proved ε: two significant digits below 10, whole above; infinite only in words.

    A "lower" bound is rounded down and an "upper" one up, so that what is printed still holds.

    >>> epsilon(1.97), epsilon(1.97, "lower"), epsilon(1.01, "upper"), epsilon(2.31e-5, "upper")
    ('2.0', '1.9', '1.1', '2.4·10⁻⁵')
    """
    if math.isinf(value):
        return "no finite ε"
    if value == 0:
        return "0"
    value = _rounded(value, _digits(value), bound)
    if 0 < value < SMALLEST:
        return tiny(value)
    return count(value) if value >= 10 else f"{value:.{_digits(value)}f}"


def _rounded(value: float, digits: int, bound: str) -> float:
    """To so many decimals: to the nearest, an "upper" bound up, a "lower" one down."""
    scale = 10.0**digits
    dust = 1e-9 * abs(value) * scale  # of sums of floats
    ends = {"lower": math.floor(value * scale + dust), "upper": math.ceil(value * scale - dust)}
    return ends.get(bound, round(value * scale)) / scale


def _digits(value: float) -> int:
    """Decimals that leave two significant digits below 10, and none above."""
    return max(0, 1 - math.floor(math.log10(value)))


def cell(value: float, beside: float = 0.0, bound: str = "") -> str:
    """A measured number in a table: three decimals, one from 10 on, none from 1 000 on; what is tiny says so.
    One that stands `beside` a larger one, as the ends of its interval do, has as many decimals as that. An "upper"
    bound is rounded up and a "lower" one down.

    >>> cell(0.0138), cell(0.000137), cell(-1.5), cell(14.26), cell(4505.2), cell(9.0, beside=11.0)
    ('.014', '<.001', '−1.500', '14.3', '4\u202f505', '9.0')
    >>> cell(14.26, bound="lower"), cell(4504.1, bound="upper")
    ('14.2', '4\u202f505')
    """
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = max(abs(value), abs(beside))
    if 0 < abs(value) < (0.001 if bound == "lower" else 0.0005) and size < 9.9995:
        return bare(0.0) if bound == "lower" else "<.001" if value > 0 else ">−.001"
    digits = 0 if size >= 999.95 else 1 if size >= 9.9995 else 3
    value = _rounded(value, digits, bound)
    return bare(value, digits) if digits else count(value).replace("-", "−")


def one_in(delta: float) -> str:
    """δ as "1 in 100 000"."""
    if delta <= 0:
        return "0"
    if delta >= 0.5:
        return percent(delta)
    parts = 1 / delta
    size = 10 ** max(0, math.floor(math.log10(parts)) - 1)
    return f"1\u00a0in\u00a0{count(round(parts / size) * size)}"


def percent(share: float, digits: int = 0) -> str:
    """A share in a sentence: whole per cent; what rounds to 0 or 100 without being it says so. `digits`: of a share
    whose difference from another would not be seen otherwise."""
    if digits:
        return f"{100 * share:.{digits}f}{THIN}%"
    whole = round(100 * share)
    if whole == 0 and share > 0:
        return f"less than 1{THIN}%"
    if whole == 100 and share < 1:
        return f"more than 99{THIN}%"
    return f"{whole}{THIN}%"


def bare(share: float, digits: int = 3) -> str:
    """A share in a table: .283 (1.000 keeps its one)."""
    text = f"{share:.{digits}f}"
    return text[1:] if text.startswith("0.") else text.replace("-0.", "−.").replace("-", "−")


def rate(share: float, low: float | None = None, high: float | None = None) -> str:
    """A share with its interval, in a table: .283 [.262, .305]."""
    if low is None or high is None:
        return bare(share)
    return f"{bare(share)} [{bare(low)}, {bare(high)}]"


def stars(error: float, digits: int = 2) -> str:
    """An RMSE: 0.94 stars; to so many `digits` as the story needs."""
    return f"{error:.{digits}f} stars"


def apart(own: float, other: float, verb: str, write: Callable[[float, int], str], digits: int = 0) -> tuple[str, str]:
    """Two numbers as they are written beside a verb, with as many digits as it takes to see what it speaks of.

    >>> apart(0.114, 0.089, "beats", percent), apart(0.114, 0.112, "beats", percent)
    (('11\u202f%', '9\u202f%'), ('11.4\u202f%', '11.2\u202f%'))
    >>> apart(0.9472, 0.9478, "loses to", stars, 2), apart(0.9472, 0.9478, "is level with", stars, 2)
    (('0.947 stars', '0.948 stars'), ('0.95 stars', '0.95 stars'))
    """
    while verb in DIFFER and digits < MOST and own != other and write(own, digits) == write(other, digits):
        digits += 1
    return write(own, digits), write(other, digits)


def times(ratio: float) -> str:
    """How many times: 13×, 1.6×."""
    return f"{epsilon(ratio)}×"


def pool(k: int, of: int, all_items: bool) -> str:
    """Among how many the top K is: "top 10 of 100", "top 10 of all 1 682"."""
    return f"top {count(k)} of {'all ' if all_items else ''}{count(of)}"


def best_guess(value: float) -> float:
    """How often a fair-coin guess about you can become right at most, under ε (and δ = 0)."""
    return 1 / (1 + math.exp(-value))


def word(value: float) -> str:
    """What an ε means, in the six words of the strip."""
    if math.isinf(value):
        return WORDS[5]
    return WORDS[sum(value >= step for step in STEPS)]


def joined(parts: list[str]) -> str:
    """ "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
