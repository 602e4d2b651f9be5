"""What a strip says of how its numbers came about."""

from dataclasses import replace

import pytest

from recprivlib.auditing import USUAL
from recprivlib.dashboard import Appearance, explorer
from recprivlib.dashboard.bills import BillLabel, of_system, promised
from recprivlib.registry import get


@pytest.mark.parametrize(("epsilon", "lost"), [(10.0, False), (50.0, True)])
def test_a_strip_says_what_was_attacked_and_what_doubles_cannot_draw(epsilon, lost):
    """At ε = 50 a bit lies with probability 2e-22: no seeded run of ours will ever show that."""
    entry = get("fmf-ldp")
    system, terms = replace(entry.system, epsilon=epsilon), BillLabel(*entry.terms, "a person", tries=500)
    drawn = of_system(system, "fmf-ldp", USUAL, terms).drawn()
    assert "attacked: whole run" in drawn
    assert ("doubles never draw an answer of probability 2e-22" in drawn) is lost
    assert "attacked: whole run" not in promised(system, USUAL, terms).drawn()


def test_the_lab_attacks_one_mechanism_and_says_so():
    shown = explorer("privacy")
    assert "attacked: one release, as the ledger states it" in shown.strip(shown.compute(), Appearance())
