"""What there is for a process: the machine, its own limits, and the control groups around it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recprivlib import limits
from recprivlib.limits import free

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")
MEMINFO = "MemTotal: 32000000 kB\nMemFree: 100 kB\nMemAvailable: 20000000 kB\n"  # 20.48 GB
MOUNT = "35 30 0:30 {root} {top} rw,nosuid - {kind} {kind} rw{options}\n"


def machine(tmp_path: Path, group: str = "", mount: str = "") -> Path:
    """A /proc that says this."""
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text(MEMINFO)
    (proc / "self" / "statm").write_text("100 50 10 1 0 60 0")
    (proc / "self" / "cgroup").write_text(group)
    (proc / "self" / "mountinfo").write_text("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mount)
    return proc


def group(folder: Path, **files: str | int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(f"{text}\n")


def test_what_is_available_counts_and_not_what_is_free(tmp_path: Path) -> None:
    assert free(machine(tmp_path)) == 20_000_000 * 1024


def test_the_tightest_of_nested_groups_counts(tmp_path: Path) -> None:
    """The limit stands two folders up; nearer ones have "max", or leave more."""
    top = tmp_path / "cgroup"
    group(top / "a", memory__max=8_000_000_000, memory__high="max", memory__current=5_000_000_000)
    group(top / "a" / "b", memory__max="max", memory__high="max", memory__current=1_000_000_000)
    group(top / "a" / "b" / "c", memory__max=7_000_000_000, memory__high="max", memory__current=500_000_000)
    mount = MOUNT.format(root="/", top=top, kind="cgroup2", options="")
    assert free(machine(tmp_path, "0::/a/b/c\n", mount)) == 3e9


def test_a_high_mark_is_a_limit_and_files_that_were_read_are_given_back(tmp_path: Path) -> None:
    top = tmp_path / "cgroup"
    group(top / "a", memory__max="max", memory__high=4_000_000_000, memory__current=3_000_000_000,
          memory__stat="anon 5\ninactive_file 500000000\nactive_file 7")  # fmt: skip
    mount = MOUNT.format(root="/", top=top, kind="cgroup2", options="")
    assert free(machine(tmp_path, "0::/a\n", mount)) == 1.5e9


def test_the_older_kind_of_groups_is_read(tmp_path: Path) -> None:
    top = tmp_path / "memory"
    group(top, memory__limit_in_bytes=9223372036854771712, memory__usage_in_bytes=10**10)  # none
    group(top / "job", memory__limit_in_bytes=2_000_000_000, memory__usage_in_bytes=800_000_000,
          memory__stat="total_inactive_file 300000000")  # fmt: skip
    mount = MOUNT.format(root="/", top=top, kind="cgroup", options=",memory")
    assert free(machine(tmp_path, "9:cpu,cpuacct:/x\n4:memory:/job\n0::/y\n", mount)) == 1.5e9


@pytest.mark.parametrize(
    ("root", "said"), [("/docker/abc", "/docker/abc"), ("/docker/abc", "/docker/abc/in"), ("/", "/")]
)
def test_in_a_container_the_root_of_what_is_seen_is_its_own_group(tmp_path: Path, root: str, said: str) -> None:
    top = tmp_path / "cgroup"
    group(top, memory__max=1_000_000_000, memory__high="max", memory__current=400_000_000)
    group(top / "in", memory__max="max", memory__high="max", memory__current=0)
    mount = MOUNT.format(root=root, top=top, kind="cgroup2", options="")
    assert free(machine(tmp_path, f"0::{said}\n", mount)) == 6e8


def test_nothing_is_known_where_nobody_says_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits.os, "sysconf", lambda name: -1)
    assert free(tmp_path / "nowhere") is None


@LINUX
@pytest.mark.parametrize("kind", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_what_the_process_may_take_is_what_it_gets(kind: str) -> None:
    """Of a limit of 3 GB is left what can be taken: 70 % of it is granted, 130 % is not."""
    code = f"""
import resource
from recprivlib.limits import free
before = free()
resource.setrlimit(resource.{kind}, (3 * 10**9, 3 * 10**9))
left = free()
assert left < 3e9 < before, (left, before)
bytearray(int(0.7 * left))
try:
    bytearray(int(1.3 * left))
except MemoryError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr
