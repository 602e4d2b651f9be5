"""The dashboards' frames are computed beside the build, whole or not at all, and only where something has changed."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "book" / "_ext"))

import frames  # (a local extension of the book)
import kept
import states

from recprivlib.dashboard import explorer
from recprivlib.dashboard import frames as static

WRITES = (
    "import json, os, sys; from pathlib import Path; number = int(sys.argv[1])\n"
    "for stem, results, draft, texts in json.loads(Path(sys.argv[4]).read_text()):\n"
    "    if number == 0: Path(draft).mkdir(exist_ok=True); (Path(draft) / f'{stem}.js').write_text('1')\n"
    "print('again', file=sys.stderr)\n"
)


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "WORK", [sys.executable, "-c", WRITES])
    monkeypatch.setattr(frames, "planned", planned)
    (tmp_path / "page.md").write_text("```{dashboard} x\n```")
    (tmp_path / "plain.md").write_text("A `dashboard`, in words.")
    env = SimpleNamespace(metadata={"page": {"dashboard": True}}, doc2path=lambda name: tmp_path / f"{name}.md")
    builder = SimpleNamespace(format="html")
    return SimpleNamespace(outdir=tmp_path / "html", builder=builder, env=env, _warncount=0, version={"x": 1, "y": 1})


def planned(app):
    """Two dashboards, x and y, each named by a version of its own."""
    top = frames.folder(app)
    return [
        (states.Task(stem, top / "results", top / f"{stem}-{version}.0.new", {}), top / f"{stem}-{version}")
        for stem, version in app.version.items()
    ]


def shown(app):
    return sorted(path.name for path in (app.outdir / "_static" / "frames").glob("*"))


def test_they_begin_with_the_first_page_that_needs_them_and_are_kept(app):
    ours = frames.Frames()
    ours.ahead(app, app.env, ["plain"])
    assert not ours.processes
    ours.ahead(app, app.env, ["plain", "page"])
    assert ours.processes
    ours.end(app, None)
    assert shown(app) == ["x.js", "y.js"]
    again = frames.Frames()
    again.ahead(app, app.env, ["page"])
    assert not again.processes


def test_a_page_that_was_read_earlier_has_them_too(app):
    frames.Frames().end(app, None)
    assert shown(app) == ["x.js", "y.js"]


def test_only_the_dashboard_that_has_changed_is_drawn_again_and_going_back_draws_none(app):
    frames.Frames().end(app, None)
    app.version["x"] = 2
    ours = frames.Frames()
    ours.end(app, None)
    assert list(ours.fresh) == ["x"]
    app.version["x"] = 1
    back = frames.Frames()
    back.end(app, None)
    assert not back.fresh
    assert not back.processes
    assert shown(app) == ["x.js", "y.js"]


def test_what_went_wrong_is_said_and_nothing_half_written_is_taken(app, monkeypatch):
    monkeypatch.setattr(frames, "WORK", [sys.executable, "-c", f"{WRITES}\nraise SystemExit('no such film')"])
    with pytest.raises(ExtensionError, match="no such film"):
        frames.Frames().end(app, None)
    assert not list(frames.folder(app).glob("x-1"))
    assert shown(app) == []
    monkeypatch.setattr(frames, "WORK", [sys.executable, "-c", WRITES])
    frames.Frames().end(app, None)
    assert shown(app) == ["x.js", "y.js"]


def test_of_several_processes_the_one_that_fails_ends_the_others(app, monkeypatch):
    """The first to be listened to waited for a result that another, which had failed, would never write."""
    code = "import sys, time\nif sys.argv[1] == '0': time.sleep(600)\nraise SystemExit('no such film')"
    monkeypatch.setattr(frames, "WORK", [sys.executable, "-c", code])
    ours = frames.Frames()
    ours.begin(app)
    if len(ours.processes) == 1:
        pytest.fail("this test needs two cores")
    with pytest.raises(ExtensionError, match="no such film"):
        ours.end(app, None)
    assert all(process.returncode for process in ours.processes)


@pytest.mark.parametrize("warnings", [0, 1])
def test_a_build_that_failed_waits_for_nothing(app, monkeypatch, warnings):
    monkeypatch.setattr(frames, "WORK", [sys.executable, "-c", "import time; time.sleep(600)"])
    ours = frames.Frames()
    ours.begin(app)
    app._warncount = warnings
    ours.end(app, None if warnings else ExtensionError("a chapter does not run"))
    assert all(process.returncode for process in ours.processes)
    assert shown(app) == []


def test_no_page_no_frames(app):
    app.env.metadata = {"page": {}}
    frames.Frames().end(app, None)
    assert shown(app) == []


def test_a_file_that_is_edited_meanwhile_leaves_the_frames_of_this_build_where_they_were_begun(app):
    """The name of a library was worked out again at the end, and what had been computed was looked for under it."""
    ours = frames.Frames()
    ours.ahead(app, app.env, ["page"])
    app.version["x"] = 7
    ours.end(app, None)
    assert shown(app) == ["x.js", "y.js"]


def test_pages_are_shown_before_the_frames_and_beside_none_of_another_library(app, monkeypatch):
    frames.Frames().end(app, None)
    app.version["x"] = 2
    seen = []
    monkeypatch.setattr(frames.tell, "info", lambda line: seen.append((line, shown(app))))
    frames.Frames().end(app, None)
    assert seen == [(frames.READABLE, ["y.js"])]
    assert shown(app) == ["x.js", "y.js"]


@pytest.mark.parametrize("harm", ["cut", "emptied", "overwritten", "removed", "sums"])
def test_a_frame_that_was_damaged_is_put_aside_and_drawn_again(app, caplog, harm):
    frames.Frames().end(app, None)
    place = frames.folder(app) / "x-1"
    if harm == "removed":
        (place / "x.js").unlink()
    else:
        target = place / (frames.SUMS if harm == "sums" else "x.js")
        target.write_bytes({"cut": b"", "emptied": b""}.get(harm, b"\xff\x00 garbage"))
    with caplog.at_level("INFO", "course.progress"):
        ours = frames.Frames()
        ours.end(app, None)
    assert list(ours.fresh) == ["x"]
    assert (app.outdir / "_static" / "frames" / "x.js").read_text() == "1"
    assert sum("damaged" in line and "x-1" in line for line in caplog.messages) == 1
    assert (frames.folder(app) / kept.ASIDE / "x-1").exists()
    assert frames.whole(place, frames.folder(app)) is not False  # sound again


# ------------------------------------------------------------------------------------- results on disk

SMALL = replace(
    explorer("recommenders"),
    controls=tuple(
        replace(c, default="synthetic") if c.name == "data" else c for c in explorer("recommenders").controls
    ),
    still={"k": (1, 10)},
)


def test_a_frame_from_kept_results_is_the_frame_and_computes_nothing(tmp_path):
    first = states.Known(tmp_path, SMALL)
    for values in static.asked(SMALL, {}):
        first.fill(values, "1")
    frozen = replace(SMALL, compute=None, curve=lambda values: 1 / 0)
    again = states.Known(tmp_path, frozen).explorer()
    assert json.dumps(static.frame(again)) == json.dumps(static.frame(SMALL))


def test_what_a_chapter_asks_for_is_all_that_its_frames_need(tmp_path):
    text = "```{path} recommenders\n```\n## One\n```{step} k=5 ghost.neighbors=20\n```\n"
    text += "{set}`all <k=7>` {set}`up <k=10 play=k>`"
    first = states.Known(tmp_path, SMALL)
    for values in static.asked(SMALL, {"x": text}):
        first.fill(values, "1")
    before = {path.name for path in tmp_path.iterdir()}
    static.path(first.explorer(), text)
    static.frame(first.explorer())
    assert {path.name for path in tmp_path.iterdir()} == before


def test_of_two_processes_each_takes_what_nobody_has_begun(tmp_path):
    known = states.Known(tmp_path, replace(SMALL, compute=None))  # whoever computes anything fails
    values = SMALL.defaults
    (tmp_path / f".{known.place('', values).name}.77").touch()
    known.fill(values, "77")
    with pytest.raises(TypeError):
        known.fill(values, "78")


@pytest.mark.parametrize("body", [b"", b"\x00", None])
def test_a_result_that_was_damaged_is_computed_again(tmp_path, body):
    known = states.Known(tmp_path, SMALL)
    values = SMALL.defaults
    known.fill(values, "1")
    place = known.place("", values)
    good = place.read_bytes()
    place.write_bytes(good[:-9] if body is None else body)
    assert known.explorer().compute(**values) == SMALL.compute(**values)
    assert place.read_bytes() == good


def test_every_row_is_walked_whole_from_another_beginning():
    assert [list(states._from([1, 2, 3, 4], number, 2)) for number in (0, 1)] == [[1, 2, 3, 4], [3, 4, 1, 2]]
