"""Releases that no noise protects, and releases whose privacy nobody knows. Both say so, with their reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recprivlib.mechanisms.losses import NoBound, NotKnown
from recprivlib.parameters import UserError
from recprivlib.protocols import Array


@dataclass(frozen=True)
class Exact:
    """A value released as it is: ε is infinite. `reason`, in a dozen words: "item means are released exactly"."""

    reason: str

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """`x` itself."""
        return x

    def loss(self, distance: float = 1.0) -> NoBound:
        return NoBound(self.reason)


@dataclass(frozen=True)
class Unknown:
    """Randomised, but no proof bounds it. `reason` in at most a dozen words: "δ of SGLD unknown"."""

    reason: str

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """A ledger's line only: the system that samples it has its own code."""
        raise UserError(f"this release is drawn by its system, not by a mechanism ({self.reason})")

    def loss(self, distance: float = 1.0) -> NotKnown:
        return NotKnown(self.reason)


@dataclass(frozen=True)
class Sampled(Unknown):
    """One step of a random walk, in units of the Gaussian noise that shakes it; what a walk hides nobody knows."""

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        return x + rng.standard_normal(np.shape(x), np.float32 if x.dtype == np.float32 else np.float64)
