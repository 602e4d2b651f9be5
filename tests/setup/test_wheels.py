"""Every package of the locks comes as a wheel to every machine named here, but for the exceptions of set-up."""

from __future__ import annotations

import re
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from packaging import tags
from packaging.markers import Marker
from packaging.utils import parse_wheel_filename
from pip._internal.models.index import PyPI

from tools import install

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "federation.lock")
GLIBC = [f"_2_{minor}" for minor in range(35, 4, -1)] + ["2014", "2010", "1"]  # of Ubuntu 22.04 and before
MACHINES = {  # (sys.platform, platform.machine()) -> the platforms of its wheels, and more of its marker's words
    ("linux", "x86_64"): ([f"manylinux{one}_x86_64" for one in GLIBC], "Linux", "posix"),
    ("linux", "aarch64"): ([f"manylinux{one}_aarch64" for one in GLIBC], "Linux", "posix"),
    ("darwin", "arm64"): (list(tags.mac_platforms((14, 0), "arm64")), "Darwin", "posix"),
    ("darwin", "x86_64"): (list(tags.mac_platforms((14, 0), "x86_64")), "Darwin", "posix"),
    ("win32", "AMD64"): (["win_amd64"], "Windows", "nt"),
}
PYTHONS = [(3, 11), (3, 12), (3, 13)]


def wheels(name: str, text: str) -> set[tags.Tag]:
    """What the wheels fit whose hashes the lock has, as the package index lists them."""
    with urllib.request.urlopen(f"{PyPI.simple_url}/{name}/", timeout=60) as answer:
        files = re.findall(r'/([^/"#]+)#sha256=([0-9a-f]{64})', answer.read().decode())
    mine = [file for file, digest in files if digest in text]
    assert mine, f"the index has no file of {name} that the lock knows"
    return set().union(*(parse_wheel_filename(file)[3] for file in mine if file.endswith(".whl")))


def wanted(text: str, machine: tuple[str, str], python: str) -> bool:
    """Whether an entry of a lock is for this machine."""
    _, system, kind = MACHINES[machine]
    about = {"sys_platform": machine[0], "platform_machine": machine[1], "platform_system": system, "os_name": kind,
             "python_version": python, "python_full_version": f"{python}.5"}  # fmt: skip
    marker = re.match(r"\S+ *; *([^\\\n]+)", text)
    return marker is None or Marker(marker[1].strip()).evaluate(about)


@pytest.mark.slow
def test_wheels_exist_for_every_machine_but_where_an_exception_says_so():
    """Asks the package index what files it has of each locked version."""
    entries = [one for lock in LOCKS for one in install.entries((ROOT / lock).read_text("utf-8")).items()]
    assert len(entries) > 200, "the test has lost its way to the locks"
    with ThreadPoolExecutor(8) as pool:
        offered = list(pool.map(lambda one: wheels(*one), entries))
    built: dict[tuple[str, str], set[str]] = {machine: set() for machine in MACHINES}
    for machine, (platforms, _, _) in MACHINES.items():
        for python in PYTHONS:
            fit = {*tags.cpython_tags(python, platforms=platforms),
                   *tags.compatible_tags(python, f"cp{python[0]}{python[1]}", platforms)}  # fmt: skip
            for (name, text), found in zip(entries, offered, strict=True):
                if wanted(text, machine, f"{python[0]}.{python[1]}") and not fit & found:
                    built[machine].add(name)
    assert built == {machine: set(install.NO_WHEEL.get(machine, {})) for machine in MACHINES}
