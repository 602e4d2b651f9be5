"""How much memory runs take: a process that has imported everything forks one child a run, and looks at its peak.

python tests/memory/peaks.py < runs.json        a list of {"system", "users", "items", "settings"}
→ one JSON line a run: the same with "peak", bytes beyond what there was before
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

from recprivlib.experiment import run


def status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return 1024 * int(line.split()[1])
    raise LookupError(field)


def measured(system: str, users: int, items: int, settings: dict[str, Any]) -> int:
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = status("VmRSS")
    run(system, "synthetic", users=users, items=items, settings=settings)
    return status("VmHWM") - before


def forked(task: dict[str, Any]) -> dict[str, Any]:
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said: dict[str, Any] = {"peak": measured(**task)}
        except BaseException as error:
            said = {"error": f"{type(error).__name__}: {error}"}
        os.write(into, json.dumps(said).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as said_by:
        text = said_by.read()
    _, code = os.waitpid(child, 0)
    return task | (json.loads(text) if text else {"error": f"ended with {code}"})


def main() -> None:
    for name in ("popularity", "svd", "laplace-svd", "privrec"):  # what is imported and kept once is nobody's
        few = {"rounds": 1} if name == "privrec" else {} if name == "popularity" else {"epochs": 1}
        run(name, "synthetic", users=100, items=100, settings=few)
    for task in json.load(sys.stdin):
        print(json.dumps(forked(task)), flush=True)


if __name__ == "__main__":
    main()
