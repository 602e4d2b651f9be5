"""Who computes which cell, where several processes are at one folder.

A claim is a lock on one byte of the folder's file `.claims`; which byte, the cell's address says. The system takes it
back when its process ends, however it ends. Where a file system knows no locks everybody computes everything, which is
slower and not wrong.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

NAME = ".claims"


class Claims:
    """The claims of this process on the cells of a folder."""

    def __init__(self, folder: Path):
        self._left = list(folder.glob("*.draft"))  # being written, or left behind by a process that was killed
        self._file: Any = (folder / NAME).open("ab")

    def __enter__(self) -> Claims:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def take(self, address: str) -> bool:
        """Whether the cell is ours now; a claim that we have already stays ours."""
        try:
            _lock(self._file.fileno(), _byte(address))
        except (BlockingIOError, PermissionError):
            return False
        except (OSError, ImportError):
            return True
        for draft in [path for path in self._left if path.name.startswith(address)]:  # nobody is at this cell
            self._left.remove(draft)
            with suppress(OSError):
                draft.unlink()
        return True

    def release(self, address: str) -> None:
        """Somebody else may have it."""
        with suppress(OSError, ImportError):
            _unlock(self._file.fileno(), _byte(address))


def _byte(address: str) -> int:
    return int(address[:15], 16)


def _lock(file: int, byte: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, byte, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)


def _unlock(file: int, byte: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, byte, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
    else:
        import fcntl

        fcntl.lockf(file, fcntl.LOCK_UN, 1, byte)
