"""What makes a verdict: whom a claim is made against, what is reached and not only stated, what trials cannot see."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from recprivlib.auditing import USUAL, audit
from recprivlib.auditing.verdicts import WHOLE, verdict
from recprivlib.mechanisms import Laplace
from recprivlib.mechanisms.gate import released
from recprivlib.models.constants import PerItem
from recprivlib.protocols import Change, Claim, Guarantee, Ledger, Release

TERMS = ("rating", "replace-value")
CLAIM = Claim(1.0, 0.0, *TERMS, "a paper", view="server")
BILL = Guarantee(1.0, 0.0, *TERMS, "server", "nobody (local)", "added up")


def test_a_shuffled_bill_never_proves_a_local_claim():
    """Behind a shuffler less is seen: a bill below the claim is no proof; what is certified there breaks it all the
    same. Against a claim for the shuffled view, what the server sees proves nothing broken."""
    behind = replace(BILL, epsilon=0.1, view="shuffled")
    word, reason = verdict(CLAIM, behind, 0.05, None)
    assert (word, reason) == (
        "open",
        "the claim is against the server, the bill against the shuffled view, which sees less",
    )
    assert verdict(CLAIM, behind, 1.2, None)[0] == "broken"
    assert verdict(replace(CLAIM, view="shuffled"), replace(BILL, epsilon=5.0), 3.0, None)[0] == "open"
    assert verdict(replace(CLAIM, view="shuffled"), replace(BILL, epsilon=0.9), 0.5, None)[0] == "holds"


def test_what_holds_is_the_ledgers_arithmetic_and_what_was_attacked():
    word, reason = verdict(CLAIM, BILL, 0.8, None, played=WHOLE, ceiling=9.0, trials=100_000)
    assert word == "holds"
    assert reason.startswith("counted 1 ≤ claimed 1 is the ledger's arithmetic; the whole run was attacked and gave no")
    assert "one answer in 126 may go unseen" in reason
    assert "could not have shown" not in reason
    assert "its answers were attacked" in verdict(CLAIM, BILL, 0.8, None)[1]


def test_trials_that_are_too_few_for_the_claim_say_so():
    high = replace(CLAIM, epsilon=20.0), replace(BILL, epsilon=20.0)
    assert "these trials could not have shown more than 6.1" in verdict(*high, 4.0, None, ceiling=6.1, trials=900)[1]


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_a_bill_that_is_no_number_or_infinite_never_holds(wrong):
    assert verdict(CLAIM, replace(BILL, epsilon=wrong), 0.0, None)[0] == "open"


def test_a_finding_alone_opens_and_never_breaks():
    assert verdict(CLAIM, BILL, 0.8, None, found=("the model moves",)) == (
        "open", "the code does not do what its ledger says: the model moves",
    )  # fmt: skip
    assert verdict(CLAIM, BILL, 1.1, None, found=("the model moves",))[0] == "broken"


@dataclass(frozen=True)
class Sum:
    """A noisy sum whose ledger states that a rating moves it by at most 4; it moves it by 4·`share`."""

    share: float

    def fit(self, train, rng):
        total = self.share * train.ratings.sum(keepdims=True, dtype=float)
        return PerItem(np.full(train.n_items, released(Laplace(2.0, sensitivity=4.0), total)[0], np.float32))

    def ledger(self, sizes):
        release = Release("a noisy sum", Laplace(2.0, sensitivity=4.0), {TERMS: Change()})
        return Ledger((release,), trust="the server", claimed=Claim(1.5, 0.0, *TERMS, "nobody"))


def test_at_most_is_not_attained():
    """Counted 2 above a claimed 1.5: broken by arithmetic only where some pair of neighbours reaches the distance."""
    half, whole = (audit(Sum(share), sizes=USUAL, trials=1000) for share in (0.5, 1.0))
    assert half.counted.epsilon == whole.counted.epsilon == 2.0
    assert half.verdict == "open"
    assert (whole.verdict, whole.reason) == ("broken", "the exact ε is 2")
