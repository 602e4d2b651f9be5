import numpy as np
import pytest

from recprivlib.models import rows
from recprivlib.models.rows import pick

TABLE = np.random.default_rng(0).random((12, 9)).astype(np.float32)
USERS, ITEMS = np.array([7, 2, 2, 11, 0]), np.array([8, 0, 3, 3, 1])
CANDIDATES = np.random.default_rng(1).integers(0, 9, (5, 4))
EVERYTHING = np.arange(9)[None, :]


@pytest.mark.parametrize("block", [1, 20, 1 << 24])
@pytest.mark.parametrize(
    "users, items",
    [
        (USERS, ITEMS),
        (USERS[:, None], CANDIDATES),
        (USERS[:, None], EVERYTHING),
        (USERS[:, None], EVERYTHING[:, ::-1]),
        (USERS[:, None], ITEMS[None, :]),
        (USERS[None, :], ITEMS[:, None]),
        (np.array(3), ITEMS),
        (USERS, np.array(4)),
        (np.array(3), np.array(4)),
        (USERS[:, None, None], CANDIDATES[:, :, None]),
        (USERS[:0], ITEMS[:0]),
    ],
)
def test_every_way_to_ask_gives_the_same_numbers(users, items, block, monkeypatch):
    monkeypatch.setattr(rows, "BLOCK", block)
    found = pick(lambda u: TABLE[u], users, items, 9)
    assert found.dtype == np.float32
    assert np.array_equal(found, TABLE[users, items])
