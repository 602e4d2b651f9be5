"""What a reader of chapter new_paper waits for: a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recprivlib.bench import Timing
from recprivlib.bench._shared import interactions
from recprivlib.papers.new_paper.system import NoisyCounts


def cells() -> list[Timing]:
    return [Timing("noisy counts, ML-100K", 0.1, trained)]


def trained() -> Callable[[], Any]:
    """A run from the histories to the counts."""
    train = interactions("ml-100k")
    return lambda: NoisyCounts().fit(train, np.random.default_rng(0))
