"""A piece of the page: values that both ends know, and messages. The kit knows this, and nobody's wire.

    Part ──> tie(changed, told): whatever draws the page hears of what the session has set, and of its messages
         <── put({name: value}), heard(message): what the page has set and said

A `Wire` is the rest of a page as a session needs it. There are two: Panel's on the server (`panels`), and a worker's
messages in a page without a server (`widgets.site.wire`). This one is for where there is no page at all.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Act = Callable[[], Any]
PLAIN = (bool, int, str)  # kinds that a page may not exchange for another


class Shared:
    """A value that the page shows or sets."""

    def __init__(self, default: Any = None, doc: str = "", among: Sequence[Any] = ()):
        self.default, self.doc, self.among = default, doc, among
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, part: Part | None, owner: type) -> Any:
        return self if part is None else part.values[self.name]

    def __set__(self, part: Part, value: Any) -> None:
        part.update(**{self.name: value})

    def fits(self, value: Any) -> bool:
        """Whether a page may have said this."""
        if self.among:
            return value in self.among
        kind = type(self.default)
        return kind not in PLAIN or type(value) is kind


class Part:
    """A piece of the page, drawn by `script`; with `style` it takes room of its own, otherwise it fills the frame's."""

    script = ""
    style = ""

    def __init__(self, **values: Any):
        self.values: dict[str, Any] = {name: known.default for name, known in self.shared().items()}
        self._watched: list[tuple[frozenset[str], Act]] = []
        self._changed: Callable[[dict[str, Any]], None] = lambda changed: None
        self._told: Callable[[dict[str, Any]], None] = lambda message: None
        self.update(**values)

    @classmethod
    def shared(cls) -> dict[str, Shared]:
        """All its values, by name."""
        known = [vars(kind) for kind in reversed(cls.__mro__)]
        return {name: value for names in known for name, value in names.items() if isinstance(value, Shared)}

    def tie(self, changed: Callable[[dict[str, Any]], None], told: Callable[[dict[str, Any]], None]) -> None:
        """Something draws it from now on."""
        self._changed, self._told = changed, told

    def watch(self, names: Sequence[str], act: Act) -> None:
        """Calls `act` when one of `names` has changed; once, where several change together."""
        self._watched.append((frozenset(names), act))

    def update(self, **values: Any) -> None:
        """Sets several values as one change; what stands already is no news."""
        unknown = values.keys() - self.values.keys()
        if unknown:
            raise AttributeError(f"{type(self).__name__} shares no {', '.join(sorted(unknown))}")
        changed = {name: value for name, value in values.items() if self.values[name] != value}
        if not changed:
            return
        self.values.update(changed)
        self._changed(changed)
        for names, act in self._watched:
            if not names.isdisjoint(changed):
                act()

    def tell(self, **message: Any) -> None:
        """Hands the page something once."""
        self._told(message)

    def put(self, values: dict[str, Any]) -> None:
        """What the page has set; what it could not have meant is left out."""
        known = self.shared()
        self.update(**{name: value for name, value in values.items() if name in known and known[name].fits(value)})

    def heard(self, message: Any) -> None:
        """What the page has said."""


class Wire:
    """A session without a page: nothing is drawn, what is for later happens at once, and no clock runs."""

    patience = 0.1  # seconds that a worker may wait for the whole curve before it draws without
    address = ""  # where the reader sits, if that can be told

    def later(self, action: Act, milliseconds: int = 0) -> None:
        """On the thread that alone may touch what the page shows."""
        if not milliseconds:
            action()

    def hold(self) -> AbstractContextManager:
        """What changes inside reaches the page together."""
        return contextlib.nullcontext()
