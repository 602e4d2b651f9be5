"""Make `.venv` hold exactly what requirements.lock says, and the project itself. Standard library only.

    python tools/install.py

Safe to interrupt and to repeat: `.venv/ready` is written last.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv"
PYTHON = HOME / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def works() -> bool:
    """Is there an environment that runs and is of a version that we support?"""
    probe = "import sys, pip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))"
    try:
        return subprocess.run([PYTHON, "-c", probe], capture_output=True).returncode == 0
    except OSError:
        return False


def pip(*args: str, expect: int) -> None:
    """One call of pip, with a line of progress instead of a page of names."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", *args]
    seen, log = 0, []
    width = 48 if sys.stdout.isatty() else 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT) as process:
        for line in process.stdout or ():
            log.append(line)
            found = re.match(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)", line)
            if found and expect:
                seen += 1
                show(f"      {seen:3d} of about {expect}  {found[1]}", width, every=seen % 25 == 0)
            elif line.startswith("Installing collected"):
                show("      unpacking", width, every=True)
    if process.returncode:
        tail = "".join(log[-15:])
        sys.exit(f"\n{tail}\npip could not install the environment; run the same command again.")


def show(text: str, width: int, every: bool) -> None:
    """On a terminal one line that changes, elsewhere a line now and then."""
    if width:
        print(f"\r{text:<{width}}", end="", flush=True)
    elif every:
        print(text, flush=True)


def main() -> None:
    start = time.monotonic()
    (HOME / "ready").unlink(missing_ok=True)
    if works():
        print("[1/3] .venv exists", flush=True)
    else:
        print(f"[1/3] new .venv with Python {sys.version.split()[0]}", flush=True)
        venv.create(HOME, clear=True, with_pip=True)
    lock = ROOT / "requirements.lock"
    count = len(re.findall(r"^[\w.-]+==", lock.read_text("utf-8"), re.MULTILINE))
    print(f"[2/3] {count} locked packages, about 1.2 GB: a minute or two", flush=True)
    # Two calls: with hashes required, pip refuses a folder; the build backend of the second comes with the first.
    pip("--require-hashes", "--no-deps", "-r", str(lock), expect=count)
    print(f"{chr(10) if sys.stdout.isatty() else ''}[3/3] recprivlib itself", flush=True)
    pip("--no-deps", "--no-build-isolation", "-e", ".", expect=0)
    (HOME / "ready").touch()
    print(f"      ready in {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
