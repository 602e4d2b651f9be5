"""The notebook as HTML: tiles of the phone at the left, of the stranger at the right, the controls of its channel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from recprivlib.living import kit
from recprivlib.living.channels import Belief
from recprivlib.plots.numerals import best_guess, percent

HEADS = {
    "sp": ("The stranger's notebook", "how likely each film is to have been watched"),
    "ap": ("The stranger's notebook", "how likely each film is; a lock: proved"),
    "ldp_svd": ("The stranger's notebook", "how likely each star is; a lock: proved"),
    "dp_pnbm": ("The stranger's notebook", "how likely each star is; a lock: proved"),
    "fmf_ldp": ("The stranger's scale", "it knows both histories, and hears one phone"),
    "privrec": ("The stranger's notebook", "how likely each film is to have been watched"),
}
GO = {"privrec": "Hold: let it train", "dp_pnbm": "Hold: publish the means"}


def phone(channel: str) -> dict[str, str]:
    """What stands over the tiles of a phone: Ada's, the reader's, or one that came with a link."""
    what = "rated" if channel in ("ldp_svd", "dp_pnbm") else "watched"
    tap = "" if channel == "fmf_ldp" else " Tap to make them yours, for the whole book."
    return {"adas": "Ada's phone", "yours": "Your phone", "hers": f"{{films}} films {what}.{tap}",
            "kept": f"{{films}} films {what}: kept in this browser, and nowhere else.",
            "sent": f"{{films}} films {what}, as the link says."}  # fmt: skip


def section(told: Mapping[str, Any], beliefs: Sequence[Belief]) -> str:
    """The whole picture; its script takes it from here back to the beginning."""
    channel = told["channel"]
    starry, scale = channel in ("ldp_svd", "dp_pnbm"), channel == "fmf_ldp"
    head, note = HEADS[channel]
    left = "".join(_own(name, value, starry, not scale) for name, value in zip(told["films"], told["ada"], strict=True))
    books = beliefs or [Belief((0.5, 0.5), False)] * len(told["films"])
    right = "" if scale else "".join(_believed(name, one) for name, one in zip(told["films"], books, strict=True))
    says = told["says"]
    own = kit.fill(says["hers"], films=sum(map(bool, told["ada"])))
    return kit.section(
        "notebook", told,
        f'<div class="nb-mine"><h3 class="nb-name">{says["adas"]}</h3><p class="lv-note nb-own">{own}</p>'
        f'<div class="nb-tiles" role="group" aria-label="films of the phone">{left}</div></div>',
        f'<div class="nb-gate">{_weighed(told) if scale else ""}</div>',
        f'<div class="nb-book"><h3>→ {head}</h3><p class="lv-note">{note}</p>'
        f'<div class="nb-tiles" aria-hidden="true">{right}</div></div>',
        f'<div class="nb-say">{kit.sentence(told["closing"])}</div>',
        kit.bar(*_controls(told)),
        '<canvas class="lv-air" aria-hidden="true"></canvas>',
        label=head, kind="nb-stars" if starry else "nb-wide" if scale else "",
    )  # fmt: skip


def _weighed(told: Mapping[str, Any]) -> str:
    """The scale as it stands in the end, for paper and where no script runs."""
    printed = told["scales"]["printed"]
    odds = printed["path"][-1]
    lean = -0.22 * max(-1.0, min(1.0, odds / 6))
    ends = [(210 + side * 150 * math.cos(lean), 70 + side * 150 * math.sin(lean)) for side in (-1, 1)]
    met = (f"Ada, {sum(told['ada'])} films", f"somebody, {printed['other']} films")
    pans = "".join(
        f'<path d="M{x - 44:.0f} {y + 74:.0f}L{x:.0f} {y:.0f}L{x + 44:.0f} {y + 74:.0f}z"/>'
        f'<text x="{x:.0f}" y="{y + 94:.0f}">{name}</text>' for (x, y), name in zip(ends, met, strict=True)
    )  # fmt: skip
    beam = f"M{ends[0][0]:.0f} {ends[0][1]:.0f}L{ends[1][0]:.0f} {ends[1][1]:.0f}M210 70V190M176 190H244"
    return (f'<svg class="nb-still" viewBox="0 0 420 200" aria-hidden="true"><text class="told" x="210" y="30">Ada: '
            f'{percent(best_guess(odds))}</text><path d="{beam}"/>{pans}</svg>')  # fmt: skip


def _controls(told: Mapping[str, Any]) -> list[str]:
    channel = told["channel"]
    parts = [kit.button(GO.get(channel, "Hold: let it answer"), "lv-go", 'aria-pressed="false"'),
             kit.button("All at once", "nb-all"), kit.button("Again", "nb-again")]  # fmt: skip
    if channel == "sp":
        weeks = (("once", "remembers its lies"), ("anew", "flips anew each week"))
        parts.append(kit.segment("weeks", "from week to week", weeks, "once"))
        parts.append(kit.button("Strike what is wrong", "nb-compare", 'aria-pressed="false"'))
    if channel == "dp_pnbm":
        means = (("printed", "as printed"), ("bought", "means bought"))
        parts.append(kit.segment("variant", "the means", means, "printed"))
    if channel == "fmf_ldp":
        systems = (("printed", "as printed"), ("thawed", "thawed"))
        parts.append(kit.segment("variant", "the system", systems, "printed"))
    if "steps" in told:
        parts.append(kit.slider(told["steps"], told["start"]))
    if channel != "fmf_ldp":
        parts.append(kit.button("Ada's again", "nb-hers", "hidden"))
    return parts


def _own(name: str, value: int, starry: bool, mine: bool) -> str:
    stars = f"<b>{value}</b>" if starry else ""
    on = ' class="on"' if value else ""
    if not mine:
        return f"<i{on}>{escape(name)}</i>"
    return f'<button type="button"{on} tabindex="-1">{escape(name)}{stars}</button>'


def _believed(name: str, belief: Belief) -> str:
    sure = " sure" if belief.sure else ""
    if len(belief.of) == 2:
        p = belief.of[1]
        side = " no" if p < 0.02 else " yes" if p > 0.98 else ""
        return f'<i class="{(side + sure).strip()}" style="--p:{p:.3f}">{escape(name)}</i>'
    bars = "".join(f'<i style="--i:{at};--h:{h:.3f}"></i>' for at, h in enumerate(belief.of))
    star = str(max(range(5), key=belief.of.__getitem__) + 1) if belief.sure else ""
    return f'<i class="five{sure}">{escape(name)}{bars}<b>{star}</b></i>'
