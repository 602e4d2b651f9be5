"""What the frame itself says."""

from __future__ import annotations

from recprivlib.dashboard import Card, Control, Explorer
from recprivlib.dashboard.contract import Values
from widgets.kit.controls import choices

BROKEN = "Something broke while computing this; the log has it."
LESS = {  # control -> what to take less of, where it stands above its default
    "people": "fewer people", "rounds": "fewer rounds", "epochs": "fewer epochs", "tries": "fewer tries",
    "cohort": "fewer phones", "data": "a smaller data set", "iterations": "fewer iterations",
}  # fmt: skip
NUMBERS = ("no", "One setting", "Two settings", "Three settings", "Four settings")


def setting(control: Control, values: Values) -> str:
    """One setting as a reader would write it: "System = MF"."""
    value = values[control.name]
    if control.kind in ("choice", "films"):
        labels = dict(choices(control, values))
        text = ", ".join(labels.get(v, str(v)) for v in (value if isinstance(value, tuple) else (value,)))
    else:
        text = control.text(value)
    return f"{control.label} = {text}"


def ahead(many: int, reader: bool, address: bool) -> str:
    """How many readers have their turn before, and why, where the `reader` or his `address` has had more than a share.

    >>> ahead(1, False, False), ahead(3, True, True)
    ('1 reader is ahead of you…', '3 readers go first, you have had your share of this minute…')
    """
    readers = f"{many} reader{'s' if many > 1 else ''}"
    if not (reader or address):
        return f"{readers} {'are' if many > 1 else 'is'} ahead of you…"
    had = "you have had your" if reader else "your address has had its"
    return f"{readers} go{'es' if many == 1 else ''} first, {had} share of this minute…"


def too_much(explorer: Explorer, values: Values) -> Card:
    """What to say where a computation took more than there is, or took its helper with it."""
    what = "that took more than this server gives; take"
    for control in explorer.controls:
        value = values.get(control.name, control.default)
        larger = value > control.default if control.kind in ("integer", "number") else value != control.default
        if control.name == "people":
            larger = value > control.default
        if control.name in LESS and larger:
            label = setting(control, explorer.defaults)
            return Card(f"{what} {LESS[control.name]}", {control.name: control.default}, label)
    return Card(f"{what} fewer people, or the settings at the start", explorer.defaults, "back to the start")


def sentence(text: str) -> str:
    """An error's words as a reader expects them: a capital, a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def bad_link(refused: int) -> str:
    """What to say about a link with settings out of range."""
    if not refused:
        return ""
    many = NUMBERS[refused] if refused < len(NUMBERS) else f"{refused} settings"
    were, them = ("was", "it") if refused == 1 else ("were", "them")
    default = "default" if refused == 1 else "defaults"
    return f"{many} in this link {were} out of range; I used the {default} for {them}."
