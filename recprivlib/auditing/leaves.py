"""What a value is made of: every number, word and array that it holds, by name. What shows nothing is named as closed.

numbers, words, bytes, arrays, sparse matrices     as they are; a view with the array that it is a part of
lists, tuples, dictionaries, sets, deques          part by part
objects of classes written in Python               their dictionaries and slots, and what hangs on their classes:
                                                   attributes, what methods close over, the globals that they name
anything else                                      `Closed`: a table of another library, a generator, a thunk
"""

from __future__ import annotations

import sys
import types
from collections import deque
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import Any, get_type_hints

import numpy as np
import scipy.sparse as sp

PLAIN = (np.generic, int, float, complex, str, bytes, bool, type(None), range)
MADE_BY_PYTHON = 1 << 9  # the flag of a class that was written in Python: it keeps nothing but dictionary and slots

Leaf = tuple[str, Any, bool]


class Closed(str):
    """The name of a type that holds something, and shows nothing."""

    __slots__ = ()


def leaves(thing: Any, name: str, private: bool = False, met: dict[int, Any] | None = None) -> Iterator[Leaf]:
    """(name, value, whether it stays at home) of every array, number and word within a value."""
    met = {} if met is None else met  # kept alive, so that no other thing is given its place
    kind = type(thing)
    if isinstance(thing, PLAIN):
        yield name, thing, private
    elif id(thing) in met:  # the same thing again: it has been looked at
        yield name, "as before", private
    else:
        met[id(thing)] = thing
        if kind is np.ndarray and thing.dtype.kind in "biufcSUmMO":
            yield from _array(thing, name, private, met)
        elif sp.issparse(thing):
            yield from _sparse(thing, name, private)
        elif kind in (dict, types.MappingProxyType):
            for key, value in thing.items():
                yield from leaves(value, f"{name}.{key}", private, met)
        elif kind in (set, frozenset):
            yield name, repr(sorted(map(repr, thing))), private
        elif kind in (list, deque) or isinstance(thing, tuple):
            for at, value in enumerate(thing):
                yield from leaves(value, f"{name}.{at}", private, met)
            yield from leaves(dict(parts(thing)), name, private, met)  # of a tuple with names
        elif (known := imported(thing)) is not None:
            yield name, known, private
        elif kind is partial:
            yield from leaves((thing.func, thing.args, thing.keywords), name, private, met)
        elif isinstance(thing, types.FunctionType):
            yield from leaves(bound(thing), name, private, met)
            yield f"{name}.code", thing.__code__.co_code, private
        elif isinstance(thing, types.MethodType):
            yield from leaves((thing.__self__, thing.__func__), name, private, met)
        elif all(each.__flags__ & MADE_BY_PYTHON for each in kind.__mro__[:-1]):
            yield from _object(thing, name, private, met)
        else:
            yield name, Closed(f"a {kind.__name__}"), private


def _array(thing: np.ndarray, name: str, private: bool, met: dict[int, Any]) -> Iterator[Leaf]:
    if thing.dtype.kind == "O":
        yield name, str(thing.shape), private
        yield from leaves(thing.ravel().tolist(), name, private, met)
        return
    yield name, thing, private
    if isinstance(thing.base, np.ndarray) and thing.base.size > thing.size and not private:
        yield from leaves(thing.base, f"{name}.base", private, met)


def _sparse(thing: Any, name: str, private: bool) -> Iterator[Leaf]:
    if private:
        yield name, thing.toarray(), private
        return
    table = sp.csr_array(thing)
    yield name, np.array(thing.shape), private
    for part in ("data", "indices", "indptr"):
        yield f"{name}.{part}", getattr(table, part), private


def imported(thing: Any) -> str | None:
    """The name of a module, class or function that anybody can import, and that closes over nothing."""
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    if isinstance(thing, types.BuiltinFunctionType | np.ufunc) and not hasattr(thing, "__dict__"):
        return str(getattr(thing, "__name__", ""))
    if not isinstance(thing, type | types.FunctionType) or getattr(thing, "__closure__", None):
        return None
    known = getattr(sys.modules.get(thing.__module__), thing.__qualname__, None) is thing
    return f"{thing.__module__}.{thing.__qualname__}" if known else None


