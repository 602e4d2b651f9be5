"""The rows of the reckoning: every promise of the book, and what keeps its budget.

    promise ──> climbs: claimed, counted and attacked, for one click and for a person, in a town and in a country
            ──> finds:  how far its list beats the chart, tuned alike where that is committed

A row is one system at one setting at all terms; only where a repair is another system for a whole person does it name
both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recprivlib.mechanisms.common import STARS
from recprivlib.parameters import configured
from recprivlib.protocols import Relation, Sizes, Unit
from recprivlib.registry import get

FILMS = 1682
CROWDS = {"town": Sizes(943, FILMS, grid=STARS), "country": Sizes(80 * 943, FILMS, grid=STARS)}
UNITS = ("one", "whole")  # one click or rating; all that a person ever did
Terms = tuple[Unit, Relation]

CLICK: Terms = ("interaction", "add-remove")
RATING: Terms = ("rating", "replace-value")
HISTORY: Terms = ("user", "replace")
STARS_GIVEN: Terms = ("user", "replace-value")
PERSON: Terms = ("user", "add-remove")


@dataclass(frozen=True)
class Priced:
    """A system at one setting, and the terms at which its row is attacked and counted."""

    system: str
    settings: Mapping[str, Any]
    terms: Terms

    @property
    def value(self) -> Any:
        """The system itself."""
        return configured(get(self.system).system, dict(self.settings))


@dataclass(frozen=True)
class Found:
    """Where it is committed what a list finds: a table tuned alike, and the one that stands in where there is none."""

    chart: str  # the system that anybody could print
    metric: str
    tuned: str  # table; "": nobody was tuned there
    untuned: str  # table; "": at this bill there are searched ones alone
    about: Mapping[str, Any]  # of the rows of both
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the untuned rows, beyond the system's own
    total: float | None = None  # the bill at which all were tuned there, if that is what was given


@dataclass(frozen=True)
class Instead:
    """What is known where a promise itself was never run: another setting or system, in words."""

    words: str  # beside a row
    spoken: str  # in a sentence
    priced: Priced
    found: Found


@dataclass(frozen=True)
class Promise:
    """A row of the board."""

    key: str
    label: str
    chapter: str
    one: Priced
    whole: Priced
    finds: Mapping[str, Found]  # by crowd
    whole_finds: Mapping[str, Found] = field(default_factory=dict)  # where a person has another system
    instead: Instead | None = None  # in a crowd where it was never run
    repairs: str = ""  # the key of the promise that it repairs
    whole_label: str = ""

    def priced(self, unit: str) -> Priced:
        """The system of a unit; what is promised to a person holds for one click of hers too."""
        return self.one if unit == "one" else self.whole


def _same(system: str, one: Terms, whole: Terms, **settings: Any) -> tuple[Priced, Priced]:
    """For one click, and for a person."""
    return Priced(system, settings, one), Priced(system, settings, whole)


_HITS = {"data": "ml-100k", "protocol": "loo-latest"}
_LCF = Found("popularity", "hr@10", "dplcf_tuned", "dplcf", _HITS)
_LCF_MANY = Found("popularity", "hr@10", "", "dplcf_people", _HITS, {"population": 80.0})
_SVD = Found("item-mean", "rmse", "ldp_svd_tuned", "ldp_svd", {"data": "ml-100k"})
_SVD_MANY = Found("item-mean", "rmse", "", "ldp_svd", {"data": "ml-1m"})
_BITS = Found("popularity", "hr@10", "fmf_ldp_tuned", "fmf_ldp", {"data": "ml-100k", "protocol": "loo-random"})
_AT_50 = Found("popularity", "hr@10", "fmf_ldp_totals", "fmf_ldp", _BITS.about, total=50.0)
_INVENTED = {"data": "synthetic", "protocol": "loo-random", "users": 50_000}
_BITS_MANY = Found("popularity", "hr@10", "", "fmf_ldp_users", _INVENTED)
_FLOOR = "uniform-similarity"
_PNBM = Found(_FLOOR, "rmse", "dp_pnbm_tuned", "dp_pnbm", {"data": "ml-100k"})
_PNBM_MANY = Found(_FLOOR, "rmse", "", "dp_pnbm_large", {"data": "ml-1m"})
_PERSON = Found(_FLOOR, "rmse", "dp_pnbm_person", "dp_pnbm", {"data": "ml-100k"})
_PEOPLE = Found(_FLOOR, "rmse", "", "dp_pnbm_people", {"data": "ml-100k"}, {"population": 100.0})
_SPLIT = {"data": "ml-100k", "protocol": "user-split"}
_MANY_SPLIT = {"data": "ml-1m", "protocol": "user-split"}
_AT_8 = Found("popularity", "hr@10/full", "privrec_tuned", "", _SPLIT, total=8.0)
_WITHOUT = Found("popularity", "hr@10/full", "", "privrec", _MANY_SPLIT)
_SUMS = Found("popularity", "hr@10/full", "privrec_tuned", "privrec_beyond", _SPLIT, total=1.0)
_SUMS_MANY = Found("popularity", "hr@10/full", "privrec_large", "", _MANY_SPLIT, total=1.0)
# Rounds, and noise, as where all were tuned at one bill.
_ROUNDS = {"cohort": 30, "rounds": 100, "noise_multiplier": 0.6634, "local_epochs": 5, "size": "large",
           "unclipped_quantile": 0.5, "balance": 0.7}  # fmt: skip

PROMISES = (
    Promise(
        "dplcf", "dplcf, honest coin", "dplcf", *_same("dplcf-sp", CLICK, HISTORY, epsilon=1.0),
        finds={"town": _LCF, "country": _LCF_MANY},
    ),
    Promise(
        "dplcf-spectral", "a better server", "dplcf", *_same("dplcf-spectral", CLICK, HISTORY, epsilon=1.0),
        finds={"town": _LCF, "country": _LCF_MANY}, repairs="dplcf",
    ),
    Promise(
        "dplcf-ap", "dplcf, one-sided", "dplcf", *_same("dplcf-ap", CLICK, HISTORY, epsilon=1.0),
        finds={"town": _LCF, "country": _LCF_MANY},
    ),
    Promise(
        "ldp_svd", "ldp_svd", "ldp_svd",
        *_same("laplace-rr-svd", RATING, STARS_GIVEN, epsilon1=1.0, epsilon2=1.0),
        finds={"town": _SVD, "country": _SVD_MANY},
    ),
    Promise(
        "ldp_svd-optimal", "a telling question", "ldp_svd",
        *_same("optimal-mf", RATING, STARS_GIVEN, epsilon=2.0),
        finds={"town": _SVD}, repairs="ldp_svd",
        instead=Instead("ε = 1", "at ε = 1", Priced("optimal-mf", {"epsilon": 1.0}, RATING), _SVD_MANY),
    ),
    Promise(
        "fmf_ldp", "fmf_ldp", "fmf_ldp", *_same("fmf-ldp", HISTORY, HISTORY),
        finds={"town": _BITS, "country": _BITS_MANY},
    ),
    Promise(
        "fmf_ldp-sign", "item and sign", "fmf_ldp",
        *_same("item-sign", HISTORY, HISTORY, epsilon=10.0, k=1, epochs=5),
        finds={"town": _AT_50, "country": _BITS_MANY}, repairs="fmf_ldp",
    ),
    Promise(
        "dp_pnbm", "dp_pnbm", "dp_pnbm", *_same("dpsgd-pnbm", RATING, HISTORY, epsilon=1.0),
        finds={"town": _PNBM, "country": _PNBM_MANY},
    ),
    Promise(
        "dp_pnbm-means", "means that are bought", "dp_pnbm",
        Priced("dp-item-means", {"epsilon": 1.0}, RATING),
        Priced("dp-item-means", {"epsilon": 1.0, "protects": "user"}, PERSON),
        finds={"town": _PNBM, "country": _PNBM_MANY}, whole_finds={"town": _PERSON, "country": _PEOPLE},
        repairs="dp_pnbm", whole_label="means, for a person",
    ),
    Promise(
        "privrec", "privrec", "privrec", *_same("dp-privrec", HISTORY, HISTORY, **_ROUNDS),
        finds={"town": _AT_8},
        instead=Instead("no noise", "without its noise", Priced("privrec", {}, HISTORY), _WITHOUT),
    ),
    Promise(
        "privrec-gram", "two noisy sums", "privrec",
        *_same("dp-gram", HISTORY, HISTORY, epsilon=1.0, relation="replace"),
        finds={"town": _SUMS, "country": _SUMS_MANY}, repairs="privrec",
    ),
)  # fmt: skip
BY_KEY = {one.key: one for one in PROMISES}
