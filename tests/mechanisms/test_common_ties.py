"""The pair that an attacker plays does not hang on the last bit of a machine."""

import numpy as np
import pytest

from recprivlib.mechanisms.common import epsilon_of, worst


@pytest.mark.parametrize("cell", range(10))
def test_a_last_bit_does_not_change_the_worst_pair(cell):
    """Randomised response over merged stars: six pairs are alike. Moving any entry by one unit in the last place
    used to change which of them an audit played, and with it every number that a chapter prints."""
    plain = np.array([[0.75, 0.25]] * 3 + [[0.25, 0.75]] * 2)
    moved = plain.copy()
    moved.flat[cell] = np.nextafter(moved.flat[cell], 2)
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    assert worst(moved, pairs)[1:] == worst(plain, pairs)[1:] == ((0, 3), 0)
    assert epsilon_of(moved) == pytest.approx(np.log(3), abs=1e-12)


def test_a_proof_goes_before_everything():
    matrix = np.array([[0.5, 0.5, 0.0], [0.2, 0.5, 0.3]])
    assert worst(matrix, [(0, 1)]) == (np.inf, (1, 0), 2)
    assert worst(np.full((2, 2), 0.5), [(0, 1)]) == (0.0, (0, 1), 0)
