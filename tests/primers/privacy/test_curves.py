"""Trade-off curves of the chapter: a claim above its count above an attack, and a corner of few alarms on log axes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from recprivlib.accounting import guarantee, tradeoff
from recprivlib.accounting.bills import mechanism_ledger
from recprivlib.auditing import roc
from recprivlib.auditing.curves import trade_off
from recprivlib.mechanisms import Gaussian
from recprivlib.plots.palette import themed
from recprivlib.primers.privacy.curves import few_alarms, hits_at, three
from recprivlib.protocols import Claim

TERMS, DELTA = ("rating", "replace-value"), 1e-5
FALSE = np.linspace(0, 1, 201)


@pytest.fixture(scope="module")
def drawn():
    wide, rng = Gaussian(1.0), np.random.default_rng(0)
    books = mechanism_ledger("one answer", wide)
    claim = tradeoff.of_claim(Claim(guarantee(books, *TERMS, DELTA, "server").epsilon, DELTA, *TERMS, "its own bill"))
    whole = tradeoff.counted(books, *TERMS, "server")
    seen = trade_off(tuple(wide.release(np.full(100_000, x), rng) for x in wide.worst_pair()))
    return three((FALSE, 1 - claim(FALSE)), (FALSE, 1 - whole(FALSE)), (FALSE, seen.hits(FALSE)))


def curve(figure, name):
    (trace,) = (trace for trace in figure["data"] if trace.get("name") == name)
    return np.array(trace["y"])


def test_a_claim_allows_more_than_is_counted_and_the_attack_has_shown_less(drawn):
    claimed, counted, attacked = (curve(drawn, name) for name in ("claimed", "counted", "attacked, at least"))
    assert (claimed >= counted - 1e-9).all()
    assert (counted >= attacked).all()
    assert counted == pytest.approx(ndtr(ndtri(FALSE) + 1), abs=1e-6)
    assert counted[20] - attacked[20] < 0.02  # at a tenth of false alarms; else the attack has shown nothing
    assert claimed[20] > 0.95


def test_each_line_has_its_name_and_its_own_look(drawn):
    lines = [trace for trace in drawn["data"] if trace.get("name") in ("claimed", "counted", "attacked, at least")]
    assert len({(trace["line"]["dash"], trace["line"]["width"]) for trace in lines}) == 3
    words = {note["text"] for note in drawn["layout"]["annotations"]}
    assert {"claimed", "counted", "attacked, at least"} <= words
    assert (
        drawn["layout"]["meta"]["alt"]
        == "Hits at 10 % false alarms: claimed 99\u202f%, counted 39\u202f%, attacked 38\u202f%."
    )


def test_between_two_thresholds_a_coin_decides():
    certain = roc((np.zeros(1000), np.r_[np.ones(20), np.zeros(980)]))
    assert hits_at(certain, [0.0, 0.5]) == pytest.approx([0.02, 0.51])


def test_rare_alarms_are_seen_on_log_axes():
    rng = np.random.default_rng(0)
    honest = roc((rng.normal(0, 1, 50_000), rng.normal(0.3, 1, 50_000)), 50_000)
    leaky = roc((rng.normal(0, 1, 50_000), np.r_[np.full(1000, 99.0), rng.normal(0.3, 1, 49_000)]), 50_000)
    figure = few_alarms({"honest": honest, "leaky": leaky}, ("what is allowed", (FALSE, np.minimum(1, np.e * FALSE))))
    json.dumps(figure, allow_nan=False)
    assert [figure["layout"][axis]["range"] for axis in ("xaxis", "yaxis")] == [[-3, 0], [-3, 0]]
    allowed = curve(figure, "what is allowed")
    assert curve(figure, "leaky")[0] > 5 * allowed[0]
    assert curve(figure, "honest")[0] < 1.5 * allowed[0]
    looks = {trace["line"]["dash"] for trace in figure["data"] if trace.get("name") in ("honest", "leaky")}
    assert len(looks) == 2
    assert "leaky 2" in figure["layout"]["meta"]["alt"]
    assert themed(figure, "dark") != figure
