"""What a run is said to need is what it takes: within a factor of 1.5, for every system, at its parameters too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recprivlib.capacity import fits_drawn
from recprivlib.experiment import protocol_of
from recprivlib.parameters import configured, parameters
from recprivlib.registry import get, systems

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are read from Linux's /proc")
PEAKS = Path(__file__).with_name("peaks.py")
FACTOR = 1.5
SHORT = {"rounds": 2, "epochs": 2, "iterations": 2}  # a longer run holds no more
FILMS, PEOPLE = (1200, 4500), (16_000, 700)  # where pairs of items, and where people, are what there is most of
QUICK = [("item-knn", FILMS), ("dplcf-sp", FILMS), ("ldp-popularity", FILMS), ("ease", FILMS), ("privrec", FILMS),
         ("mf-als", PEOPLE), ("popularity", PEOPLE), ("item-mean", PEOPLE)]  # fmt: skip
DIALS: list[tuple[str, tuple[int, int], dict[str, Any]]] = [
    ("mf-als", PEOPLE, {"factors": 64}),
    ("mf-als", PEOPLE, {"factors": 6}),
    ("fcf", PEOPLE, {"factors": 64}),
    ("svd", PEOPLE, {"factors": 100}),
    ("dplcf-sp", PEOPLE, {"population": 3}),
    ("fmf-ldp", PEOPLE, {"k": 1000}),
    ("item-sign", PEOPLE, {"epsilon": 1.0}),
    ("ldp-popularity", PEOPLE, {"reports": "one"}),
    ("bpr-mf", PEOPLE, {"epsilon": 0.1}),
    ("cos", FILMS, {"common": True}),
    ("dpsgd-mf", PEOPLE, {"factors": 60}),
    ("privrec-cen", FILMS, {"cohort": 300}),
    ("nn-self", FILMS, {"cohort": 200}),
]


def task(name: str, size: tuple[int, int], settings: dict[str, Any]) -> dict[str, Any]:
    system = get(name).system
    few = {key: min(most, getattr(system, key)) for key, most in SHORT.items() if key in parameters(system)}
    return {"system": name, "users": size[0], "items": size[1], "settings": few | settings}


def ratios(tasks: list[dict[str, Any]]) -> dict[str, float]:
    """What was estimated over what was measured, for each run."""
    done = subprocess.run([sys.executable, PEAKS], input=json.dumps(tasks), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = {}
    for said in map(json.loads, done.stdout.splitlines()):
        assert "peak" in said, said
        entry = get(said["system"])
        system = configured(entry.system, said["settings"])
        protocol = protocol_of(said["system"], entry, None)
        need = fits_drawn(system, protocol, said["users"], said["items"]).needed
        found[f"{said['system']} {said['users']}x{said['items']} {said['settings']}"] = need / said["peak"]
    assert len(found) == len(tasks)
    return found


def wrong(found: dict[str, float]) -> dict[str, float]:
    return {name: round(ratio, 2) for name, ratio in found.items() if not 1 / FACTOR <= ratio <= FACTOR}


def test_a_run_takes_what_was_estimated() -> None:
    assert wrong(ratios([task(name, size, {}) for name, size in QUICK])) == {}


@pytest.mark.slow
@pytest.mark.parametrize("size", [FILMS, PEOPLE, (3500, 1800)], ids=["films", "people", "both"])
def test_every_system_takes_what_was_estimated(size: tuple[int, int]) -> None:
    assert wrong(ratios([task(name, size, {}) for name in systems()])) == {}


@pytest.mark.slow
def test_parameters_that_take_memory_are_in_the_estimate() -> None:
    assert wrong(ratios([task(*one) for one in DIALS])) == {}
