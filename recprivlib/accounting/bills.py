"""Bills as JSON-shaped data: claimed, counted, and the same run at other terms.

    {"claimed": {…} | None, "counted": {"epsilon", "delta", "unit", "relation", "trust", "view", "how",
     "assumptions", ["why_infinite"], ["bound"]}, "also": [{…} like counted, …],
     "mode": how the noise is drawn}

An infinite ε is a float here; `experiment.plain` alone writes it as "inf".
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, cast, get_args

from recprivlib.accounting.claims import claimed_at
from recprivlib.accounting.guarantee import certain, guarantee, resolved, supported
from recprivlib.parameters import UserError
from recprivlib.protocols import (
    Claim,
    Entry,
    Guarantee,
    HasClaim,
    HasDelta,
    HasMode,
    HasRelation,
    HasTerms,
    Ledger,
    Relation,
    Release,
    Sizes,
    Unit,
    View,
)

Bill = dict[str, Any]
MOST_COUNT = 1_000_000_000


def bill(
    entry: Entry, system: Any, sizes: Sizes, *, delta: float | None = None, unit: Unit | None = None,
    relation: Relation | None = None, view: View | None = None,
) -> Bill:  # fmt: skip
    """The bill of a system over a population: what it claims, what is counted, and the same run at other terms.

    Parameters
    ----------
    entry
        Of the registry: its terms stand in where the system states none.
    system
        The system itself; `entry.system`, or that at other settings.
    sizes
        Of the population.
    delta
        δ, from 0 up to but not including 1; unless given, the system's own, or 0 where everything has a finite ε
        without any δ, or `small_delta(sizes.users)`.
    unit, relation, view
        The terms, as in `guarantee`; unless given, the system's own, or the entry's.

    Returns
    -------
    dict
        `{"claimed", "counted", "also", "mode"}` as in `recpriv account --json`, with infinities as floats; both
        bills are None where no privacy is promised.

    Raises
    ------
    UserError
        These terms are not stated by the system's ledger.

    Examples
    --------
    >>> from recprivlib import get
    >>> entry = get("dplcf-sp")
    >>> bill(entry, entry.system, Sizes(943, 1682))["counted"]["unit"]
    'interaction'
    """
    ledger = system.ledger(sizes)
    if not ledger:
        return {"claimed": None, "counted": None, "also": []}
    usual = system.terms if isinstance(system, HasTerms) else entry.terms
    if relation is None and isinstance(system, HasRelation):
        relation = cast(Relation | None, system.relation)
    unit, relation = _terms(ledger, usual, unit, relation, view)
    own = system.delta if isinstance(system, HasDelta) else None
    return _bill(ledger, unit, relation, own if delta is None else delta, view, small_delta(sizes.users))


def mechanism_bill(
    mechanism: Any, name: str, count: int = 1, *, delta: float | None = None, unit: Unit | None = None,
    relation: Relation | None = None, view: View | None = None, users: int | None = None,
) -> Bill:  # fmt: skip
    """The bill of a mechanism that stands alone, outside any system.

    Parameters
    ----------
    mechanism
        A value: `MECHANISMS["laplace"]`.
    name
        What its line of the ledger calls it.
    count
        How many releases are composed, from 1 to 1,000,000,000.
    delta, unit, relation, view
        The terms, as in `guarantee`; unless given, those at which the mechanism stands alone.
    users
        How many people send one report each, which a shuffler could mix; none unless given.

    Returns
    -------
    dict
        In the shape that `bill` gives.

    Raises
    ------
    UserError
        A number is out of range, or the mechanism does not state these terms.

    Examples
    --------
    >>> from recprivlib.mechanisms import Laplace
    >>> mechanism_bill(Laplace(epsilon=0.5), "laplace", count=4)["counted"]["epsilon"]
    2.0
    """
    if users is not None and users < 1:
        raise UserError(f"users is {users}, but must be at least 1")
    mechanism = stated(mechanism, relation)
    ledger = mechanism_ledger(name, mechanism, count, users)
    unit, relation = _terms(ledger, next(iter(mechanism.neighbours)), unit, relation, view)
    return _bill(ledger, unit, relation, delta, view, small_delta(users) if users else 1e-6)


def mechanism_ledger(name: str, mechanism: Any, count: int = 1, users: int | None = None) -> Ledger:
    """A mechanism that stands alone, released `count` times; with `users`, in a crowd that a shuffler could mix."""
    if not 1 <= count <= MOST_COUNT:
        raise UserError(f"count is {count}, but must be a whole number from 1 to {MOST_COUNT:,}")
    views: tuple[View, ...] = ("server", "shuffled", "model") if users else ("server", "model")
    release = Release(name, mechanism, mechanism.neighbours, count, views, crowd=users or 1)
    claim = _times(mechanism.claimed if isinstance(mechanism, HasClaim) else None, count)
    return Ledger((release,), trust="whoever adds the noise", claimed=claim)


def stated(mechanism: Any, relation: Relation | None) -> Any:
    """A mechanism whose noise is relative to its sensitivity under a relation that is still open: it is this one."""
    still_open = isinstance(mechanism, HasRelation) and mechanism.relation is None
    return dataclasses.replace(mechanism, relation=relation) if relation and still_open else mechanism


def small_delta(users: int) -> float:
    """A power of ten, at most 1/(10·users): far fewer than one person is expected to be unlucky.

    >>> small_delta(943), small_delta(6040), small_delta(50_000)
    (0.0001, 1e-05, 1e-06)
    """
    return float(f"1e{math.floor(-math.log10(10 * users))}")


def as_json(found: Guarantee) -> Bill:
    """A guarantee in the shape of the command line."""
    shape = {"epsilon": found.epsilon, "delta": found.delta, "unit": found.unit, "relation": found.relation,
             "trust": found.trust, "view": found.view, "how": found.how,
             "assumptions": list(found.assumptions)}  # fmt: skip
    said = {"why_infinite": found.why_infinite, "bound": found.bound}
    return shape | {name: words for name, words in said.items() if words}


def usual_delta(ledger: Ledger, unit: Unit, relation: Relation, view: View, small: float) -> float:
    """0 where that says all there is to say, else `small`."""
    return 0.0 if resolved(ledger, unit, relation, view).pure else small


def _bill(ledger: Ledger, unit: Unit, relation: Relation, delta: float | None, view: View | None, small: float) -> Bill:
    view = default_view(ledger) if view is None else view
    if delta is None:
        delta = usual_delta(ledger, unit, relation, view, small)
    counted = guarantee(ledger, unit, relation, delta, view)
    others = [*_others(ledger, counted, small), *_readings(ledger, delta, view)]
    return {
        "claimed": _claimed(ledger.claimed, delta),
        "counted": as_json(counted),
        "also": [as_json(other) for other in others],
        "mode": "; ".join(modes(ledger)),
    }


def modes(ledger: Ledger) -> tuple[str, ...]:
    """How the noise of each release is drawn: a seed is for teaching."""
    known = [release.mechanism for release in ledger.releases]
    return tuple(dict.fromkeys(mechanism.mode for mechanism in known if isinstance(mechanism, HasMode)))


def _others(ledger: Ledger, counted: Guarantee, small: float) -> list[Guarantee]:
    """The same run at a small δ or without one, to other viewers, and for other units."""
    unit, relation, view, small = counted.unit, counted.relation, counted.view, counted.delta or small
    asked: list[tuple[Unit, Relation, float, View]] = []
    if math.isfinite(counted.epsilon):
        asked.append((unit, relation, small, view))
    elif proof := certain(ledger, unit, relation, view):
        asked.append((unit, relation, proof, view))
    if counted.delta and pure(ledger, unit, relation, view):
        asked.append((unit, relation, 0.0, view))
    asked += [(unit, relation, small, other) for other in _other_views(ledger, counted)]
    asked += [(*terms, counted.delta, view) for terms in supported(ledger, view)]
    return _news(counted, [guarantee(ledger, *terms) for terms in asked])


def pure(ledger: Ledger, unit: Unit, relation: Relation, view: View) -> bool:
    """Whether there is a finite ε without any δ."""
    return math.isfinite(guarantee(ledger, unit, relation, 0.0, view).epsilon)


def _readings(ledger: Ledger, delta: float, view: View) -> Iterator[Guarantee]:
    """What the same noise costs where it is accounted otherwise, in every way that can be stated."""
    for reading, releases in ledger.readings.items():
        other = dataclasses.replace(ledger, releases=releases, readings={})
        for terms in supported(other, view):
            found = guarantee(other, *terms, delta, view)
            yield dataclasses.replace(found, how=f"{reading}; {found.how}")


def _other_views(ledger: Ledger, counted: Guarantee) -> list[View]:
    """Those that state the same unit and relation; the shuffler's only where one hides somebody."""
    seen = [v for v in get_args(View) if any(v in release.seen_by for release in ledger.releases)]
    terms = counted.unit, counted.relation
    useful = [v for v in seen if v != "shuffled" or any(release.crowd > 1 for release in ledger.releases)]
    return [v for v in useful if v != counted.view and terms in supported(ledger, v)]


