"""The ways to set up agree with each other, and the lock can be trusted."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
APART = "federation"  # an extra that clashes with the others, with a lock of its own
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCKS = {name: (ROOT / name).read_text("utf-8") for name in ("requirements.lock", f"{APART}.lock")}


def pins(lock: str) -> dict[str, str]:
    found = re.findall(r"(?m)^([\w.-]+)==([\w.+!]+)", LOCKS[lock])
    return {canonicalize_name(name): version for name, version in found}


PINS = pins("requirements.lock")


def test_conda_installs_what_pyproject_says():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    python, pip, packages = environment["dependencies"]
    least, _ = PROJECT["requires-python"].split(",")
    assert python == f"python{least},<3.14", "3.14 is tried by the core alone, in a browser's Python"
    assert pip == "pip"
    wheels, _, own = packages["pip"]
    assert wheels == "--only-binary=:all:"
    extras = re.fullmatch(r"-e \.\[([\w,]+)\]", own)[1].split(",")
    assert set(extras) == set(EXTRAS) - {"dask", APART}, "a Dask cluster is nobody's first set-up; all else is"


@pytest.mark.parametrize("text, extra", [
    *((text, "") for text in PROJECT["dependencies"]), *((text, name) for name, all in EXTRAS.items() for text in all),
])  # fmt: skip
def test_the_lock_has_every_requirement_at_an_allowed_version(text, extra):
    requirement, found = Requirement(text), pins(f"{APART}.lock") if extra == APART else PINS
    assert requirement.specifier.contains(found[canonicalize_name(requirement.name)])


@pytest.mark.parametrize("name", ["numpy", "scipy", "pandas"])
def test_a_federated_run_computes_with_the_packages_of_the_book(name):
    """Equal to the last bit is a promise about these versions."""
    assert pins(f"{APART}.lock")[name] == PINS[name]


@pytest.mark.parametrize("text", [*EXTRAS["test"], *EXTRAS["sweep"], "mpmath"])
def test_what_the_tests_compare_with_is_installed(text):
    """A test that skips for want of its peer would skip unseen; only Dask may be missing (conda leaves it out)."""
    requirement = Requirement(text)
    assert requirement.specifier.contains(version(requirement.name))


def test_the_lock_has_the_backend_that_installs_the_project_without_the_network():
    system = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    assert {canonicalize_name(Requirement(one).name) for one in system["requires"]} <= set(PINS)


@pytest.mark.parametrize("lock", LOCKS.values(), ids=list(LOCKS))
def test_a_lock_has_hashes_and_names_no_index(lock):
    entries = re.split(r"(?m)^(?=[\w.-]+==)", lock)[1:]
    assert len(entries) == len(re.findall(r"(?m)^[^\s#]", lock)), "something in the lock is not a pinned package"
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in lock
    assert "index" not in lock.lower().replace("sphinxcontrib", "")


def test_the_core_needs_three_packages():
    """It runs in a browser under Pyodide: nothing may be added."""
    assert {Requirement(one).name for one in PROJECT["dependencies"]} == {"numpy", "scipy", "pandas"}


def test_gigabytes_stay_out():
    assert not {"torch", "lenskit", "autodp", "jax", "tensorflow"} & set(PINS)


@pytest.mark.parametrize("name", ["LICENSE", "book/LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"])
def test_what_a_visitor_looks_for_is_there(name):
    assert (ROOT / name).stat().st_size > 200


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
