"""A system trained at one seed: its public random numbers and the gate's noise, which are two things.

model = trained(system, fold.train, seed=3)          fit(train, rng), its noise from the root of seed 3
for progress, model in followed(system, …): …        the same, as it comes to be
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recprivlib.mechanisms.noise import Root, along, rooted
from recprivlib.protocols import Interactions, Model
from recprivlib.streams import checked, stream


def trained(system: Any, train: Interactions, seed: int = 0, part: int = 0, *, real: bool = False) -> Model:
    """Train a system, with the random numbers and the noise that a run at this seed has.

    `system.fit(train, rng)` by itself takes its noise from the operating system, and nobody can repeat it.

    Parameters
    ----------
    system
        A system value, as `get("dplcf-sp").system`.
    train
        What it learns from.
    seed
        A whole number from 0.
    part
        Which fold of the run, counted from 0.
    real
        The noise is the operating system's instead, and never the same twice.

    Returns
    -------
    Model
        The same one for the same arguments.

    Raises
    ------
    UserError
        The seed is no such number, or the system refuses to train.

    Examples
    --------
    >>> from recprivlib import get, load, split
    >>> (fold,) = split(load("synthetic", users=60, items=100).interactions)
    >>> one, other = (trained(get("dp-popularity").system, fold.train, seed) for seed in (3, 3))
    >>> bool((one.scores == other.scores).all())
    True
    """
    with rooted(Root.fresh(real=True) if real else Root.of(checked(seed), part)):
        return system.fit(train, stream(seed, "fit", part))


def followed(system: Any, train: Interactions, seed: int = 0, part: int = 0) -> Iterator[tuple[float, Any]]:
    """What `trained` trains, as it comes to be: (progress, model) after each step.

    Parameters
    ----------
    system
        One that has `steps`.
    train
        What it learns from.
    seed
        A whole number from 0.
    part
        Which fold of the run, counted from 0.

    Returns
    -------
    Iterator of (float, Model)
        The share of the training that is done, and the model so far; closing it cancels.

    Raises
    ------
    UserError
        The seed is no such number, or the system refuses to train.

    Examples
    --------
    >>> from recprivlib import get, load, split
    >>> (fold,) = split(load("synthetic", users=60, items=100).interactions)
    >>> [progress for progress, model in followed(get("fmf-ldp").system, fold.train)][-1]
    1.0
    """
    yield from along(Root.of(checked(seed), part), iter(system.steps(train, stream(seed, "fit", part))))
