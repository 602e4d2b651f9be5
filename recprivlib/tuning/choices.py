"""The file of choices beside a table: what a search chose for each contender on each outer split.

<slice>/results/<name>.choices.toml     written by `make tune`, read by `make results`, never edited by hand
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from recprivlib.parameters import UserError, configured
from recprivlib.registry import get
from recprivlib.sweeps import write

HEAD = "# Written by `make tune`, read by `make results`: never edited by hand.\n"


@dataclass(frozen=True)
class Choice:
    """What a search chose for one contender on one outer split.

    >>> one = Choice("item-mean", {}, "ml-100k", None, None, "", "kfold", "rmse", 0, 0, "public",
    ...              {"regularization": 3.2}, 7, 64, 0.94, 0.95, 64_000)
    >>> get(one.system).system.regularization, one.chosen["regularization"]
    (2.0, 3.2)
    """

    system: str  #: its name
    fixed: Mapping[str, Any]  #: what was given: the price, the variant
    data: str  #: that it was searched on
    users: int | None  #: of a synthetic population
    items: int | None  #: and its items
    checksum: str  #: of these data
    protocol: str  #: how it was validated
    metric: str  #: that chose
    outer: int  #: the outer split, whose training part was searched on
    population: int  #: which population, where it is invented
    price: str  #: "public", "reports", "private", or "none": there was nothing to choose
    chosen: Mapping[str, Any]  #: the dials that stand elsewhere than printed
    trial: int  #: which trial it was; 0 is the printed setting
    trials: int  #: how many there were
    validated: float  #: its mean over the fresh draws of validation
    printed: float  #: that of the printed setting
    ratings: int  #: how many interactions a trial learnt from
    total: Mapping[str, Any] | None = None  #: what each trial may have cost, with its terms; the price was restored

    @property
    def key(self) -> tuple[Any, ...]:
        """Whom it is for."""
        return key(self.system, self.fixed, self.data, self.users, self.items, self.protocol, self.metric, self.outer,
                   self.population, self.total)  # fmt: skip


def key(system: str, fixed: Mapping[str, Any], data: str, users: int | None, items: int | None, protocol: str,
        metric: str, outer: int, population: int,
        total: Mapping[str, Any] | None = None) -> tuple[Any, ...]:  # fmt: skip
    """What a choice is found by."""
    paid = tuple(sorted(total.items())) if total else ()
    return system, tuple(sorted(fixed.items())), data, users, items, protocol, metric, outer, population, paid


def read(path: Path) -> dict[tuple[Any, ...], Choice]:
    """The choices of a file, by whom they are for; none where there is no file."""
    if not path.exists():
        return {}
    try:
        found = [_choice(one) for one in tomllib.loads(path.read_text("utf-8")).get("choice", [])]
    except (tomllib.TOMLDecodeError, TypeError, UserError) as error:
        raise UserError(f"{path}: {error}; write it anew with `make tune`") from None
    return {one.key: one for one in found}


def _choice(one: Mapping[str, Any]) -> Choice:
    """A choice as it is read; one whose setting is refused today is said."""
    known = {field.name for field in fields(Choice)}
    if unknown := [name for name in one if name not in known]:
        raise UserError(f"there is no field {unknown[0]!r} of a choice")
    choice = Choice(**{"users": None, "items": None, **one})
    configured(get(choice.system).system, {**choice.fixed, **choice.chosen})
    return choice


def save(path: Path, choices: Iterable[Choice]) -> None:
    """Write the file whole or not at all, in the order of `choices`."""
    write(path, HEAD + "".join(f"\n[[choice]]\n{_lines(one)}" for one in choices))


def _lines(choice: Choice) -> str:
    said = ((one.name, getattr(choice, one.name)) for one in fields(choice))
    return "".join(f"{name} = {_value(value)}\n" for name, value in said if value is not None)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_value(one)}" for name, one in value.items()) + " }" if value else "{}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)  # "inf" and "nan" are TOML too
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)
