"""The dashboards' frames are computed beside the build, whole or not at all."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "book" / "_ext"))

import frames  # (a local extension of the book)

WRITES = (
    "import sys; from pathlib import Path; p = Path(sys.argv[1]); p.mkdir(exist_ok=True); "
    "(p / 'x.js').write_text('1'); print('again', file=sys.stderr)"
)


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "CODE", WRITES)
    (tmp_path / "page.md").write_text("```{dashboard} x\n```")
    (tmp_path / "plain.md").write_text("A `dashboard`, in words.")
    env = SimpleNamespace(metadata={"page": {"dashboard": True}}, doc2path=lambda name: tmp_path / f"{name}.md")
    return SimpleNamespace(outdir=tmp_path / "html", builder=SimpleNamespace(format="html"), env=env)


def shown(app):
    return [path.name for path in (app.outdir / "_static" / "frames").glob("*")]


def test_they_begin_with_the_first_page_that_needs_them_and_are_kept(app):
    ours = frames.Frames()
    ours.ahead(app, app.env, ["plain"])
    assert not ours.processes
    ours.ahead(app, app.env, ["plain", "page"])
    assert ours.processes
    ours.end(app, None)
    assert shown(app) == ["x.js"]
    again = frames.Frames()
    again.ahead(app, app.env, ["page"])
    assert not again.processes


def test_a_page_that_was_read_earlier_has_them_too(app):
    frames.Frames().end(app, None)
    assert shown(app) == ["x.js"]


def test_what_went_wrong_is_said_and_nothing_half_written_is_taken(app, monkeypatch):
    monkeypatch.setattr(frames, "CODE", f"{WRITES}; raise SystemExit('no such film')")
    with pytest.raises(ExtensionError, match="no such film"):
        frames.Frames().end(app, None)
    assert not frames.place(app).exists()
    assert shown(app) == []
    monkeypatch.setattr(frames, "CODE", WRITES)
    frames.Frames().end(app, None)
    assert shown(app) == ["x.js"]


def test_a_build_that_failed_waits_for_nothing(app, monkeypatch):
    monkeypatch.setattr(frames, "CODE", "import time; time.sleep(600)")
    ours = frames.Frames()
    ours.begin(app)
    ours.end(app, ExtensionError("a chapter does not run"))
    assert all(process.returncode for process in ours.processes)
    assert shown(app) == []


def test_no_page_no_frames(app):
    app.env.metadata = {"page": {}}
    frames.Frames().end(app, None)
    assert shown(app) == []


def test_a_file_that_is_edited_meanwhile_leaves_the_frames_of_this_build_where_they_were_begun(app, monkeypatch):
    """The name of a library was worked out again at the end, and what had been computed was looked for under it."""
    ours = frames.Frames()
    ours.ahead(app, app.env, ["page"])
    monkeypatch.setattr(frames, "library", lambda: "edited")
    ours.end(app, None)
    assert shown(app) == ["x.js"]
