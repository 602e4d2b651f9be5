"""Claim and bill stand beside each other at one δ, wherever they are shown."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pandas as pd
import pytest

from recprivlib import audit, get, papers
from recprivlib.accounting import bill
from recprivlib.accounting.bills import mechanism_bill
from recprivlib.accounting.claims import claimed_at
from recprivlib.cli import main
from recprivlib.dashboard.bills import BillLabel, promised
from recprivlib.mechanisms import MECHANISMS
from recprivlib.protocols import Claim, Sizes
from recprivlib.registry import systems

PAPERS = Path(papers.__file__).parent
SIZES = Sizes(943, 1682, grid=(1.0, 2.0, 3.0, 4.0, 5.0))
CLAIMING = [name for name, entry in systems().items() if entry.terms and entry.system.ledger(SIZES).claimed]
OWN = Claim(1.0, 1e-5, "user", "replace", "Theorem 2")


def test_a_claim_says_at_another_delta_what_it_implies_and_no_more():
    """(ε, δ) implies (ε, δ′) for δ′ > δ, and nothing for a smaller one; who computes ε for any δ is asked."""
    assert claimed_at(None, 0.1) is None
    assert [claimed_at(OWN, delta).epsilon for delta in (0.0, 9e-6, 1e-5, 0.01)] == [math.inf, math.inf, 1.0, 1.0]
    assert claimed_at(OWN, 0.01).delta == 0.01
    asked = dataclasses.replace(OWN, at=lambda delta: -math.log10(delta))
    assert [claimed_at(asked, delta).epsilon for delta in (0.0, 1e-6, 1e-3)] == [math.inf, 6.0, 3.0]


@pytest.mark.parametrize("name", CLAIMING)
@pytest.mark.parametrize("delta", [None, 0.0, 1e-9, 1e-3])
def test_no_bill_stands_beside_a_claim_at_another_delta(name, delta):
    found = bill(get(name), get(name).system, SIZES, delta=delta)
    assert found["claimed"]["delta"] == found["counted"]["delta"]
    own = get(name).system.ledger(SIZES).claimed
    if found["counted"]["delta"] < own.delta and not own.at:
        assert found["claimed"]["epsilon"] == math.inf


@pytest.mark.parametrize("name", ["laplace", "randomized-response", "duchi"])
def test_nor_does_that_of_a_mechanism(name):
    found = mechanism_bill(MECHANISMS[name], name, 3, delta=1e-3)
    assert found["claimed"]["delta"] == found["counted"]["delta"] == 1e-3


def test_nor_what_is_printed(capsys):
    """With --delta the claim of a pure ε is shown at that δ too; one at δ = 10⁻⁵ says nothing at 10⁻⁷."""
    for name, delta, power, said in (("dplcf-sp", "1e-06", "10⁻⁶", "claimed  ε = 1.0, δ = 10⁻⁶"),
                                     ("dpsgd-pnbm-repaired", "1e-07", "10⁻⁷", "claimed  ε = ∞, δ = 10⁻⁷")):  # fmt: skip
        main(["account", name, "--delta", delta])
        shown = capsys.readouterr().out
        assert said in shown
        assert f"δ = {power}" in next(line for line in shown.splitlines() if "counted" in line)
    main(["audit", "randomized-response", "--delta", "1e-06", "--trials", "1000", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert {document[part]["delta"] for part in ("claimed", "counted", "attacked")} == {1e-6}


def test_nor_what_an_audit_hands_back():
    done = audit(MECHANISMS["randomized-response"], delta=1e-6, trials=1000)
    assert done.claimed.delta == done.counted.delta == done.attacked.delta == 1e-6
    with pytest.raises(dataclasses.FrozenInstanceError):
        done.claimed = OWN
    assert dataclasses.replace(done, claimed=OWN).claimed == dataclasses.replace(OWN, epsilon=math.inf, delta=1e-6)


def test_nor_a_strip():
    system = get("dpsgd-pnbm-repaired").system
    label = BillLabel("user", "add-remove", "a person", delta=1e-7)
    assert promised(system, SIZES, label).claimed == math.inf
    assert promised(system, SIZES, dataclasses.replace(label, delta=1e-3)).claimed == 1.0


def private_rows():
    for file in sorted(PAPERS.glob("*/results/*.csv")):
        if "claimed_for" in pd.read_csv(file, nrows=0).columns:
            yield pd.read_csv(file, usecols=["claimed_for", "delta"]).dropna()


def test_nor_a_committed_row():
    rows = pd.concat(private_rows())
    assert len(rows) > 4000
    stated = rows["claimed_for"].str.extract(r"δ ([\d.e-]+)")[0].astype(float)
    assert (stated == rows["delta"]).all()
