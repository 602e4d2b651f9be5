"""Whose noise it is: a run's, repeated at its seed; the operating system's otherwise; never the system's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from recprivlib import get, load, run
from recprivlib.experiment import to_json
from recprivlib.mechanisms import Laplace, OptimalChannel
from recprivlib.mechanisms.common import STARS
from recprivlib.mechanisms.gate import drawn, released, taped
from recprivlib.mechanisms.noise import Root, along, rooted
from recprivlib.mechanisms.secure import Secure
from recprivlib.models.constants import PerItem
from recprivlib.protocols import Entry, Ledger, Release
from recprivlib.registry import systems
from recprivlib.training import followed, trained

PRIVATE = [name for name, entry in systems().items() if entry.terms]
X = np.zeros(4)


def noise(seed):
    with rooted(seed):
        return released(Laplace(1.0), X).tolist()


def test_a_seed_gives_the_same_noise_again_and_no_other_does():
    assert noise(3) == noise(3) != noise(4)


def test_every_passage_has_numbers_of_its_own():
    with rooted(0):
        first, second = (released(Laplace(1.0), X) for _ in range(2))
    assert not (first == second).any()


def test_a_branch_does_not_notice_what_passes_beside_it():
    root = Root.of(0)
    with rooted(root.branch(1, 1)):
        alone = released(Laplace(1.0), X)
    with rooted(root):
        released(Laplace(1.0), X)
    with rooted(root.branch(0, 1)):
        beside = released(Laplace(1.0), X)
    with rooted(root.branch(1, 1)):
        assert (released(Laplace(1.0), X) == alone).all()
    assert not (beside == alone).any()


def test_without_a_root_nobody_can_repeat_it(monkeypatch):
    from recprivlib.mechanisms import noise as module

    token = module._root.set(None)
    try:
        assert not (released(Laplace(1.0), X) == released(Laplace(1.0), X)).any()
    finally:
        module._root.reset(token)


def test_two_iterators_that_take_turns_do_not_share_their_noise():
    def walk():
        for _ in range(3):
            yield released(Laplace(1.0), X).tolist()

    alone = list(along(Root.of(1), walk()))
    one, other = along(Root.of(1), walk()), along(Root.of(2), walk())
    turns = list(zip(one, other, strict=True))
    assert [first for first, _ in turns] == alone
    assert [second for _, second in turns] == list(along(Root.of(2), walk()))


@dataclass(frozen=True)
class Tells:
    """A mean with noise, and a server that tells everybody the state of its own random numbers."""

    def fit(self, train, rng):
        said = np.array([rng.bit_generator.state["state"]["state"] % 2**32], np.float32)
        return PerItem(np.concatenate([said, released(Laplace(1.0), np.zeros(9)).astype(np.float32)]))

    def ledger(self, sizes):
        return Ledger((Release("a mean", Laplace(1.0), {}),))


def test_who_knows_a_system_s_own_random_numbers_knows_nothing_of_its_noise():
    """The hole: noise was drawn from the generator that a system holds, and a model that told its state told all."""
    train = load("synthetic", users=20, items=20).interactions
    rng = np.random.default_rng(7)
    state = rng.bit_generator.state
    with rooted(1):
        told = Tells().fit(train, rng).scores[1:]
    mine = np.random.default_rng()
    mine.bit_generator.state = state
    for guess in (mine, np.random.default_rng(7), np.random.default_rng(7).spawn(1)[0]):
        assert not np.allclose(Laplace(1.0).release(np.zeros(9), guess), told, atol=1e-6)
    with rooted(2):  # the same public numbers, other noise
        assert not np.allclose(Tells().fit(train, np.random.default_rng(7)).scores[1:], told)


@pytest.mark.parametrize("name", PRIVATE)
def test_a_system_s_own_random_numbers_do_not_hide_anybody(name):
    """Whatever `rng` a private system is given, the noise of its first answers is the root's."""
    system, train = get(name).system, load("synthetic", users=1000, items=40).interactions

    def answers(seed):
        with rooted(seed), taped(enough=3) as tape:
            system.fit(train, np.random.default_rng(5))
        return [np.ravel(part) for call in tape.calls if call.drew
                for part in (call.y if isinstance(call.y, tuple) else (call.y,))]  # fmt: skip

    one, again, other = map(answers, (1, 1, 2))
    assert all(map(np.array_equal, one, again))
    assert not all(map(np.array_equal, one, other))


def test_cohorts_are_drawn_from_the_root():
    entry: Entry = get("dp-privrec")
    event = entry.system.event(200)
    with rooted(1):
        one = drawn(event, 200)
    with rooted(1):
        again = drawn(event, 200)
    with rooted(2):
        other = drawn(event, 200)
    assert (one == again).all()
    assert not np.array_equal(one, other)


def test_the_steps_of_a_run_have_its_noise():
    train = load("synthetic", users=60, items=40).interactions
    system = get("dpsgd-mf").system
    *_, (_, last) = followed(system, train, 3)
    assert (last.user_bias == trained(system, train, 3).user_bias).all()


# ------------------------------------------------------------------------------------------- the real thing


def test_a_real_run_is_never_the_same_twice_and_says_so():
    found = [run("ldp-popularity", "synthetic", users=60, items=40, real=True) for _ in range(2)]
    assert not np.array_equal(*(one.per_user["hr@10"] for one in found)) or found[0].metrics != found[1].metrics
    assert to_json(found[0])["noise"] == "operating system"
    assert to_json(run("popularity", "synthetic", users=60, items=40))["noise"] == "seeded"
    assert any("drawn exactly" in note for note in found[0].notes)


def test_in_a_real_run_finite_mechanisms_answer_exactly_and_others_as_doubles():
    with rooted(real=True), taped() as tape:
        released(OptimalChannel(1.0, STARS, (0.2,) * 5), np.array([1.0, 5.0]))
        released(Laplace(1.0), X)
    assert [isinstance(call.mechanism, Secure) for call in tape.calls] == [True, False]
    report = run("dp-item-means", "synthetic", users=60, items=40, real=True)
    assert any("as doubles" in note for note in report.notes)


@pytest.mark.parametrize("name", PRIVATE)
def test_every_private_system_runs_for_real(name):
    system, train = get(name).system, load("synthetic", users=40, items=30).interactions
    few = {key: 2 for key in ("rounds", "epochs", "iterations") if key in type(system).__dataclass_fields__}
    if "cohort" in type(system).__dataclass_fields__:
        few["cohort"] = 10
    from dataclasses import replace

    model = trained(replace(system, **few), train, real=True)
    assert np.isfinite(model.score(np.zeros(3, int), np.arange(3))).all()
