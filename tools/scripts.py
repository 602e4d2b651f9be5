"""What looks after the scripts of the pages: prettier, eslint and tsc (types), as package-lock.json has them.

    python -m tools.scripts

The book and its readers need none of it. Where Node is missing or too old, or the tools cannot be had, one line says so
and they are left out; with RECPRIV_REQUIRE_NODE set that is a failure. Standard library only.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE = (18, 18)  # the oldest that eslint 9 runs on
PLACE = "node_modules"
STAMP = f"{PLACE}/.installed"  # which lock the tools were installed from
INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund")  # nothing of a package runs while it is installed
TOOLS = {
    "prettier": ("prettier/bin/prettier.cjs", "--check", "--log-level=warn", "."),
    "eslint": ("eslint/bin/eslint.js", "--max-warnings=0", "."),
    "tsc": ("typescript/bin/tsc", "--pretty", "false"),
    "tsc, workers": ("typescript/bin/tsc", "--pretty", "false", "-p", "tools/types/workers.json"),
    "tsc, small": ("typescript/bin/tsc", "--pretty", "false", "-p", "tools/types/small.json"),
}


def main() -> int:
    try:
        node = ready()
    except LookupError as reason:
        insisted = bool(os.environ.get("RECPRIV_REQUIRE_NODE"))
        print(f"scripts: {reason}; prettier, eslint and tsc " + ("are wanted here" if insisted else "are left out"))
        return int(insisted)
    failed = False
    for name, done in run(node):
        print(name, flush=True)
        failed |= done.returncode != 0
        print(done.stdout + done.stderr, end="")
    return int(failed)


def run(node: str, root: Path | None = None) -> Iterator[tuple[str, subprocess.CompletedProcess[str]]]:
    """Each tool with what it found in the scripts under `root`."""
    for name, (script, *words) in TOOLS.items():
        command = [node, f"{PLACE}/{script}", *words]
        yield name, subprocess.run(command, cwd=root or ROOT, capture_output=True, text=True, encoding="utf-8")


def ready() -> str:
    """The path of Node, with the tools of the lock beside it; a LookupError says in a few words why there are none."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        raise LookupError("there is no Node with npm")
    if found(node) < NODE:
        raise LookupError(f"Node is older than {'.'.join(map(str, NODE))}")
    stamp, lock = ROOT / STAMP, hashlib.sha256((ROOT / "package-lock.json").read_bytes()).hexdigest()
    if not stamp.is_file() or stamp.read_text("ascii") != lock:
        done = subprocess.run([npm, *INSTALL], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
        if done.returncode:
            why = re.findall(r"(?m)^npm (?:error|ERR!) (?!code)(.+)", done.stderr) or ["no reason was given"]
            raise LookupError(f"npm could not install the tools ({why[0].strip()})")
        stamp.write_text(lock, encoding="ascii")
    return node


def found(node: str) -> tuple[int, ...]:
    """The version of this Node; () where it does not even say that."""
    done = subprocess.run([node, "--version"], capture_output=True, text=True)
    return tuple(map(int, re.findall(r"\d+", done.stdout)[:2])) if done.returncode == 0 else ()


if __name__ == "__main__":
    sys.exit(main())
