"""What a value is made of: every number, word and array that it holds, by name. What shows nothing is named as closed.

numbers, words, bytes, arrays, sparse matrices     as they are; a view with the array that it is a part of
lists, tuples, dictionaries, sets, deques          part by part
objects of classes written in Python               their dictionaries and slots, and what hangs on their classes:
                                                   attributes, what methods close over, the globals that they name
anything else                                      `Closed`: a table of another library, a generator, a thunk
"""

from __future__ import annotations

import struct
import sys
import types
from collections import deque
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache, partial
from typing import Any, get_type_hints

import numpy as np
import scipy.sparse as sp

PLAIN = (np.generic, int, float, complex, str, bytes, bool, type(None), range)
POINTER = struct.calcsize("P")  # bytes of a slot, and of where an object keeps its dictionary

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
            yield f"{name}.kind", kind.__name__, private
            for key, value in thing.items():
                yield from leaves(value, f"{name}.{key}", private, met)
        elif kind in (set, frozenset):
            yield name, f"{kind.__name__} {sorted(map(repr, thing))!r}", private
        elif kind in (list, deque) or isinstance(thing, tuple):
            yield f"{name}.kind", f"{kind.__name__} of {len(thing)}", private
            for at, value in enumerate(thing):
                yield from leaves(value, f"{name}.{at}", private, met)
            if own := dict(parts(thing)):  # of a tuple with names
                yield from leaves(own, f"{name}.own", private, met)
        elif (known := imported(thing)) is not None:
            yield name, known, private
        elif kind is partial:
            yield from leaves((thing.func, thing.args, thing.keywords), name, private, met)
        elif isinstance(thing, types.FunctionType):
            yield from leaves(bound(thing), name, private, met)
        elif isinstance(thing, types.MethodType):
            yield from leaves((thing.__self__, thing.__func__), name, private, met)
        elif made_by_python(kind):
            yield from _object(thing, name, private, met)
        elif (laid_out := _bytes(thing)) is not None:
            yield name, laid_out, private
        else:
            yield name, Closed(f"a {kind.__name__}"), private


