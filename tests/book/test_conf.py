"""conf.py says to Sphinx what `_config.yml` says to Jupyter Book."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What Jupyter Book's command adds and the book does without: thebe, comments, LaTeX, its own directives.
WITHOUT = {"jupyter_book", "sphinx_thebe", "sphinx_comments", "sphinx.ext.intersphinx", "sphinx_jupyterbook_latex"}
ONLY_THERE = {"comments_config", "latex_engine", "use_jupyterbook_latex"}


@pytest.fixture(scope="module")
def conf():
    return runpy.run_path(str(ROOT / "conf.py"))


def test_both_read_the_same_settings_from_one_file(conf):
    from jupyter_book.config import get_final_config

    theirs, _ = get_final_config(
        user_yaml=ROOT / "_config.yml", sourcedir=ROOT,
        cli_config={"latex_individualpages": False, "external_toc_path": "_toc.yml"},
    )  # fmt: skip
    ours = conf["translated"](ROOT / "_config.yml")
    theirs["extensions"] = [name for name in theirs["extensions"] if name not in WITHOUT]
    assert ours == {name: value for name, value in theirs.items() if name not in ONLY_THERE}
    assert {name: conf[name] for name in ours} == ours


def test_what_conf_does_not_know_is_refused_by_its_name(conf, tmp_path):
    (tmp_path / "_config.yml").write_text("title: A\nlatex: {engine: xelatex}\n")
    with pytest.raises(ValueError, match=r"says 'latex\.engine', which conf\.py does not know"):
        conf["translated"](tmp_path / "_config.yml")
