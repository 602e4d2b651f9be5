"""Real federation: processes that Flower connects give the bits of one process, and what the server got is the tape."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest

from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.replay import play, same
from recprivlib.data import load
from recprivlib.registry import get
from recprivlib.training import trained

pytestmark = pytest.mark.slow  # Flower's environment is 300 MB; a minute or two where it is not there yet
ROOT = Path(__file__).parents[2]

RUN = """
import json, sys
from dataclasses import replace
import numpy as np
from recprivlib.federation.flower import federate
from recprivlib.federation.roles import unpacked
from recprivlib.protocols import Interactions
from recprivlib.registry import get
from recprivlib.training import trained

name, changes, processes, seed, data, out = json.loads(sys.argv[1])
system, train = replace(get(name).system, **changes), np.load(data)
train = Interactions(**{key: train[key] for key in ("users", "items", "ratings", "times")},
                     n_users=int(train["n_users"]), n_items=int(train["n_items"]))
run = federate(system, train, seed, processes)
kept = {"items": run.model.items, "users": run.model.users}
for number, (what, value) in enumerate(run.shown):
    for part, array in (value if what == "sums" else {"items": value.items}).items():
        kept[f"{what} {number}.{part}"] = array
for turn, message in enumerate(run.received):
    for part, array in unpacked(message).items():
        kept[f"received {turn}.{part}"] = array
for turn in range(system.rounds):
    heard = [unpacked(one) for one in run.heard[turn * processes:(turn + 1) * processes]]
    order = np.argsort(np.concatenate([one["phones"] for one in heard]))
    kept[f"heard {turn}"] = np.concatenate([one["signs"] for one in heard])[order]
np.savez(out, **kept)
"""


@pytest.fixture(scope="module")
def python():
    """The interpreter of Flower's environment, made from its lock once."""
    subprocess.run([sys.executable, ROOT / "tools" / "federation.py"], check=True)
    return ROOT / ".venv-federation" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def federated(python, folder, name, train, processes, seed, **changes):
    """(what a federated run left, the addresses that its processes were connected to)."""
    np.savez(folder / "data.npz", **{key: getattr(train, key) for key in
             ("users", "items", "ratings", "times", "n_users", "n_items")})  # fmt: skip
    order = json.dumps([name, changes, processes, seed, str(folder / "data.npz"), str(folder / "run.npz")])
    reached: set[str] = set()
    with psutil.Popen([python, "-c", RUN, order], cwd=folder, stderr=subprocess.PIPE, text=True) as launcher:
        while launcher.poll() is None:
            for process in _family(launcher):
                reached |= _reached(process)
            time.sleep(0.5)
        assert launcher.returncode == 0, launcher.stderr.read()
    with np.load(folder / "run.npz") as kept:
        return dict(kept), reached


def _family(launcher):
    try:
        return [launcher, *launcher.children(recursive=True)][:20]
    except psutil.Error:
        return []


def _reached(process):
    try:
        return {one.raddr.ip.removeprefix("::ffff:") for one in process.net_connections("inet") if one.raddr}
    except psutil.Error:  # it has ended
        return set()


def agree(kept, system, train, seed):
    """Every bit of the model, of what the server was handed and told, and of what the proxy heard."""
    model, attacked = trained(system, train, seed), play(system, train, seed)
    assert same(kept["items"], model.items)
    assert same(kept["users"], model.users)
    shown = {where: value for where, value in kept.items() if where.startswith(("sums", "told"))}
    assert len(shown) == 1 + 3 * system.rounds
    for where, value in shown.items():
        assert same(value, attacked.held[where]), where
    messages = [where for where in kept if where.startswith("received")]
    assert messages == [f"received {turn}.reports" for turn in range(system.rounds)]  # and nothing beside them
    for turn, call in enumerate(attacked.calls):
        assert same(kept[f"heard {turn}"], call.y % 2 if np.ndim(call.y) == 3 else call.y)


@pytest.mark.parametrize("name", ["fmf-ldp", "fmf-ldp-stable", "item-sign"])
@pytest.mark.parametrize("moved", [False, True])
def test_four_processes_are_one_on_either_stage_of_the_audit(python, tmp_path, name, moved):
    changes, world = {"epochs": 2, "k": 5}, Stage("user", "replace").world(moved)
    kept, reached = federated(python, tmp_path, name, world, 4, 11, **changes)
    agree(kept, replace(get(name).system, **changes), world, 11)
    assert reached <= {"127.0.0.1"}


def test_two_hundred_processes_are_one(python, tmp_path):
    """Five rounds of MovieLens 100K, four or five phones a process."""
    changes, train = {"epochs": 5}, load("ml-100k").interactions
    start = time.monotonic()
    kept, reached = federated(python, tmp_path, "fmf-ldp-stable", train, 200, 0, **changes)
    print(f"{time.monotonic() - start:.0f} s")
    agree(kept, replace(get("fmf-ldp-stable").system, **changes), train, 0)
    assert reached == {"127.0.0.1"}


@pytest.mark.parametrize("on", ["0", "1"])
def test_what_flower_would_tell_its_makers_it_does_not_tell(python, on):
    """Switched on, it is caught; off, as every federated run has it, there is nothing to catch."""
    code = f"""
import os
from recprivlib.federation.processes import together
from recprivlib.training import trained
os.environ["FLWR_TELEMETRY_ENABLED"] = {on!r}
from flwr.supercore.telemetry import EventType, create_event
together([(create_event, (EventType.PING, None))], "flwr.supercore.telemetry")
"""
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, env={**os.environ})
    assert ("tried to reach telemetry.flower.ai" in done.stderr) == (on == "1"), done.stderr
    assert bool(done.returncode) == (on == "1")


def test_a_run_has_it_off_before_flower_is_loaded(python):
    code = "import recprivlib.federation.flower, flwr.supercore.telemetry as t; print(t.FLWR_TELEMETRY_ENABLED)"
    told = {**os.environ, "FLWR_TELEMETRY_ENABLED": "1"}
    assert subprocess.run([python, "-c", code], capture_output=True, text=True, env=told).stdout == "0\n"
