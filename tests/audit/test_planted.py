"""Bugs that strangers planted (planted.py): none of them holds, and the one blind spot that is left has a name."""

from __future__ import annotations

import tempfile

import pytest

from recprivlib.auditing import audit
from recprivlib.auditing.overheard import alone
from recprivlib.auditing.verdicts import UNSEEN
from tests.audit import planted
from tests.audit.aside import processes
from tests.audit.planted import PLANTED, POPULAR, REAL, SLOW, extra, sub

HEAVY = [name for name, system in PLANTED.items() if hasattr(system, "unclipped_quantile")]  # networks in rounds


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in HEAVY else name for name in PLANTED]
)
def test_a_planted_bug_does_not_hold(aside, name):
    """Where other threads run (a worker's own, a server that another test has left), no child is forked that would show
    what one run leaves to the next: there the audit gets a process of its own, as on the command line."""
    verdict, reason, found = said(name) if alone() else aside(name)
    assert verdict != "holds", reason
    assert found or reason.startswith("never reached") or verdict == "broken"


def said(name):
    done = audit(PLANTED[name], name=name, trials=1000)
    return done.verdict, done.reason, list(done.attacked.found)


def by_itself(name):
    assert alone(), "what one run leaves to the next is not looked at"
    planted.OPEN_BEFORE = tempfile.TemporaryFile("w")  # noqa: SIM115  its own: what its parent has open too is shared
    return said(name)


@pytest.fixture(scope="module")
def aside():
    """`aside(name)`: what is said in a process that does nothing else."""
    with processes(__name__) as ask:
        yield lambda name: ask(by_itself, name)


def test_by_itself_it_says_the_same(aside):
    verdict, _, found = aside("raw counts are printed")
    assert verdict != "holds"
    assert found


def test_time_is_the_blind_spot_and_says_so():
    found = audit(SLOW, trials=1000)
    assert found.verdict == "holds"
    assert "time" in UNSEEN
    assert "not looked at: time, memory, files that are read" in found.reason


def test_what_the_bugs_were_planted_into_holds():
    for base in (POPULAR, REAL["dplcf-sp"], REAL["laplace-svd"]):
        found = audit(base, trials=1000)
        assert (found.verdict, found.attacked.found) == ("holds", ())


def test_a_model_that_tells_the_random_numbers_it_was_given_tells_nothing():
    """A system's own rng is public: the noise comes from the gate's root, and no answer can be told from it."""

    def tells(self, train, rng):
        seed = int(rng.integers(2**63))
        model = type(POPULAR).fit(self, train, rng)
        return extra(lambda _: (seed, repr(rng.bit_generator.state)))(model, train)

    found = audit(sub(POPULAR, fit=tells), trials=1000)
    assert (found.verdict, found.attacked.found) == ("holds", ())


def test_a_model_that_tells_the_root_of_its_noise_is_found():
    from recprivlib.mechanisms.noise import here

    def tells(self, train, rng):
        return extra(lambda _: here().key)(type(POPULAR).fit(self, train, rng), train)

    found = audit(sub(POPULAR, fit=tells), trials=1000)
    assert any("the model.extra" in note for note in found.attacked.found)
