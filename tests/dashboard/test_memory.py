"""What a class of thirty shares: made once, and never more than its bound."""

import threading
import time

import numpy as np
import pytest

from recprivlib.dashboard.memory import Growing, Memory


def test_what_costs_most_to_make_for_its_size_is_kept(monkeypatch):
    """Thirty readers with settings of their own ask in turn: what is oldest is just what is asked for next."""
    memory, clock = Memory(10_000), [0.0]
    monkeypatch.setattr("recprivlib.dashboard.memory.worked", lambda: clock[0])

    def costs(seconds):
        clock[0] += seconds
        return np.zeros(400)

    memory.get("dear", lambda: costs(1.0))
    for key in "abcdefgh":
        memory.get(key, lambda: costs(0.001))
        assert memory.held <= 10_000
    assert memory.known("dear") is not None
    for round in range(2000):  # not for ever: what nobody asks for makes room at last
        memory.get(round, lambda: costs(0.002))
    assert memory.known("dear") is None


def test_it_stays_under_its_bound_and_of_equals_drops_what_was_not_asked_for_longest(monkeypatch):
    monkeypatch.setattr("recprivlib.dashboard.memory.worked", lambda: 0.0)
    memory = Memory(10_000)
    for key in "abc":
        memory.get(key, lambda: np.zeros(400))  # 3,200 bytes each
    memory.get("a", lambda: pytest.fail("a was dropped"))
    memory.get("d", lambda: np.zeros(400))
    assert memory.held <= 10_000
    made = []
    memory.get("b", lambda: made.append("b") or np.zeros(1))
    memory.get("a", lambda: pytest.fail("a was dropped"))
    assert made == ["b"]


def test_what_is_too_large_is_handed_out_and_not_kept():
    memory = Memory(100)
    assert len(memory.get("a", lambda: np.zeros(1000))) == 1000
    assert memory.held == 0


def test_thirty_readers_make_it_once():
    memory, made, seen = Memory(10_000), [], []

    def make():
        made.append(1)
        time.sleep(0.05)
        return np.arange(3)

    threads = [threading.Thread(target=lambda: seen.append(memory.get("a", make))) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(seen) == 30
    assert all(value is seen[0] for value in seen)


def test_a_failure_is_not_kept_and_holds_nobody_up():
    memory = Memory(10_000)
    with pytest.raises(ZeroDivisionError):
        memory.get("a", lambda: 1 / 0)
    assert memory.get("a", lambda: 5) == 5
    memory.clear()
    assert memory.held == 0


def test_what_was_handed_over_is_worth_what_it_took_before(monkeypatch):
    memory, clock = Memory(1000), [0.0]
    monkeypatch.setattr("recprivlib.dashboard.memory.worked", lambda: clock[0])
    memory.get("dear", lambda: np.zeros(50), seconds=5.0)
    memory.get("cheap", lambda: np.zeros(50))
    memory.get("new", lambda: np.zeros(50))
    assert memory.known("dear") is not None
    assert memory.known("cheap") is None


def test_who_leaves_halfway_finds_there_what_was_made_and_nothing_is_made_twice():
    made = []

    def source():
        for at in range(5):
            made.append(at)
            yield at

    growing = Growing(source())
    first = growing.follow()
    assert [next(first), next(first)] == [0, 1]
    first.close()
    assert list(growing.follow()) == [1, 2, 3, 4], "the newest, and what comes after it"
    assert list(growing.follow()) == [4]
    assert made == [0, 1, 2, 3, 4]
    assert growing.seconds > 0


def test_two_who_follow_it_at_once_both_see_it_grow():
    def source():
        for at in range(20):
            time.sleep(0.002)
            yield at

    growing, seen = Growing(source()), [[], []]
    threads = [threading.Thread(target=lambda it=it: it.extend(growing.follow())) for it in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for each in seen:
        assert each == list(range(each[0], 20))


def test_what_fails_halfway_fails_for_everybody_and_is_never_taken_for_the_whole():
    def source():
        yield 0
        raise ZeroDivisionError("in the middle")

    growing = Growing(source())
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="in the middle"):
            list(growing.follow())
