"""One reader's session without a browser: controls in, figures, sentence and states out."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import replace
from threading import get_ident

import pytest
from bokeh.document import Document

from recprivlib.dashboard import Control
from tests.widgets.small import SMALL, looped
from widgets import hooks
from widgets.kit import controls
from widgets.kit.panels import PanelWire
from widgets.kit.part import Wire
from widgets.kit.pool import Pool, Update
from widgets.kit.session import TRAIL, Session
from widgets.kit.waiting import Waiting
from widgets.kit.words import bad_link


class Now(Pool):
    """A pool that runs every job at once, in this thread."""

    def __init__(self):
        super().__init__(workers=1)
        self.jobs, self.running = [], False

    def submit(self, job, costly=False, curve=False, reader=None):
        self.jobs.append(job)
        if not self.running:
            self.running = True
            while self.jobs:
                self.jobs.pop(0)()
            self.running = False


class Behind(Wire):
    """A page whose own thread has fallen behind: what is for later waits in `acts`."""

    def __init__(self):
        self.acts = []

    def later(self, action, milliseconds=0):
        if not milliseconds:
            self.acts.append(action)


@pytest.fixture
def session(form):
    """A way to open a session whose parts Panel draws, in either form."""

    def opened(query="", explorer=SMALL, **frame):
        here = Session(explorer, Now(), query, frame)
        for place, part in here.parts().items():
            hooks.component(part, place).catch_up()
        return here

    return opened


def move(session, name, value, release=True):
    session.widgets[name].value = value
    if release:
        session.widgets[name].released += 1


def main(session):
    return json.loads(session.drawings["plot"].plot)


def test_a_move_changes_figure_sentence_and_link(session):
    here = session()
    assert here.frame.sentence == "The area is 10 square cm."
    move(here, "height", 12)
    assert here.frame.sentence == "The area is 12 square cm."
    assert main(here)["data"][0]["y"] == [12]
    assert main(here)["layout"]["meta"]["shown"] == "height=12"
    assert here.drawings["words"].html == "<p>12.0</p>"
    assert here.frame.query == "height=12"


def test_a_thread_that_has_fallen_behind_shows_each_reader_the_newest_result_alone():
    wire = Behind()
    acts, here = wire.acts, Session(SMALL, Now(), wire=wire)
    acts.clear()
    shown = here.frame.shown
    for height in (11, 12, 15):
        move(here, "height", height)
    for act in acts:
        act()
    assert here.frame.shown == shown + 1
    assert here.frame.query == "height=15"


def test_what_was_on_its_way_when_the_reader_cancelled_is_not_shown():
    wire = Behind()
    acts, here = wire.acts, Session(SMALL, Now(), wire=wire)
    while acts:
        acts.pop(0)()
    before = here.frame.sentence
    move(here, "height", 11)
    here.frame.heard({"do": "cancel"})
    while acts:
        acts.pop(0)()
    assert here.frame.sentence == before
    assert here.frame.notice.startswith("Stopped. You see")
    move(here, "height", 12)
    while acts:
        acts.pop(0)()
    assert here.frame.sentence == "The area is 12 square cm."


def test_a_link_restores_every_setting(session):
    first = session()
    for name, value in (("width", 2.5), ("height", 7), ("unit", "m"), ("liked", [1, 0]), ("seed", 3)):
        move(first, name, value)
    second = session(first.frame.query)
    assert second.values == first.values
    assert second.frame.sentence == first.frame.sentence
    assert second.frame.notice == ""
    assert second.widgets["liked"].value == [1, 0]
    assert second.frame.curve  # a link shows the whole figure


def test_a_bad_link_falls_back_to_defaults_and_says_so_until_the_next_move(session):
    here = session("width=99&height=eleven&unit=m")
    assert here.values == SMALL.defaults | {"unit": "m"}
    assert here.frame.notice == "Two settings in this link were out of range; I used the defaults for them."
    move(here, "height", 4)
    assert here.frame.notice == ""


@pytest.mark.parametrize("query", ["nonsense", "width=nan", "width=inf", "height=1e400", "height=3.5", "liked=a,b",
                                   "liked=-1", "unit=%00", "seed=-1", "width=", "width=<script>"])  # fmt: skip
def test_no_link_breaks_the_page(session, query):
    assert session(query).values == SMALL.defaults


def test_the_words_for_a_bad_link_count():
    assert bad_link(1) == "One setting in this link was out of range; I used the default for it."
    assert bad_link(7) == "7 settings in this link were out of range; I used the defaults for them."


def test_moves_leave_a_trail_of_at_most_thirty_dots_without_the_present_one(session):
    here = session()
    for at in range(1, 41):
        move(here, "width", at / 10)
    trail = main(here)["data"][0]["customdata"]
    assert len(trail) == TRAIL
    assert trail[-1] == [3.9, 39.0]


def test_a_theme_or_width_redraws_without_leaving_a_dot(session):
    here = session()
    here.frame.theme = "dark"
    here.frame.size = "phone"
    assert (here.view.theme, here.view.narrow) == ("dark", True)
    assert main(here)["data"][0]["customdata"] == []


def test_a_card_stands_in_for_the_sentence_and_its_button_cures(session):
    here = session()
    move(here, "height", 13)
    assert here.frame.card == {
        "what": "Thirteen is not drawn here.", "cure": "take 12", "last": "last good: Height = 10", "empty": False,
    }  # fmt: skip
    assert main(here)["data"][0]["y"] == [10]
    here._hear({"do": "cure"})
    assert here.frame.card is None
    assert here.widgets["height"].value == 12


def test_what_breaks_inside_is_said_without_its_entrails(session, caplog):
    here = session()
    move(here, "height", 14)
    assert here.frame.card["what"] == "Something broke while computing this; the log has it."
    assert "ZeroDivisionError" in caplog.text
    move(here, "height", 15)
    assert here.frame.card is None


def test_a_value_that_no_widget_gives_is_refused(session):
    here = session()
    here.widgets["height"].value = 10**9
    assert here.frame.card["what"] == "Height is 1000000000, but must be a whole number from 1 to 20."
    assert here.values["height"] == 10


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"do": "close"},
        {"do": "__init__"},
        "text",
        {"do": None},
        {"do": ["try"]},
        {"do": "try"},
        {"do": "try", "at": 9},
    ],
)
def test_messages_that_are_no_wish_are_ignored(session, message):
    here = session()
    here.frame.heard(message)
    assert here.values == SMALL.defaults


def test_what_waits_for_release_does_not_compute_while_it_moves(session):
    patient = replace(SMALL, controls=tuple(
        replace(c, cost="on release") if c.name == "height" else c for c in SMALL.controls
    ))  # fmt: skip
    here = session(explorer=patient)
    assert here.widgets["height"].waits
    move(here, "height", 4, release=False)
    assert here.frame.sentence == "The area is 10 square cm."
    here.widgets["height"].released += 1
    assert here.frame.sentence == "The area is 4 square cm."


def test_less_motion_means_fewer_pictures_of_a_stream(session):
    here = session()
    usual = here.lane.every
    here.frame.calm = True
    assert here.lane.every == 5 * usual


def test_a_try_sets_its_start_and_says_what_to_watch(session):
    here = session("height=3")
    here._hear({"do": "try", "at": 0})
    assert here.values == SMALL.defaults | {"width": 10.0, "height": 2}
    assert here.widgets["width"].value == 10.0
    assert here.frame.advice == "the area."


def test_new_noise_changes_the_seed_and_comes_round(session):
    here = session("seed=99")
    here._hear({"do": "noise"})
    assert here.values["seed"] == 0


def test_all_answers_are_computed_and_no_guess_is_asked_for(session):
    here = session("height=3")
    assert here.frame.replies == ["It is 10; you said 5.", "It is 10; you said 10."]
    assert not {"guess", "answer"} & set(here.frame.shared())


def test_the_snippet_prints_the_numbers_on_the_screen(session):
    here = session()
    given = []
    here.frame.tie(lambda changed: None, given.append)
    move(here, "height", 7)
    here._hear({"do": "code"})
    done = subprocess.run([sys.executable, "-c", given[0]["code"]], capture_output=True, text=True, check=True)
    assert float(done.stdout) == here.drawn.result.area


def test_the_table_is_kept_only_while_it_is_open(session):
    here = session()
    assert here.frame.rows == {}
    here.frame.tables = True
    assert here.frame.rows == {"plot": {"head": ["x", "you"], "rows": [["1", "10.0 [9.0, 11.0]"]]}}


def test_the_axis_slider_stands_under_its_figure(session):
    slider = session().widgets["width"]
    assert slider.axis
    assert slider.span == [0.1, 10]
    assert slider.inset == [56, 120]
    assert slider.ticks == [[0.1, "0.1"], [1, "1"], [10, "10"]]


def test_a_wait_is_said_after_150_ms_and_not_before(session):
    here = session()
    timers = []
    here._moved = "unit"
    waiting = Waiting(here.frame, lambda action, ms: timers.append((action, ms)), here._under_way)
    waiting.begin()
    ((check, ms),) = timers
    assert ms == 150
    check()
    assert here.frame.busy is None
    time.sleep(0.16)
    timers[-1][0]()
    assert here.frame.busy["text"] == "computing Unit = centimetres…"
    waiting.end()
    assert here.frame.busy is None


def test_workers_leave_the_document_to_the_server_s_thread(monkeypatch):
    """Bokeh empties its list of held events in two steps: of 20,000 callbacks that another thread added while the
    document was held and let go, five never ran. A page then waited for ever."""
    told_from = []

    async def reader():
        doc = Document()
        monkeypatch.setattr(doc.callbacks, "trigger_on_change", lambda event: told_from.append(get_ident()))
        here = Session(SMALL, Pool(workers=1), wire=PanelWire(doc))
        here.lane.ask(here.values | {"height": 12})
        while not doc.session_callbacks or here.lane._busy:
            await asyncio.sleep(0.01)
        return get_ident()

    own = looped(asyncio.wait_for(reader(), 10))
    assert set(told_from) == {own}


def test_a_control_that_waits_for_its_release_leaves_the_page_at_rest(session):
    """Its value has changed, but nobody has asked for it yet: nothing is under way."""
    here = session()
    begun = []
    here.waiting.begin = lambda: begun.append(1)
    here.lane.ask(here.values)
    before = len(begun)
    here.values["height"] += 1
    here._news(Update(dict(here.lane.asked)), here.drawn)
    assert len(begun) == before


def test_results_that_keep_coming_put_the_word_off(session):
    here = session()
    timers = []
    waiting = Waiting(here.frame, lambda action, ms: timers.append((action, ms)), here._under_way)
    waiting.begin()
    time.sleep(0.1)
    waiting.begin()  # a result came, a newer one is asked for
    time.sleep(0.06)
    timers[-1][0]()
    assert here.frame.busy is None
    assert len(timers) == 2


def test_a_slider_stops_at_readable_values():
    width, height = SMALL.control("width"), SMALL.control("height")
    assert controls.stops_of(width) == (0.1, 1, 10)
    assert controls.stops_of(height) == tuple(range(1, 21))
    assert controls.stops_of(replace(width, steps=()))[20] == 1.0


def test_the_whole_curve_is_drawn_once_it_is_there_and_goes_where_it_fails(session, caplog):
    seen = []

    def draw(result, view):
        seen.append(view.curve)
        return f"<p>{view.curve}</p>"

    figures = (SMALL.figures[0], replace(SMALL.figures[1], draw=draw))
    whole = replace(SMALL, figures=figures, curve=lambda values: 1 / (values["height"] - 3))
    here = session(explorer=whole)
    assert here.drawings["words"].html == "<p>None</p>"
    here.frame.curve = True
    assert here.drawings["words"].html == f"<p>{1 / 7}</p>"
    move(here, "height", 4)
    assert here.drawings["words"].html == "<p>1.0</p>"
    assert not here.frame.curving
    move(here, "height", 3)
    assert here.drawings["words"].html == "<p>None</p>"
    assert not here.frame.curve
    assert "ZeroDivisionError" in caplog.text


def test_a_budget_has_its_own_slider_with_more_privacy_at_the_left():
    epsilon = Control("epsilon", "ε", "number", 1.0, 0.1, 8, (0.1, 1, 8), log=True, place="axis", figure="plot")
    slider = controls.widget(epsilon, {"epsilon": 1.0})
    assert isinstance(slider, controls.EpsilonSlider)
    assert slider.ends == ["more privacy, more noise", "less privacy, less noise"]
    assert slider.stops == [0.1, 1, 8]
    assert controls.EpsilonSlider().stops[0] == 0.1
