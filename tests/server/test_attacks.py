"""Everything that was tried on the server of this book, on a server of its own: see `attacks`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tornado.httpclient import AsyncHTTPClient

from recprivlib.dashboard import explorer
from tests.server.attacks import ATTACKS
from tests.server.attacks.asking import table
from tests.server.attacks.stage import Attack, Stage
from tests.server.talk import STEM
from tests.widgets.small import looped
from widgets.load import FakeReader

PAGE = Path(__file__).resolve().parents[2] / "book" / "many.md"
HELD: dict[str, int] = {}


@pytest.fixture(scope="module")
def stage(serving, book, tmp_path_factory):
    path = tmp_path_factory.mktemp("console") / "said.txt"
    with path.open("w") as console, serving(book, console=console) as (site, process):
        yield visited(Stage(site, process, path))


def visited(stage: Stage) -> Stage:
    """What the first reader has a server load is not an attack's."""
    for stem in ("dplcf", STEM):
        looped(once(stage.site, stem))
    return stage


async def once(site: str, stem: str) -> None:
    """A reader who comes and goes."""
    moved = next(control.name for control in explorer(stem).controls if control.place == "axis")
    reader = FakeReader(site, f"/apps/{stem}", moved)
    await reader.open()
    reader.close()
    await AsyncHTTPClient().fetch(f"{site}/scenes/{stem}", request_timeout=60)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.what)
def test_it_holds(stage: Stage, attack: Attack):
    """Refused each time; the process alive and there for others, its memory bounded, no traceback on its console."""
    tried(stage, attack)


def tried(stage: Stage, attack: Attack) -> None:
    """Makes all tries of an attack."""
    before, said = stage.memory(), len(stage.console.read_text())
    failed = {name: wrong for name, one in attack.each().items() if (wrong := attack.run(stage, one))}
    HELD[attack.what] = len(attack.each()) - len(failed)
    grown, told = stage.memory() - before, stage.console.read_text()[said:]
    print(f"{attack.what}: {len(attack.each())} tried, {HELD[attack.what]} held, {grown:+.0f} MB")
    assert failed == {}
    assert stage.answers()
    assert "Traceback" not in told, told[:2000]
    assert grown < attack.memory, f"{grown:.0f} MB more"


def test_the_table_on_the_page_says_what_was_tried():
    """What did not run now counts as it stands in the suite; what ran has held."""
    rows = {attack.what: len(attack.each()) for attack in ATTACKS}
    print(*(f"{what:50} {tried:4} tried {HELD.get(what, tried):4} held" for what, tried in rows.items()), sep="\n")
    printed = re.findall(r"^\| ([^|]+?) \| ([\d,]+) \| ([\d,]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert {what: (int(tried), int(held)) for what, tried, held in printed} == {
        what: (tried, HELD.get(what, tried)) for what, tried in rows.items()
    }


def test_the_routes_are_those_of_the_installed_versions():
    """Were the table read wrongly, nothing new would be noticed."""
    handlers = {handler.rpartition(".")[2] for _, handler in table()}
    assert {"DocHandler", "WSHandler", "ComponentResourceHandler", "MetadataHandler", "AutoloadJsHandler"} <= handlers
