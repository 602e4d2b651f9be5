"""The strip: claimed, counted, attacked on one log lane of ε, as one string of HTML and SVG.

Attacked is a lower bound and counted an upper bound, so the bar between them is where the true ε can lie. The
colours are CSS variables (`palette.css_variables`) with the light ones to fall back on; positions are per cent
and type is in pixels, so the strip stretches and its words do not.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from recprivlib.plots.key import ATTACKED, CLAIMED, COUNTED, INK, KEY_STYLE, PAGE, SECONDARY, key
from recprivlib.plots.numerals import STEPS, THIN, WORDS, bounded, certified, many, one_in, percent, times

LOW, HIGH, LANE, BAY = 0.05, 10_000.0, 90.0, 92.5  # ε at both ends; per cent where lane ends and bay begins
TICKS = ((0.1, ".1"), (0.2, ".2"), (1, "1"), (3, "3"), (10, "10"), (100, "100"), (1000, f"1{THIN}000"),
         (10_000, f"10{THIN}000"))  # fmt: skip
NARROWEST = 600  # px: where the labels of the wide strip must still fit
CHARACTER = 6.9  # px a character of 13 px type takes, about
TOP, DEEP = 38, 24  # px: where the lane begins, and how deep it is

STYLE = (
    f".rp-strip{{container-type:inline-size;position:relative;margin:0;color:{INK};"
    "font:13px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
    "font-variant-numeric:tabular-nums}.rp-strip svg{display:block;width:100%;overflow:visible}"
    ".rp-strip p{margin:.15em 0;font-size:13px}.rp-strip .rp-terms{color:" + SECONDARY + "}"
    ".rp-strip button{font:inherit;color:inherit;background:none;border:1px solid currentColor;border-radius:1em;"
    "padding:.1em .8em;margin:.1em .2em;cursor:pointer;min-height:24px}"
    ".rp-strip button[aria-pressed=true]{color:" + INK + ";border-width:2px}"
    ".rp-strip .rp-phone{display:none}"
    ".rp-strip .rp-foot>*{display:inline-block;margin:0 14px 0 0}.rp-strip .rp-foot>p{display:inline}"
    "@container (max-width:559px){.rp-strip .rp-desk{display:none}.rp-strip .rp-phone{display:block}}" + KEY_STYLE
)


@dataclass(frozen=True)
class Strip:
    """The three numbers and their terms. None: there is no such number, and the fields below say why."""

    claimed: float | None = None
    counted: float | None = None
    attacked: float | None = None
    ceiling: float | None = None  # the most that so many tries could certify
    tries: int = 0
    confidence: float = 0.95
    delta: float = 0.0
    why_infinite: str = ""  # counted is ∞ because …, at most 8 words
    unknown: str = ""  # the accountant refuses: "δ of SGLD"
    other_terms: str = ""  # the claim counts something else: "one epoch"
    nothing: str = ""  # no privacy is promised: "the server sees every click"
    verdict: str = ""  # broken, holds or open, as the audit gave it; "": read off the numbers
    unit: str = ""  # "one rating, changed"
    trust: str = ""  # "nobody (local)"
    span: str = "whole run"
    played: str = ""  # what was attacked: the whole run, or one release as the ledger states it
    aside: str = ""  # what a reader could mistake
    units: tuple[str, ...] = ()  # the units to convert to, the present one first

    @property
    def ruling(self) -> str:
        """The verdict as JSON says it; "" where nothing is claimed."""
        if self.claimed is None or self.nothing:
            return ""
        if self.verdict:
            return self.verdict
        if self.other_terms:
            return "open"
        if self.attacked is not None and self.attacked > self.claimed:
            return "broken"
        return "holds" if self.counted is not None and self.counted <= self.claimed else "open"

    @property
    def words(self) -> str:
        """The verdict in words."""
        if self.ruling == "broken":
            return "broken"
        if self.ruling == "holds":
            ratio = self.claimed / self.counted if self.claimed and self.counted else 1.0
            return f"holds, {times(ratio)} higher than needed" if 1.25 < ratio < math.inf else "holds"
        if self.other_terms:
            return f"counts something else: {self.other_terms}"
        if self.ruling == "open":
            return "not proven" if self.attacked is None else "not broken by our attack, not proven"
        return ""

    @property
    def lines(self) -> tuple[str, str, str]:
        """Claimed, attacked and counted, each in one line."""
        if self.nothing:
            return f"nothing promised: {self.nothing}", "", ""
        claimed = f"claimed {bounded(self.claimed)}" if self.claimed is not None else "nothing claimed"
        claimed += f": {self.words}" if self.words else ""
        return claimed, self._attack, self._count

    @property
    def _attack(self) -> str:
        if self.attacked is None:
            return "not attacked yet"
        if math.isinf(self.attacked):
            return "attacked: proof"
        return f"attacked: at least {certified(self.attacked)}"

    @property
    def _count(self) -> str:
        if self.unknown:
            return f"not known: {self.unknown}"
        if self.counted is None:
            return "not counted"
        reason = f" ({self.why_infinite})" if math.isinf(self.counted) and self.why_infinite else ""
        return f"counted: {bounded(self.counted)}{reason}"

    @property
    def terms(self) -> str:
        """What the three numbers are about."""
        parts = [f"unit: {self.unit}" if self.unit else "", f"trust: {self.trust}" if self.trust else "", self.span]
        if self.played and self.attacked is not None:
            parts.append(f"attacked: {self.played}")
        if self.delta > 0:
            parts.append(f"apart from a chance of {one_in(self.delta)}")
        return " · ".join(part for part in [*parts, self.aside] if part)

    @property
    def sentence(self) -> str:
        """All of it, for those who hear the page."""
        if self.nothing:
            return f"{self.lines[0].capitalize()}."
        effort = f", {percent(self.confidence)} confidence" if self.attacked is not None else ""
        effort += f", {many(self.tries, 'try', 'tries')}" if self.tries and self.attacked is not None else ""
        if self.attacked is not None and self.ceiling is not None:
            effort += f", which could show {certified(self.ceiling)} at most"
        claimed, attacked, counted = self.lines
        spoken = f"{claimed.capitalize()}. {attacked.capitalize()}{effort}. {counted.capitalize()}."
        return f"{spoken} {self.terms[:1].upper()}{self.terms[1:]}."


def place(value: float) -> float:
    """Where an ε lies, in per cent of the width; off the scale, at the end of the lane; ∞ in its bay."""
    if math.isinf(value):
        return (BAY + 100) / 2
    if value <= LOW:
        return 0.0
    return LANE * min(1.0, math.log(value / LOW) / math.log(HIGH / LOW))


def strip(it: Strip, narrow: bool | None = None) -> str:
    """The strip as HTML. `narrow`: the phone's version or the other; None: both, and the container decides."""
    desk = f'<div class="rp-desk">{_desk(it)}</div>' if not narrow else ""
    phone = f'<div class="rp-phone">{_phone(it)}</div>' if narrow is not False else ""
    style = STYLE if narrow is None else STYLE.partition(".rp-strip .rp-phone")[0]
    buttons = "".join(
        f'<button type="button" data-unit="{at}" aria-pressed="{str(at == 0).lower()}">{escape(unit)}</button>'
        for at, unit in enumerate(it.units)
    )
    terms = f'<p class="rp-terms">{escape(it.terms)} {buttons}</p>' if not it.nothing else ""
    foot = f'<div class="rp-foot">{terms}{key(_drawn(it), it.confidence)}</div>'
    return f'<figure class="rp-strip"><style>{style}</style>{desk}{phone}{foot}</figure>'


