"""A room without a network: who is dealt what, what is counted, what is told to whom."""

from __future__ import annotations

import json
import random

import pytest

from widgets.classroom.crowd import MANY
from widgets.classroom.films import FILMS, deck
from widgets.classroom.room import SEATS, Room
from widgets.classroom.seats import Refused
from widgets.classroom.sentences import of_phone, of_wall

ASKS = {
    "s": {"kind": "sketch", "question": "?", "x": [1, 2, 3], "places": [0, 0.5, 1], "truth": [0, 0.5, 1], "low": 0,
          "high": 1, "at": "x", "percent": True, "digits": 1, "least": 2, "link": "/"},
    "v": {"kind": "vote", "question": "?", "answers": ["a", "b"], "link": "/"},
}  # fmt: skip
CROWD = {"do": "begin", "kind": "crowd", "eps": 1, "cards": True}
ATTACK = {"do": "begin", "kind": "attack", "eps": 1, "turns": 3, "coin": "honest"}


def room(many: int = 0):
    made = Room(chance=random.Random(1))
    made.questions = ASKS
    return made, [made.join("") for _ in range(many)]


def do(made, message):
    made.do(of_wall(json.dumps({"do": message} if isinstance(message, str) else message)))


def say(made, seat, **words):
    made.hear(seat, of_phone(json.dumps({"r": made.number} | words)))


def test_who_sent_is_known_and_what_was_sent_but_not_who_sent_what():
    made, seats = room(30)
    do(made, CROWD)
    for at, seat in enumerate(seats):
        say(made, seat, lies=f"{at:08b}")
        with pytest.raises(Refused, match="already"):
            say(made, seat, lies="11111111")
    order = [int("".join(map(str, each)), 2) for each in made.round.lists]
    assert sorted(order) == list(range(30))
    assert order != list(range(30))
    do(made, "show")
    assert made.round.truth == [sum(made.round.dealt[seat][1][film] for seat in seats) for film in range(len(FILMS))]
    told = json.dumps(made.wall())
    assert not [name for name, _ in deck() if f'"{name}"' in told]
    assert not [seat for seat in seats if seat.token in told]
    do(made, "more")
    wall = made.wall()
    assert max(abs(m - t) for m, t in zip(wall["many"], wall["truth"], strict=True)) < 4 * wall["smaller"]
    assert wall["smaller"] == pytest.approx(wall["error"] / MANY**0.5)
    do(made, "lobby")
    assert made.round is None


def test_of_their_own_lists_no_truth_is_known_and_each_round_is_added_to_the_bill():
    made, (seat, other) = room(2)
    for epsilon, film in ((1, 1.0), (2, 3.0)):
        do(made, CROWD | {"eps": epsilon, "cards": False})
        assert made.phone(seat)["film"] == pytest.approx(film)  # before it sends
        say(made, seat, lies="10101010")
        told = made.phone(seat)
        assert (told["film"], told["list"]) == pytest.approx((film, 8 * film))
        assert told["ledger"]["film"] == pytest.approx(film)
        do(made, "show")
        assert made.wall()["truth"] == []
        with pytest.raises(Refused):
            do(made, "more")
    assert made.phone(seat)["ledger"] == {"own": 2, "film": pytest.approx(3), "list": pytest.approx(24)}
    assert made.phone(other)["ledger"] == {"film": 0.0, "list": 0.0}
    do(made, CROWD)  # a dealt card is nobody's: it costs its holder nothing
    assert made.phone(seat)["film"] == 1.0
    say(made, seat, lies="10101010")
    assert made.phone(seat)["ledger"]["film"] == pytest.approx(3)
    do(made, "lobby")
    made.left(seat)
    assert made.join(seat.token) is seat  # its bill is not lost while the phone sleeps
    made.reset()
    assert made.seats == {}


def test_lines_are_shown_together_and_the_measured_curve_last():
    made, (one, other) = room(2)
    do(made, {"do": "begin", "kind": "sketch", "ask": "s"})
    with pytest.raises(Refused, match="more"):
        say(made, one, line=[1, None, None])
    with pytest.raises(Refused):
        say(made, one, line=[1, 2])
    say(made, one, line=[1, None, 100])
    assert made.wall()["lines"] == []
    assert made.wall()["in"] == 1
    do(made, "show")
    assert made.wall()["lines"] == [(1, None, 100)]
    assert "truth" not in json.dumps([made.wall(), made.phone(one), made.phone(other)])
    with pytest.raises(Refused, match="over"):
        say(made, other, line=[1, 2, 3])
    do(made, "more")
    assert made.wall()["truth"] == [0, 0.5, 1]


