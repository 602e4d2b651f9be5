"""What a reader can ask for besides moving a control: {"do": name} from the page, by the name of the function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from widgets.kit.words import setting

if TYPE_CHECKING:
    from widgets.kit.session import Session

Message = dict[str, Any]


def attempt(session: Session, message: Message) -> None:
    """`Try this`: its start, and what to watch."""
    at, tries = message.get("at"), session.explorer.tries
    if isinstance(at, int) and 0 <= at < len(tries):
        session.frame.advice = tries[at].watch
        session.set(session.explorer.defaults | dict(tries[at].values))


def cure(session: Session, _: Message) -> None:
    """The card's own button."""
    session.set(session.remedy)


def cancel(session: Session, _: Message) -> None:
    """Enough of waiting: what is on the screen stays."""
    session.lane.cancel()
    session.waiting.end()
    if session.drawn is not None:
        session.frame.notice = f"Stopped. You see {setting(session.last_moved, session.drawn.values)}."


def noise(session: Session, _: Message) -> None:
    """Another draw; the old dots stay, so that the spread is seen."""
    name = session.explorer.reseed
    if name:
        control, seed = session.explorer.control(name), session.values[name]
        session.set({name: seed + 1 if seed < control.high else control.low})


def csv(session: Session, _: Message) -> None:
    """The numbers on the screen as a file."""
    if session.drawn is not None:
        text = session.explorer.table(session.drawn.result).to_csv(index=False)
        session.frame.give(csv=text, name=f"{session.explorer.stem}.csv")


def code(session: Session, _: Message) -> None:
    """Python that prints the numbers on the screen."""
    values = session.drawn.values if session.drawn else session.values
    session.frame.give(code=session.explorer.snippet(values))


def alive(session: Session, _: Message) -> None:
    """A page that was asleep asks whether it is still known."""
    session.frame.give(alive=True)


WISHES: dict[str, Callable[[Session, Message], None]] = {
    "try": attempt, "cure": cure, "cancel": cancel, "noise": noise, "csv": csv, "code": code,
    "alive": alive,
}  # fmt: skip
