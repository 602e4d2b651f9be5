"""A split within a split: what a search may look at lies inside the training part of what is tested.

    people's data ──outer──> training part ──draw──> what a trial learns from, and what it is validated on
                        └──> what is tested, once

Nothing of the outer test is handed to who validates, so no search can look at it.
"""

from __future__ import annotations

from dataclasses import dataclass

from recprivlib.evaluation.splits import FOLDS, Split, split
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions

VALIDATION = 10_000  # seeds from here on are those of validation: no test has them


@dataclass(frozen=True)
class Nest:
    """Where a trial stands: on which outer split, and there on which draw of validation.

    >>> Nest(0).seed(3), Nest(0, draw=3).seed()
    (3, 10003)
    """

    outer: int  #: which outer split: under "kfold" the fold of seed 0, else the seed
    draw: int | None = None  #: which split of its training part; None: the test itself
    heard: bool = False  #: validated on what the server hears, reports in place of ratings
    full: bool = True  #: whether the whole catalogue is ranked too
    population: int = 0  #: of invented people: which

    def seed(self, test: int = 0) -> int:
        """The seed that a trial trains at: of a test the one asked for, of a validation its own."""
        return test if self.draw is None else VALIDATION + self.draw


def nested(interactions: Interactions, protocol: str, nest: Nest) -> Split:
    """The split that a trial sees."""
    if protocol == "kfold":
        if nest.outer >= FOLDS:
            raise UserError(f"the outer split is {nest.outer}, but kfold has those from 0 to {FOLDS - 1}")
        outer = split(interactions, protocol, 0)[nest.outer]
    else:
        outer = split(interactions, protocol, nest.outer)[0]
    return outer if nest.draw is None else split(outer.train, protocol, VALIDATION + nest.draw)[0]
