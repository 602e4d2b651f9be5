"""The figure of the first page: every number is measured, and what is not measured is not there."""

import json
import re
from html.parser import HTMLParser

import pytest

from recprivlib.experiment import run
from recprivlib.parameters import configured, values
from recprivlib.plots.numerals import THIN, percent
from recprivlib.primers.first_page import tenseconds as ten
from recprivlib.registry import get
from recprivlib.tables import results, rows_of, tolerance

STEPS = (0.5, 1.0, 4.0)


@pytest.fixture(scope="module")
def figure():
    return ten.measure(STEPS, tries=4000)


def test_bars_are_what_the_systems_of_the_registry_reach(figure):
    """The table's first seed is run again here, the others by `make results-check`."""
    table = results(ten.RESULTS)
    table = table[(table.metric == "hr@10") & (table.protocol == ten.PROTOCOL)]

    def committed(name, **settings):
        return rows_of(table, {"system": name, **values(configured(get(name).system, settings))}).iloc[0]

    known = figure["known"]
    assert known["popularity"] == pytest.approx(committed("popularity").value, rel=1e-3)
    assert known["bound"] == pytest.approx(committed("lcf-ub").value, rel=1e-3)
    for state, at in zip(figure["states"], STEPS, strict=True):
        for role, name in ten.SERVERS.items():
            row, server = committed(name, epsilon=at), state["servers"][role]
            assert server["rate"] == pytest.approx(row.value, rel=1e-3)
            assert server["low"] <= server["rate"] <= server["high"]
            now = run(name, settings={"epsilon": at}).metrics["hr@10"]
            assert now == pytest.approx(row["first"], abs=tolerance("hr@10", 943))


def test_the_three_numbers_come_from_ledger_accountant_and_attack(figure):
    for state, at in zip(figure["states"], STEPS, strict=True):
        assert state["claimed"] == state["counted"] == at
        assert 0 < state["attacked"] <= state["counted"]  # seed 0 at 95 %
        assert state["right"] == pytest.approx(1 / (1 + 2.718281828459045**-at))
        assert f"claimed\u00a0{at:.1f}" in state["three"]


def test_a_printed_lower_bound_is_never_above_the_bound(figure):
    for state in figure["states"]:
        assert float(state["three"].split("≥\u00a0")[1]) <= state["attacked"] + 1e-9


def test_a_server_that_was_not_run_has_no_number_and_says_where_it_will_come_from(monkeypatch):
    table = results(ten.RESULTS)
    monkeypatch.setattr(ten, "results", lambda name: table[~table.system.str.contains("dplcf")])
    figure = ten.measure((1.0,))
    (state,) = figure["states"]
    assert state["servers"] == {}
    assert "claimed" not in state
    page = ten.html(figure)
    assert "chapter dplcf" in page
    assert 'data-role="server"' not in page
    assert "not attacked yet" in page.replace("\u00a0", " ")


def test_words_never_say_more_than_the_paired_interval(figure):
    for state in figure["states"]:
        for role, server in state["servers"].items():
            assert f" {server['verb']} the popular list" in state["said"][role]
            assert percent(server["rate"]) in state["said"][role]
        assert percent(state["right"]) in state["guess"]


class Reader(HTMLParser):
    """What is on the page before any script runs."""

    def __init__(self, page):
        super().__init__()
        self.buttons, self.out, self.text, self.quiet = [], [], "", False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        about = dict(attributes)
        self.quiet = tag == "script"
        if "aria-pressed" in about and about.get("aria-label"):
            self.buttons.append(about)
        elif tag == "i" and "ten-lie" not in about["class"]:
            self.out.append(about["class"])

    def handle_data(self, data):
        self.text += "" if self.quiet else data


def test_without_a_script_it_is_complete_and_consistent(figure):
    page = Reader(ten.html(figure))
    assert len(page.buttons) == len(page.out) == ten.TILES
    assert sum(button["aria-pressed"] == "true" for button in page.buttons) == len(ten.LIT)
    state = figure["states"][figure["start"]]
    for button, report, uniform in zip(page.buttons, page.out, ten.UNIFORMS, strict=True):
        lie = uniform >= state["right"]
        assert ("lie" in report) == lie
        assert ("on" in report.split()) == ((button["aria-pressed"] == "true") != lie)
    for part in ("ε = 1", f"10{THIN}%", percent(figure["known"]["bound"]), state["guess"], state["said"]["printed"]):
        assert part in page.text


def test_a_phone_of_24_tiles_shows_the_whole_history():
    assert max(ten.LIT) < 24


def test_as_many_tiles_lie_as_should():
    """At ε = 1 the phone lies about 1/(1+e) of 40 films: 10.76, and the uniforms are evenly spread."""
    assert sum(uniform >= 1 / (1 + 2.718281828459045**-1) for uniform in ten.UNIFORMS) == 11
    assert len(set(ten.UNIFORMS)) == ten.TILES


def test_its_data_is_in_the_page_and_cannot_end_its_script(figure):
    figure = json.loads(json.dumps(figure))
    figure["data"] = "</script><b>"
    found = re.search(r'<script type="application/json">(.*?)</script>', ten.html(figure), re.S)
    assert json.loads(found.group(1)) == figure