def test_a_vote_is_taken_before_and_after_talking():
    made, (one, other) = room(2)
    do(made, {"do": "begin", "kind": "vote", "ask": "v"})
    say(made, one, vote=0)
    say(made, one, vote=1)  # changed its mind
    say(made, other, vote=0)
    with pytest.raises(Refused):
        say(made, one, vote=2)
    assert "tally" not in made.wall()
    do(made, "show")
    assert made.wall()["tally"] == [1, 1]
    do(made, "more")
    assert made.phone(one)["vote"] is None
    say(made, one, vote=0)
    do(made, "show")
    assert (made.wall()["before"], made.wall()["tally"]) == ([1, 1], [1, 0])
    with pytest.raises(Refused):
        do(made, "more")


def test_the_number_of_guesses_is_fixed_and_no_bound_is_shown_before_the_last():
    made, seats = room(3)
    do(made, ATTACK)
    late = made.join("")
    assert not made.phone(late)["counted"]
    assert {"t": 1, "ceiling": made.wall()["ceiling"]}.items() <= made.wall().items()  # drawn before
    for turn in (1, 2, 3):
        assert "secret" not in json.dumps([made.phone(seat) for seat in seats])
        say(made, seats[0], t=turn, guess=made.phone(seats[0])["answer"])
        say(made, late, t=turn, guess=1)
        assert "proven" not in made.wall()
        if turn == 2:
            made.left(seats[2])  # asleep: its seat and its part in the count stay
        do(made, "show")
        assert made.phone(seats[0])["secret"] in (0, 1)
        assert len(made.round.rows[-1]) == 3
        if turn < 3:
            do(made, "next")
            with pytest.raises(Refused, match="over"):
                say(made, seats[1], t=turn, guess=1)
    wall = made.wall()
    assert (wall["phase"], wall["trials"], wall["stood_in"]) == ("verdict", 9, 6)
    assert "real" not in wall
    with pytest.raises(Refused):
        do(made, "next")
    do(made, "more")
    assert made.wall()["real"] == 1.0
    assert made.join(seats[2].token) is seats[2]


def test_perhaps_faulty_is_a_fair_coin_and_a_faulty_phone_answers_at_three_times_its_claim():
    made, _ = room(1)
    reals = []
    for _ in range(200):
        do(made, ATTACK | {"coin": "sealed"})
        reals.append(made.round.real)
    assert set(reals) == {1.0, 3.0}
    assert 60 < reals.count(3.0) < 140  # five standard errors
    do(made, ATTACK | {"coin": "leaky"})
    seats, true = [made.join("") for _ in range(SEATS - 1)], 0
    for _ in range(40):
        true += sum(made.round.answer[seat] == made.round.secret[seat] for seat in seats)
        made.round.phase = "shown"
        made.round.turns = 100
        do(made, "next")
    assert abs(true / (40 * len(seats)) - 0.953) < 5 * (0.953 * 0.047 / (40 * len(seats))) ** 0.5


def test_who_comes_late_plays_who_only_looks_in_leaves_no_seat_and_a_full_room_says_so():
    made, _ = room()
    with pytest.raises(Refused, match="Nobody"):
        do(made, ATTACK)
    do(made, CROWD)
    late = made.join("")
    assert len(made.phone(late)["card"]) == len(FILMS)
    do(made, "show")
    later = made.join("")
    assert made.phone(later)["card"] == ()
    made.left(later)
    assert later.token not in made.seats
    for _ in range(SEATS - 1):
        made.join("")
    with pytest.raises(Refused, match="taken"):
        made.join("")
    do(made, "lobby")
    made.left(late)  # nothing of a round hangs on it
    made.join("")
    assert len(made.seats) == SEATS


def test_the_seats_of_an_address_are_those_that_are_here_or_have_answered():
    made, _ = room()
    do(made, {"do": "begin", "kind": "vote", "ask": "v"})
    seats = [made.join("", "192.0.2.1") for _ in range(3)]
    say(made, seats[0], vote=1)
    for seat in seats:
        made.left(seat)
    assert made.of("192.0.2.1") == 1  # a stuffed vote stays counted
    assert made.of("192.0.2.2") == 0
    do(made, "lobby")
    assert (len(made.seats), made.of("192.0.2.1")) == (1, 0)  # kept for its bill, and in nobody's way


def test_what_cannot_be_now_is_refused_and_changes_nothing():
    made, _ = room(2)
    for message in ("show", "more", "next", *({"do": "begin", "kind": "vote", "ask": name} for name in "sx")):
        with pytest.raises(Refused):
            do(made, message)
    assert (made.round, made.number) == (None, 0)
    do(made, CROWD)
    for message in ("more", "next"):
        with pytest.raises(Refused):
            do(made, message)
    with pytest.raises(Refused):
        say(made, made.here[0], vote=1)
    with pytest.raises(Refused, match="over"):
        say(made, made.here[0], r=made.number - 1, lies="00000000")  # of a round that has gone
    assert (made.round.phase, made.round.lists) == ("open", [])
