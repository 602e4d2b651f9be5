"""Dashboards are found by listing, and imported by one thread at a time."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from recprivlib.dashboard.catalogue import explorer, stems

sys.setswitchinterval(1e-5)
together = Barrier(len(stems()))

def opened(stem):
    together.wait()
    return explorer(stem).stem

with ThreadPoolExecutor(len(stems())) as pool:
    print(*pool.map(opened, stems()))
"""


def test_all_dashboards_may_be_opened_first_at_the_same_time():
    """A server's threads warm them up beside each other: one met a module of which another had imported half."""
    from recprivlib.dashboard.catalogue import stems

    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(stems())
