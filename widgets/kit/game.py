"""A game in place of a prediction: rounds are dealt here, and played in the page alone."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from recprivlib.dashboard import GuessingGame
from recprivlib.dashboard.contract import Values
from widgets.kit.part import Part, Shared


class Play(Part):
    """Where one reader plays. It deals; guesses and score stay in the page, and only "deal" comes back."""

    deal = Shared(None, "The rounds, see `live.Deal`, and how many deals there were.")
    setting = Shared(0, "Counts changes of the game itself; the score begins anew with each.")
    figure = Shared("")

    script = "game.js"

    def __init__(self, game: GuessingGame):
        super().__init__(figure=game.figure)
        self._game, self._rng, self._dealt = game, np.random.default_rng(), 0
        self._values: dict[str, Any] = {}

    def follow(self, values: Values) -> None:
        """Deals anew where a setting has changed that the game depends on."""
        needed = {name: values[name] for name in self._game.needs}
        if not self._values or needed != {name: self._values[name] for name in needed}:
            self._values = dict(values)
            self.setting += 1
            self._deal()

    def _deal(self) -> None:
        self._dealt += 1
        self.deal = dataclasses.asdict(self._game.deal(self._values, self._rng)) | {"number": self._dealt}

    def heard(self, data: Any) -> None:
        if isinstance(data, dict) and data.get("do") == "deal" and self._values:
            self._deal()
