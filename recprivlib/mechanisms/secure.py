"""The real thing: entropy from the operating system, exact discrete samplers, no seed.

    secure(RandomizedResponse(epsilon=1.0)).release(x)

Finite mechanisms draw from their channel in whole numbers: each probability is a multiple of 2⁻⁶² (a Bernoulli's
of 2⁻⁶³), and what can happen never rounds to what cannot. Laplace and Gaussian noise become discrete noise on a
grid of at least 1,024 steps, 2¹⁸ for vectors. What has no exact sampler is refused. Doubles stay at home: only the
grid leaves.

Not hidden: how long a draw takes, which goes with the size of the noise (a rank correlation of about one half at
1,024 steps), and which symbol a table was read at. Send at fixed times, never as soon as the noise is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recprivlib.mechanisms.common import SECURE
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Change, Claim, DrawsExactly, HasDiscrete, Relation, Unit


@dataclass(frozen=True)
class Secure:
    """A mechanism that is drawn exactly; `mechanism` is the one that really runs."""

    mechanism: Any
    mode = SECURE

    @property
    def neighbours(self) -> Mapping[tuple[Unit, Relation], Change]:
        return self.mechanism.neighbours

    @property
    def claimed(self) -> Claim | None:
        return self.mechanism.claimed

    def worst_pair(self) -> tuple[Any, Any]:
        return self.mechanism.worst_pair()

    def release(self, x: Array, rng: None = None) -> Array:
        """The noisy answer, never the same twice; a seed or a generator is refused."""
        if rng is not None:
            raise UserError("secure noise takes no seed and no generator; leave rng out")
        return self.mechanism.exact(x)

    def loss(self, distance: float = 1.0) -> Any:
        return self.mechanism.loss(distance)

    @property
    def log_density(self) -> Any:
        """The mechanism's own, where it states one."""
        return self.mechanism.log_density


def secure(mechanism: Any) -> Secure:
    """The secure form of `mechanism`, or a UserError where there is none."""
    if isinstance(mechanism, Secure):
        return mechanism
    real = mechanism.discrete() if isinstance(mechanism, HasDiscrete) else mechanism
    if not isinstance(real, DrawsExactly):
        name = type(mechanism).__name__
        raise UserError(
            f"{name} has no exact sampler; choose a finite mechanism, or discrete Laplace or Gaussian noise"
        )
    return Secure(real)


def earnest(mechanism: Any) -> Any:
    """What answers in a real run: drawn exactly where the mechanism itself has an exact sampler, else as it is.

    Real-valued noise stays a double. Its form on a grid (`secure`) is right where a change moves one number; what a
    person moves at once, in L1 or L2, rounding would move further than the bill says.
    """
    return Secure(mechanism) if isinstance(mechanism, DrawsExactly) else mechanism
