"""The inverse of a large matrix: right, the same by both ways in, and nobody waits for it."""

import threading
import time

import numpy as np
import pytest

from recprivlib.models import ease as module
from recprivlib.models.ease import inverse


def definite(n, seed=0):
    raw = np.random.default_rng(seed).standard_normal((n, n)).astype(np.float32)
    return raw @ raw.T + n * np.eye(n, dtype=np.float32)


@pytest.mark.parametrize("n", [1, 7, 300])
def test_it_is_the_inverse_and_both_ways_into_lapack_agree_to_the_last_bit(n, monkeypatch):
    matrix = definite(n)
    found = inverse(matrix.copy())
    np.testing.assert_allclose(found @ matrix, np.eye(n), atol=1e-4)  # condition about 5, float32
    assert (found == found.T).all()
    monkeypatch.setattr(module.sys, "platform", "emscripten")
    assert (inverse(matrix.copy()) == found).all()


def test_it_takes_the_place_of_the_matrix():
    matrix = definite(50)
    assert np.shares_memory(inverse(matrix), matrix)


@pytest.mark.parametrize("platform", ["linux", "emscripten"])
def test_what_float32_cannot_carry_has_none(platform, monkeypatch):
    monkeypatch.setattr(module.sys, "platform", platform)
    assert inverse(np.full((25, 25), 1e9, np.float32)) is None


@pytest.mark.parametrize(
    "matrix", [np.eye(3), np.eye(4, dtype=np.float32)[:, :3], np.eye(6, dtype=np.float32)[::2, ::2]]
)
def test_another_matrix_than_lapack_would_read_is_refused(matrix):
    with pytest.raises(ValueError, match="float32, row after row"):
        inverse(matrix)


def test_while_it_is_made_another_thread_goes_on():
    """Held, the interpreter is given to nobody for all of it: the other thread counts to a handful at most.

    What counts is not the clock of the wall but that of the thread at work, so a busy machine changes nothing.
    """
    matrix, spent = definite(1800), []

    def work():
        start = time.thread_time()
        inverse(matrix)
        spent.append(time.thread_time() - start)

    thread = threading.Thread(target=work)
    clock, moments = None, []
    thread.start()
    while thread.is_alive():
        clock = clock or time.pthread_getcpuclockid(thread.ident)
        try:
            moments.append(time.clock_gettime(clock))
        except OSError:  # it has just ended
            break
        time.sleep(0.001)
    thread.join()
    longest = max(np.diff([0.0, *moments, spent[0]]))
    assert longest < 0.5 * spent[0]
