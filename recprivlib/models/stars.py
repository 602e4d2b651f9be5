"""The rating scale that a data set declares: public, and refused where there is none."""

from __future__ import annotations

from recprivlib.parameters import UserError


def grid_of(grid: tuple[float, ...] | None) -> tuple[float, ...]:
    """The declared ratings; a grid of one value has nothing to hide and nothing to tell."""
    if grid is None:
        raise UserError("this data set has no ratings in stars; choose ml-100k, ml-1m or synthetic")
    if len(grid) < 2:
        raise UserError(f"the rating grid is {list(grid)}, but needs two values or more")
    return tuple(float(star) for star in grid)


def stars_of(grid: tuple[float, ...] | None) -> tuple[float, float]:
    """The ends of the scale.

    >>> stars_of((0.5, 1.0, 5.0))
    (0.5, 5.0)
    """
    stars = grid_of(grid)
    return stars[0], stars[-1]
