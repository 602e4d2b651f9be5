"""An environment of its own for a federated run: what federation.lock says, in .venv-federation. Standard library only.

    python tools/federation.py

Flower asks for other versions than the book does, so it stays out of requirements.lock. Made once for each lock.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools.install import entries, wheels_only

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv-federation"
PYTHON = HOME / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def main() -> None:
    lock, ready = ROOT / "federation.lock", HOME / "ready"
    wanted = f"{sys.version_info[:2]} {hashlib.sha256(lock.read_bytes()).hexdigest()}"
    if ready.is_file() and ready.read_text("utf-8") == wanted:
        return
    venv.create(HOME, clear=True, with_pip=True)
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    wheels = wheels_only(entries(lock.read_text("utf-8")))
    if subprocess.run([*command, "--require-hashes", "--no-deps", wheels, "-r", str(lock)]).returncode:
        sys.exit("pip could not install Flower, and says above why; run the same command again")
    found = subprocess.run([PYTHON, "-c", "import site; print(site.getsitepackages()[-1])"],
                           capture_output=True, text=True, check=True)  # fmt: skip
    Path(found.stdout.strip(), "recprivlib.pth").write_text(f"{ROOT}\n", "utf-8")
    ready.write_text(wanted, "utf-8")


if __name__ == "__main__":
    main()
