"""What is installed, under which licence, and what is known to be wrong with it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

from tools import audit_deps

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PINS = dict(re.findall(r"(?m)^([\w.-]+)==([\w.+!]+)", LOCK))
ALLOWED = re.compile(
    r"\b(MIT|MIT-CMU|BSD|BSD-[0123]-Clause|0BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla Public|HPND|Zlib|"
    r"Unlicense|Public Domain|CC0|CNRI|ZPL|LGPL)\b|BSD[- ]|Apache[- ]",
    re.IGNORECASE,
)
READ = {  # by a person, where the packages' own words do not tell
    "docutils": "public domain, BSD and PSF; only an editor's mode, which is not installed, is under the GPL",
    "axe-playwright-python": "MIT, in the licence file that it ships; its metadata says nothing",
}
REFUSED = re.compile(r"\b(A?GPL|GNU (Affero )?General Public|SSPL|BUSL|Commons Clause|Non-?Commercial)", re.IGNORECASE)


def said(name: str) -> str | None:
    """What a package says of its licence; None where it is not installed on this kind of machine."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return None
    classed = [line for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
    words = [about.get("License-Expression") or "", *classed]
    return "; ".join(word for word in words if word) or (about.get("License") or "").strip()[:200]


@pytest.mark.parametrize("name", PINS)
def test_every_package_has_a_licence_that_lets_anybody_use_and_share_it(name):
    licence = said(name)
    if licence is None:
        return  # for another system or another Python
    if name in READ:
        return
    assert ALLOWED.search(licence), f"{name}: {licence!r}"
    assert not REFUSED.search(licence.replace("LGPL", "").replace("GNU Lesser General Public", "")), (
        f"{name}: {licence!r}"
    )


def test_a_licence_that_is_not_allowed_would_be_seen():
    for licence in ("GPL-3.0-only", "AGPL-3.0", "Proprietary", "", "Business Source License"):
        assert REFUSED.search(licence) or not ALLOWED.search(licence)


def test_conda_installs_the_versions_of_the_lock():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert dict(re.findall(r"^([\w.-]+)==([\w.+!]+)", line)[0] for line in lines if line[0] != "#") == PINS
    assert '"-c constraints.txt"' in (ROOT / "environment.yml").read_text("utf-8")


def test_known_vulnerabilities_are_listed_and_no_data_is_said(capsys):
    both = {
        one for lock in ROOT.glob("*.lock") for one in re.findall(r"(?m)^([\w.-]+==[\w.+!]+)", lock.read_text("utf-8"))
    }
    assert audit_deps.main(lambda queries: [{} for _ in queries]) == 0
    assert f"0 of {len(both)} locked packages" in capsys.readouterr().out
    first = next(iter(PINS))
    assert audit_deps.main(lambda queries: [{"vulns": [{"id": "GHSA-x"}]}] + [{} for _ in queries[1:]]) == 1
    assert f"{first} {PINS[first]}: GHSA-x" in capsys.readouterr().out

    def silent(queries):
        raise OSError("no network")

    assert audit_deps.main(silent) == 2
    assert "no advisory data can be had here (no network)" in capsys.readouterr().out
    assert audit_deps.main(lambda queries: [{}]) == 2


def test_what_the_projects_machine_installs_has_a_floor():
    run = (ROOT / ".ci" / "run").read_text("utf-8")
    installed = set(re.findall(r"command -v ([\w-]+)", run))
    assert installed == {"chromium", "firefox-esr", "haproxy", "node", "npm"}
    assert set(re.findall(r"(?m)^atleast ([\w-]+) ", run)) == installed
    for name in ("CHROMIUM", "FIREFOX", "HAPROXY", "NODE", "NPM"):
        assert re.search(rf"(?m)^{name}=[\d.]+$", run)


@pytest.mark.skipif(sys.platform == "win32", reason="a script for a shell")
@pytest.mark.parametrize(
    "said, good", [("HAProxy version 2.6.12-1 2026/10/17 - https://x", True), ("Mozilla Firefox 2.5.9esr", False),
                   ("Chromium 10.0", True), ("", False), ("no version", False)],
)  # fmt: skip
def test_a_version_below_the_floor_is_refused(said, good):
    run = (ROOT / ".ci" / "run").read_text("utf-8")
    function = run[run.index("atleast() {") : run.index("atleast chromium")]
    done = subprocess.run(["bash", "-c", f'{function}\natleast it 2.6 "$1"', "x", said], capture_output=True, text=True)
    assert (done.returncode == 0) == good
    assert good or "is older than 2.6" in done.stderr
