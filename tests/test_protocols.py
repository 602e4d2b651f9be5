"""What one part of the library may ask another for: the names in protocols.py, and no others."""

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest

from recprivlib import protocols
from recprivlib.data import load
from recprivlib.mechanisms import MECHANISMS, Cohort, VectorGaussian, leaky, secure
from recprivlib.registry import systems
from recprivlib.training import trained
from recprivlib.yardsticks.plain import Popularity

LIBRARY = Path(protocols.__file__).parent
FOREIGN = {  # of Python's own things, or of other people's: nothing that protocols.py could promise
    "__closure__", "__dict__", "__metadata__", "__name__", "__dataclass_fields__", "__module__", "addaudithook",
    "bit_generator", "choices", "fork", "on", "getloadavg", "json", "nbytes",
    "reason", "reconfigure", "strerror", "thread_time",
    "body", "decorator_list", "elts", "func", "id", "keys", "target", "value",  # of a syntax tree's nodes
}  # fmt: skip
OFFERED = {
    name: kind for name, kind in vars(protocols).items()
    if inspect.isclass(kind) and getattr(kind, "_is_protocol", False) and kind.__module__ == protocols.__name__
}  # fmt: skip


def members(kind):
    """The names that a protocol asks for."""
    own = {name for one in kind.__mro__ for name in [*vars(one), *vars(one).get("__annotations__", {})]
           if getattr(one, "_is_protocol", False)}  # fmt: skip
    return {name for name in own if not name.startswith("_")}


def asked(tree):
    """(line, name) of every name that a text reads by getattr or hasattr."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            name = node.args[1]
            if isinstance(name, ast.Constant):
                yield node.lineno, name.value


def unlisted(tree):
    listed = set().union(*(members(kind) for kind in OFFERED.values()))
    return [f"line {line}: {name}" for line, name in asked(tree) if name not in listed | FOREIGN]


@pytest.mark.parametrize("path", sorted(LIBRARY.rglob("*.py")), ids=lambda path: str(path.relative_to(LIBRARY)))
def test_a_name_that_is_read_by_getattr_or_hasattr_is_one_of_a_protocol(path):
    assert unlisted(ast.parse(path.read_text(encoding="utf-8"))) == []


def test_a_name_that_no_protocol_lists_would_be_seen():
    assert unlisted(ast.parse("def f(x):\n    return getattr(x, 'worst_pear', None)")) == ["line 2: worst_pear"]


@pytest.fixture(scope="module")
def things():
    """Systems, mechanisms and a model: all that somebody may ask."""
    train = load("synthetic", users=20, items=20).interactions
    made = [kind() for kind in vars(leaky).values() if inspect.isclass(kind) and hasattr(kind, "reachable")]
    drawn = [Cohort((VectorGaussian(),)), VectorGaussian(), secure(VectorGaussian()).mechanism]
    return [
        *(entry.system for entry in systems().values()), *MECHANISMS.values(), *made, *drawn,
        trained(Popularity(), train),
    ]  # fmt: skip


@pytest.mark.parametrize("name", OFFERED)
def test_somebody_offers_what_a_protocol_names(name, things):
    """A misspelt member would make `isinstance` answer no to everybody, and nothing else would notice."""
    kind = OFFERED[name]
    if getattr(kind, "_is_runtime_protocol", False):
        assert any(isinstance(thing, kind) for thing in things)
    else:
        assert any(all(hasattr(thing, member) for member in members(kind)) for thing in things)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_named_mechanism_can_stand_alone(name):
    mechanism = MECHANISMS[name]
    for kind in (protocols.HasMode, protocols.HasNeighbours, protocols.HasClaim, protocols.HasWorstPair):
        assert isinstance(mechanism, kind), kind.__name__


def test_a_secure_mechanism_states_a_likelihood_only_where_the_one_within_does():
    """`Secure` passes `log_density` on; who asks looks at the mechanism that draws (auditing/games.py)."""
    from recprivlib.auditing import statistic

    words = {}
    for name in ("randomized-response", "laplace"):
        real = secure(MECHANISMS[name])
        pair = tuple(np.asarray(end) for end in real.worst_pair())
        words[name] = statistic(real, pair, np.random.default_rng(0))[0]
    assert words == {"randomized-response": "likelihood ratio", "laplace": "learned likelihood ratio"}


def test_a_system_that_states_its_delta_terms_or_relation_is_billed_at_them():
    """Each is read by itself: a system need not state all three."""
    from recprivlib.accounting import bill

    sizes = protocols.Sizes(943, 1682, grid=(1.0, 2.0, 3.0, 4.0, 5.0))
    for entry in systems().values():
        if entry.system.ledger(sizes):
            counted = bill(entry, entry.system, sizes)["counted"]
            if hasattr(entry.system, "delta"):
                assert counted["delta"] == entry.system.delta
            if hasattr(entry.system, "terms"):
                assert (counted["unit"], counted["relation"]) == entry.system.terms
            if hasattr(entry.system, "relation"):
                assert counted["relation"] == entry.system.relation
