"""The films of the notebook: forty that many know, as they stand on a phone; eight are Ada's, and twenty have stars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recprivlib.dashboard.folds import dataset
from recprivlib.dashboard.people import ADA
from recprivlib.papers.dp_pnbm.weighted import item_means

DATA = "ml-100k"
# In the order of the tiles. A narrow phone shows the first twenty-four, among them all of Ada's.
TITLES = (
    "Star Wars (1977)", "Alien (1979)", "Titanic (1997)", "Toy Story (1995)", "Brazil (1985)", "Bound (1996)",
    "Gattaca (1997)", "Jaws (1975)", "Psycho (1960)", "Blade Runner (1982)", "Vertigo (1958)", "Rebecca (1940)",
    "2001: A Space Odyssey (1968)", "Amadeus (1984)", "Delicatessen (1991)", "Gandhi (1982)", "Aliens (1986)",
    "Die Hard (1988)", "Trainspotting (1996)", "Speed (1994)", "Fargo (1996)", "City of Lost Children, The (1995)",
    "Twister (1996)", "Scream (1996)", "Contact (1997)", "Braveheart (1995)", "Babe (1995)", "Clueless (1995)",
    "Aladdin (1992)", "Fantasia (1940)", "Dumbo (1941)", "Evita (1996)", "Heat (1995)", "Seven (Se7en) (1995)",
    "Apollo 13 (1995)", "Batman (1989)", "Grease (1978)", "M*A*S*H (1970)", "Ran (1985)", "Sling Blade (1996)",
)  # fmt: skip
SHORT = {"2001: A Space Odyssey": "2001", "City of Lost Children, The": "Lost Children", "Seven (Se7en)": "Seven"}
# Ada's own stars are invented, as she is: of her eight, then of the first twelve others.
STARS = (5, 4, 5, 4, 4, 3, 5, 5, 4, 2, 4, 3, 5, 3, 4, 4, 5, 3, 2, 4)
FIVE = (1.0, 2.0, 3.0, 4.0, 5.0)


@dataclass(frozen=True)
class Film:
    """A tile: its name, whether Ada watched it, her stars (0: none), and what a server published of it so far."""

    name: str
    watched: bool
    stars: int = 0
    count: int = 0
    mean: float = 0.0


def short(title: str) -> str:
    """A title that fits a tile."""
    name = title.rpartition(" (")[0]
    return SHORT.get(name, name)


def watched() -> list[Film]:
    """The forty tiles of a phone that says yes or no of each film."""
    return [Film(short(title), title in ADA) for title in TITLES]


def rated() -> list[Film]:
    """The twenty tiles of a phone that sends stars, with each film's ratings in MovieLens 100K and their mean."""
    data = dataset(DATA)
    numbers = {title: item for item, title in enumerate(data.titles)}
    means = item_means(data.interactions)
    counts = np.bincount(data.interactions.items, minlength=data.interactions.n_items)
    chosen = (*ADA, *(title for title in TITLES if title not in ADA))[: len(STARS)]
    return [
        Film(short(title), True, stars, int(counts[numbers[title]]), float(means[numbers[title]]))
        for title, stars in zip(chosen, STARS, strict=True)
    ]


def shares() -> list[float]:
    """How common each star is: what the stranger believes of a rating before anything is said."""
    found = np.bincount(dataset(DATA).interactions.ratings.astype(int), minlength=6)[1:]
    return [float(f"{share:.4f}") for share in found / found.sum()]
