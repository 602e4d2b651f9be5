"""All pictures on one small page, on a host as strict as one may be: no book, no theme, nobody else's scripts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from recprivlib.living import crowd, notebook
from recprivlib.plots.palette import css_variables
from tools.plain import hosted

STATIC = Path(__file__).parents[2] / "book" / "_static" / "living"
LOOK = """const dark = matchMedia("(prefers-color-scheme: dark)");
const look = () => (document.documentElement.dataset.theme = dark.matches ? "dark" : "light");
dark.addEventListener("change", look); look();"""
CHANNELS = ("sp", "ap", "ldp_svd", "dp_pnbm", "fmf_ldp", "privrec")


@pytest.fixture(scope="session")
def pictures():
    """What Python tells of each, by the id of its section."""
    told = [notebook.picture(channel=channel) for channel in CHANNELS] + [crowd.picture()]
    return {one["id"]: one for one in told}


@pytest.fixture(scope="session")
def gallery(pictures, tmp_path_factory):
    """The address of a page with all of them, which follows the system's look."""
    folder = tmp_path_factory.mktemp("gallery")
    shutil.copytree(STATIC, folder / "living")
    (folder / "palette.css").write_text(css_variables(), "utf-8")
    bodies = [crowd.html(one) if name == "lv-crowd" else notebook.html(one) for name, one in pictures.items()]
    styles = "".join(f'<link rel="stylesheet" href="living/{name}.css">' for name in ("living", "notebook", "crowd"))
    scripts = "".join(
        f'<script defer src="living/{name}.js"></script>' for name in ("living", *notebook.SCRIPTS, *crowd.SCRIPTS)
    )
    (folder / "look.js").write_text(LOOK, "utf-8")
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pictures</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="palette.css">{styles}<script src="look.js"></script>'
        "<style>body{background:var(--rp-page);font:17px system-ui;margin:12px}h1{color:var(--rp-ink)}</style></head>"
        f"<body><main><h1>Pictures</h1>{''.join(bodies)}</main>{scripts}</body></html>",
        "utf-8",
    )
    with hosted(folder) as host:
        yield host
