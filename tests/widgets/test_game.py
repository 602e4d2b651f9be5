"""A game in place of a prediction: dealt on the server, played in the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recprivlib.dashboard import Deal, GuessingGame, Question
from tests.widgets.small import SMALL
from tests.widgets.test_session import Now, move
from widgets.kit.page import page
from widgets.kit.session import Session


@pytest.fixture
def playing():
    """A session with a game that depends on the height alone, and what was dealt."""
    dealt = []

    def deal(values, rng):
        dealt.append(values["height"])
        return Deal("Which?", ("low", "high"), (Question(f"{rng.random():.12f}", 1, -1),), "nobody beats half")

    which = replace(SMALL, predict=None, game=GuessingGame(deal, ("height",), "plot"))
    return Session(which, Now()), dealt


def test_rounds_are_dealt_anew_where_the_game_changes_and_nowhere_else(playing):
    session, dealt = playing
    assert dealt == [10]
    move(session, "width", 0.1)
    assert dealt == [10]
    move(session, "height", 20)
    assert dealt == [10, 20]
    assert session.play.setting == 2


def test_more_rounds_at_the_same_setting_keep_the_score(playing):
    session, dealt = playing
    first = session.play.deal
    session.play.heard({"do": "deal"})
    assert dealt == [10, 10]
    assert session.play.setting == 1, "the page begins its score anew with each setting"
    assert session.play.deal["rounds"][0]["shown"] != first["rounds"][0]["shown"]
    assert session.play.deal["number"] == 2


def test_nothing_else_is_heard_from_the_page(playing):
    session, dealt = playing
    for message in ({"do": "guess", "answer": 1}, {"answer": 1}, "yes", None):
        session.play.heard(message)
    assert dealt == [10]


def test_two_readers_get_secrets_of_their_own():
    which = replace(SMALL, predict=None, game=GuessingGame(
        lambda values, rng: Deal("", ("", ""), (Question(f"{rng.random():.12f}", 0, 0),), ""), (), "plot"))  # fmt: skip
    shown = {Session(which, Now()).play.deal["rounds"][0]["shown"] for _ in range(5)}
    assert len(shown) == 5


def test_a_dashboard_has_a_prediction_or_a_game(playing):
    session, _ = playing
    assert session.frame.replies == []
    words = {name: page(explorer, Now(), {})._render_variables
             for name, explorer in (("game", session.explorer), ("predict", SMALL))}  # fmt: skip
    assert words["game"]["game"]
    assert not words["game"]["answers"]
    assert not words["predict"]["game"]
