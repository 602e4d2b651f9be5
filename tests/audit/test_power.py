"""How near the attack comes to what is counted, system by system, at defaults; and why where it does not."""

import math

import pytest

from recprivlib.auditing import audit
from recprivlib.registry import systems

FINITE = sorted(name for name, entry in systems().items() if entry.terms)
SHORT = {
    "dp-covariance": (
        0.37,
        "Laplace and Gaussian answers together have no curve of one number: counts at one δ decide; and among the 220 "
        "films of its stage too few whole runs are played for its second answer, whose question hangs on the first",
    ),
    "dp-privrec": (0.0, "4 of 1,000 rounds are played, and in each she is drawn once in thirty"),
}  # a share that is reached, and why it is not a half


@pytest.mark.parametrize("name", FINITE)
def test_an_attack_reaches_half_of_the_bill_or_of_what_its_trials_could_show(name):
    """Power, where the bill is finite. Catches an attack that hears a part of the answers, or of each answer."""
    entry = systems()[name]
    found = audit(entry.system, name=name, unit=entry.terms[0], relation=entry.terms[1])
    attacked, counted = found.attacked, found.counted.epsilon
    assert attacked.decisive <= counted
    if math.isinf(counted):
        return
    least, _ = SHORT.get(name, (0.5, ""))
    assert attacked.epsilon_lower >= least * min(counted, attacked.ceiling)
    if least < 0.5:
        assert attacked.epsilon_lower < 0.5 * counted  # it still falls short: else the reason goes
