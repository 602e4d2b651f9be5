"""The key of the strip: what its marks and its grey bands mean, one tap away, wherever a strip stands."""

from __future__ import annotations

import math
from collections.abc import Collection
from html import escape

from recprivlib.plots.numerals import STEPS, THIN, WORDS, best_guess, percent

ATTACKED, COUNTED, INK = "var(--rp-attack,#852A81)", "var(--rp-ink,#1A1A1A)", "var(--rp-ink,#1A1A1A)"
CLAIMED, PAGE, SECONDARY = "var(--rp-paper,#C05A0C)", "var(--rp-page,#FFFFFF)", "var(--rp-secondary,#5F6673)"

MARKS = {  # name -> its look, its colour, what it says
    "claimed": ("⚑", CLAIMED, "claimed: what the paper's own formula says."),
    "attacked": ("▶", ATTACKED, "attacked: an attack on the running code shows, with {confidence} confidence, that at "
                 "least so much is lost."),
    "hollow": ("▷", ATTACKED, "hollow: the most that so many tries of the attack could have shown. An attack that "
               "comes near it has seen all that it could see; that is no proof of safety."),
    "counted": ("▌", COUNTED, "counted: proved, of all that the code releases: no more than so much is lost. Between "
                "attacked and counted lies the true ε."),
}  # fmt: skip
KEY_STYLE = (
    ".rp-strip .rp-key>summary{cursor:pointer;min-height:24px;text-decoration:underline;text-underline-offset:3px}"
    # Over what stands above it: whoever asks what a mark means still sees the mark, and nothing below moves.
    ".rp-strip .rp-key>ul{position:absolute;bottom:100%;left:0;z-index:4;box-sizing:border-box;width:min(100%,620px);"
    "margin:0 0 6px;padding:10px 14px;list-style:none;border:1px solid " + SECONDARY + ";border-radius:6px;"
    "background:" + PAGE + ";box-shadow:0 4px 16px #0003}"
    ".rp-strip .rp-key li{margin:0 0 4px;padding-left:26px;text-indent:-26px;font-size:13px;line-height:1.4}"
    ".rp-strip .rp-key i{display:inline-block;width:22px;margin-right:4px;font-style:normal;text-indent:0}"
    ".rp-strip .rp-key .rp-bands{background:linear-gradient(90deg,currentColor,currentColor);height:12px;opacity:.16}"
    "@media print{.rp-strip .rp-key{display:none}}"
)


def _surest(step: float) -> str:
    """How often a coin-flip guess can become right up to this ε, in per cent, rounded up."""
    share = 100 * best_guess(step)
    digits = 1 if share < 99 else 3
    return f"{math.ceil(share * 10**digits) / 10**digits:g}"


BANDS = (
    "grey bands, darker to the right: how sure somebody could become who had only a coin to toss about you. Up to "
    + ", up to ".join(f"ε = {step:g} ({word}) right at most {_surest(step)}{THIN}% of the time" if at == 0 else
                      f"{step:g} ({word}) {_surest(step)}{THIN}%"
                      for at, (step, word) in enumerate(zip(STEPS, WORDS, strict=False)))
    + f", beyond {WORDS[4]}; at ∞ there can be {WORDS[5]}."
)  # fmt: skip


def key(drawn: Collection[str], confidence: float = 0.95) -> str:
    """What those `MARKS` mean that are drawn, and the bands, which always are; folded."""
    sure = percent(confidence)
    marks = [(look, fill, text.format(confidence=sure)) for name, (look, fill, text) in MARKS.items() if name in drawn]
    lines = [f'<i style="color:{fill}">{look}</i>{escape(text)}' for look, fill, text in marks]
    lines.append(f'<i class="rp-bands"></i>{escape(BANDS)}')
    told = "".join(f"<li>{line}</li>" for line in lines)
    return f'<details class="rp-key"><summary>What the marks mean</summary><ul>{told}</ul></details>'
