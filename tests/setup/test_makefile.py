"""`make` finds a Python that works, whatever else lies on the path."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows goes through conda")
INSTALLER = """
import pathlib, sys
print('installed by', sys.executable, 'for', sys.argv[1])
pathlib.Path('.venv').mkdir(exist_ok=True)
pathlib.Path('.venv', {'read': 'ready', 'lab': 'ready-lab', 'all': 'ready-all'}[sys.argv[1]]).touch()
"""


@pytest.fixture
def project(tmp_path):
    """A folder with our Makefile, and an installer that only says who runs it."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "install.py").write_text(INSTALLER)
    return tmp_path


def candidate(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def make(project: Path, path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    environment |= {"PATH": f"{path}:{path.parent / 'tools-of-the-system'}", "HOST": "somewhere.else"}
    system = path.parent / "tools-of-the-system"
    system.mkdir(exist_ok=True)
    for tool in ("make", "sh", "awk"):
        if not (system / tool).exists():
            (system / tool).symlink_to(shutil.which(tool))
    command = [str(system / "make"), *words]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=60)


def test_dead_shims_and_old_pythons_are_passed_over(project, tmp_path):
    path = tmp_path / "path"
    path.mkdir()
    candidate(path, "python3", "echo 'pyenv: python3: command not found' >&2; exit 127")
    candidate(path, "python3.12", "exit 1")
    candidate(path, "python3.13", f'exec "{sys.executable}" "$@"')
    done = make(project, path, "setup")
    assert done.returncode == 0, done.stderr
    assert "installed by" in done.stdout


def test_tests_add_the_rest_to_what_reading_has_installed(project, tmp_path):
    path = tmp_path / "path"
    path.mkdir()
    candidate(path, "python3", f'exec "{sys.executable}" "$@"')
    assert re.findall(r" for (\w+)", make(project, path, "setup").stdout) == ["read"]
    assert re.findall(r" for (\w+)", make(project, path, "setup").stdout) == []
    assert re.findall(r" for (\w+)", make(project, path, "setup-all").stdout) == ["all"]
    later = time.time() + 10
    os.utime(project / "requirements.lock", (later, later))
    assert re.findall(r" for (\w+)", make(project, path, "setup-all").stdout) == ["read", "all"]


def test_without_any_python_one_line_says_what_to_do(project, tmp_path):
    path = tmp_path / "path"
    path.mkdir()
    candidate(path, "python3", "exit 127")
    done = make(project, path, "serve")
    assert done.returncode != 0
    assert "3.11, 3.12 or 3.13" in done.stderr
    assert "make PYTHON=" in done.stderr


def test_a_host_of_the_shell_is_not_ours(project, tmp_path):
    path = tmp_path / "path"
    path.mkdir()
    candidate(path, "python3", f'exec "{sys.executable}" "$@"')
    assert "--host 127.0.0.1 --port 8000" in make(project, path, "-n", "serve").stdout
    assert "--host 0.0.0.0 --port 8001" in make(project, path, "-n", "serve", "HOST=0.0.0.0", "PORT=8001").stdout


@pytest.mark.parametrize("bad", ["ruff check", "mypy", "tools.scripts", "tools/book.py", None])
def test_no_test_is_run_where_a_check_or_the_build_fails(project, tmp_path, bad):
    """They run beside each other; whichever fails, `make test` does, and says nothing about tests."""
    path, own = tmp_path / "path", project / ".venv" / "bin"
    path.mkdir()
    own.mkdir(parents=True)
    candidate(path, "python3", f'exec "{sys.executable}" "$@"')
    for name in ("ruff", "mypy", "python"):
        candidate(own, name, f'echo "{name} $*" >> ran; case "{name} $*" in *"{bad}"*) exit 1; esac')
    done = make(project, path, "test")
    ran = (project / "ran").read_text()
    assert (done.returncode == 0, "-m pytest" in ran) == (bad is None, bad is None)
    assert "tools/book.py" in ran
    assert "ruff check" in ran


def test_every_target_is_listed_and_phony():
    targets = set(re.findall(r"(?m)^([a-z-]+):", MAKEFILE))
    declared = re.search(r"\.PHONY: ((?:.*\\\n)*.*)", MAKEFILE)[1].replace("\\", "").split()
    assert targets == set(declared)
    wanted = "setup serve class book test test-slow bench bench-peers results results-check lab linkcheck lock clean"
    assert set(wanted.split()) <= targets
