"""Small random populations, and one split of ML-100K that the peers share."""

import numpy as np
import pytest

from recprivlib.data import load
from recprivlib.evaluation import split
from recprivlib.protocols import Interactions


@pytest.fixture
def small() -> Interactions:
    """40 people, 25 items, three stars and more the likelier the smaller the item's number."""
    rng = np.random.default_rng(0)
    users, items = np.nonzero(rng.random((40, 25)) < np.linspace(0.6, 0.1, 25))
    ratings = rng.integers(1, 6, len(users)).astype(np.float32)
    times = rng.integers(0, 1000, len(users))
    return Interactions(users.astype(np.int32), items.astype(np.int32), ratings, times, 40, 25, (1, 2, 3, 4, 5))


@pytest.fixture(scope="session")
def ml100k_split():
    return split(load("ml-100k").interactions, "loo-latest", 0)[0]
