"""Randomised releases and their exact privacy, by stable name.

Every mechanism is a frozen dataclass:

    release(x, rng)      the noisy answer, vectorised; `rng` is seeded: for teaching (`secure` for the real thing)
    loss(distance)       its exact privacy, as data (losses.py); distance 1 is one unit of its sensitivity
    neighbours           at which (unit, relation) that is one change, when it stands alone
    claimed              what its source says, or None
    worst_pair()         two inputs at distance 1 that are hardest to tell apart
    log_density(y, x)    log-likelihood of an output (atoms and lengths as its docstring says), for attackers
    channel              finite ones: the matrix P(y|x), rows `inputs`, columns `outputs`
    estimate(y)          unbiased for what a server wants to know, where there is such a thing
"""

from __future__ import annotations

from typing import Any

from recprivlib.mechanisms.discrete import DiscreteGaussian, DiscreteLaplace
from recprivlib.mechanisms.gaussian import Gaussian
from recprivlib.mechanisms.laplace import Laplace, LaplaceClamped
from recprivlib.mechanisms.randomized_response import KRandomizedResponse, RandomizedResponse
from recprivlib.mechanisms.subsampled import GaussianOnSample
from recprivlib.mechanisms.unary import UnaryOneSided, UnaryOptimized, UnarySymmetric

MECHANISMS: dict[str, Any] = {
    "laplace": Laplace(),
    "laplace-clamped": LaplaceClamped(),
    "randomized-response": RandomizedResponse(),
    "k-randomized-response": KRandomizedResponse(),
    "unary-symmetric": UnarySymmetric(),
    "unary-optimized": UnaryOptimized(),
    "unary-one-sided": UnaryOneSided(),
    "gaussian": Gaussian(),
    "discrete-laplace": DiscreteLaplace(),
    "discrete-gaussian": DiscreteGaussian(),
    "subsampled-gaussian": GaussianOnSample(),
}