def made_by_python(kind: type) -> bool:
    """Whether an object of this class keeps nothing but its dictionary and slots: its size leaves room for no more."""
    slots = sum(len(slots_of(each)) for each in kind.__mro__)
    pointers = slots + (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
    return kind.__itemsize__ == 0 and kind.__basicsize__ == object.__basicsize__ + pointers * POINTER


def slots_of(kind: type) -> tuple[str, ...]:
    """The names of a class's own slots, as they stand in it."""
    slots = vars(kind).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    hidden = f"_{kind.__name__.lstrip('_')}"
    own = (name for name in names if name not in ("__dict__", "__weakref__"))
    return tuple(hidden + name if name.startswith("__") and not name.endswith("__") else name for name in own)


def _bytes(thing: Any) -> bytes | None:
    """What lies in a compact container of numbers, which shows its memory to whoever asks."""
    try:
        return memoryview(thing).tobytes()
    except (TypeError, ValueError, BufferError):
        return None


def _array(thing: np.ndarray, name: str, private: bool, met: dict[int, Any]) -> Iterator[Leaf]:
    if thing.dtype.kind == "O":
        yield name, str(thing.shape), private
        yield from leaves(thing.ravel().tolist(), name, private, met)
        return
    yield name, thing, private
    if thing.dtype.metadata and not private:
        yield from leaves(dict(thing.dtype.metadata), f"{name}.dtype", private, met)
    base = thing.base  # what an array is a part of goes where it goes
    if base is not None and not private and (not isinstance(base, np.ndarray) or base.nbytes > thing.nbytes):
        yield from leaves(base, f"{name}.base", private, met)


def _sparse(thing: Any, name: str, private: bool) -> Iterator[Leaf]:
    if private:
        yield name, thing.toarray(), private
        return
    yield name, f"{type(thing).__name__} {thing.shape}", private
    for part, value in vars(thing).items():
        yield from leaves(value, f"{name}.{part}", private, {})


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
        yield from leaves(of_the_class(kind), f"{name}.class", private, met)


def parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds, in its dictionary and in its slots."""
    yield from getattr(thing, "__dict__", {}).items()
    for kind in type(thing).__mro__:
        for name in slots_of(kind):
            if hasattr(thing, name):
                yield name, getattr(thing, name)


HOLDS_DATA = (*PLAIN, np.ndarray, list, dict, tuple, set, frozenset, deque)
WORDS = (str, bytes, int, float)  # of what Python itself writes about a class only these are looked at
MACHINERY = (
    type, property, staticmethod, classmethod, cached_property, types.FunctionType, types.ModuleType,
    types.BuiltinFunctionType, types.MemberDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType,
    types.MethodDescriptorType, types.ClassMethodDescriptorType, types.GenericAlias, type(lru_cache(len)),
)  # fmt: skip
KEPT = ("_abc_impl",)  # what Python keeps of a class for itself


def of_the_class(kind: type) -> dict[str, Any]:
    """What hangs on a class: the same for all of its objects, unless somebody put data there."""
    found: dict[str, Any] = {}
    for each in reversed(kind.__mro__[:-1]):
        for name, value in vars(each).items():
            if isinstance(value, WORDS) or not (name.startswith("__") or isinstance(value, MACHINERY) or name in KEPT):
                found[name] = value
            for function in _functions(value):
                found |= {f"{name}.{key}": part for key, part in bound(function).items()}
    return found | _of_its_kind(type(kind))


def _of_its_kind(above: type) -> dict[str, Any]:
    """What hangs on the class of a class; Python's own have nothing."""
    own = {f"kind.{name}": value for each in above.__mro__ if each not in (type, object)
           for name, value in vars(each).items() if not name.startswith("__")}  # fmt: skip
    if imported(above) is not None:
        return {name: value for name, value in own.items() if isinstance(value, HOLDS_DATA)}
    return own | {"kind of class": repr(above)}


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
    named = {name: known[name] for name in function.__code__.co_names if name in known}
    found = {name: value for name, value in named.items() if _shows(value)}
    for name, cell in closed:
        try:
            found[name] = cell.cell_contents
        except ValueError:  # nothing is in it yet
            continue
    said = function.__doc__ or "", function.__name__, _written(function.__code__)
    found |= {
        "defaults": function.__defaults__ or (),
        "words": said,
        **(function.__kwdefaults__ or {}),
        **vars(function),
    }
    return found


def _written(code: types.CodeType) -> str:
    """What a function was written as, with the numbers and words that stand in it."""
    held = (_written(one) if isinstance(one, types.CodeType) else repr(one) for one in code.co_consts)
    return f"{code.co_code!r} {code.co_names} {code.co_varnames} {code.co_name} {list(held)}"


def _shows(value: Any) -> bool:
    """Whether a global is data, and no part of a program."""
    if isinstance(value, HOLDS_DATA):
        return True
    program = isinstance(value, MACHINERY) or callable(value)
    return not program and (made_by_python(type(value)) or _bytes(value) is not None)


# --------------------------------------------------------------------------------------------------- equality


def same(a: Any, b: Any) -> bool:
    """Equal to the last bit: also what a number that is none carries, the sign of a zero, and the order in memory."""
    if isinstance(a, str | bytes | range | None) or isinstance(b, str | bytes | range | None):
        return type(a) is type(b) and a == b
    a, b = np.asarray(a), np.asarray(b)
    alike = a.shape == b.shape and a.dtype == b.dtype and a.flags.fnc == b.flags.fnc
    return alike and a.tobytes() == b.tobytes()


def alike(a: Any, b: Any) -> bool:
    """The same, and in the same form: of one type, one layout, and writeable or not."""
    if type(a) is not type(b) or not same(a, b):
        return False
    return not isinstance(a, np.ndarray) or (a.strides == b.strides and a.flags.writeable == b.flags.writeable)


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
