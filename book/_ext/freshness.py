"""A page never shows a number that the present code would not print.

What a chapter printed is kept under a name of all that it depends on: its cells, the definitions of the library that
they reach, the committed tables that those read, the locked packages (fingerprint.outputs). Whoever changes something
else has no chapter run. A page read earlier is read again when the name of what it is made of has changed.

Chapters whose outputs are not known are executed side by side before Sphinx reads the first of them, and what they
really opened is held against what they were seen to reach: a chapter that reads more is refused.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import drafts
import kept
import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from recorder import LISTEN, TELL
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from fingerprint import ROOT, cells_of, digest, outputs, page, reached

READ = "read_from"  # page -> the name of its file's contents, and of what makes a page of it
MAKERS = (ROOT / "book" / "_ext", ROOT / "book" / "_static")  # a page names the very scripts that it was made with


def folder(app: Sphinx) -> Path:
    """Where outputs are kept between builds."""
    return Path(app.outdir).parent / "executed"


def name_cache(app: Sphinx, config: Any) -> None:
    """MyST-NB takes outputs from a cache that is made anew from ours for each build; nobody can find it damaged."""
    config.nb_execution_cache_path = str(folder(app) / ".now")


# ------------------------------------------------------------------------------------------- what is executed


def notebook_of(env: Any, docname: str) -> Any:
    """The notebook behind a page, or None."""
    path = Path(env.doc2path(docname))
    text = path.read_text("utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
    return reader.read(text) if reader else None


def place(app: Sphinx, docname: str, cells: list[str]) -> Path:
    """Where the outputs of these cells are kept, as long as nothing that they reach has changed."""
    return folder(app) / docname.rpartition("/")[2] / f"{outputs(cells)}.ipynb"


def execute_ahead(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Execute what is about to be read and whose outputs are not known, as many at a time as there are cores."""
    now = folder(app) / ".now"
    shutil.rmtree(now, ignore_errors=True)
    for old in folder(app).glob("*/"):
        kept.forget(old, "*.ipynb")
    cache_of_now = get_cache(now)
    jobs = []
    for name in docnames:
        notebook = notebook_of(env, name)
        if notebook is None:
            continue
        where = place(app, name, cells_of(notebook))
        body = kept.read(where, folder(app))
        if body is None:
            jobs.append((Path(env.doc2path(name)), notebook, where))
        else:
            os.utime(where)
            _hand_over(cache_of_now, Path(env.doc2path(name)), nbformat.reads(body.decode(), as_version=4))
    if not jobs:
        return
    start = time.monotonic()
    with ThreadPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
        for done, (path, where, result) in enumerate(pool.map(lambda job: execute(env, *job), jobs), 1):
            lacking = wrong(path, result)
            if lacking and (result.err or not drafts.draft(path.read_text("utf-8"))):
                pool.shutdown(wait=False, cancel_futures=True)
                raise ExtensionError(lacking)
            if lacking:
                drafts.tell(f"  draft: {lacking}")
            result.nb.metadata["seconds"] = result.time
            if not lacking:
                kept.write(where, nbformat.writes(result.nb).encode())
            _hand_over(cache_of_now, path, result.nb)
            progress(f"  executed {done} of {len(jobs)}: {path.stem} ({result.time:.1f} s)")
    progress(f"  chapters executed in {time.monotonic() - start:.1f} s")


def _hand_over(cache_of_now: Any, path: Path, notebook: Any) -> None:
    bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": notebook.metadata.get("seconds", 0.0)})
    cache_of_now.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def execute(env: Any, path: Path, notebook: Any, where: Path) -> tuple[Path, Path, Any]:
    """Run one chapter in its own kernel, in the folder it lies in, with a list kept of what it opens."""
    timeout = env.mystnb_config.execution_timeout
    quiet = ["--IPKernelApp.log_level=50", f"--IPKernelApp.exec_lines={[LISTEN]!r}"]  # no talk of ports and its own end
    notebook.cells.append(nbformat.v4.new_code_cell(TELL))
    spared = drafts.draft(path.read_text("utf-8"))
    run = single_nb_execution(notebook, str(path.parent), timeout, allow_errors=spared, extra_arguments=quiet)
    said = notebook.cells.pop()
    if not run.err:
        notebook.metadata["opened"] = json.loads("".join(output.get("text", "") for output in said.outputs))
    return path, where, run


def wrong(path: Path, run: Any) -> str:
    """What to say of a chapter that does not run, or that opens what its cells do not name; else ""."""
    cells = [cell for cell in run.nb.cells if cell.cell_type == "code"]
    spared = (cell for cell in cells if "raises-exception" not in cell.metadata.get("tags", []))
    failed = [one for cell in spared for one in cell.get("outputs", []) if one.output_type == "error"]
    if run.err or failed:
        return f"{path.relative_to(ROOT)} does not run:\n{run.err or f'{failed[0].ename}: {failed[0].evalue}'}"
    return unforeseen(path, run.nb)


def unforeseen(path: Path, notebook: Any) -> str:
    """What to say of a chapter that opened a file of the library which its cells were not seen to reach, else ""."""
    from recprivlib.definitions import files

    found = reached("\n".join(cells_of(notebook)))
    if found is None:
        return ""
    more = sorted(set(notebook.metadata["opened"]) - {file.relative_to(ROOT).as_posix() for file in files(found)})
    if not more:
        return ""
    return (f"{path.relative_to(ROOT)} opens {', '.join(more)}, which its cells do not name: write out the names of "
            f"systems and tables, or import what they use")  # fmt: skip


def progress(line: str) -> None:
    """Say what goes on; the build driver listens."""
    logging.getLogger("course.progress").info(line)


# ------------------------------------------------------------------------------------------- what is read again


def note(app: Sphinx, docname: str, _: list[str]) -> None:
    """Remember what a page was read from."""
    app.env.__dict__.setdefault(READ, {})[docname] = made_of(app.env, docname)


def edited(app: Sphinx, env: Any, *_: set[str]) -> list[str]:
    """Pages whose file says something else than when it was read; Sphinx looks at its time only, which may go back."""
    known = env.__dict__.get(READ, {}).items()
    return [docname for docname, name in known if docname in env.found_docs and made_of(env, docname) != name]


def made_of(env: Any, docname: str) -> str:
    """The name of a page's text, of what makes a page of it, and of all that the library puts into it."""
    file = Path(env.doc2path(docname))
    cells = cells_of(notebook_of(env, docname))
    return digest([file], _makers(), page(file.read_text("utf-8"), cells))


@cache
def _makers() -> str:
    return digest(MAKERS)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    for asked in (_makers, reached):
        asked.cache_clear()
    app.connect("config-inited", name_cache, priority=100)  # before MyST-NB reads its settings
    app.connect("source-read", note)
    app.connect("env-get-outdated", edited)
    app.connect("env-before-read-docs", execute_ahead)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
