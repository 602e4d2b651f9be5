"""A page never shows a number that the present code would not print.

Executed chapters are cached by their cells (jupyter-cache); the cache's folder is named after everything else
that may change an output: the library (which pins the data's checksums), the committed results, the locked
packages. Pages read earlier are read again when that name changes, since it is part of Sphinx's configuration.

Chapters that are not in the cache are executed side by side before Sphinx reads the first of them.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from fingerprint import ROOT, digest, library

READ = "read_from"  # page -> the name of its file's contents, and of what makes a page of it
MAKERS = [ROOT / "book" / "_ext", ROOT / "book" / "_static"]  # a page names the very scripts that it was made with


def name_cache(app: Sphinx, config: Any) -> None:
    """Runs before MyST-NB reads its settings."""
    folder = Path(app.outdir).parent / "executed"
    older = sorted(folder.glob("*"), key=lambda path: path.stat().st_mtime)[:-3]
    for forgotten in older:
        shutil.rmtree(forgotten, ignore_errors=True)
    config.nb_execution_cache_path = str(folder / library())


def execute_ahead(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Execute what is about to be read and is not in the cache yet, as many at a time as there are cores."""
    cache = get_cache(env.mystnb_config.execution_cache_path)
    jobs = [job for job in (pending(env, name, cache) for name in docnames) if job]
    if not jobs:
        return
    start = time.monotonic()
    with ThreadPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
        for done, (path, result) in enumerate(pool.map(lambda job: execute(env, *job), jobs), 1):
            if result.err:
                pool.shutdown(wait=False, cancel_futures=True)
                raise ExtensionError(f"{path.relative_to(ROOT)} does not run:\n{result.err}")
            bundle = CacheBundleIn(result.nb, str(path), data={"execution_seconds": result.time})
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            progress(f"  executed {done} of {len(jobs)}: {path.stem} ({result.time:.1f} s)")
    progress(f"  chapters executed in {time.monotonic() - start:.1f} s")


def pending(env: Any, docname: str, cache: JupyterCacheAbstract) -> tuple[Path, Any] | None:
    """The notebook behind a page, if it is one and its outputs are not known."""
    path = Path(env.doc2path(docname))
    text = path.read_text("utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
    if reader is None:
        return None
    notebook = reader.read(text)
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return path, notebook
    return None


def execute(env: Any, path: Path, notebook: Any) -> tuple[Path, Any]:
    """Run one chapter in its own kernel, in the folder it lies in."""
    timeout = env.mystnb_config.execution_timeout
    quiet = ["--IPKernelApp.log_level=50"]  # a kernel talks to the terminal about ports and its own end
    run = single_nb_execution(notebook, str(path.parent), timeout, allow_errors=False, extra_arguments=quiet)
    return path, run


def progress(line: str) -> None:
    """Say what goes on; the build driver listens."""
    logging.getLogger("course.progress").info(line)


def note(app: Sphinx, page: str, _: list[str]) -> None:
    """Remember what a page was read from."""
    app.env.__dict__.setdefault(READ, {})[page] = digest([Path(app.env.doc2path(page)), *MAKERS])


def edited(app: Sphinx, env: Any, *_: set[str]) -> list[str]:
    """Pages whose file says something else than when it was read; Sphinx looks at its time only, which may go back."""
    known = env.__dict__.get(READ, {}).items()
    return [
        page for page, name in known if page in env.found_docs and digest([Path(env.doc2path(page)), *MAKERS]) != name
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", name_cache, priority=100)
    app.connect("source-read", note)
    app.connect("env-get-outdated", edited)
    app.connect("env-before-read-docs", execute_ahead)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