def _object(thing: Any, name: str, private: bool, met: dict[int, Any]) -> Iterator[Leaf]:
    """Its dictionary and slots; and its class, but for what of it is closed."""
    kind = type(thing)
    yield f"{name}.class", f"{kind.__module__}.{kind.__qualname__}", private
    kinds = get_type_hints(kind, include_extras=True) if hasattr(kind, "__dataclass_fields__") else {}
    for key, value in parts(thing):
        at_home = private or hasattr(kinds.get(key), "__metadata__")
        yield from leaves(value, f"{name}.{key}", at_home, met)
    if id(kind) not in met:
        met[id(kind)] = kind
        for key, value, _ in leaves(of_the_class(kind), f"{name}.class", private, met):
            if not isinstance(value, Closed):
                yield key, value, private


def parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds, in its dictionary and in its slots."""
    yield from getattr(thing, "__dict__", {}).items()
    for kind in type(thing).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(thing, name) and name not in ("__dict__", "__weakref__"):
                yield name, getattr(thing, name)


HOLDS_DATA = (*PLAIN, np.ndarray, list, dict, tuple, set, frozenset, deque)


def of_the_class(kind: type) -> dict[str, Any]:
    """What hangs on a class: the same for all of its objects, unless somebody put data there."""
    found: dict[str, Any] = {}
    for each in reversed(kind.__mro__[:-1]):
        for name, value in vars(each).items():
            if isinstance(value, HOLDS_DATA) and not name.startswith("__"):
                found[name] = value
            for function in _functions(value):
                found |= {f"{name}.{key}": part for key, part in bound(function).items()}
    return found


def _functions(value: Any) -> Iterator[types.FunctionType]:
    """The functions behind an attribute of a class."""
    if isinstance(value, types.FunctionType):
        yield value
    elif isinstance(value, staticmethod | classmethod):
        yield from _functions(value.__func__)
    elif isinstance(value, property):
        yield from (one for one in (value.fget, value.fset) if isinstance(one, types.FunctionType))
    elif isinstance(value, cached_property):
        yield from _functions(value.func)


def bound(function: types.FunctionType) -> dict[str, Any]:
    """The data that a function carries along: defaults, what it closes over, and the globals that it names."""
    closed = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    known: Mapping[str, Any] = function.__globals__
    found = {name: known[name] for name in function.__code__.co_names if name in known}
    for name, cell in closed:
        try:
            found[name] = cell.cell_contents
        except ValueError:  # nothing is in it yet
            continue
    found |= {"defaults": function.__defaults__ or (), **(function.__kwdefaults__ or {}), **vars(function)}
    return {name: value for name, value in found.items() if isinstance(value, HOLDS_DATA)}


# --------------------------------------------------------------------------------------------------- equality


def same(a: Any, b: Any) -> bool:
    """Equal to the last bit: also what a number that is none carries, the sign of a zero, and the order in memory."""
    if isinstance(a, str | bytes | range | None) or isinstance(b, str | bytes | range | None):
        return type(a) is type(b) and a == b
    a, b = np.asarray(a), np.asarray(b)
    alike = a.shape == b.shape and a.dtype == b.dtype and a.flags.fnc == b.flags.fnc
    return alike and a.tobytes() == b.tobytes()


def identity(thing: Any) -> Any:
    """Everything that a mechanism is, so that two can be told apart; what it has worked out from itself is left out."""
    if isinstance(thing, np.ndarray):
        return thing.shape, thing.dtype.str, thing.tobytes()
    if isinstance(thing, tuple | list):
        return type(thing).__name__, *(identity(part) for part in thing)
    if isinstance(thing, Mapping):
        return tuple((identity(key), identity(value)) for key, value in thing.items())
    if isinstance(thing, PLAIN):
        return type(thing).__name__, repr(thing)
    if imported(thing) is not None:
        return imported(thing)
    own = type(thing)
    worked_out = {name for each in own.__mro__ for name, one in vars(each).items() if isinstance(one, cached_property)}
    held = tuple((name, identity(part)) for name, part in parts(thing) if name not in worked_out)
    return f"{own.__module__}.{own.__qualname__}", held
