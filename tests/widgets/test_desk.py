"""The worker's end of a page without a server, driven by messages as the page sends them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from dataclasses import asdict

import pytest

from recprivlib.dashboard import explorer
from recprivlib.data import load
from recprivlib.exercises import exercise, graded
from tests.archive import archive
from widgets.site.desk import INVENTED, Desk, here
from widgets.site.pages import page
from widgets.site.wire import Turns


class Browser:
    """A page and its clock: `run()` goes on until nothing is left to do."""

    def __init__(self):
        self.heard, self.todo, self.timed = [], deque(), []
        self.desk = Desk(lambda text: self.heard.append(json.loads(text)), self.clock)

    def clock(self, act, milliseconds):
        (self.timed if milliseconds else self.todo).append(act)

    def say(self, **message):
        self.desk.hear(json.dumps(message))

    def run(self, turns=10_000):
        while self.todo and turns:
            self.todo.popleft()()
            turns -= 1

    def rests(self):
        """The reader looks at it, longer than any clock waits."""
        timed, self.timed = self.timed, []
        for act in timed:
            act()

    def known(self, stem, **values):
        which = here(explorer(stem), INVENTED)
        return self.desk.turns.known(which, which.defaults | values) is not None

    def news(self, place, name):
        return [news["put"][place][name] for news in self.heard if name in news.get("put", {}).get(place, {})]


@pytest.fixture
def browser(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECPRIV_DATA", str(tmp_path))
    return Browser()


def test_a_move_is_computed_and_the_page_is_told_when_nothing_is_left_to_do(browser):
    browser.say(dash="d1", open="privacy")
    browser.run()
    browser.say(dash="d1", place="control-epsilon", put={"value": 2})
    browser.run()
    known = explorer("privacy")
    assert browser.news("frame", "sentence")[-1] == known.say(known.compute(**known.defaults | {"epsilon": 2}))
    assert browser.news("frame", "query")[-1] == "epsilon=2"
    assert [news["idle"] for news in browser.heard if "idle" in news][-1] is True


def test_every_numbered_message_is_acknowledged_after_its_news(browser):
    browser.say(dash="d1", open="privacy")
    browser.run()
    browser.heard.clear()
    browser.say(dash="d1", place="control-epsilon", number=1, put={"value": 2})
    browser.say(dash="d1", place="control-epsilon", number=2, put={"released": 1})
    assert [news["heard"] for news in browser.heard if "heard" in news] == [1, 2]
    assert browser.heard[0]["idle"] is False, "what it set going is told first"


def test_two_dashboards_of_a_page_do_not_hear_each_other(browser):
    for name in ("d1", "d2"):
        browser.say(dash=name, open="privacy")
    browser.run()
    browser.heard.clear()
    browser.say(dash="d2", place="control-epsilon", put={"value": 2})
    browser.run()
    assert {news["dash"] for news in browser.heard} == {"d2"}


def test_a_stream_gives_way_between_its_blocks():
    turns, seen = Turns(lambda act, wait: soon.append(act), lambda: None), []
    soon: deque = deque()

    def blocks():
        for at in range(3):
            import time

            time.sleep(0.04)
            seen.append(at)
            yield

    turns.submit(lambda: turns.run(blocks()))
    soon.popleft()()
    assert seen == [0]
    turns.later(lambda: seen.append("news"))
    while soon:
        soon.popleft()()
    assert seen == [0, "news", 1, 2]


def test_the_stops_of_a_quick_slider_are_computed_while_the_reader_looks(browser):
    stops = explorer("dplcf").control("neighbors").steps
    browser.say(dash="d1", open="dplcf")
    browser.run()
    assert [stop for stop in stops if browser.known("dplcf", neighbors=stop)] == [20], (
        "nothing is done for a drag's sake"
    )
    browser.rests()
    browser.run()
    assert all(browser.known("dplcf", neighbors=stop) for stop in stops)
    shown = len(browser.news("frame", "shown"))
    browser.say(dash="d1", place="control-neighbors", put={"value": 50})
    browser.run()
    which = here(explorer("dplcf"), INVENTED)
    assert browser.news("frame", "sentence")[-1] == which.say(which.compute(**which.defaults | {"neighbors": 50}))
    assert len(browser.news("frame", "shown")) == shown + 1


def test_what_is_computed_beforehand_gives_way_to_a_move_the_nearest_stops_first(browser):
    stops = explorer("dplcf").control("neighbors").steps
    browser.say(dash="d1", open="dplcf")
    browser.run()
    browser.rests()
    browser.run(turns=4)
    assert {20, 30} <= {stop for stop in stops if browser.known("dplcf", neighbors=stop)} < set(stops)
    browser.say(dash="d1", place="control-metric", put={"value": "ndcg@10"})
    while not browser.known("dplcf", metric="ndcg@10"):
        browser.run(turns=1)
    before = [stop for stop in stops if browser.known("dplcf", neighbors=stop)]
    browser.run()
    assert [stop for stop in stops if browser.known("dplcf", neighbors=stop)] == before, "nobody asks for these now"
    browser.say(dash="d1", close=True)
    browser.rests()
    browser.run()
    assert not browser.known("dplcf", metric="ndcg@10", neighbors=30), "nor for any, once the page is closed"


def test_a_page_begins_with_invented_people_and_offers_nothing_that_it_has_not():
    for stem in ("dplcf", "fmf_ldp", "recommenders"):
        which = here(explorer(stem), INVENTED)
        for control in which.controls:
            assert control.default in (dict(control.choices) or (control.default,))
        assert not {"ml-100k", "ml-1m"} & {value for c in which.controls for value, _ in c.choices}
        for trial in which.tries:
            for name, value in trial.values.items():
                which.control(name).checked(value)


def test_the_reader_s_own_table_is_told_mended_and_used(browser, tmp_path):
    rows = [f"{u};{i};{1 + (u * i) % 5}" for u in range(40) for i in range(30) if (u + i) % 3]
    (tmp_path / "mine.csv").write_text("who;thing;stars\n" + "\n".join(rows))
    browser.say(own={"name": "mine.csv"})
    assert "which column is the item" in browser.heard[-1]["refused"]
    assert browser.heard[-1]["columns"] == {"names": ["who", "thing", "stars"], "roles": {}}, "the page lets one choose"
    browser.say(own={"name": "mine.csv", "columns": {"user": "who", "item": "thing", "rating": "stars"}})
    assert browser.heard[-1]["chosen"] == "mine.csv"
    assert browser.heard[-1]["label"].startswith("your mine.csv: 40 people, 30 things")
    browser.say(dash="d1", open="recommenders", query="data=mine.csv")
    browser.run()
    assert browser.news("frame", "sentence")[-1].startswith("In a line-up of 100 films")
    assert browser.news("frame", "card")[-1:] in ([], [None])


def test_rows_that_cannot_be_read_are_left_out_in_a_page_and_said(browser, tmp_path):
    rows = [f"u{u},i{i},{1 + (u * i) % 5},{30 * u + i}" for u in range(40) for i in range(30) if (u + i) % 3]
    text = "\n".join(["user,item,stars,ts", *rows, "u1,,4,3", "u2,i2,good,4", "u1,i1,5,9000"])
    for name in ("mine.csv", "again.csv"):
        (tmp_path / name).write_text(text)
    browser.say(own={"name": "mine.csv"})
    heard = browser.heard[-1]
    assert heard["label"].endswith("2 rows left out")
    assert any("1 with no item (line" in note for note in heard["notes"])
    browser.say(dash="d1", open="recommenders", query="data=mine.csv")
    browser.run()
    assert browser.news("frame", "sentence")[-1].startswith("In a line-up of 100 films")
    browser.say(dash="d1", place="frame", say={"do": "code"})
    browser.run()
    code = next(news["say"]["code"] for news in reversed(browser.heard) if "code" in news.get("say", {}))
    assert 'load("mine.csv", skip_bad=True)' in code
    mended, whole = load(str(tmp_path / "mine.csv")), load(str(tmp_path / "again.csv"), skip_bad=True)
    assert mended.checksum == whole.checksum, "the page computes on what the code loads"


def test_what_is_no_table_is_refused_in_a_sentence(browser, tmp_path):
    (tmp_path / "mine.zip").write_bytes(b"no zip at all")
    browser.say(own={"name": "mine.zip"})
    assert "is no zip archive" in browser.heard[-1]["refused"]


def test_the_first_picture_is_hollow_and_publishes_no_list_of_titles():
    text = page(explorer("recommenders"))
    still = json.loads(text.split('id="still">')[1].split("</script>")[0].replace("<\\/", "</"))
    films = still["parts"]["control-liked"]["values"]
    assert {film for film, _ in films["options"]} == set(films["value"])
    assert still["parts"]["frame"]["values"]["sentence"]
    plot = json.loads(still["parts"]["figure-length"]["values"]["plot"])
    assert any("open" in str(trace.get("marker", {}).get("symbol", "")) for trace in plot["data"])


def test_a_step_of_a_chapter_is_the_library_s_own_scene(browser):
    which = here(explorer("privacy"), INVENTED)
    browser.say(asked=1, scene="privacy", query="epsilon=2&figures=bound,roc&ghost=mechanism%3Dlaplace")
    browser.run()
    told = browser.heard[-1]["told"]
    assert told["say"] == which.say(which.compute(**which.defaults | {"epsilon": 2.0}))
    assert list(told["figures"]) == ["bound", "roc"]
    browser.say(asked=2, scene="dplcf", query="data=ml-100k&figures=rate")
    browser.run()
    assert browser.heard[-1] == {"asked": 2, "told": {"what": "Data cannot be had at this value."}}


def test_a_reader_s_own_mechanism_is_tried_and_its_attack_is_heard_of(browser):
    browser.say(asked=1, mechanism="0.80 0.15 0.05\n0.10 0.20 0.70", claimed=2)
    browser.run()
    shares = [news["progress"] for news in browser.heard if "progress" in news]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    told = browser.heard[-1]["told"]
    assert told["say"].endswith("broken.")
    assert "rp-strip" in told["strip"]
    browser.say(asked=2, mechanism="def release(x, rng):\n    return y", claimed=2)
    browser.run()
    assert browser.heard[-1]["told"]["what"] == "Line 2 of your code: NameError: name 'y' is not defined."


def test_an_exercise_is_told_check_by_check_and_one_that_is_none_is_refused(browser):
    asked = exercise("price")
    for number, text in enumerate((asked.solution, asked.start), 1):
        browser.heard.clear()
        browser.say(asked=number, exercise="price", text=text)
        browser.run()
        found = [asdict(one) for one in graded("price", text)]
        assert [news["progress"] for news in browser.heard if "progress" in news] == found
        assert browser.heard[-1] == {"asked": number, "told": {"passed": number == 1, "checks": found}}
    browser.say(asked=3, exercise="magic", text="")
    browser.run()
    assert browser.heard[-1]["told"]["what"].startswith("There is no exercise 'magic'; choose from price, cheat")


def test_the_code_of_a_mended_table_runs_where_the_table_came_from(browser, tmp_path):
    rows = [f"{u};{i};{1 + (u * i) % 5}" for u in range(40) for i in range(30) if (u + i) % 3]
    text = "who;thing;stars\n" + "\n".join(rows)
    (tmp_path / "my-table.csv").write_text(text)  # as the page calls it
    browser.say(own={"name": "my-table.csv", "called": "my table.csv",
                     "columns": {"user": "who", "item": "thing", "rating": "stars", "time": ""}})  # fmt: skip
    browser.say(dash="d1", open="recommenders", query="data=my-table.csv&system=popularity")
    browser.run()
    browser.say(dash="d1", place="frame", say={"do": "code"})
    browser.run()
    code = next(news["say"]["code"] for news in reversed(browser.heard) if "code" in news.get("say", {}))
    said = {"user": "who", "item": "thing", "rating": "stars", "time": "none"}
    assert f'load("my table.csv", columns={said!r})' in code
    home = tmp_path / "home"
    home.mkdir()
    (home / "my table.csv").write_text(text)
    done = subprocess.run([sys.executable, "-c", code], cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    sentence = browser.news("frame", "sentence")[-1]
    assert f"{100 * float(done.stdout.split('popularity: ')[1].split()[0]):.0f} %".replace(" ", "") in sentence.replace(
        " ", ""
    ).replace("\u202f", "").replace("\xa0", "")


def test_an_archive_in_the_published_form_is_taken_under_its_own_name(browser, tmp_path):
    archive(tmp_path / "tiny.zip")
    browser.say(own={"name": "tiny.zip"})
    assert browser.heard[-1]["chosen"] == "tiny.zip"
    label = browser.heard[-1]["label"]
    assert label.startswith("your tiny.zip: 60 people, 40 things")
    assert label.endswith("not ml-100k as published")
    browser.say(dash="d1", open="recommenders", query="data=tiny.zip")
    browser.run()
    assert browser.news("frame", "sentence")[-1].startswith("In a line-up of 100 films")


def test_a_stream_is_cancelled_between_its_blocks_and_the_next_move_is_answered(browser):
    which = here(explorer("fmf_ldp"), INVENTED)
    browser.say(dash="d1", open="fmf_ldp")
    browser.run()
    browser.say(dash="d1", place="control-epochs", put={"value": 17})
    browser.run(turns=2)
    assert browser.todo, "the stream has given way, and goes on"
    shown = browser.news("frame", "sentence")[-1:]  # on a slow machine a part of the stream
    browser.say(dash="d1", place="frame", say={"do": "cancel"})
    browser.run()
    assert browser.news("frame", "notice")[-1].startswith("Stopped. You see")
    assert browser.news("frame", "sentence")[-1:] == shown
    browser.say(dash="d1", place="control-epochs", put={"value": 2})
    browser.run()
    assert browser.news("frame", "sentence")[-1] == which.say(which.compute(**which.defaults | {"epochs": 2}))
