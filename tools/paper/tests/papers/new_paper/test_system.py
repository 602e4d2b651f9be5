"""The counts, the cap and the bill of new_paper, and what its dashboard says of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recprivlib.accounting import guarantee
from recprivlib.auditing import audit
from recprivlib.dashboard.catalogue import explorer
from recprivlib.data import load
from recprivlib.evaluation import evaluate, split
from recprivlib.papers.new_paper import NoisyCounts
from recprivlib.population import capped
from recprivlib.protocols import Interactions, Sizes
from recprivlib.training import trained

EXPLORER = explorer("new_paper")


@pytest.fixture(scope="module")
def people() -> Interactions:
    """Of nobody so many interactions that the cap turns some out."""
    return capped(load("synthetic", users=300, items=200, seed=1).interactions, 20, np.random.default_rng(0))


def test_the_noise_is_what_the_ledger_states(people: Interactions) -> None:
    """Over 200 runs the mean square of Laplace(b) is 2b², its standard error √(20/n)·b²: five of these are allowed.

    It would catch noise for the whole of ε in every count, and half of it.
    """
    system, exact = NoisyCounts(epsilon=4.0, cap=20), np.bincount(people.items, minlength=people.n_items)
    films = np.arange(people.n_items)
    runs = [trained(system, people, seed).score(np.zeros(1, int), films[None, :])[0] - exact for seed in range(200)]
    (release,) = system.ledger(people.sizes).releases
    b, n = release.mechanism.scale, 200 * people.n_items
    assert np.mean(np.square(runs)) == pytest.approx(2 * b**2, abs=5 * math.sqrt(20 / n) * b**2)


@pytest.mark.parametrize("cap", [1, 20])
def test_a_person_costs_epsilon_whatever_the_cap(cap: int) -> None:
    ledger = NoisyCounts(epsilon=2.0, cap=cap).ledger(Sizes(943, 1682))
    assert guarantee(ledger, "user", "add-remove", 0.0, "server").epsilon == pytest.approx(2.0)


def test_the_attack_finds_the_claim_to_hold() -> None:
    found = audit(NoisyCounts(), name="new-paper", trials=1000)
    assert (found.verdict, found.counted.epsilon) == ("holds", pytest.approx(1.0))
    assert found.attacked.epsilon_lower <= found.counted.epsilon


def test_the_screen_shows_what_the_library_computes(capsys: pytest.CaptureFixture[str]) -> None:
    shown = EXPLORER.compute(epsilon=0.5, data="synthetic", seed=3)
    (fold,) = split(load("synthetic").interactions, "loo-latest", 3)
    model = trained(NoisyCounts(epsilon=0.5), fold.train, 3)
    assert shown.rate == pytest.approx(evaluate(model, fold).metrics["hr@10"])
    exec(EXPLORER.snippet({"epsilon": 0.5, "cap": 5, "data": "synthetic", "seed": 3}), {})
    assert f"new-paper: {shown.rate:.3f}" in capsys.readouterr().out
