"""The six colours and what each one always means, in light and dark; exported once, also as CSS variables.

Figures are built in light colours. `themed(figure, "dark")` swaps each for its dark partner, so a builder
never asks which theme it is drawn in. Lines may be coloured, text never is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Stroke:
    """How one role is drawn: its colour in both themes, its line and its marker (the shape repeats the colour)."""

    light: str
    dark: str
    dash: str = "solid"
    symbol: str = "circle"
    width: float = 2.0


# A system's role in the registry is its role here; each baseline has one of its own, and so has what attacks.
ROLES = {
    "bound": Stroke("#1A1A1A", "#F2F2F2", width=1.0),
    "popularity": Stroke("#8C8C8C", "#A6A6A6", dash="dash"),
    "random": Stroke("#8C8C8C", "#A6A6A6", dash="dot", width=1.0),
    "private-popularity": Stroke("#8C8C8C", "#A6A6A6", dash="dashdot"),
    "paper": Stroke("#C05A0C", "#F19A2E", symbol="square"),
    "repaired": Stroke("#228BE3", "#2AB0F4"),
    "beyond": Stroke("#095F34", "#25F48C", symbol="diamond"),
    "attack": Stroke("#852A81", "#F42CC2", symbol="triangle-up"),
}
INK = ("#1A1A1A", "#F2F2F2")
SECONDARY = ("#5F6673", "#A9B1BC")
PAGE = ("#FFFFFF", "#14181E")
GRID = 0.08  # opacity of the grid, over ink
BAND = (0.16, 0.26)  # opacity of a band, light and dark
VEIL = 0.75  # opacity of the page's colour behind a label that stands on a line
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"


def colour(role: str) -> str:
    """The light colour of a role; `themed` turns it dark."""
    return ROLES[role].light


SPAN = '<span style="color:'


def inked(mark: str, role: str) -> str:
    """A mark of a key in the colour that it has in the figure; the word beside it keeps that of text."""
    return f'{SPAN}{colour(role)}">{mark}</span>'


def faded(colour: str, opacity: float) -> str:
    """A hex colour at some opacity."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def swaps() -> dict[str, str]:
    """Every colour that figures use in the light theme, and its dark partner."""
    pairs = {role.light: role.dark for role in ROLES.values()}
    pairs |= {pair[0]: pair[1] for pair in (INK, SECONDARY, PAGE)}
    bands = {faded(role.light, BAND[0]): faded(role.dark, BAND[1]) for role in ROLES.values()}
    faint = {faded(INK[0], GRID): faded(INK[1], GRID), faded(PAGE[0], VEIL): faded(PAGE[1], VEIL)}
    return pairs | bands | faint


def themed(figure: Any, theme: str) -> Any:
    """`figure` (a Plotly dict, or any part of one) in the colours of a theme."""
    if theme == "light":
        return figure
    return _swapped(figure, swaps())


def _swapped(part: Any, pairs: dict[str, str]) -> Any:
    if isinstance(part, str):
        if part.startswith("#") or SPAN not in part:
            return pairs.get(part, part)
        return re.sub(f"(?<={SPAN})#[0-9A-F]{{6}}", lambda found: pairs[found[0]], part)
    if isinstance(part, dict):
        return {key: _swapped(value, pairs) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_swapped(value, pairs) for value in part]
    return part


def css_variables() -> str:
    """The palette as CSS: `--rp-paper`, `--rp-ink`, … for the page, its dark mode and forced themes."""
    named = {name: (role.light, role.dark) for name, role in ROLES.items()}
    named |= {"ink": INK, "secondary": SECONDARY, "page": PAGE}
    light, dark = (" ".join(f"--rp-{name}: {pair[i]};" for name, pair in named.items()) for i in (0, 1))
    light += f" --rp-band: {BAND[0]};"
    dark += f" --rp-band: {BAND[1]};"
    return f":root {{ {light} }}\n:root[data-theme=dark], .rp-dark {{ {dark} }}\n"
