"""What a player and a reader of the mechanism lab wait for, without the browser."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from recprivlib.bench import Setup, Timing
from recprivlib.dashboard import Appearance
from recprivlib.primers.privacy import dashboard as privacy

NAME = "dashboard privacy"


def cells() -> list[Timing]:
    return [
        Timing(f"{NAME}: ε moved, 10 000 tries", 0.150, moved()),
        Timing(f"{NAME}: ε moved, 100 000 tries, Laplace", 0.150, moved(mechanism="laplace", tries=100_000)),
        Timing(
            f"{NAME}: ε moved, 100 000 tries, float Laplace", 0.150, moved(mechanism="float-laplace", tries=100_000)
        ),
        Timing(f"{NAME}: ε moved, a million tries, Laplace", 2.0, moved(mechanism="laplace", tries=1_000_000)),
        Timing(f"{NAME}: ε moved, 1 000 answers, Laplace", 2.0, moved(mechanism="laplace", releases=1000)),
        Timing(f"{NAME}: ten rounds of the game dealt", 0.100, dealt),
        Timing(f"{NAME}: all figures drawn, with 30 old dots", 0.050, drawn),
    ]


def moved(**chosen: Any) -> Setup:
    """An ε that nobody has asked for: released, attacked, certified, counted."""

    def setup() -> Callable[[], Any]:
        steps = count()
        return lambda: privacy.compute(**chosen, epsilon=1 + next(steps) / 1000)

    return setup


def dealt() -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    game = privacy.EXPLORER.game
    assert game is not None
    return lambda: game.deal(privacy.EXPLORER.defaults, rng)


def drawn() -> Callable[[], Any]:
    result = privacy.compute()
    view = Appearance(trail=(privacy.mark(result),) * 30)
    return lambda: [figure.draw(result, view) for figure in privacy.EXPLORER.figures]
