from collections.abc import Callable

import numpy as np
import pytest

from recprivlib.protocols import Interactions


def _made(n_users: int, n_items: int, density: float, seed: int = 0, times: int = 1000) -> Interactions:
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((n_users, n_items)) < density)
    when = rng.integers(0, times, len(users))
    order = np.lexsort((items, when, users))
    stars = rng.integers(1, 6, len(users)).astype(np.float32)
    return Interactions(
        users[order].astype(np.int32), items[order].astype(np.int32), stars, when[order],
        n_users, n_items, (1.0, 2.0, 3.0, 4.0, 5.0), {"age": rng.integers(18, 80, n_users)},
    )  # fmt: skip


@pytest.fixture(scope="session")
def made() -> Callable[..., Interactions]:
    """made(n_users, n_items, density, seed, times): random interactions."""
    return _made
