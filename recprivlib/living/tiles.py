"""The notebook as HTML: tiles of the phone at the left, of the stranger at the right, the controls of its channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from recprivlib.living import kit
from recprivlib.living.channels import Belief

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
        '<div class="nb-gate"></div>',
        f'<div class="nb-book"><h3>→ {head}</h3><p class="lv-note">{note}</p>'
        f'<div class="nb-tiles" aria-hidden="true">{right}</div></div>',
        f'<div class="nb-say">{kit.sentence(told["closing"])}</div>',
        kit.bar(*_controls(told)),
        '<canvas class="lv-air" aria-hidden="true"></canvas>',
        label=head, kind="nb-stars" if starry else "nb-wide" if scale else "",
    )  # fmt: skip


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
