"""What a value is made of: bits that hide in its form, in what is beside it, and in the words it was written in."""

from __future__ import annotations

import array
import re
from dataclasses import dataclass
from types import FunctionType

import numpy as np
import pytest
import scipy.sparse as sp

from recprivlib.auditing.leaves import Closed, alike, leaves, made_by_python


class Holds:
    """Holds one thing."""

    def __init__(self, thing):
        self.thing = thing


class Store:
    raw = None


STORE = Store()


def readonly(x):
    x.setflags(write=False)
    return x


def told(value):
    """A function that was written with a number in it, which it does not use."""
    names: dict = {}
    exec(f"def score(self, users, items):\n    said = {value}\n    return users", names)
    return names["score"]


def in_class(value):
    return type("Holds", (Holds,), {"raw": value})(0)


def worded(value):
    return type("Holds", (Holds,), {"__doc__": str(value)})(0)


def over(value):
    store = Store()
    store.raw = value
    return lambda: store


x = np.arange(6.0)
PAIRS = {  # one bit, said in two ways
    "a list or a tuple": ([1, 2], (1, 2)),
    "whose number it is": (1, np.int64(1)),
    "writeable or not": (x.copy(), readonly(x.copy())),
    "how it lies in memory": (np.zeros(3), np.zeros(6)[::2]),
    "the format of a matrix": (sp.csr_array(np.eye(3)), sp.csc_array(np.eye(3))),
    "the order of its entries": (
        sp.coo_array((np.ones(2), ([0, 1], [0, 1])), shape=(2, 2)),
        sp.coo_array((np.ones(2), ([1, 0], [1, 0])), shape=(2, 2)),
    ),
    "what lies behind an array": (np.frombuffer(b"abcdxx", "u1", 2), np.frombuffer(b"abcdyy", "u1", 2)),
    "what its type is called": (
        np.zeros(2, np.dtype("f4", metadata={"raw": 1})),
        np.zeros(2, np.dtype("f4", metadata={"raw": 2})),
    ),
    "a number in a function": (told(3), told(4)),
    "an object in a closure": (over(3), over(4)),
    "a compact container": (array.array("d", [1]), array.array("d", [2])),
    "a compact container of a class": (in_class(array.array("d", [1])), in_class(array.array("d", [2]))),
    "the words about a class": (worded(1), worded(2)),
    "a set or a frozen one": ({1}, frozenset({1})),
}


def differ(a, b):
    one, two = ({name: value for name, value, _ in leaves(Holds(thing), "held")} for thing in (a, b))
    return one.keys() != two.keys() or any(not alike(one[name], two[name]) for name in one)


@pytest.mark.parametrize("name", PAIRS)
def test_one_bit_is_seen_wherever_it_hides(name):
    a, b = PAIRS[name]
    assert differ(a, b)
    assert not differ(a, a)


def test_a_global_that_a_function_reads_is_looked_into():
    def reads():
        return STORE

    seen = []
    for raw in (1, 2):
        STORE.raw = raw
        seen.append([value for name, value, _ in leaves(reads, "held") if name.endswith("STORE.raw")])
    assert seen == [[1], [2]]


def test_what_is_written_in_c_and_shows_nothing_is_refused():
    """Such a class has the flag of one that was written in Python, and room for more than dictionary and slots."""
    for thing in (re.compile("a"), np.random.default_rng(0).bit_generator, iter([1])):
        assert any(isinstance(value, Closed) for _, value, _ in leaves(Holds(thing), "held")), thing
        assert any(isinstance(value, Closed) for _, value, _ in leaves(in_class(thing), "held")), thing


def test_classes_of_python_are_opened():
    @dataclass(frozen=True, slots=True)
    class Slotted:
        one: int
        two: int

    class More(Slotted):
        __slots__ = ("__hidden",)

    for kind in (Holds, Slotted, More, Store):
        assert made_by_python(kind)
    assert not any(map(made_by_python, (array.array, re.Pattern, np.ndarray, FunctionType)))
