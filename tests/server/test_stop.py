"""Ctrl-C while the book is being built: at once, in one word, and nothing goes on working for nobody."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = """---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3}
---
# A chapter that takes its time

```{code-cell} ipython3
import time
time.sleep(600)
```
"""


@pytest.fixture
def project(tmp_path):
    """The library, the server and the build, with one chapter that is never done."""
    for name in ("recprivlib", "widgets", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("_ext", "_static", "_extra"):
        shutil.copytree(ROOT / "book" / name, tmp_path / "book" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("_config.yml", "conf.py", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/intro\nchapters:\n- file: book/chapter\n")
    (tmp_path / "book" / "references.bib").write_text("")
    (tmp_path / "book" / "intro.md").write_text("# First\n\n```{dashboard} dplcf\n```\n")
    (tmp_path / "book" / "chapter.md").write_text(CHAPTER)
    return tmp_path


def busy(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """All that was started, once a chapter and a frame are being computed."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        family = psutil.Process(process.pid).children(recursive=True)
        words = [" ".join(one.cmdline()) for one in family if one.is_running()]
        if any("ipykernel" in word for word in words) and any("states.py" in word for word in words):
            return family
        assert process.poll() is None, process.communicate()
        time.sleep(0.2)
    pytest.fail("the build never came to its chapter")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "everybody"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_it_stops_at_once_and_so_does_all_that_it_started(project, number, everybody):
    """A terminal sends Ctrl-C to the whole group; a polite kill reaches the one process."""
    command = [sys.executable, "-m", "recprivlib", "serve", "--no-open", "--port", "8497"]
    environment = os.environ | {"PYTHONPATH": str(project)}
    with subprocess.Popen(
        command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        family = busy(process)
        start = time.monotonic()
        (os.killpg if everybody else os.kill)(process.pid, number)
        out, said = process.communicate(timeout=60)
        took = time.monotonic() - start
    assert process.returncode == 130
    assert (out, said.splitlines()[-1]) == ("", "stopped")
    assert "Traceback" not in said
    assert took < 15
    assert psutil.wait_procs(family, timeout=10)[1] == []
    assert not (project / "_build" / "html").exists()


def test_the_server_waits_for_the_line_that_the_build_says():
    from recprivlib.cli import serve

    assert f'READABLE = "{serve.READABLE}' in (ROOT / "book" / "_ext" / "fingerprint.py").read_text("utf-8")
