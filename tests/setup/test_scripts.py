"""What looks after the scripts: pinned, from no address of anybody's, left out in one line where Node is missing."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import scripts

ROOT = Path(__file__).resolve().parents[2]
LOCK = json.loads((ROOT / "package-lock.json").read_text("utf-8"))
PACKAGES = {name: about for name, about in LOCK["packages"].items() if name}
LICENCES = {
    "MIT",
    "ISC",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Python-2.0",
}  # the last is that of Python itself


def test_the_lock_names_contents_and_no_registry():
    """An address in a lock is asked on every machine, and it is that of whoever wrote the lock."""
    for name, about in PACKAGES.items():
        assert "resolved" not in about, name
        assert about["integrity"].startswith("sha512-"), name


def test_the_lock_has_what_is_asked_for_in_exact_versions():
    asked = json.loads((ROOT / "package.json").read_text("utf-8"))["devDependencies"]
    assert LOCK["packages"][""]["devDependencies"] == asked
    assert {name: PACKAGES[f"node_modules/{name}"]["version"] for name in asked} == asked


def test_no_tool_runs_code_while_it_is_installed_or_has_a_licence_that_is_not_allowed():
    assert "--ignore-scripts" in scripts.INSTALL
    assert {about["license"] for about in PACKAGES.values()} <= LICENCES
    assert not [name for name, about in PACKAGES.items() if about.get("hasInstallScript")]


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a lock, and a path on which nothing is but what a test puts there."""
    (tmp_path / "package-lock.json").write_text("{}")
    (tmp_path / scripts.PLACE).mkdir()
    path = tmp_path / "path"
    path.mkdir()
    monkeypatch.setattr(scripts, "ROOT", tmp_path)
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.delenv("RECPRIV_REQUIRE_NODE", raising=False)
    return path


ABSENT = {
    "nothing": ({}, "there is no Node with npm"),
    "no npm": ({"node": "echo v20.1.0"}, "there is no Node with npm"),
    "old": ({"node": "echo v16.20.0", "npm": "exit 0"}, "Node is older than 18.18"),
    "dead": ({"node": "exit 127", "npm": "exit 0"}, "Node is older than 18.18"),
    "offline": (
        {"node": "echo v20.1.0", "npm": "echo 'npm error code ENOTFOUND' >&2; echo 'npm error no network' >&2; exit 1"},
        "npm could not install the tools (no network)",
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="scripts for a shell")
@pytest.mark.parametrize("case", ABSENT)
def test_where_the_tools_cannot_be_had_one_line_says_so_and_only_the_projects_machine_fails(
    project, monkeypatch, capsys, case
):
    programs, why = ABSENT[case]
    for name, script in programs.items():
        program(project, name, script)
    assert scripts.main() == 0
    assert capsys.readouterr().out.splitlines() == [f"scripts: {why}; {ALL} are left out"]
    monkeypatch.setenv("RECPRIV_REQUIRE_NODE", "1")
    assert scripts.main() == 1
    assert "are wanted here" in capsys.readouterr().out
    assert re.search(r"(?m)^export RECPRIV_REQUIRE_NODE=1$", (ROOT / ".ci" / "run").read_text("utf-8"))


ALL = "prettier, eslint and tsc"


@pytest.mark.skipif(sys.platform == "win32", reason="scripts for a shell")
def test_tools_are_installed_once_a_lock_and_one_that_finds_something_fails_the_check(project, monkeypatch, capsys):
    asked = project.parent / "asked"
    program(project, "npm", f'echo "$@" >> {asked}')
    program(project, "node", 'case "$1" in --version) echo v18.19.0;; *eslint*) echo "no-undef"; exit 1;; esac')
    assert scripts.main() == 1
    assert "no-undef" in capsys.readouterr().out
    scripts.main()
    assert asked.read_text().splitlines() == [" ".join(scripts.INSTALL)]
    (project.parent / "package-lock.json").write_text("{ }")
    scripts.main()
    assert len(asked.read_text().splitlines()) == 2
    program(project, "node", "case $1 in --version) echo v18.19.0;; esac")
    assert scripts.main() == 0


def tracked(*endings: str) -> set[str]:
    done = subprocess.run(["git", "ls-files", *endings], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


HARM = "const unused_here = nowhere()\n"  # no semicolon, no use, no such name


def test_what_is_harmed_is_found_by_each_tool_in_every_script(tmp_path):
    """Otherwise a tool that looks at nothing would be content too."""
    try:
        node = scripts.ready()
    except LookupError as reason:
        (pytest.fail if os.environ.get("RECPRIV_REQUIRE_NODE") else pytest.skip)(str(reason))
    for name in (*tracked("*.js", "*.mjs", "*.cjs"), *tracked(*CONFIGURED)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
        if name.endswith("js") and name not in CONFIGURED:
            with (tmp_path / name).open("a", encoding="utf-8") as file:
                file.write(HARM)
    (tmp_path / scripts.PLACE).symlink_to(ROOT / scripts.PLACE)
    for name, done in scripts.run(node, tmp_path):
        missed = [one for one in wanted(name) if one not in (done.stdout + done.stderr).replace("\\", "/")]
        assert not missed, f"{name} did not see {missed}"


CONFIGURED = ("package.json", "eslint.config.mjs", ".prettierignore", "tsconfig.json", "tools/types/*")


def wanted(tool: str) -> set[str]:
    """The scripts that a tool has to look at."""
    scripts = tracked("*.js", "*.mjs", "*.cjs") - set(CONFIGURED)
    workers = {f"widgets/site/{name}" for name in ("sw.js", "worker.mjs")}
    small = {"book/_static/static-frame.js"}  # its bytes are counted: types at every parameter would be too many
    typed = scripts - workers - small - set(UNTYPED)
    return {"tsc": typed, "tsc, workers": workers, "tsc, small": small}.get(tool, scripts)


UNTYPED = {
    "tests/browser/firefox.cjs": "it reaches into Node's own loader, for which there are no types",
    "tests/laboratory/core.mjs": "Node's types would be one package more, for forty lines",
    "tests/plots/spread.mjs": "the same, for twelve",
}


def test_every_script_says_that_its_types_are_checked_but_those_named_here():
    said = {name for name in wanted("eslint") if (ROOT / name).read_text("utf-8").startswith("// @ts-check\n")}
    assert wanted("eslint") - said == set(UNTYPED)
