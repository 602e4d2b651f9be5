"""A worker process ends with the process that started it, however that one ends: by kill -9 too."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

PAUSE = 0.5  # seconds between two looks at who the parent is
PR_SET_PDEATHSIG = 1


def tie() -> tuple[int, bool]:
    """What `tied` is to be called with in the processes that this thread starts."""
    return os.getpid(), threading.current_thread() is threading.main_thread()


def tied(parent: int, by_system: bool) -> None:
    """From now on this process ends when its parent, the process `parent`, does; what it starts itself may be tied too.

    Linux does that at once, whatever the process is at. It means the parent's thread, which may end before the
    process does: so only the main one is taken (`by_system`). Everywhere a thread looks who the parent is.
    """
    if by_system and sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    threading.Thread(target=_watch, args=(parent,), name="parent watch", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PAUSE)
    os._exit(1)  # nobody waits for what it computes, and nothing that it writes would be read
