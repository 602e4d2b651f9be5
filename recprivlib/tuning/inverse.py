"""The accountant inverted: a system whose counted bill is a given ε, by the dials that it is paid with.

    what is paid     the parameters marked `tune=BUDGET`, less δ; several are turned by one factor
    counted(factor)  is evaluated at what is returned, never inferred: the bill is at most ε
    how              a secant on the logarithms, closed in where it must be; a dial keeps four digits

A dial ends, and a bill may jump. Then the bill stays more than 1 % below ε, and `why` says the reason.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any, cast

from recprivlib.accounting.bills import default_view, small_delta, stated, usual_delta
from recprivlib.accounting.guarantee import guarantee, supported
from recprivlib.parameters import BUDGET, UserError, configured, parameters
from recprivlib.protocols import (
    Entry,
    HasDelta,
    HasRelation,
    HasTerms,
    Relation,
    Sizes,
    Unit,
    View,
)

CLOSE = 0.01  # how far below ε a bill may stay without a reason
SOUGHT = 0.001  # how far below it is sought
DIGITS = 4  # of a dial that is turned
MOST = 60  # steps of a search, each a bill or two
SCAN = 32  # parts of a dial's range, where a bill falls and rises again


@dataclass(frozen=True)
class Terms:
    """At what a bill is stated.

    >>> str(Terms("user", "replace", "server", 1e-5))
    'user, replace, server, δ = 1e-05'
    """

    unit: Unit  #: whose presence or value is protected
    relation: Relation  #: how two neighbours differ
    view: View  #: who looks
    delta: float  #: δ

    def __str__(self) -> str:
        return f"{self.unit}, {self.relation}, {self.view}, δ = {self.delta:g}"


@dataclass(frozen=True)
class Paid:
    """A system whose bill was turned towards an ε, and never above."""

    system: Any  #: with the values that it is paid with
    epsilon: float  #: counted
    why: str = ""  #: why that stays more than 1 % below what was asked for; nothing: it does not


def paying(system: Any) -> tuple[str, ...]:
    """The parameters that a system is paid with: those that it marks `tune=BUDGET`, less δ.

    >>> from recprivlib import get
    >>> paying(get("dp-privrec").system), paying(get("dp-gram").system), paying(get("popularity").system)
    (('noise_multiplier',), ('epsilon',), ())
    """
    named = [name for name, meta in parameters(system).items() if meta.tune == BUDGET]
    return tuple(name for name in named if not (name == "delta" and isinstance(system, HasDelta)))


def stated_terms(
    entry: Entry, system: Any, sizes: Sizes, *, delta: float | None = None, unit: Unit | None = None,
    relation: Relation | None = None, view: View | None = None,
) -> Terms:  # fmt: skip
    """The terms of a bill, as `bill` has them: what is left out is the system's own, or the entry's.

    >>> from recprivlib import get
    >>> entry = get("fmf-ldp")
    >>> str(stated_terms(entry, entry.system, Sizes(943, 1682)))
    'user, replace, server, δ = 0'
    """
    ledger = system.ledger(sizes)
    view = view or default_view(ledger)
    known = supported(ledger, view)
    usual = system.terms if isinstance(system, HasTerms) else entry.terms
    if relation is None and isinstance(system, HasRelation):
        relation = cast(Relation | None, system.relation)
    fits = [
        one for one in [*([usual] if usual else []), *known] if unit in (None, one[0]) and relation in (None, one[1])
    ]
    if not fits and (unit is None or relation is None):
        allowed = ", ".join(f"{u}/{r}" for u, r in known) or "none: its releases share no terms"
        said = f"unit {unit!r}" if unit is not None else f"relation {relation!r}"
        raise UserError(f"the {said} is not stated here; choose from {allowed}")
    asked = fits[0] if fits else cast(tuple[Unit, Relation], (unit, relation))  # the bill says that it is not stated
    own = system.delta if isinstance(system, HasDelta) else None
    delta = own if delta is None else delta
    if delta is None:
        delta = usual_delta(ledger, *asked, view, small_delta(sizes.users))
    return Terms(*asked, view, delta)


def paid(name: str, system: Any, sizes: Sizes, terms: Terms, epsilon: float) -> Paid:
    """The system nearest below ε; a UserError where its cheapest setting costs more, or where nothing is promised."""
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise UserError(f"the bill to meet is ε = {epsilon:g}, but must be a number above 0")
    dials = paying(system)
    if not dials:
        raise UserError(f"{name} names nothing that it is paid with, so no bill can be met")
    return _Search(name, stated(system, terms.relation), dials, sizes, terms, epsilon).run()


@dataclass
class _Search:
    """Bills so far, by the logarithm of the factor: how far each lies above ε, as a logarithm too."""

    name: str
    system: Any
    dials: tuple[str, ...]
    sizes: Sizes
    terms: Terms
    epsilon: float
    seen: dict[float, float] = field(default_factory=dict)
    why_infinite: str = ""

    def run(self) -> Paid:
        low, high = self._ends()
        cheap, dear = self._way(low, high)
        under, over = self._bracket(cheap, dear)
        if under is None:
            under, over = self._scanned(low, high)
        if over is None:
            made, found = self._at(under), self.counted(self._at(under))
            why = "" if found >= (1 - CLOSE) * self.epsilon else (
                f"it goes no further than {self._said(made)}, which costs ε = {found:.4g}")  # fmt: skip
            return Paid(made, found, why)
        under, over = self._close(under, over)
        made, found = self._rounded(under, over)
        if found >= (1 - CLOSE) * self.epsilon:
            return Paid(made, found)
        beyond = self._at(over)
        return Paid(made, found, f"its bill jumps from ε = {found:.4g} at {self._said(made)} to "
                                 f"{self.counted(beyond):.4g} at {self._said(beyond)}")  # fmt: skip

    # -------------------------------------------------------------------------------------------- one bill

    def counted(self, system: Any) -> float:
        found = guarantee(system.ledger(self.sizes), self.terms.unit, self.terms.relation, self.terms.delta,
                          self.terms.view)  # fmt: skip
        self.why_infinite = found.why_infinite or self.why_infinite
        return found.epsilon

    def off(self, at: float) -> float:
        """ln(counted/ε) at a factor, above 0 exactly where the bill is over ε."""
        if at not in self.seen:
            found = self.counted(self._at(at))
            off = math.log(found / self.epsilon) if found > 0 else -math.inf
            self.seen[at] = min(off, 0.0) if found <= self.epsilon else max(off, 1e-15)
        return self.seen[at]

    def _at(self, at: float) -> Any:
        """The system with all that it is paid with turned by a factor."""
        return self._with({name: getattr(self.system, name) * math.exp(at) for name in self.dials}, 12)

    def _with(self, paid: dict[str, float], digits: int) -> Any:
        """The system paid with these values at so many digits, none beyond its range."""
        known = parameters(self.system)
        ends = {name: known[name].ends for name in paid}
        return configured(self.system, {name: min(max(float(f"{value:.{digits}g}"), ends[name][0]), ends[name][1])
                                        for name, value in paid.items()})  # fmt: skip

    def _ends(self) -> tuple[float, float]:
        """How far all of the dials may be turned down and up."""
        ends = [(getattr(self.system, name), *parameters(self.system)[name].ends) for name in self.dials]
        return max(math.log(low / now) for now, low, _ in ends), min(math.log(high / now) for now, _, high in ends)

    # ---------------------------------------------------------------------------------------------- search

    def _way(self, low: float, high: float) -> tuple[float, float]:
        """The end at which the bill is cheap and that at which it is dear; refused where it is finite at neither."""
        start = self.off(0.0)
        if not math.isfinite(start):
            cheap, dear = sorted((low, high), key=self.off)
            if self.off(cheap) == math.inf:
                why = self.why_infinite or "no bound is known"
                raise UserError(f"{self.name} has no finite ε at these terms ({self.terms}): {why}")
            return cheap, dear
        first = min(max(-start, low), high)
        falls = first and (self.off(first) - start) * first < 0
        return (high, low) if falls else (low, high)

    def _bracket(self, cheap: float, dear: float) -> tuple[float | None, float | None]:
        """A factor whose bill is at most ε and one whose bill is above; none where a dial ends before."""
        way, step = (1.0 if dear > cheap else -1.0), 0.0
        at = min(self.seen, key=lambda one: (abs(self.seen[one]), abs(one)))
        for _ in range(MOST):
            under = [one for one, off in self.seen.items() if off <= 0]
            over = [one for one, off in self.seen.items() if off > 0]
            if under and over:
                return min(((u, o) for u in under for o in over), key=lambda pair: abs(pair[0] - pair[1]))
            off = self.off(at)
            if at == (cheap if off > 0 else dear):
                return (None, at) if off > 0 else (at, None)
            step = max(2 * step, 1.05 * min(abs(off), 3.0), 0.01)
            at = min(max(at + math.copysign(step, -off) * way, min(cheap, dear)), max(cheap, dear))
            self.off(at)
        raise AssertionError("steps that double reach an end")

    def _scanned(self, low: float, high: float) -> tuple[float, float]:
        """The same for a bill that falls and rises again: the crossing nearest to the setting as it stands."""
        places = [low + (high - low) * step / SCAN for step in range(SCAN + 1)]
        pairs = [pair if self.off(pair[0]) <= 0 else pair[::-1] for pair in itertools.pairwise(places)
                 if (self.off(pair[0]) <= 0) != (self.off(pair[1]) <= 0)]  # fmt: skip
        if not pairs:
            least = min(places, key=self.off)
            raise UserError(
                f"{self.name} does not come down to ε = {self.epsilon:g} at these terms ({self.terms}): the least is "
                f"ε = {self.counted(self._at(least)):.4g}, at {self._said(self._at(least))}"
            )
        return min(pairs, key=lambda pair: abs(pair[0]))

    def _close(self, under: float, over: float) -> tuple[float, float]:
        """Closed in, by two secants and a half in turn, until the bill is near enough or jumps."""
        for turn in range(MOST):
            low, high = self.off(under), self.off(over)
            if low >= -SOUGHT or abs(over - under) < 1e-9:
                break
            share = 0.5
            if math.isfinite(low) and math.isfinite(high) and turn % 3 < 2:
                share = (-low - (0.3 * SOUGHT if turn else 0)) / (high - low)  # aims at ε first, then a hair below
                share = min(max(share, 0.02), 0.98)
            at = under + share * (over - under)
            under, over = (at, over) if self.off(at) <= 0 else (under, at)
        return under, over

    def _rounded(self, under: float, over: float) -> tuple[Any, float]:
        """The same at four digits or fewer, if that costs no more than ε and hardly less."""
        exact = self._at(under)
        paid = {name: getattr(exact, name) for name in self.dials}
        half = {name: math.copysign(0.5, under - over) * 10.0 ** (math.floor(math.log10(value)) - DIGITS + 1)
                for name, value in paid.items()}  # fmt: skip
        for digits, cheaper in ((2, 0), (3, 0), (DIGITS, 0), (DIGITS, 1)):
            made = self._with({name: value + cheaper * half[name] for name, value in paid.items()}, digits)
            near = SOUGHT if digits < DIGITS else CLOSE / 2
            if (1 - near) * self.epsilon <= (found := self.counted(made)) <= self.epsilon:
                return made, found
        return exact, self.counted(exact)

    def _said(self, system: Any) -> str:
        return ", ".join(f"{name} {getattr(system, name):.6g}" for name in self.dials)
