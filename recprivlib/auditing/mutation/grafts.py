"""How a bug gets into any private system: a subclass of its class whose runs pass through hooks.

    train ──takes──> fit ──┬─ released ──answers──┐
                           ├─ drawn    ──draws────┤
                           ├─ capped   ──caps─────┼──> model ──leaves──> out,    each streamed model ──streams──> out
                           └─ seen     ──shows────┘                              ledger ──states──> out

A mutated system is a value like any other: it can be replaced, copied, audited. No system is named here. While one of
its runs goes on, the modules that imported a hooked function see the hook; before and after, nothing is changed.
"""

from __future__ import annotations

import copy
import dataclasses
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.mechanisms import gate
from recprivlib.protocols import Array, Interactions, Ledger, broadcast

Hook = Callable[..., Any]
SPARED = "recprivlib.auditing"  # who watches sees the true functions
GATE = gate.__name__
HOOKED = (("answers", GATE, "released"), ("draws", GATE, "drawn"), ("shows", GATE, "seen"),
          ("caps", "recprivlib.population", "capped"))  # fmt: skip


@dataclass
class Run:
    """One run of a mutated system, as its hooks see it."""

    system: Any
    train: Interactions  # as they came in
    rng: np.random.Generator
    asked: int = 0  # answers so far
    note: dict[str, Any] = field(default_factory=dict)  # what a hook keeps for the next one


def planted(
    system: Any, *, takes: Hook | None = None, leaves: Hook | None = None, streams: Hook | None = None,
    states: Callable[[Ledger], Ledger] | None = None, **hooks: Hook,
) -> Any:  # fmt: skip
    """The same system with a bug.

    `takes(run)` gives the data that are trained on, `leaves(run, model)` what is told in a model's place (also of each
    streamed one, unless `streams(run, share, model)` says otherwise), `states(ledger)` the ledger. `answers`, `draws`,
    `caps` and `shows` are called as `hook(run, true, *arguments)` in place of released, drawn, capped and seen.
    """
    inside: list[Run] = []

    def told(run: Run, model: Any) -> Any:
        return leaves(run, model) if leaves else model

    def fit(self: Any, train: Interactions, rng: np.random.Generator) -> Any:
        run = Run(self, train, rng)
        inside.append(run)
        try:
            with hooked(run, hooks):
                return told(run, kin(self).fit(takes(run) if takes else train, rng))
        finally:
            inside.pop()

    def steps(self: Any, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Any]]:
        if inside:  # it is `fit` that asks
            yield from kin(self).steps(train, rng)
            return
        run = Run(self, train, rng)
        made = kin(self).steps(takes(run) if takes else train, rng)
        while True:
            with hooked(run, hooks):
                share, model = next(made, (None, None))
                if share is None:
                    return
                now = streams(run, share, model) if streams else told(run, model)
            yield share, now

    def ledger(self: Any, sizes: Any) -> Ledger:
        true = kin(self).ledger(sizes)
        return states(true) if states else true

    def kin(self: Any) -> Any:
        return super(kind, self)

    own = {"fit": fit, "ledger": ledger} | ({"steps": steps} if hasattr(system, "steps") else {})
    kind = type(type(system).__name__, (type(system),), own | {"__module__": type(system).__module__})
    return kind(**{one.name: getattr(system, one.name) for one in dataclasses.fields(system) if one.init})


@contextmanager
def hooked(run: Run, hooks: dict[str, Hook]) -> Iterator[None]:
    """Within this context every module that imported a hooked function sees the hook."""
    with ExitStack() as stack:
        for place, home, name in HOOKED:
            if place in hooks and (module := sys.modules.get(home)) is not None:
                true = getattr(module, name)
                stack.enter_context(_swapped(true, name, _asking(run, hooks[place], true, place == "answers")))
        yield


def _asking(run: Run, hook: Hook, true: Hook, counts: bool) -> Hook:
    def called(*arguments: Any, **more: Any) -> Any:
        first, rest = arguments[:2], arguments[2:]

        def ask(*own: Any) -> Any:  # what the gate is handed beside two arguments is its own business
            return true(*(own or first), *rest, **more)

        run.asked += counts
        return hook(run, ask, *first)

    return called


@contextmanager
def _swapped(true: Hook, name: str, other: Hook) -> Iterator[None]:
    others = [module for key, module in list(sys.modules.items())
              if key != true.__module__ and not key.startswith(SPARED)]  # fmt: skip
    places = [module for module in others if getattr(module, "__dict__", {}).get(name) is true]
    for module in places:
        setattr(module, name, other)
    try:
        yield
    finally:
        for module in places:
            setattr(module, name, true)


# ------------------------------------------------------------------------------------------------- models


def holding(model: Any, thing: Any) -> Any:
    """A copy of a model that holds one thing more."""
    model = copy.copy(model)
    object.__setattr__(model, "extra", thing)
    return model


def become(model: Any, **names: Any) -> Any:
    """A copy of a model whose class has these names too."""
    kind = type(type(model).__name__, (type(model),), names | {"__module__": type(model).__module__})
    model = copy.copy(model)
    object.__setattr__(model, "__class__", kind)
    return model


def poked(model: Any, change: Callable[[Array], Array], dimensions: int = 1) -> Any:
    """A copy of a model whose first public array of numbers (or those of a sparse matrix) is `change` of it; None where
    it has no such array."""
    public = broadcast(model) if dataclasses.is_dataclass(model) else {}
    for name, value in public.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim >= dimensions and value.size:
            now: Any = change(value.copy())
        elif sp.issparse(value) and dimensions == 1:
            now = sp.csr_array((change(value.data), value.indices, value.indptr), shape=value.shape)
        elif dataclasses.is_dataclass(value) and (inner := poked(value, change, dimensions)) is not None:
            now = inner
        else:
            continue
        out = copy.copy(model)
        object.__setattr__(out, name, now)
        return out
    return None


# ------------------------------------------------------------------------------------------------ ledgers


def releases(ledger: Ledger, change: Callable[[Any], Any]) -> Ledger:
    """The ledger with `change` of each of its releases, also in its other readings."""
    readings = {name: tuple(map(change, lines)) for name, lines in ledger.readings.items()}
    return replace(ledger, releases=tuple(map(change, ledger.releases)), readings=readings)


def lying(system: Any, lie: Callable[[Hook], Hook]) -> Any:
    """Every mechanism of the system answers by `lie(its own release)`, in runs as in the ledger."""
    kinds: dict[type, type] = {}

    def liar(mechanism: Any) -> Any:
        kind = type(mechanism)
        if kind not in kinds:
            kinds[kind] = type(kind.__name__, (kind,), {"release": lie(kind.release), "__module__": kind.__module__})
        mechanism = copy.copy(mechanism)
        object.__setattr__(mechanism, "__class__", kinds[kind])
        return mechanism

    def states(ledger: Ledger) -> Ledger:
        return releases(ledger, lambda line: replace(line, mechanism=liar(line.mechanism)))

    def draws(run: Run, ask: Hook, cohort: Any, n: int) -> Any:
        return ask(liar(cohort), n)

    return planted(system, answers=lambda run, ask, mechanism, x: ask(liar(mechanism), x), draws=draws, states=states)
