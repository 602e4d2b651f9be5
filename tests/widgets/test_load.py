"""The table of `make bench-readers` says what did not hold."""

import math
from dataclasses import replace

from widgets.load import Crowd, goals

OWN = Crowd("small", "width", 30, own=True)
FOUND = {"p50": 100.0, "p95": 200.0, "unanswered": 0.0, "rate": 50.0, "new": 50.0}


def missed(table):
    return [sentence for sentence, held in goals(table) if not held]


def test_a_quick_crowd_holds_and_a_slow_or_unanswered_one_does_not():
    assert not missed({OWN: FOUND})
    assert len(missed({OWN: FOUND | {"p95": 2100.0}})) == 1
    assert len(missed({OWN: FOUND | {"p50": math.nan, "p95": math.nan}})) == 1
    assert missed({replace(OWN, readers=10): FOUND | {"unanswered": 1.0}}) == ["nobody stays unanswered"]


def test_a_fall_of_the_steps_per_second_is_seen_at_any_size():
    rates = {10: 20.0, 30: 60.0, 60: 47.0}
    table = {replace(OWN, readers=many): FOUND | {"new": rate} for many, rate in rates.items()}
    assert [sentence.split(":")[0] for sentence in missed(table)] == ["settings of their own"]
    table[replace(OWN, readers=60)] = FOUND | {"new": 49.0, "rate": 10.0}  # nobody came back to a setting
    assert not missed(table)
    shared = {replace(crowd, own=False): found | {"rate": rates[crowd.readers]} for crowd, found in table.items()}
    assert [sentence.split(":")[0] for sentence in missed(shared)] == ["settings shared"]


def test_a_costly_reader_may_double_the_wait_and_no_more():
    dear = replace(OWN, costly="people=80")
    assert not missed({OWN: FOUND, dear: FOUND | {"p50": 199.0, "p95": 399.0}})
    assert len(missed({OWN: FOUND, dear: FOUND | {"p50": 201.0}})) == 1