def _drawn(it: Strip) -> tuple[str, ...]:
    """The marks that stand on the lane."""
    numbers = {"claimed": it.claimed, "attacked": it.attacked, "hollow": it.ceiling, "counted": it.counted}
    return () if it.nothing else tuple(name for name, value in numbers.items() if value is not None)


def _desk(it: Strip) -> str:
    claimed, attacked, counted = it.lines
    told = claimed if it.nothing else counted if it.counted is None else ""
    parts = [_background(), _ticks(TICKS, it.claimed), _words(), _inside(it, told)]
    if not it.nothing:
        parts += [_flag(it), _flag_label(it, claimed)]
        below = [
            (attacked, "▶ " if it.attacked is not None else "", ATTACKED, _seen(it.attacked, 0)),
            (counted, "▌", COUNTED, _seen(it.counted, 50)),
        ][: 1 if told else 2]
        lefts = _apart([at for *_, at in below], [len(text) + 2 for text, *_ in below])
        for (text, glyph, fill, _), x in zip(below, lefts, strict=True):
            mark = f'<tspan fill="{fill}">{glyph}</tspan>' if glyph else ""
            parts.append(_text(x, TOP + DEEP + 16, f"{mark}{escape(text)}"))
    return _svg(it, 112, "".join(parts))


