"""One tape, two worlds: what must be equal is, inputs move by what is stated, and the check says how far it reached."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from recprivlib.accounting import supported
from recprivlib.accounting.bills import default_view
from recprivlib.auditing import USUAL, audit
from recprivlib.auditing.conformance import LedgerCheck, lines
from recprivlib.auditing.draws import cohorts, randomness
from recprivlib.auditing.leaves import Closed, leaves, same
from recprivlib.auditing.mutation import OPERATORS
from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.real_run import ordered, real_scenes
from recprivlib.auditing.rehearsal import WHOLE, rehearse
from recprivlib.auditing.replay import play
from recprivlib.auditing.scenes import WHO
from recprivlib.auditing.verdicts import ENOUGH
from recprivlib.data import load
from recprivlib.mechanisms import Cohort, Gaussian, Laplace, VectorGaussian
from recprivlib.mechanisms.gate import drawn, released, taped
from recprivlib.models.constants import PerItem
from recprivlib.parameters import UserError
from recprivlib.population import capped
from recprivlib.protocols import Change, Claim, Ledger, Release
from recprivlib.registry import systems

PRIVATE = {name: entry for name, entry in systems().items() if entry.terms}
TERMS = [("user", "add-remove"), ("user", "replace"), ("user", "swap"), ("user", "replace-value"),
         ("interaction", "add-remove"), ("interaction", "swap"), ("rating", "replace-value")]  # fmt: skip
PERSON = ("user", "add-remove")


# ---------------------------------------------------------------------------------------------------------- worlds


@pytest.mark.parametrize(("unit", "relation"), TERMS)
def test_neighbours_of_every_scene_differ_in_one_person_and_are_canonical(unit, relation):
    for scene in Stage(unit, relation, cap=20).scenes():
        for what, world, near in scene.others:
            assert world.sizes == scene.base.sizes
            assert np.array_equal(np.lexsort((world.items, world.times, world.users)), np.arange(len(world)))
            if near:
                rest = [data.take(data.users != WHO) for data in (scene.base, world)]
                assert all(np.array_equal(getattr(rest[0], part), getattr(rest[1], part))
                           for part in ("users", "items", "ratings", "times")), what  # fmt: skip
    if relation == "replace-value":
        assert all(np.array_equal(scene.base.items, world.items) for scene in Stage(unit, relation).scenes()
                   for _, world, _ in scene.others)  # fmt: skip


def test_scenes_have_who_is_longer_than_the_cap_exactly_at_it_and_whose_item_is_hers_alone():
    bases = [scene.base for scene in Stage("user", "add-remove", cap=20).scenes()]
    lengths = {int((base.users == WHO).sum()) for base in bases}
    assert {20, 21, 50} <= lengths
    others = [world for scene in Stage(*PERSON).scenes() for _, world, _ in scene.others]
    assert 0 in {int((world.users == WHO).sum()) for world in others}
    assert any(np.array_equal(base.users[base.items == 49], [WHO]) for base in bases)
    shortest = [np.delete(np.bincount(base.users, minlength=12), WHO).min() for base in bases]
    assert max(shortest) >= 20  # nobody has a short history


@pytest.mark.parametrize(("unit", "relation"), TERMS)
def test_a_real_data_set_is_changed_in_one_person(unit, relation):
    train = load("synthetic", users=40, items=60).interactions
    for scene in real_scenes(train, unit, relation):
        for _, world, near in scene.others:
            assert same(ordered(world).items, world.items)
            if near:
                rest = [data.take(data.users != scene.who) for data in (train, world)]
                assert np.array_equal(rest[0].items, rest[1].items)
                assert not (same(train.items, world.items) and same(train.ratings, world.ratings))


# ------------------------------------------------------------------------------------------- what must be equal


def test_what_cannot_be_looked_into_is_refused_and_what_can_is_compared_to_the_last_bit():
    @dataclass(frozen=True)
    class Held:
        thing: object

    assert any(isinstance(value, Closed) for _, value, _ in leaves(Held(iter([1])), "held"))
    raw = np.arange(5)
    hidden = [lambda: raw, raw[:2], {"a": [raw]}, {3, 4}]
    for thing in hidden:
        found = [value for _, value, _ in leaves(Held(thing), "held")]
        assert not any(isinstance(value, Closed) for value in found)
    assert any(same(value, raw) for _, value, _ in leaves(Held(raw[:2]), "held"))
    assert not same(np.array([0.0]), np.array([-0.0]))
    assert same(np.array([np.nan]), np.array([np.nan]))
    assert not same(np.array([0x7FF8000000000001], np.uint64).view(float), np.array([np.nan]))


@dataclass(frozen=True)
class Noisy:
    """Counts with noise, made with `factor` times the sensitivity that its ledger states."""

    factor: float = 1.0

    def fit(self, train, rng):
        counts = self.factor * np.bincount(train.items, minlength=train.n_items).astype(float)
        return PerItem(released(Laplace(1.0), counts))

    def ledger(self, sizes):
        near = {("interaction", "add-remove"): Change()}
        claim = Claim(1.0, 0.0, "interaction", "add-remove", "a test")
        return Ledger((Release("counts", Laplace(1.0), near),), trust="the server", claimed=claim)


@dataclass(frozen=True)
class Capped(Noisy):
    """The same of at most `cap` items a person: above the cap one interaction turns out another."""

    cap: int = 20

    def fit(self, train, rng):
        return super().fit(capped(train, self.cap, rng), rng)


def test_a_look_without_time_goes_on_while_nothing_has_moved():
    """The first scene, a person far above her cap, moves nothing here; a slow Python would stop at it."""
    brief = rehearse(Capped(), USUAL, "interaction", "add-remove", "model", 0, budget=0.0)
    assert [check.reach for check in brief.books.lines] == [2.0]  # twice what its ledger states
    still = rehearse(Capped(0.0), USUAL, "interaction", "add-remove", "model", 0, budget=0.0)
    assert [check.reach for check in still.books.lines] == [0.0]  # whatever is played
    assert still.books.runs > brief.books.runs


def test_a_line_that_neighbours_hardly_move_is_open_and_says_so():
    found = audit(Noisy(0.3), sizes=USUAL, trials=1000)
    assert found.verdict == "open"
    assert found.reason.startswith("never reached: no change that was tried moved more than 30% of counts")
    assert found.checked.reach == {"counts": pytest.approx(0.3)}


def test_a_line_that_says_why_nothing_reaches_it_may_hold():
    class Says(Noisy):
        def ledger(self, sizes):
            ledger = super().ledger(sizes)
            return replace(ledger, releases=(replace(ledger.releases[0], unreached="counts are cut to a third"),))

    found = audit(Says(0.3), sizes=USUAL, trials=1000)
    assert found.verdict == "holds", found.reason
    assert found.checked.never == {"counts": "counts are cut to a third"}


def test_a_change_that_is_farther_than_stated_is_found_with_the_line_that_asked():
    found = audit(Noisy(1.5), sizes=USUAL, trials=1000)
    assert found.verdict != "holds"
    (note,) = [note for note in found.attacked.found if "the ledger states" in note]
    assert "test_rehearsal.py:" in note


def test_one_line_reaches_half_of_two():
    check = LedgerCheck(Laplace(1.0), 4, 1.0, 2, 2.0, 1.0, 1, 1)
    assert check.reach == 0.5
    assert check.kept
    assert LedgerCheck(Gaussian(1.0), 4, 1.0, 2, 1.0, 1.0, 2, 1).reach == 0.5  # in L2 four answers are two units


# ------------------------------------------------------------------------------------------------------ cohorts


def test_a_cohorts_reach_is_counted_in_units_of_its_clip():
    event = Cohort((VectorGaussian(1.0, clip=2.0),), rate=0.5, sampling="fixed-size")
    ledger = Ledger((Release("a sum", event, {("user", "replace"): Change()}),))

    def calls(vector):
        with taped() as tape:
            members = drawn(event, 4)
            released(event, (np.tile(vector, (len(members), 1)) * (members == members[0])[:, None],))
        return tape.calls

    for vector, reach in ((np.array([2.0, 0.0]), 0.5), (np.array([0.5, 0.0]), 0.125), (np.array([9.0, 0.0]), 0.5)):
        (check,) = lines(ledger, "user", "replace", calls(0 * vector), calls(vector))
        assert check.reach == pytest.approx(reach, rel=1e-6)


def test_a_cohort_that_is_drawn_beside_the_gate_or_kept_is_found():
    event = Cohort((VectorGaussian(1.0),), rate=0.5, sampling="fixed-size")
    with taped() as tape:
        members = drawn(event, 10)
        for _ in range(2):
            released(event, (np.ones((len(members), 3)),))
    assert ["not drawn anew" in note for note in cohorts(tape.calls)] == [True]


def test_a_cohort_whose_sizes_are_not_those_of_its_draw_is_found():
    class Halves(Cohort):
        def draw(self, n, rng):
            return np.arange(n if rng.random() < self.rate else 0, dtype=np.int32)

    for kind, honest in ((Cohort, True), (Halves, False)):
        event = kind((VectorGaussian(1.0),), rate=0.5)
        with taped() as tape:
            members = drawn(event, 40)
            released(event, (np.ones((len(members), 3)),))
        assert (cohorts(tape.calls) == []) == honest


def test_a_mechanism_with_a_generator_of_its_own_is_found():
    @dataclass(frozen=True)
    class Own(Laplace):
        def release(self, x, rng):
            return super().release(x, np.random.default_rng())

    with taped() as tape:
        released(Own(1.0), np.zeros(3))
    assert len(randomness(tape.calls)) == 2  # draws nothing from the gate, and never the same twice


# -------------------------------------------------------------------------------------------- what ends in open


def test_a_claim_at_another_delta_never_stands_beside_the_bill():
    class Small(Noisy):
        def ledger(self, sizes):
            ledger = super().ledger(sizes)
            return replace(ledger, claimed=replace(ledger.claimed, delta=1e-5))

    at_larger = audit(Small(), sizes=USUAL, trials=1000, delta=1e-3)
    assert at_larger.claimed.delta == at_larger.counted.delta == 1e-3
    below = audit(Small(), sizes=USUAL, trials=1000, delta=1e-7)
    assert below.verdict == "open"
    assert "says nothing at δ = 1e-07" in below.reason
    assert math.isinf(below.claimed.epsilon)


def test_a_run_that_stops_early_is_open_with_the_finding_and_no_mistake_of_the_user():
    class Stops(Noisy):
        def fit(self, train, rng):
            if len(train) % 2:
                return PerItem(np.zeros(train.n_items))
            return super().fit(train, rng)

    found = audit(Stops(), sizes=USUAL, trials=1000)
    assert found.verdict == "open"
    assert found.attacked.found


def test_a_run_that_fails_in_some_worlds_is_open_with_the_finding():
    class Fails(Noisy):
        def fit(self, train, rng):
            return PerItem(super().fit(train, rng).scores / (1 // (train.items == 7).sum()))

    assert audit(Fails(), sizes=USUAL, trials=1000).verdict == "open"


def test_what_nobody_can_run_is_refused():
    class Refuses(Noisy):
        def fit(self, train, rng):
            raise UserError("no")

    with pytest.raises(UserError, match="no"):
        audit(Refuses(), sizes=USUAL, trials=1000)


# ------------------------------------------------------------------------------------------- honest systems


@pytest.mark.parametrize("name", ["dp-item-means", "dp-covariance", "dpsgd-mf"])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_what_is_public_is_no_leak_where_nothing_is_promised_of_it(name, relation):
    """Item means over exact counts tell who rated what; the ledger says that this is public, and bills such
    neighbours as infinite. What is left to look at is what they said."""
    system = PRIVATE[name].system
    run = rehearse(system, USUAL, "user", relation, "model", 0)
    assert run.found == []
    assert "who rated what as it is" in run.checked.worlds
    found = audit(system, unit="user", relation=relation, trials=200, rehearsed=run)
    assert (found.verdict, math.isinf(found.counted.epsilon)) == ("open", True)


@pytest.mark.parametrize("bug", ["model: array", "gate: bare", "side: printed"])
def test_what_is_public_hides_no_leak_of_what_is_not(bug):
    wrong = OPERATORS[bug].build(PRIVATE["dp-item-means"].system)
    for unit, relation in [("rating", "replace-value"), ("user", "add-remove"), ("user", "replace")]:
        assert rehearse(wrong, USUAL, unit, relation, "model", 0).found, (unit, relation)


def test_whoever_calls_a_leak_public_pays_everything_for_it():
    """A system that tells who rated what may say so: it then has no bill for whole people that could hold."""

    @dataclass(frozen=True)
    class Tells(Noisy):
        said: bool = True

        def fit(self, train, rng):
            model = super().fit(train, rng)
            return replace(model, scores=model.scores + np.bincount(train.items, minlength=train.n_items))

        def ledger(self, sizes):
            return replace(super().ledger(sizes), rated_public=self.said)

    loud = audit(Tells(said=False), sizes=USUAL, trials=200)
    assert (loud.verdict, bool(loud.attacked.found)) == ("open", True)
    told = audit(Tells(), sizes=USUAL, trials=200)
    assert (told.verdict, math.isinf(told.counted.epsilon)) == ("open", True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", PRIVATE)
def test_honest_systems_raise_no_false_alarm_at_any_terms(name, seed):
    entry = PRIVATE[name]
    ledger = entry.system.ledger(USUAL)
    view = default_view(ledger)
    for unit, relation in supported(ledger, view):
        run = rehearse(entry.system, USUAL, unit, relation, view, seed, budget=WHOLE)
        assert run.found == [], (unit, relation)


def test_a_seed_repeats_a_tape_and_a_played_one_needs_no_noise():
    system, world = PRIVATE["dp-popularity"].system, Stage(*PERSON).world()
    one, two = (play(system, world, 3, "model") for _ in range(2))
    again = play(system, world, 3, "model", one.calls)
    assert same(one.held["the model.scores"], two.held["the model.scores"])
    assert same(one.held["the model.scores"], again.held["the model.scores"])
    assert ENOUGH == 0.5


@pytest.mark.parametrize("ours", [False, True])
def test_a_file_that_somebody_else_writes_to_is_not_held_against_a_run(tmp_path, ours):
    """Two processes may have one log open: whose words are in it is told by who has moved on in it."""
    from recprivlib.auditing import overheard as module

    path = tmp_path / "log"
    with path.open("w") as held, path.open("w") as other:
        before = module._open_files()
        (held if ours else other).write("a line")
        held.flush()
        other.flush()
        (which,) = (one for one in before if one[0] == held.fileno())
        after = module._open_files()[which]
        assert (before[which][0] != after[0], before[which][1] != after[1]) == (True, ours)


@pytest.mark.parametrize(
    ("name", "bug"), [("dp-popularity", "root: own"), ("dplcf-sp", "root: data's"), ("dp-gram", "root: rewound")]
)
def test_noise_of_another_root_than_the_run_s_is_found(name, bug):
    """A system may open a root of its own, or take the run's back: then it knows its noise."""
    entry = PRIVATE[name]
    wrong = OPERATORS[bug].build(entry.system)
    found = audit(wrong, name=name, unit=entry.terms[0], relation=entry.terms[1], trials=1000)
    assert found.verdict != "holds"
    assert any("root of the run" in one for one in found.attacked.found)
