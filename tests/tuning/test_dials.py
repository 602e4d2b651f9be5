"""Every system says what a search may turn and what it may not, and no dial moves what is paid."""

import dataclasses
import math

import numpy as np
import pytest

from recprivlib.accounting import bill
from recprivlib.dashboard.controls import turned
from recprivlib.data.synthetic import synthetic
from recprivlib.papers.dp_pnbm.weighted import item_means
from recprivlib.parameters import CLAIM, Dial, UserError, among, configured, dial, dials, parameter, parameters
from recprivlib.protocols import Sizes
from recprivlib.registry import systems
from recprivlib.tables import asked, grids
from recprivlib.training import trained

SYSTEMS = systems()
SIZES = Sizes(400, 60, grid=(1.0, 2.0, 3.0, 4.0, 5.0))
every = pytest.mark.parametrize("name", SYSTEMS)
NEVER = {"epsilon", "epsilon1", "epsilon2", "delta", "relation", "protects", "population", "noise_multiplier"}


def ends(system: object, key: str) -> list[object]:
    meta = parameters(system)[key]
    return list(meta.tune.values) or [meta.tune.at(0.0, meta.kind), meta.tune.at(1.0, meta.kind)]


def on(one: Dial, value: object) -> bool:
    """Whether the dial goes there; what is off (none, or 0 where it goes by factors) is where a search may begin."""
    return value in one.values if one.values else value in (None, 0) or one.low <= value <= one.high


@every
def test_every_parameter_has_a_dial_or_the_reason_why_it_has_none(name: str) -> None:
    for key, meta in parameters(SYSTEMS[name].system).items():
        assert isinstance(meta.tune, Dial) or len(meta.tune) > 10, (
            f"{key} has no tune=: a dial (`dial(2, 50)`, `among(…)`), or why a search may not turn it (`BUDGET`)"
        )


@every
def test_what_is_paid_and_what_is_asked_is_never_a_dial(name: str) -> None:
    assert not NEVER & set(dials(SYSTEMS[name].system))


@every
def test_the_printed_setting_lies_on_every_dial_and_every_end_is_accepted(name: str) -> None:
    system = SYSTEMS[name].system
    for key, one in dials(system).items():
        assert on(one, getattr(system, key)), key
        for value in ends(system, key):
            assert getattr(configured(system, {key: value}), key) == value


@every
def test_no_more_than_one_dial_is_walked_alone(name: str) -> None:
    assert sum(one.first for one in dials(SYSTEMS[name].system).values()) <= 1


@pytest.mark.parametrize("name", [name for name, entry in SYSTEMS.items() if entry.terms])
def test_turning_a_dial_leaves_the_bill_and_the_claim_where_they_are(name: str) -> None:
    entry = SYSTEMS[name]

    def said(system: object) -> tuple[object, ...]:
        found = bill(entry, system, SIZES)
        claimed, counted = found["claimed"] or {}, found["counted"]
        terms = [one.get(key) for one in (claimed, counted) for key in ("unit", "relation", "delta")]
        return claimed.get("epsilon"), counted["epsilon"], terms

    claimed, counted, terms = said(entry.system)
    claim = entry.system.ledger(SIZES).claimed
    own = claim is not None and claim.where.startswith("our own")  # ε is a bound that the noise may fall short of
    most = max(counted, claimed) if own else counted
    for key, one in dials(entry.system).items():
        if not one.splits:
            for value in ends(entry.system, key):
                found = said(configured(entry.system, {key: value}))
                assert found[0] == pytest.approx(claimed), (key, value)
                assert found[1] <= most * (1 + 1e-6), (key, value)
                assert found[2] == terms, (key, value)


@pytest.mark.parametrize("name", asked())
def test_the_search_reaches_every_setting_that_a_table_of_the_book_turns(name: str) -> None:
    for grid in grids(name):
        for cell in grid.cells:
            system = SYSTEMS[cell.system].system
            claims = [key for key, meta in parameters(system).items() if meta.tune == CLAIM]
            if all(cell.params[key] == getattr(system, key) for key in claims):  # else it is another system
                for key, one in dials(system).items():
                    assert one.splits or on(one, cell.params[key]), (str(cell), key)


def test_a_dial_beyond_the_range_it_is_checked_against_is_refused_where_it_is_written() -> None:
    with pytest.raises(UserError, match="the dial of 'how many' is 7, but must be a whole number from 1 to 5"):
        parameter(2, 1, 5, "how many", tune=dial(1, 7))
    with pytest.raises(UserError, match="'z', but must be one of x, y"):
        parameter("x", None, None, "which", choices=("x", "y"), tune=among("x", "z"))
    with pytest.raises(ValueError, match="no dial goes from 0 to 1"):
        dial(0, 1)


@pytest.mark.parametrize("one, kind", [(dial(1e-4, 10), float), (dial(2, 60), int), (dial(0.1, 0.9, "linear"), float)])
def test_a_share_and_its_value_say_the_same(one: Dial, kind: type) -> None:
    found = [one.at(step / 200, kind) for step in range(201)]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (one.low, one.high)
    for value in set(found):
        assert one.at(one.share(value), kind) == value


def test_a_share_is_never_quite_one_so_that_a_list_of_values_has_its_place() -> None:
    assert dial(1, 10).share(math.inf) < 1
    assert among(1, 2, 3).at(dial(1, 10).share(10.0)) == 3
    assert dataclasses.replace(dial(1, 10), first=True).first


def test_the_floor_is_the_books_until_one_of_its_two_pulls_is_turned() -> None:
    data = synthetic(seed=0, users=60, items=80).interactions
    floor = SYSTEMS["uniform-similarity"].system
    printed = trained(floor, data)
    assert (printed.means == item_means(data)).all()
    assert printed.pull == 0
    for key in dials(floor):
        pulled = trained(configured(floor, {key: 5.0}), data)
        spread = pulled.own if key == "pull_people" else pulled.means
        assert np.std(spread) < 0.9 * np.std(printed.own if key == "pull_people" else printed.means)
        assert (trained(configured(floor, {key: 0.0}), data).own == printed.own).all()


@pytest.mark.parametrize("name", ["dp-item-means", "dp-covariance"])
def test_the_pull_at_home_that_was_hidden_stays_where_it_was_until_it_is_turned(name: str) -> None:
    data, system = synthetic(seed=0, users=60, items=80).interactions, SYSTEMS[name].system
    assert trained(system, data).pull == pytest.approx(0.85 / 0.2)
    assert trained(configured(system, {"pull_people": 20.0}), data).pull == 20


def test_a_slider_made_of_a_dial_goes_where_the_search_goes_and_what_is_no_dial_is_refused_with_its_reason() -> None:
    control = turned("dpsgd-pnbm", "floor", "Floor C")
    assert (control.steps[0], control.steps[-1], control.default, control.log) == (1.0, 300.0, 10.0, True)
    assert (control.low, control.high) == (0.1, 1000)
    assert turned("optimal-mf", "mechanism", "Mechanism").choices[0] == ("optimal", "optimal")
    assert turned("laplace-svd", "clip_reports", "Cut reports").kind == "switch"
    with pytest.raises(UserError, match="epsilon of dpsgd-pnbm is no dial: what is paid is fixed first"):
        turned("dpsgd-pnbm", "epsilon", "ε")