def _phone(it: Strip) -> str:
    ticks = tuple(tick for tick in TICKS if tick[0] in (0.1, 1, 10, 100, 1000))
    told = "nothing promised" if it.nothing else "not known" if it.unknown else ""
    marks = _background() + _ticks(ticks, it.claimed) + _inside(it, told) + ("" if it.nothing else _flag(it))
    looks = (("⚑", CLAIMED), ("▶", ATTACKED), ("▌", COUNTED))
    lines = [
        f'<p><span aria-hidden="true" style="color:{fill}">{"" if it.nothing else glyph}</span> {escape(line)}</p>'
        for line, (glyph, fill) in zip(it.lines, looks, strict=True)
        if line
    ]
    return _svg(it, TOP + DEEP + 6, marks) + "".join(lines)


def _svg(it: Strip, height: int, body: str) -> str:
    label = escape(it.sentence, quote=True)
    return f'<svg role="img" aria-label="{label}" height="{height}" font-size="13" fill="{INK}">{body}</svg>'


def _background() -> str:
    """Five steps that say what an ε means, the break, and the bay of ∞."""
    edges = [0.0, *(place(step) for step in STEPS), LANE]
    shades = "".join(
        _rect(left, right, TOP, DEEP, INK, 0.04 + 0.035 * at) for at, (left, right) in enumerate(pairwise(edges))
    )
    return shades + _rect(BAY, 100, TOP, DEEP, INK, 0.24)


def _ticks(ticks: Sequence[tuple[float, str]], claimed: float | None) -> str:
    """The numbers above the lane; one that the pole of the flag would cross is left out."""
    pole = place(claimed) if claimed is not None else -100.0
    shown = [(place(value), text) for value, text in (*ticks, (math.inf, "∞"))]
    return "".join(
        _text(x, TOP - 6, text, "middle", 12, SECONDARY) for x, text in shown if abs(x - pole) > 1.2 + 0.5 * len(text)
    )


def _words() -> str:
    """What the steps mean, under them; long ones in two lines."""
    edges = [0.0, *(place(step) for step in STEPS), LANE]
    centres = [(left + right) / 2 for left, right in pairwise(edges)] + [(BAY + 100) / 2]
    said = []
    for x, word in zip(centres, WORDS, strict=True):
        room = 30.0 if word == WORDS[4] else 8.0
        lines = [word] if len(word) < room else [word.rpartition(" ")[0], word.rpartition(" ")[2]]
        if word == WORDS[0]:
            lines = ["almost a", "coin flip"]
        said += [_text(x, 96 + 13 * row, line, "middle", 12, SECONDARY) for row, line in enumerate(lines)]
    return "".join(said)


def _inside(it: Strip, told: str) -> str:
    """What stands in the lane: the bar with its two ends, or the words that there is none."""
    if it.nothing:
        return _told(told)
    parts = []
    if it.ceiling is not None:
        title = f"the most that {many(it.tries, 'try', 'tries')} could show: {certified(it.ceiling)}"
        parts.append(_triangle(place(it.ceiling), f'fill="none" stroke="{ATTACKED}" opacity=".55"', title))
    if it.counted is None:
        parts += [_hatch(it, told), _told(told)]
    else:
        parts.append(_bar(it))
    if it.attacked is not None:
        title = f"{it.lines[1]}, {percent(it.confidence)} confidence, {many(it.tries, 'try', 'tries')}"
        parts.append(_triangle(place(it.attacked), f'fill="{ATTACKED}"', title))
    return "".join(parts)


def _bar(it: Strip) -> str:
    """Where the true ε can lie: solid from attacked to counted, paler where no attack was run."""
    assert it.counted is not None
    left, right = _seen(it.attacked, 0), place(it.counted)
    right = 100.0 if math.isinf(it.counted) else right
    opacity = 0.45 if it.attacked is not None else 0.22
    bar = _rect(min(left, right), right, TOP + 4, DEEP - 8, COUNTED, opacity)
    end = _rect(place(it.counted), place(it.counted), TOP - 3, DEEP + 6, COUNTED, 1, pixels=4)
    return bar + (_break() if left < LANE and right > LANE else "") + end


def _break() -> str:
    """The lane is not continuous up to ∞."""
    slashes = f'<path d="M-3 {DEEP + 3}L3 -3M3 {DEEP + 3}L9 -3" stroke="{PAGE}" stroke-width="3" fill="none"/>'
    return f'<svg x="{(LANE + BAY) / 2:.2f}%" y="{TOP}" overflow="visible">{slashes}</svg>'


