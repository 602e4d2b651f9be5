"""Random numbers of one run. Split, fit and bootstrap each have their own sub-stream of the run's seed.

So every system at one seed meets the same split, whatever it draws itself.
"""

from __future__ import annotations

import operator
from typing import Literal

import numpy as np

from recprivlib.parameters import UserError

Purpose = Literal["split", "fit", "bootstrap"]
MOST = 2**128
PURPOSES: tuple[Purpose, ...] = ("split", "fit", "bootstrap")


def stream(seed: int, purpose: Purpose, part: int = 0) -> np.random.Generator:
    """The random generator of one purpose at one seed.

    Parameters
    ----------
    seed
        Of the run, a whole number from 0 of at most 128 bits.
    purpose
        "split", "fit" or "bootstrap": their numbers are independent of each other.
    part
        Which fold, counted from 0.

    Returns
    -------
    numpy.random.Generator
        The same one for the same arguments.

    Raises
    ------
    UserError
        The purpose is unknown, or the seed no such number.

    Examples
    --------
    >>> stream(0, "fit").random() == stream(0, "fit").random() != stream(0, "split").random()
    True
    """
    if purpose not in PURPOSES:
        raise UserError(f"there is no stream {purpose!r}; choose from {', '.join(PURPOSES)}")
    return np.random.default_rng(np.random.SeedSequence(checked(seed), spawn_key=(PURPOSES.index(purpose), part)))


def checked(seed: int) -> int:
    """`seed` as an int, or a UserError."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if isinstance(seed, bool) or not 0 <= number < MOST:
        raise UserError(f"seed is {seed!r}, but must be a whole number from 0 on, of at most 128 bits")
    return number
