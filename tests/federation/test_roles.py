"""Phones, proxy and server with bytes between them: the bits of a run in one process, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recprivlib.auditing.neighbours import PEOPLE, Stage
from recprivlib.auditing.replay import play, same
from recprivlib.data import load
from recprivlib.data.synthetic import BLOCK
from recprivlib.federation.roles import cast, packed, unpacked
from recprivlib.mechanisms.gate import taped
from recprivlib.papers.fmf_ldp import FMFLDP
from recprivlib.parameters import UserError
from recprivlib.registry import get
from recprivlib.training import trained

ALL = ("fmf-ldp", "fmf-ldp-stable", "item-sign")


def few(name, rounds=2, k=7):
    return replace(get(name).system, epochs=rounds, k=k)


def carried(system, train, seed, processes):
    """A run whose messages are handed over in this process."""
    server, proxy, phones = cast(system, train, seed, processes)
    with taped() as tape:
        told = server.start()
        for _ in range(system.rounds):
            told = server.learn([proxy.mix([one.answer(told) for one in phones])])
    return server, proxy, tape


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("processes", [1, 3, 150])
def test_bytes_between_processes_change_no_bit(name, processes):
    train = load("synthetic", users=150, items=60, seed=5).interactions
    server, _, _ = carried(few(name), train, 3, processes)
    model = trained(few(name), train, 3)
    again = few(name).model(server.told, train)
    assert same(again.items, model.items)
    assert same(again.users, model.users)


def test_a_run_of_phones_may_lie_in_two_blocks():
    train = load("synthetic", users=BLOCK + 300, items=30, seed=1).interactions
    system = few("fmf-ldp-stable")
    server, _, _ = carried(system, train, 3, 3)
    assert same(system.model(server.told, train).users, trained(system, train, 3).users)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("moved", [False, True])
def test_the_server_receives_what_the_audit_attacks(name, moved):
    """On the audit's own stage, in both worlds: what is shown to the server, and what the answers by name were."""
    system, world = few(name), Stage("user", "replace").world(moved)
    _, proxy, tape = carried(system, world, 11, 4)
    attacked = play(system, world, 11)
    kinds = [what for what, _ in tape.shown]
    assert kinds == ["told", *["sums", "told"] * 2]
    held = {f"{what} {n}.{part}": value for n, (what, told) in enumerate(tape.shown) for part, value in
            (told if what == "sums" else {"items": told.items}).items()}  # fmt: skip
    for where, value in held.items():
        assert same(value, attacked.held[where]), where
    numbers = {where for where in attacked.held if where.startswith("sums") and not where.endswith(".kind")}
    assert numbers == {where for where in held if where.startswith("sums")}  # beside them the kind of what holds them
    answers = [call.y for call in tape.calls]
    assert [len(one) for one in answers] == [PEOPLE] * 2 * 4  # each process asks the coin for its whole block
    for number, call in enumerate(attacked.calls):
        signs = np.concatenate([unpacked(one)["signs"] for one in proxy.heard[4 * number : 4 * number + 4]])
        assert same(signs, call.y if name != "item-sign" else call.y % 2)


def test_what_reaches_the_server_has_no_sender_and_no_order():
    system, world = few("fmf-ldp"), Stage("user", "replace").world()
    (one, by_name, _), (other, _, _) = (carried(system, world, 11, 4) for _ in range(2))
    for mine, theirs in zip(one.received, other.received, strict=True):
        first, second = (unpacked(message) for message in (mine, theirs))
        assert list(first) == ["reports"]
        assert first["reports"].shape == (PEOPLE * system.k, 2)
        assert not np.array_equal(first["reports"], second["reports"])  # mixed anew each time …
        assert np.array_equal(
            *(np.sort(part["reports"].view("i4,i4").ravel()) for part in (first, second))
        )  # … the same
    assert [unpacked(message)["phones"].tolist() for message in by_name.heard[:4]] == [
        [0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]
    ]  # fmt: skip


def test_a_process_holds_its_own_histories_and_nobody_elses():
    train = load("ml-100k").interactions
    for one in cast(FMFLDP(), train, 0, 4)[2]:
        assert set(one.own.users.tolist()) == set(one.mine)
        assert not one.own.user_features


def test_a_phone_that_is_silent_or_speaks_twice_stops_the_run():
    _, proxy, phones = cast(few("fmf-ldp"), Stage("user", "replace").world(), 0, 3)
    first = packed(items=np.zeros((50, 5)))
    messages = [one.answer(first) for one in phones]
    with pytest.raises(UserError, match="phone 8 answered 0 times"):
        proxy.mix(messages[:2])
    with pytest.raises(UserError, match="phone 0 answered 2 times"):
        proxy.mix([*messages, messages[0]])
    with pytest.raises(UserError, match="processes is 13"):
        cast(few("fmf-ldp"), Stage("user", "replace").world(), 0, 13)


def test_a_message_is_never_run():
    with pytest.raises(ValueError, match="allow_pickle"):
        unpacked(packed(items=np.array([{"a": 1}], object)))
