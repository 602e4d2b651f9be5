"""What Sphinx is told: `_config.yml`, which is what people edit, in Sphinx's words. Jupyter Book reads the same file.

`make book` and `sphinx-build . _build/html` need this file only; `jupyter-book build .` does not look at it. A test
holds the two together.
"""

import sys
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
KNOWN = {
    "title": "html_title", "author": "author", "copyright": "copyright", "logo": "html_logo",
    "exclude_patterns": "exclude_patterns", "only_build_toc_files": "external_toc_exclude_missing",
    "bibtex_bibfiles": "bibtex_bibfiles", "execute.execute_notebooks": "nb_execution_mode",
    "execute.timeout": "nb_execution_timeout", "execute.stderr_output": "nb_output_stderr",
    "parse.myst_enable_extensions": "myst_enable_extensions", "html.favicon": "html_favicon",
    "html.use_multitoc_numbering": "use_multitoc_numbering", "launch_buttons.thebe": "",
}  # fmt: skip
# What Jupyter Book sets where a book says nothing else.
USUAL = {
    "exclude_patterns": ["**.ipynb_checkpoints", ".DS_Store", "Thumbs.db", "_build"],
    "extensions": ["sphinx_togglebutton", "sphinx_copybutton", "myst_nb", "sphinx_external_toc", "sphinx_design",
                   "sphinx_book_theme"],
    "external_toc_path": "_toc.yml", "html_theme": "sphinx_book_theme", "html_sourcelink_suffix": "",
    "html_baseurl": "", "myst_url_schemes": ["mailto", "http", "https"], "nb_execution_allow_errors": False,
    "nb_execution_cache_path": "", "nb_execution_excludepatterns": [], "nb_execution_in_temp": False, "numfig": True,
    "pygments_style": "sphinx",
}  # fmt: skip


def translated(path: Path) -> dict[str, Any]:
    """The settings of a `_config.yml`; one that is not known here is refused by its name."""
    asked = yaml.safe_load(path.read_text("utf-8"))
    own = asked.pop("sphinx", {})
    flat = {key: value for key, value in asked.items() if not isinstance(value, dict)}
    for part, inside in asked.items():
        flat |= {f"{part}.{key}": value for key, value in inside.items()} if isinstance(inside, dict) else {}
    if unknown := sorted(flat.keys() - KNOWN.keys()):
        raise ValueError(f"_config.yml says {unknown[0]!r}, which conf.py does not know: add it to KNOWN")
    found: dict[str, Any] = USUAL | {KNOWN[key]: value for key, value in flat.items() if KNOWN[key]}
    found["exclude_patterns"] = sorted({*USUAL["exclude_patterns"], *found["exclude_patterns"]})
    extensions = [*USUAL["extensions"], *own.get("local_extensions", {}), *own.get("extra_extensions", [])]
    found["extensions"] = [*extensions, "sphinxcontrib.bibtex"] if found.get("bibtex_bibfiles") else extensions
    for folder in dict.fromkeys(own.get("local_extensions", {}).values()):
        sys.path.insert(0, str(path.parent / folder))
    return found | own.get("config", {})


globals().update(translated(HERE / "_config.yml"))
