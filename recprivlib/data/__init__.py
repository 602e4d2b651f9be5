"""Data sets in canonical form.

>>> data = load("synthetic", users=60, items=100)
>>> data.interactions.n_users, data.interactions.n_items, len(data.titles)
(60, 100, 100)
"""

from __future__ import annotations

from collections.abc import Mapping

from recprivlib.data.canonical import Dataset, checksum, most_met, narrowed
from recprivlib.data.movielens import GENRES
from recprivlib.data.own import Reading, is_own, own
from recprivlib.data.sources import RECIPES, obtain
from recprivlib.parameters import UserError

__all__ = ["GENRES", "NAMES", "Dataset", "Reading", "checksum", "is_own", "load", "pinned"]

NAMES = (*RECIPES, "synthetic")  #: what `load` knows by name


def load(
    name: str = "ml-100k", *, seed: int = 0, users: int | None = None, items: int | None = None,
    columns: Mapping[str, str] | None = None, skip_bad: bool = False,
) -> Dataset:  # fmt: skip
    """A data set by name, or from a file of one's own.

    Parameters
    ----------
    name
        One of `NAMES`, or the path of a `.csv`, `.tsv`, `.dat`, `.txt` or `.zip` file of interactions (data/own.py).
    seed
        Of the synthetic population, a whole number from 0; other data ignore it.
    users
        How many people the synthetic population has (1,000 unless given); other data refuse it.
    items
        How many items the synthetic population has (1,700 unless given); of other data the items that most people
        met are kept, and nobody's interactions with the others.
    columns
        Of a file of one's own: what its columns are called, `{"user": …, "item": …, "rating": …, "time": …}`, as
        headings or as numbers from 1; what is left out is guessed from the heading.
    skip_bad
        Leave out rows of such a file that cannot be read; the notes of the data set say how many.

    Returns
    -------
    Dataset
        Interactions in canonical order, titles and a checksum.

    Raises
    ------
    UserError
        The name is unknown, the file cannot be read as interactions, or an argument does not apply to these data.

    Examples
    --------
    >>> load("synthetic", users=60, items=100).interactions.sizes
    Sizes(users=60, items=100, grid=(1.0, 2.0, 3.0, 4.0, 5.0))
    """
    if name == "synthetic":
        from recprivlib.data.synthetic import synthetic

        return synthetic(seed=seed, users=users, items=items)
    mine = is_own(name)
    if name not in RECIPES and not mine:
        raise UserError(f"there is no data set {name!r}; choose from {', '.join(NAMES)}, or name a file.csv")
    if (columns or skip_bad) and not mine:
        raise UserError(f"columns and bad rows are those of a file of your own; {name} has its own form")
    if users is not None:
        raise UserError(f"{name} has the users it has; only synthetic takes a number of them")
    if mine:
        data = own(name, columns, skip_bad)
    else:
        (interactions, titles), source = obtain(name, RECIPES[name])
        data = Dataset(name, interactions, titles, checksum(interactions), source)
    return data if items is None else most_met(data, items)


def pinned(name: str, users: int | None = None, items: int | None = None) -> str | None:
    """The checksum that `load` would find, where it is known without the data."""
    if name == "synthetic":
        from recprivlib.data.synthetic import CHECKSUMS

        return CHECKSUMS.get((users, items))
    whole = RECIPES[name].checksum if name in RECIPES else None
    return whole if items is None or whole is None else narrowed(whole, items)
