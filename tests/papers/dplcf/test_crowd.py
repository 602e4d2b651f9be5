"""Numbers that are drawn once and compared with every ε are the numbers that a run draws."""

from __future__ import annotations

import numpy as np
import pytest

from recprivlib.dashboard.memory import Memory
from recprivlib.papers.dplcf.screen import crowd
from recprivlib.papers.dplcf.screen.crowd import Remembered


@pytest.fixture
def memory(monkeypatch):
    monkeypatch.setattr(crowd, "UNIFORM", Memory(1 << 20))
    return crowd.UNIFORM


def test_what_is_remembered_is_what_would_have_been_drawn(memory):
    for _ in range(2):
        plain, kept = np.random.default_rng(3), Remembered(np.random.default_rng(3).bit_generator)
        for size in ((3, 4), 7, None, (3, 4), 0):
            assert np.array_equal(plain.random(size), kept.random(size))
            assert plain.integers(10, dtype=np.int32) == kept.integers(10, dtype=np.int32)
            assert plain.normal() == kept.normal()
        assert np.array_equal(plain.random(5, np.float32), kept.random(5, np.float32))
        assert np.array_equal(plain.random(out=np.empty(4)), kept.random(out=np.empty(4)))
        assert plain.bit_generator.state == kept.bit_generator.state


def test_it_is_drawn_once_and_nobody_can_change_it(memory):
    first, again = (Remembered(np.random.default_rng(5).bit_generator).random((20, 3)) for _ in range(2))
    assert first is again
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 1
    assert Remembered(np.random.default_rng(6).bit_generator).random((20, 3))[0, 0] != first[0, 0]
