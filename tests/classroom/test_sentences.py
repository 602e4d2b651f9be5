"""What may be said, to the last character, and how often."""

from __future__ import annotations

import contextlib
import json
import random

import pytest

from widgets.classroom.limits import Bucket, Tries
from widgets.classroom.sentences import BEGIN, DOES, Wrong, of_phone, of_wall

GOOD = ('{"join":"BCDFGH","token":""}', '{"join":"BCDFGH","token":"%s"}' % (16 * "0f"), '{"r":1,"lies":"0101"}',
        '{"r":1,"line":[0,null,100]}', '{"r":1,"vote":0}', '{"r":1,"t":2,"guess":1}')  # fmt: skip
BAD = ("", "1", "null", "[]", "{}", '{"r":1}', '{"r":true,"vote":0}', '{"r":1.0,"vote":0}', '{"r":1,"vote":-1}',
       '{"r":1,"vote":32}', '{"r":1,"vote":"<b>"}', '{"r":1,"vote":0,"x":0}', '{"r":1,"lies":"012"}',
       '{"r":1,"lies":""}',
       '{"r":1,"lies":"' + "0" * 33 + '"}', '{"r":1,"lies":"0\\n"}', '{"r":1,"lies":"٠١"}', '{"r":1,"line":[101,0]}',
       '{"r":1,"line":[NaN,0]}', '{"r":1,"line":[1]}', '{"r":1,"line":{}}', '{"r":1,"t":1,"guess":2}',
       '{"r":null,"vote":1}',
       '{"join":"bcdfgh","token":""}', '{"join":"BCDFGH","token":"x"}', '{"join":"BCDFGH\\n","token":""}',
       '{"join":"ABCDEF","token":""}', '{"join":["BCDFGH"],"token":""}', "[" * 400, '{"r":1,"vote":0}' + " " * 600,
       b"\x00",
       '{"r":1,"vote":1e999}', '{"r":99999999999999999999,"vote":0}', '{"key":"x"}', '{"do":"show"}')  # fmt: skip
WALL = ('{"key":"abc-_1"}', *(f'{{"do":"{do}"}}' for do in DOES),
        '{"do":"begin","kind":"crowd","eps":0.3,"cards":false}', '{"do":"begin","kind":"vote","ask":"dplcf-vote"}',
        '{"do":"begin","kind":"attack","eps":1,"turns":5,"coin":"sealed"}')  # fmt: skip
WRONG = ("", "[]", "{}", '{"key":1}', '{"key":""}', '{"key":"é"}', '{"do":"begin"}', '{"do":"begin","kind":"crowd"}',
         '{"do":["show"]}', '{"do":"show","x":1}', '{"do":"begin","kind":"crowd","eps":9,"cards":true}',
         '{"do":"begin","kind":"crowd","eps":true,"cards":true}', '{"do":"begin","kind":"crowd","eps":1,"cards":1}',
         '{"do":"begin","kind":"attack","eps":1,"turns":1000,"coin":"honest"}',
         '{"do":"begin","kind":["vote"],"ask":"x"}',
         '{"do":"begin","kind":"vote","ask":"<script>"}', '{"do":"begin","kind":"x"}', '{"r":1,"vote":0}')  # fmt: skip


@pytest.mark.parametrize("heard, good, bad", [(of_phone, GOOD, BAD), (of_wall, WALL, WRONG)], ids=["phone", "wall"])
def test_a_few_sentences_are_understood_and_nothing_else(heard, good, bad):
    for text in good:
        heard(text)
    for text in bad:
        with pytest.raises(Wrong):
            heard(text)
    chance = random.Random(0)
    for _ in range(5000):  # whatever is changed in them, no other error comes of it
        text = list(chance.choice(good))
        for _ in range(chance.randint(1, 4)):
            text[chance.randrange(len(text))] = chr(chance.randint(32, 126))
        with contextlib.suppress(Wrong):
            heard("".join(text))


def test_what_the_walls_buttons_send_is_on_the_list():
    """The list of a kind is all that its buttons can be set to."""
    for kind, words in BEGIN.items():
        for name, allowed in words.items():
            for each in allowed or ("some-name",):
                others = {one: (of or ("some-name",))[0] for one, of in words.items()}
                said = of_wall(json.dumps({"do": "begin", "kind": kind} | others | {name: each}))
                assert said.words[name] == each


def test_a_bucket_gives_so_many_at_once_and_then_one_after_the_other():
    now = [0.0]
    bucket = Bucket(3, 2.0, lambda: now[0])
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now[0] = 2.0
    assert [bucket.take() for _ in range(2)] == [True, False]
    now[0] = 1e6
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_who_guesses_codes_is_soon_not_told_when_one_is_right_and_others_still_are():
    now = [0.0]
    tries = Tries(lambda: now[0])
    assert [tries.right("192.0.2.1", "BBBBBB", "CCCCCC") for _ in range(12)] == 10 * [False] + 2 * [None]
    assert tries.right("192.0.2.1", "CCCCCC", "CCCCCC") is None
    assert all(tries.right("192.0.2.2", "CCCCCC", "CCCCCC") for _ in range(50))
    many = [tries.right(f"198.51.100.{at}", "BBBBBB", "CCCCCC") for at in range(200)]
    assert many.count(False) == 110  # 120 of all at once
    now[0] = 3600.0
    tries.forget()
    assert tries.each == {}
    assert sum(tries.right("192.0.2.1", "BBBBBB", "CCCCCC") is False for _ in range(100)) == 10