def _news(counted: Guarantee, others: list[Guarantee]) -> list[Guarantee]:
    """Without those that say nearly the same ε of the same neighbours again: a viewer or a δ that changes nothing."""
    told = [counted]
    for other in others:
        alike = [g for g in told if (g.unit, g.relation) == (other.unit, other.relation)]
        if not any(math.isclose(g.epsilon, other.epsilon, rel_tol=0.01) for g in alike):
            told.append(other)
    return told[1:]


def default_view(ledger: Ledger) -> View:
    """The server's, if it is promised anything; else what the published model tells."""
    return next(v for v in ("server", "model", "shuffled") if any(v in r.seen_by for r in ledger.releases))


def _terms(
    ledger: Ledger, usual: tuple[Unit, Relation] | None, unit: Unit | None, relation: Relation | None, view: View | None
) -> tuple[Unit, Relation]:
    """What is asked for; a half that is left out is the usual one, or the first that goes with the other half."""
    known = supported(ledger, default_view(ledger) if view is None else view)
    usual = usual or (known[0] if known else None)
    for terms in ([usual] if usual else []) + known:
        if unit in (None, terms[0]) and relation in (None, terms[1]):
            return terms
    if unit is None or relation is None:
        allowed = ", ".join(f"{u}/{r}" for u, r in known) or "none: its releases share no terms"
        asked = f"unit {unit!r}" if unit is not None else f"relation {relation!r}"
        raise UserError(f"the {asked} is not stated here; choose from {allowed}")
    return unit, relation


def _times(claim: Claim | None, count: int) -> Claim | None:
    """What the source would claim of `count` releases: the sum."""
    if claim is None or count == 1:
        return claim
    return dataclasses.replace(
        claim, epsilon=count * claim.epsilon, delta=count * claim.delta, counts=f"{count:,} reports"
    )


def _claimed(claim: Claim | None, delta: float) -> Bill | None:
    """The claim at the δ of the bill."""
    at = claimed_at(claim, delta) if claim else None
    return {name: value for name, value in vars(at).items() if name != "at"} if at else None
