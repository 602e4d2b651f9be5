"""Make `.venv` hold what a part of requirements.lock says, and the project itself. Standard library only.

    python tools/install.py [read | lab | all]

    read   what reading needs: the book, its dashboards, the command line
    lab    JupyterLab, on top of it
    all    what tests, benchmarks and Dask need, on top of that

Packages come as wheels: nothing of theirs runs while it is installed. NO_WHEEL names the exceptions.
Safe to interrupt and to repeat: the stamp of a part (`.venv/ready`, `ready-lab`, `ready-all`) is written last.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import venv
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv"
PYTHON = HOME / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
READ = ("book", "dashboards", "sweep")  # extras of pyproject.toml
STAMPS = {"read": "ready", "lab": "ready-lab", "all": "ready-all"}
WHAT_FOR = {
    "read": "for reading, about 650 MB: half a minute",
    "lab": "more for JupyterLab",
    "all": "more for tests and benchmarks, about 500 MB",
}
NO_WHEEL = {  # (system, processor) -> packages of the locks that ship no wheel for it, and why they are built there
    ("darwin", "x86_64"): {
        "argon2-cffi-bindings": "its wheels for macOS are for Apple's processors since 26; JupyterLab asks for it",
        "scikit-surprise": "its wheels for macOS are for Apple's processors since 1.1.5; tests compare with it",
        "cryptography": "its wheels for macOS are for Apple's processors since 50; Flower asks for it",
    },
}
SHARES = 6  # of the packages, for pips side by side: enough that the last one is short


# ---------------------------------------------------------------------------------------------- what belongs to a part


def entries(lock: str) -> dict[str, str]:
    """Each package of a lock with its lines."""
    texts = re.split(r"(?m)^(?=[\w.-]+==)", lock)[1:]
    return {plain(text.partition("==")[0]): text for text in texts}


def plain(name: str) -> str:
    """A package's name as the lock spells it."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", name)[0]).lower()  # type: ignore[index]


def wanted(part: str, lock: dict[str, str], project: dict) -> list[str]:
    """The packages of a part: what pyproject.toml asks for, and whatever the lock says came with them ("via")."""
    if part == "all":
        return list(lock)
    about = project["project"]
    extras = [*READ, "lab"] if part == "lab" else READ
    asked = (about["optional-dependencies"][extra] for extra in extras)
    lists = [about["dependencies"], project["build-system"]["requires"], *asked]
    brought: dict[str, list[str]] = {}
    for name, text in lock.items():
        for line in text.partition("# via")[2].splitlines():
            if by := re.match(r"[\s#]*([\w.-]+)", line):
                brought.setdefault(plain(by[1]), []).append(name)
    found, todo = set(), [plain(one) for names in lists for one in names]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += brought.get(name, [])
    return [name for name in lock if name in found]


def wheels_only(names: Iterable[str]) -> str:
    """The option that makes pip refuse to build any of these packages but those without a wheel for this machine."""
    built = NO_WHEEL.get((sys.platform, platform.machine()), {})
    names = list(names)
    if built.keys().isdisjoint(names):
        return "--only-binary=:all:"
    return f"--only-binary={','.join(name for name in names if name not in built) or ':none:'}"


# ------------------------------------------------------------------------------------------------------- installing


class Progress:
    """On a terminal one line that changes, elsewhere a line now and then. Several pips tell it what they do."""

    def __init__(self, total: int):
        self.total, self.seen, self.lock = total, 0, threading.Lock()
        self.width = 60 if sys.stdout.isatty() else 0

    def found(self, name: str) -> None:
        """A package has come."""
        with self.lock:
            self.seen += 1
            text = f"      {self.seen:3d} of about {self.total}  {name}"
            if self.width:
                print(f"\r{text:<{self.width}}", end="", flush=True)
            elif self.seen % 25 == 0:
                print(text, flush=True)

    def end(self) -> None:
        """The line is done with."""
        if self.width:
            print(flush=True)


def pip(args: Iterable[str], progress: Progress | None = None) -> str:
    """One call of pip; what it said, where it failed. Modules are compiled when first used: most of them never are."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "--no-compile", "--no-deps", *args]
    log = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT) as process:
        for line in process.stdout or ():
            log.append(line)
            found = re.match(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)", line)
            if found and progress:
                progress.found(found[1])
    return "".join(log[-15:]) or "pip said nothing" if process.returncode else ""


def install(texts: list[str]) -> None:
    """These entries of the lock, with every core busy; one pip after all where several fail."""
    shares = [share for at in range(SHARES) if (share := texts[at::SHARES])]
    with tempfile.TemporaryDirectory() as folder:

        def one(name: str, share: list[str], progress: Progress) -> str:
            path = Path(folder) / f"{name}.txt"
            path.write_text("".join(share), encoding="utf-8")
            return pip(("--require-hashes", wheels_only(entries(path.read_text("utf-8"))), "-r", str(path)), progress)

        progress = Progress(len(texts))
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            said = list(pool.map(lambda job: one(str(job[0]), job[1], progress), enumerate(shares)))
        progress.end()
        if any(said):
            print("      again, one after the other", flush=True)
            progress = Progress(len(texts))
            failed = one("whole", texts, progress)
            progress.end()
            give_up(failed)


def give_up(said: str) -> None:
    """End here if pip has failed."""
    if said:
        sys.exit(f"\n{said}\npip could not install the environment; run the same command again.")


def works() -> bool:
    """Is there an environment that runs and is of a version that we support?"""
    probe = "import sys, pip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))"
    try:
        return subprocess.run([PYTHON, "-c", probe], capture_output=True).returncode == 0
    except OSError:
        return False


def main(part: str = "read") -> None:
    start = time.monotonic()
    (HOME / STAMPS[part]).unlink(missing_ok=True)
    if works():
        print("[1/3] .venv exists", flush=True)
    else:
        print(f"[1/3] new .venv with Python {sys.version.split()[0]}", flush=True)
        venv.create(HOME, clear=True, with_pip=True)
    lock = entries((ROOT / "requirements.lock").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    there = part != "read" and (HOME / STAMPS["read"]).exists()
    before = set(wanted("read", lock, project)) if there else set()
    names = [name for name in wanted(part, lock, project) if name not in before]
    print(f"[2/3] {len(names)} locked packages {WHAT_FOR[part]}", flush=True)
    install([lock[name] for name in names])
    print("[3/3] recprivlib itself", flush=True)
    # A call of its own: with hashes required, pip refuses a folder; the build backend came with the others.
    give_up(pip(("--no-build-isolation", "-e", ".")))
    (HOME / STAMPS[part]).touch()
    print(f"      ready in {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