def _hatch(it: Strip, told: str) -> str:
    """A pattern is found by its id, and one in a hidden drawing is not drawn: each drawing has its own."""
    name = "rp-hatch-" + hashlib.sha256(f"{it} {told}".encode()).hexdigest()[:8]
    turned = 'width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"'
    pattern = f'<pattern id="{name}" {turned}><rect width="2" height="7" fill="{SECONDARY}"/></pattern>'
    lane = f'<rect x="0" y="{TOP}" width="100%" height="{DEEP}" fill="url(#{name})" opacity=".6"/>'
    return f"<defs>{pattern}</defs>{lane}"


def _told(text: str) -> str:
    """Words inside the lane, on a plate of the page's colour."""
    wide = len(text) * CHARACTER + 16
    plate = f'<rect x="{-wide / 2:.0f}" y="3" width="{wide:.0f}" height="{DEEP - 6}" rx="3" fill="{PAGE}"/>'
    words = f'<text y="16.5" text-anchor="middle">{escape(text)}</text>'
    return f'<svg x="50%" y="{TOP}" overflow="visible">{plate}{words}</svg>'


def _triangle(x: float, look: str, title: str) -> str:
    path = f'<path d="M0 2L14 {DEEP / 2}L0 {DEEP - 2}Z" {look}><title>{escape(title)}</title></path>'
    return f'<svg x="{x:.2f}%" y="{TOP}" overflow="visible">{path}</svg>'


def _flag(it: Strip) -> str:
    """The claim: a flag on a pole, dashed if broken, hollow if it counts something else."""
    if it.claimed is None:
        return ""
    dash = ' stroke-dasharray="3 3"' if it.ruling == "broken" else ""
    fill = "none" if it.other_terms else CLAIMED
    way = -1 if place(it.claimed) > 60 else 1
    pole = f'<path d="M0 2V{TOP + DEEP + 3}" stroke="{CLAIMED}" stroke-width="2"{dash}/>'
    cloth = (
        f'<path d="M0 2H{11 * way}L{7 * way} 7L{11 * way} 12H0Z" fill="{fill}" stroke="{CLAIMED}" stroke-width="1.5"/>'
    )
    return f'<svg x="{place(it.claimed):.2f}%" overflow="visible">{pole}{cloth}</svg>'


def _flag_label(it: Strip, text: str) -> str:
    if it.claimed is None:
        return _text(0.0, 12, escape(text))
    left = place(it.claimed) > 60
    words = f'<text x="{-16 if left else 16}" y="12" text-anchor="{"end" if left else "start"}">{escape(text)}</text>'
    return f'<svg x="{place(it.claimed):.2f}%" overflow="visible">{words}</svg>'


def _seen(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else place(value)


def _apart(centres: Sequence[float], lengths: Sequence[int]) -> list[float | int]:
    """Left ends of texts that should stand under `centres` and must not meet or leave the lane.

    In per cent (float), worked out at the narrowest width: wider only moves them apart. Where the first is held
    at the left edge, the second follows it in pixels (int).
    """
    widths = [CHARACTER * length for length in lengths]
    lefts = [NARROWEST * centre / 100 - wide / 2 for centre, wide in zip(centres, widths, strict=True)]
    if len(lefts) == 2:
        overlap = max(0.0, lefts[0] + widths[0] + 16 - lefts[1])
        lefts = [lefts[0] - overlap / 2, min(lefts[1] + overlap / 2, NARROWEST - widths[1])]
        lefts[0] = min(lefts[0], lefts[1] - widths[0] - 16)
        if lefts[0] < 0:
            follow = round(widths[0] + 16)
            return [0.0, follow if lefts[1] < follow + overlap else 100 * lefts[1] / NARROWEST]
    return [100 * max(0.0, left) / NARROWEST for left in lefts]


def _rect(left: float, right: float, top: float, deep: float, fill: str, opacity: float, pixels: int = 0) -> str:
    wide = f"{pixels}" if pixels else f"{right - left:.2f}%"
    shift = f' transform="translate({-pixels / 2:g})"' if pixels else ""
    return (f'<rect x="{left:.2f}%" y="{top:g}" width="{wide}" height="{deep:g}" fill="{fill}" '
            f'opacity="{opacity:.3g}"{shift}/>')  # fmt: skip


def _text(x: float | int, y: float, text: str, anchor: str = "start", size: int = 13, fill: str = INK) -> str:
    at = f"{x}" if isinstance(x, int) else f"{x:.2f}%"
    return f'<text x="{at}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{fill}">{text}</text>'
