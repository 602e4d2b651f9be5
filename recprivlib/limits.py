"""How much memory there is for this process: on the machine, by its own limits, by the control groups it is in.

Linux says all of it; elsewhere the standard library may know what the machine has. What nobody says is no limit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

NONE = 1 << 60  # from here on a limit of a control group means: none
GROUPS = {  # kind of mount -> (files with a limit, what is used, what of it could be had back)
    "cgroup2": (("memory.max", "memory.high"), "memory.current", "inactive_file"),
    "cgroup": (("memory.limit_in_bytes",), "memory.usage_in_bytes", "total_inactive_file"),
}


def free(proc: Path = Path("/proc")) -> float | None:
    """The bytes that this process can still take: the least of all that limits it; None: nothing is known."""
    found = [bytes_ for bytes_ in (_machine(proc), *_own(proc), *_groups(proc)) if bytes_ is not None]
    return max(0.0, min(found)) if found else None


def _machine(proc: Path) -> float | None:
    with suppress(OSError, ValueError, IndexError):
        for line in (proc / "meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    if sys.platform == "emscripten":
        return None  # a page grows as its browser lets it
    for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        with suppress(AttributeError, OSError, ValueError):
            number, each = os.sysconf(pages), os.sysconf("SC_PAGE_SIZE")
            if number > 0 and each > 0:
                return float(number) * each
    return None


def _own(proc: Path) -> Iterator[float]:
    """What `ulimit` leaves of address space and of data."""
    try:
        import resource
    except ImportError:  # Windows, browsers
        return
    pages = [0] * 7
    with suppress(OSError, ValueError):
        pages = [int(number) for number in (proc / "self" / "statm").read_text().split()]
    for kind, used in ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5])):
        limit, _ = resource.getrlimit(kind)
        if limit != resource.RLIM_INFINITY:
            yield float(limit - used * resource.getpagesize())


def _groups(proc: Path) -> Iterator[float]:
    """What each control group leaves, from our own up to the root of what we can see."""
    for kind, top, own in _mounts(proc):
        limits, used, idle = GROUPS[kind]
        for folder in (own, *own.parents):
            limit = min(_number(folder / name) for name in limits)
            if limit < NONE:
                yield limit - _number(folder / used, 0) + _idle(folder / "memory.stat", idle)
            if folder == top:
                break


def _mounts(proc: Path) -> Iterator[tuple[str, Path, Path]]:
    """(kind, where its tree begins, our group in it): a container may see its own group as the root of the tree."""
    try:
        mine = [line.split(":", 2) for line in (proc / "self" / "cgroup").read_text().splitlines()]
        mounts = (proc / "self" / "mountinfo").read_text().splitlines()
    except OSError:
        return
    for line in mounts:
        before, _, after = line.partition(" - ")
        fields, (kind, _, options) = before.split(), [*after.split(), "", "", ""][:3]
        if kind == "cgroup2" or (kind == "cgroup" and "memory" in options.split(",")):
            group = next((path for _, names, path in mine
                          if (names == "" if kind == "cgroup2" else "memory" in names.split(","))), None)  # fmt: skip
            if group is not None and len(fields) > 4:
                inside = group.removeprefix(fields[3].rstrip("/")) if group.startswith(fields[3]) else ""
                top = Path(fields[4])
                own = top / inside.strip("/")
                yield kind, top, own if ".." not in own.parts and own.is_dir() else top


def _number(path: Path, unknown: float = float(NONE)) -> float:
    """The number in a file; "max", or no such file, is `unknown`."""
    with suppress(OSError, ValueError):
        return float(int(path.read_text()))
    return unknown


def _idle(path: Path, name: str) -> float:
    """Files that were read and nobody needs any more: given up before anything is refused."""
    with suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            if line.startswith(f"{name} "):
                return float(line.split()[1])
    return 0.0
