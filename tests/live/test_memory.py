"""What a class of thirty shares: made once, and never more than its bound."""

import threading
import time

import numpy as np
import pytest

from recprivlib.live.memory import Memory


def test_what_costs_most_to_make_for_its_size_is_kept(monkeypatch):
    """Thirty readers with settings of their own ask in turn: what is oldest is just what is asked for next."""
    memory, clock = Memory(10_000), [0.0]
    monkeypatch.setattr("recprivlib.live.memory.worked", lambda: clock[0])

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
    monkeypatch.setattr("recprivlib.live.memory.worked", lambda: 0.0)
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
