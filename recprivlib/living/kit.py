"""The furniture of all living pictures: sentences with open places, buttons, sliders, and the section around them.

    kit.fill("knows **{sure} of {whose} {total}**", sure=13, whose="Ada's", total=40)

is what `rpLiving.fill` does in the page: `**` is strong, and `{name}` is a number or a word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from recprivlib.parameters import UserError

PLACE = re.compile(r"\{(\w+)\}")


def drawn(name: str) -> Any:
    """The module of a picture."""
    where = f"recprivlib.living.{name}"
    module = import_module(where) if re.fullmatch(r"[a-z_]+", name) and find_spec(where) else None
    if module is None or "picture" not in vars(module):
        raise UserError(f"there is no living picture {name!r}: see recprivlib/living")
    return module


def numbers(name: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """What a picture tells at these settings; one that it does not have is refused."""
    try:
        told: dict[str, Any] = drawn(name).picture(**settings)
    except TypeError as error:
        raise UserError(f"{name} is asked for {', '.join(settings) or 'nothing'}: {error}") from None
    return told


def fill(template: str, **said: Any) -> str:
    """A sentence with its places filled; one that is left open is a KeyError."""
    return PLACE.sub(lambda place: str(said[place[1]]), template)


def together(told: Any) -> Any:
    """The same numbers and sentences, in which no line ends inside "ε = 1"."""
    if isinstance(told, dict):
        return {name: together(part) for name, part in told.items()}
    if isinstance(told, list):
        return [together(part) for part in told]
    return told.replace("ε = ", "ε\xa0=\xa0") if isinstance(told, str) else told


def plain(text: str) -> str:
    """A sentence as it is heard."""
    return text.replace("**", "")


def strong(text: str) -> str:
    """A sentence as HTML."""
    parts = [escape(part, quote=False) for part in text.split("**")]
    return "".join(f"<strong>{part}</strong>" if at % 2 else part for at, part in enumerate(parts))


def chosen(name: str, value: str, known: Sequence[str]) -> str:
    """A setting of a directive that has to be one of a few."""
    if value not in known:
        raise UserError(f"{name} is {value!r}, but can be {', '.join(known)}")
    return value


def section(picture: str, told: Mapping[str, Any], *parts: str, label: str, kind: str = "") -> str:
    """The picture with its numbers; `told["id"]` names it on its page, and in links to it."""
    data = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return (
        f'<section class="lv lv-{picture} {kind}" id="{escape(told["id"])}" '
        f'data-picture="{picture}" aria-label="{escape(label)}"><div class="lv-inner">{"".join(parts)}</div>'
        f'<script type="application/json">{data}</script></section>'
    )


def sentence(text: str) -> str:
    """The one sentence under a picture, and the same for those who hear it, once it rests."""
    return f'<p class="lv-say">{strong(text)}</p><p class="lv-hear" aria-live="polite"></p>'


def bar(*parts: str) -> str:
    """The controls; a link to send and Present end the row of every picture."""
    ends = button("Link", "lv-link") + button("Present", "lv-present", "aria-pressed=false")
    return f'<div class="lv-bar">{"".join(parts)}<span class="lv-ends">{ends}</span></div>'


def button(text: str, kind: str, more: str = "") -> str:
    return f'<button type="button" class="{kind}" {more}>{escape(text)}</button>'


def segment(name: str, label: str, options: Sequence[tuple[Any, str]], now: Any) -> str:
    """One of a few."""
    buttons = "".join(
        f'<button type="button" role="radio" value="{escape(str(value))}" aria-checked="{str(value == now).lower()}"'
        f' tabindex="{0 if value == now else -1}">{escape(text)}</button>'
        for value, text in options
    )
    return f'<div class="lv-seg" role="radiogroup" aria-label="{escape(label)}" data-sets="{name}">{buttons}</div>'


def slider(steps: Sequence[Mapping[str, Any]], start: int, label: str = "epsilon") -> str:
    """From more to less privacy, over steps that have a `label` and are `spoken`."""
    now = steps[start]
    return (
        f'<div class="lv-drag"><input type="range" min="0" max="{len(steps) - 1}" value="{start}" step="1"'
        f' autocomplete="off" aria-label="{label}" aria-valuetext="{escape(now["spoken"])}"><span>more privacy</span>'
        f"<output>{escape(now['label'])}</output><span>less privacy</span></div>"
    )
