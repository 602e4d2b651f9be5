"""A random search for bills that are too low, or too high, over all losses, by references that share no code.

What is above the truth though the bill does not say that it is a bound counts as a mistake too.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from recprivlib.accounting.compose import tightest, why_bound
from recprivlib.accounting.pairs import pair
from tests.accounting.references import truth
from tests.accounting.runs import LOSSES, Setting, any_setting

SLACK = 1e-6  # below the truth by more than that is a bug
LOOSE = 0.01
SHARDS, EACH = 20, 500  # ten thousand, in parts that several workers can share


def found(setting: Setting) -> tuple[float, str]:
    """ε, and why it may be more than the truth."""
    made = [(pair(r.loss, setting.relation), r.count) for r in setting.releases]  # type: ignore[arg-type]
    parts = [(one, n) for one, n in made if one is not None]
    epsilon, how = tightest(parts, setting.delta)
    return epsilon, why_bound(parts, setting.delta, how)


@dataclass
class Tally:
    """`tried` settings; `closed`: how many references say from both sides how much it is."""

    tried: int = 0
    closed: int = 0
    below: list[str] = field(default_factory=list)
    above: list[tuple[float, str]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def loose(self) -> list[str]:
        """What is above the truth though the bill does not call it a bound; of one release, nothing may be."""
        return [said for _, said in self.above if not said.startswith("bound")]

    def add(self, setting: Setting) -> None:
        ours, why = found(setting)
        low, high = truth(setting, ours if 0 < ours < math.inf else 1.0)
        assert not any(map(math.isnan, (ours, low, high))), setting
        self.tried += 1
        self.closed += high < math.inf or low == math.inf
        self.kinds.update({type(release.loss).__name__ for release in setting.releases})
        if ours < low - SLACK * max(1.0, low):
            self.below.append(f"{ours:.9g} < {low:.9g}: {setting}")
        elif ours > high * (1 + LOOSE) + 1e-4:
            excused = why or any(r.one_order for r in setting.releases)
            bound = excused and sum(r.count for r in setting.releases) > 1
            said = f"{'bound: ' if bound else ''}{ours:.6g} for {high:.6g}: {setting}"
            self.above.append((ours / max(high, 1e-12), said))


def searched(seed: Any, settings: int, seconds: float = math.inf) -> Tally:
    """What is below the truth, and what is above it by more than 1 %."""
    rng, started, tally = np.random.default_rng(seed), time.process_time(), Tally()
    while tally.tried < settings and time.process_time() - started < seconds:
        tally.add(any_setting(rng))
    return tally


def test_no_bill_of_a_few_hundred_is_too_low():
    """What the slow test does at length. A bill of ε − 10⁻⁵ would be found."""
    tally = searched(0, 150, 6.0)
    assert not tally.below, "\n".join(tally.below)
    assert tally.tried >= 5
    assert not tally.loose, "\n".join(tally.loose)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_bill_of_ten_thousand_is_too_low(shard, capsys):
    """Lists what is above the truth by more than 1 %, the loosest first: bounds, and nothing else. Every kind of loss
    is in every shard."""
    assert SHARDS * EACH == 10_000
    tally = searched((10, shard), EACH)
    with capsys.disabled():
        print(f"\n{tally.tried:,} settings, {tally.closed} closed, {len(tally.below)} below the truth, "
              f"{len(tally.above)} above by more than 1 %; {dict(tally.kinds)}")  # fmt: skip
        for ratio, said in sorted(tally.above, reverse=True):
            print(f"  {ratio:8.3f} × {said}")
    assert not tally.below, "\n".join(tally.below)
    assert not tally.loose, "\n".join(tally.loose)
    assert tally.tried == EACH
    assert tally.closed > 0.9 * EACH
    assert {kind.__name__ for kind in LOSSES} == set(tally.kinds)
