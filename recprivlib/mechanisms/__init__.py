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

from recprivlib.mechanisms.cohort import Cohort
from recprivlib.mechanisms.discrete import DiscreteGaussian, DiscreteLaplace
from recprivlib.mechanisms.duchi import Duchi
from recprivlib.mechanisms.gaussian import Gaussian
from recprivlib.mechanisms.laplace import Laplace, LaplaceClamped
from recprivlib.mechanisms.laplace_or_truth import LaplaceOrTruth, RoundedOrTruth
from recprivlib.mechanisms.laplace_rounded import LaplaceRounded
from recprivlib.mechanisms.one_bit_gradient import OneBitGradient
from recprivlib.mechanisms.optimal_channel import OptimalChannel
from recprivlib.mechanisms.piecewise import Piecewise
from recprivlib.mechanisms.randomized_response import KRandomizedResponse, RandomizedResponse
from recprivlib.mechanisms.secure import Secure, secure
from recprivlib.mechanisms.special import Exact, Sampled, Unknown
from recprivlib.mechanisms.subsampled import GaussianOnSample, OnSample
from recprivlib.mechanisms.subset_selection import SubsetSelection
from recprivlib.mechanisms.unary import UnaryOneSided, UnaryOptimized, UnarySymmetric
from recprivlib.mechanisms.vector_gaussian import VectorGaussian

__all__ = [
    "MECHANISMS",
    "Cohort",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Duchi",
    "Exact",
    "Gaussian",
    "GaussianOnSample",
    "KRandomizedResponse",
    "Laplace",
    "LaplaceClamped",
    "LaplaceOrTruth",
    "LaplaceRounded",
    "OnSample",
    "OneBitGradient",
    "OptimalChannel",
    "Piecewise",
    "RandomizedResponse",
    "RoundedOrTruth",
    "Sampled",
    "Secure",
    "SubsetSelection",
    "UnaryOneSided",
    "UnaryOptimized",
    "UnarySymmetric",
    "Unknown",
    "VectorGaussian",
    "secure",
]

#: Every named mechanism at its defaults, as `recpriv account` and `recpriv audit` know it.
MECHANISMS: dict[str, Any] = {
    "laplace": Laplace(),
    "laplace-clamped": LaplaceClamped(),
    "laplace-rounded": LaplaceRounded(),
    "laplace-or-truth": LaplaceOrTruth(),
    "randomized-response": RandomizedResponse(),
    "k-randomized-response": KRandomizedResponse(),
    "unary-symmetric": UnarySymmetric(),
    "unary-optimized": UnaryOptimized(),
    "unary-one-sided": UnaryOneSided(),
    "one-bit-gradient": OneBitGradient(),
    "duchi": Duchi(),
    "piecewise": Piecewise(),
    "optimal-channel": OptimalChannel(),
    "subset-selection": SubsetSelection(),
    "gaussian": Gaussian(),
    "discrete-laplace": DiscreteLaplace(),
    "discrete-gaussian": DiscreteGaussian(),
    "subsampled-gaussian": GaussianOnSample(),
}
