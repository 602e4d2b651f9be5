"""All dashboards of a page, in one worker: it hears what the page sends, and answers in messages.

{"dash": "d1", "open": stem, "query": …, "frame": {…}}  ──>  {"dash": "d1", "made": {place: values}}
{"dash": "d1", "place": "control-epsilon", "put": {"value": 2}}  ──>  {"dash": "d1", "put": {place: …}, "idle": …}
{"dash": "d1", "place": …, "number": 3, …}  ──>  {"dash": "d1", "heard": 3}, once that has begun
{"dash": "d1", "place": "frame", "say": {"do": "csv"}}  ──>  {"dash": "d1", "place": "frame", "say": {…}}
{"whole": true}: pandas is here
{"own": {"name": "mine.csv"}}  ──>  {"chosen": "mine.csv", "label": "your mine.csv: 943 people, …"}
{"asked": 7, "scene": stem, "query": …}  ──>  {"asked": 7, "told": {…}}, a step of a chapter
{"asked": 8, "mechanism": "def release…", "claimed": 2}  ──>  {"asked": 8, "progress": .4} …, {"asked": 8, "told": {…}}
{"asked": 9, "exercise": "repair", "text": "…"}  ──>  {"asked": 9, "progress": {check}} …, {"asked": 9, "told": {…}}
"""

from __future__ import annotations

import json
import logging
from bisect import bisect
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from recprivlib.dashboard import Control, Explorer
from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.contract import Values
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data.columns import Unclear
from recprivlib.exercises import graded
from recprivlib.parameters import UserError
from recprivlib.primers.privacy.own import tried
from widgets.kit.drawn import drawn, wanted
from widgets.kit.pool import Turn, Update
from widgets.kit.session import Drawn, Session
from widgets.kit.words import BROKEN, sentence
from widgets.kit.work import Errand
from widgets.site.own import chosen, taken
from widgets.site.wire import Clock, PageWire, Turns

log = logging.getLogger(__name__)
LOOKS = 250  # ms without a move, after which the next ones are computed beforehand
INVENTED = {"synthetic": "1 000 invented people"}  # who is here before the reader brings anybody


class BrowserSession(Session):
    """A session for whom pandas, which comes last, may still be on its way, and who has a whole Python to himself."""

    def __init__(self, desk: Desk, *about: Any):
        self.desk = desk
        super().__init__(*about)

    def _card(self, error: Exception) -> None:
        if missing(error) and not self.desk.whole:
            self.desk.late.append(self.ask)
            self.waiting.begin()
        else:
            super()._card(error)

    def _answer(self) -> Iterator[Turn]:
        try:
            yield from super()._answer()
        except ModuleNotFoundError as error:
            if not missing(error):
                raise
            self.desk.late.append(self._reply)

    def _news(self, update: Update, news: Drawn | Exception) -> None:
        super()._news(update, news)
        if update.last and not isinstance(news, Exception):
            self.wire.later(lambda: self.desk.turns.idle(self._ahead(update.values)), LOOKS)

    def _ahead(self, shown: Values) -> Iterator[None]:
        """Computes the other stops of the sliders that are quick, the nearest first, until the reader asks for more."""
        for control in self.explorer.controls:
            if not control.ahead or not control.active(shown):
                continue
            here = bisect(control.steps, shown[control.name])
            for at in sorted(range(len(control.steps)), key=lambda at: abs(at - here)):
                if self.lane.asked is not shown:
                    return
                with suppress(UserError):
                    self.pool.result(self.explorer, {**shown, control.name: control.steps[at]})
                yield


def missing(error: Exception) -> bool:
    """Whether nothing is wrong but that the tables' library is not there."""
    return isinstance(error, ModuleNotFoundError) and error.name == "pandas"


