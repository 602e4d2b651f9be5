"""Frappe: which apps people used.

L. Baltrunas, K. Church, A. Karatzoglou and N. Oliver, Frappe: Understanding the Usage and Perception of Mobile App
Recommendations In-The-Wild, arXiv:1505.03014, 2015.

A line of frappe.csv is one user, one app and one context (hour, weather, place). Here feedback is implicit: all
lines of a (user, app) pair are ONE interaction with rating 1, and counts are dropped. No times exist (zeros), so
"latest" means nothing on this data set. Of contexts remain the country and the place (home, work) that a person has
been in most often, as features of hers; of apps the category and whether they cost something.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from recprivlib.data.canonical import Origin, canonical, rows_of
from recprivlib.data.text import table, whole
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Interactions


def frappe(folder: Path) -> tuple[Interactions, tuple[str, ...]]:
    """frappe.csv and meta.csv; an app is titled by its package name, which always exists."""
    path = folder / "meta.csv"
    apps = []
    for line, f in table(path, "\t", 12):
        if line > 1:
            apps.append((whole(path, line, "item", f[0]), f[1], f[2]))
    log = folder / "frappe.csv"
    rows, places = [], []
    for line, f in table(log, "\t", 11):
        if line > 1:
            rows.append((whole(log, line, "user", f[0]), whole(log, line, "item", f[1])))
            places.append((f[9], f[6], f[7]))
    if not rows or not apps:
        raise UserError(f"{log if not rows else path} holds no rows")
    pairs = np.array(rows, np.int64)
    ids, titles, categories = zip(*apps, strict=True)
    items = rows_of(Origin(log, 2), "item", np.array(ids), pairs[:, 1])
    users = pairs[:, 0]
    unique = np.unique(users * len(ids) + items)
    n_users = int(users.max()) + 1
    country, homework, cost = (np.array(column) for column in zip(*places, strict=True))
    data = canonical(
        Origin(log, 2),
        unique // len(ids),
        unique % len(ids),
        np.ones(len(unique), np.float32),
        np.zeros(len(unique), np.int64),
        grid=None,
        user_features={
            name: _usual(users, said, n_users) for name, said in (("country", country), ("homework", homework))
        },
        item_features={"category": np.array(categories), "cost": _usual(items, cost, len(ids))},
        n_users=n_users,
        n_items=len(ids),
    )
    return data, tuple(titles)


def _usual(who: Array, said: Array, n: int) -> Array:
    """What is said most often of each; "" of whom nothing is said."""
    words, which = np.unique(said, return_inverse=True)
    counts = np.bincount(who * len(words) + which, minlength=n * len(words)).reshape(n, -1)
    return np.where(counts.any(axis=1), words[counts.argmax(axis=1)], "")