class Desk:
    """One page's sessions."""

    def __init__(self, post: Callable[[str], None], clock: Clock):
        self.post = post
        self.turns = Turns(clock, self.flush)
        self.sessions: dict[str, tuple[Session, PageWire]] = {}
        self.people = dict(INVENTED)
        self.brought: dict[str, str] = {}  # file of the reader -> the Python that loads it where it came from
        self.whole = False  # pandas is here
        self.late: list[Callable[[], Any]] = []  # what waits for it

    def hear(self, text: str) -> None:
        """One message of the page."""
        message = json.loads(text)
        known = self.sessions.get(message.get("dash", ""))
        if "whole" in message:
            self.whole, late, self.late = True, self.late, []
            for act in late:
                act()
        elif "own" in message:
            self.own(message["own"])
        elif "asked" in message:
            self.ask(message)
        elif "open" in message:
            self.open(message["dash"], message["open"], message.get("query", ""), message.get("frame", {}))
        elif known and "put" in message:
            known[0].parts()[message["place"]].put(message["put"])
        elif known and "say" in message:
            known[0].parts()[message["place"]].heard(message["say"])
        elif known and "close" in message:
            known[0].close()
            del self.sessions[message["dash"]]
        self.flush()
        if known and "number" in message:
            self.send({"dash": message["dash"], "heard": message["number"]})

    def open(self, name: str, stem: str, query: str, frame: dict[str, str]) -> None:
        """A session for the dashboard `stem`, called `name` by the page."""
        wire = PageWire(self.turns, lambda news: self.send({"dash": name, **news}))
        which = at_home(here(explorer(stem), self.people), self.brought)
        session = BrowserSession(self, which, self.turns, query, frame, wire)
        parts = session.parts()
        wire.join(parts)
        self.sessions[name] = session, wire
        self.send({"dash": name, "made": {place: part.values for place, part in parts.items()}})

    def own(self, told: dict[str, Any]) -> None:
        """The reader's own ratings, from the file of that name; open dashboards are opened anew by the page."""
        MEMORY.clear()  # another file may have the name of an earlier one
        self.turns.results.clear()
        try:
            name, label, guess = taken(told["name"], told.get("columns") or {})
        except UserError as error:
            news: dict[str, Any] = {"refused": str(error), "file": told["name"]}
            if isinstance(error, Unclear):  # the reader can say it
                news["columns"] = {"names": error.names, "roles": told.get("columns") or {}}
            self.send(news)
            return
        self.people[name] = label
        columns = chosen(told.get("columns") or {})
        asked = [f", columns={columns!r}"] * bool(columns) + [", skip_bad=True"] * bool(guess.get("left"))
        called = json.dumps(told.get("called") or name, ensure_ascii=False)
        self.brought[name] = f"load({called}{''.join(asked)})"
        self.send({"chosen": name, "label": label, **guess})

    def ask(self, message: dict[str, Any]) -> None:
        """A question with one answer: a step of a chapter, or what the reader's own mechanism is worth."""
        number = message["asked"]

        def answer() -> Iterator[Turn]:
            try:
                for told in job(message):
                    if isinstance(told, dict):
                        self.send({"asked": number, "told": told})
                    else:
                        yield told
            except UserError as error:
                self.send({"asked": number, "told": {"what": sentence(str(error))}})
            except Exception as error:
                if missing(error) and not self.whole:
                    self.late.append(again)
                    return
                log.exception("no answer to %s", message)
                self.send({"asked": number, "told": {"what": BROKEN}})

        def again() -> None:
            self.turns.submit(lambda: self.turns.run(answer()))

        job = self.step if "scene" in message else self.exercise if "exercise" in message else self.mechanism
        again()

    def step(self, message: dict[str, Any]) -> Iterator[dict[str, Any] | Turn]:
        """One setting of a chapter's figure; the page has a turn between its parts."""
        which = here(explorer(message["scene"]), self.people)
        yield (yield from drawn(which, self.turns, wanted(which, message["query"]), Errand()))

    def mechanism(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Claimed, counted and attacked of what the reader typed. The page hears of each part of the attack at once."""
        number = message["asked"]
        found = tried(message["mechanism"], message["claimed"],
                      progress=lambda share: self.send({"asked": number, "progress": share}))  # fmt: skip
        yield {"say": found["say"], "strip": found["strip"]}

    def exercise(self, message: dict[str, Any]) -> Iterator[dict[str, Any] | None]:
        """The checks of an exercise on what the reader typed, one after the other; the page hears of each at once."""
        done = []
        for outcome in graded(message["exercise"], message["text"]):
            done.append(asdict(outcome))
            self.send({"asked": message["asked"], "progress": done[-1]})
            yield None
        yield {"passed": all(one["passed"] for one in done), "checks": done}

    def flush(self) -> None:
        """Tells the page what has changed since the last time."""
        for session, wire in self.sessions.values():
            wire.flush(not session.lane._busy)

    def send(self, news: dict[str, Any]) -> None:
        """One message to the page."""
        self.post(json.dumps(news, default=_plain, allow_nan=False, separators=(",", ":"), ensure_ascii=False))


def here(which: Explorer, people: dict[str, str]) -> Explorer:
    """`which` with the data that a page has; invented people where it would begin with others."""
    controls = tuple(_had(control, people) for control in which.controls)
    made = replace(which, controls=controls)
    return replace(made, tries=tuple(replace(t, values=_fitting(made, t.values)) for t in which.tries))


def at_home(which: Explorer, brought: dict[str, str]) -> Explorer:
    """Its Code as the reader needs it: their file has another name and other headings there than in this page."""

    def snippet(values: Values) -> str:
        code = which.snippet(values)
        for name, loads in brought.items():
            code = code.replace(f'load("{name}")', loads)
        return code

    return replace(which, snippet=snippet)


def _had(control: Control, people: dict[str, str]) -> Control:
    """A control without the choices whose data are not here, and with the reader's own."""
    if not control.needs:
        return control
    kept = [pair for pair in control.choices if control.needs.get(pair[0]) in people]
    if control.name == "data":
        named = dict(kept)
        kept = [(name, named.get(name, label)) for name, label in people.items()]
    default = next(value for value, _ in kept if control.needs.get(value) in INVENTED)
    return replace(control, choices=tuple(kept), default=default)


def _fitting(which: Explorer, values: Values) -> dict[str, Any]:
    """A start for the reader, at the defaults where it names data that are not here."""
    known = {name: dict(which.control(name).choices) for name in values if which.control(name).needs}
    return {name: value for name, value in values.items() if name not in known or value in known[name]}


def _plain(value: Any) -> Any:
    """A NumPy number as Python's own."""
    return value.item()
