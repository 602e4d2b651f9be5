"""What is kept of a data set is whole, or made anew."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recprivlib.data import load, sources
from recprivlib.data.sources import cache_folder
from recprivlib.parameters import UserError
from tests.data.tiny import Answer, archive


def test_a_write_that_dies_half_way_never_poisons_the_cache(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_opened", lambda url: Answer(archive()))
    real = np.savez

    def dies(file: Any, **arrays: Any) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", dies)
    with pytest.raises(KeyboardInterrupt):
        load("ml-100k")
    assert list(nowhere.iterdir()) == []
    monkeypatch.setattr(np, "savez", real)
    assert load("ml-100k").source == "its publisher"


@pytest.mark.parametrize("damage", ["cut", "flip", "other"])
def test_a_damaged_cache_file_is_noticed_and_made_anew(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    whole = load("ml-100k").interactions
    (path,) = nowhere.iterdir()
    body = path.read_bytes()
    if damage == "cut":
        path.write_bytes(body[: len(body) // 2])
    elif damage == "flip":
        at = body.index(whole.ratings.tobytes())
        path.write_bytes(body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :])
    else:
        with np.load(path) as file:
            arrays = dict(file)
        np.savez(path, **arrays | {"ratings": arrays["ratings"][::-1]})
    again = load("ml-100k").interactions
    assert (again.ratings == whole.ratings).all()
    with np.load(path) as file:
        assert (file["ratings"] == whole.ratings).all()


def test_an_edited_file_is_not_hidden_by_the_cache(small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    load("ml-100k")
    (small / "ml-100k" / "u.data").write_text("1\t2\t4\t20\n1\t1\t5\t20\n")
    with pytest.raises(UserError, match=r"this copy of ml-100k .* was changed or cut short"):
        load("ml-100k")


@pytest.mark.parametrize("name", ["user_age", "titles", "item_genres", "user_occupation"])
def test_a_feature_changed_in_the_cache_is_noticed(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    whole = load("ml-100k")
    (path,) = nowhere.iterdir()
    with np.load(path) as file:
        arrays = dict(file)
    changed = ~arrays[name] if arrays[name].dtype == bool else arrays[name][::-1] + arrays[name]
    if arrays[name].dtype.kind == "U":
        changed = np.array([text.upper() for text in arrays[name]])
    np.savez(path, **arrays | {name: changed})
    again = load("ml-100k")
    assert again.titles == whole.titles
    for kind in ("user_features", "item_features"):
        ours, theirs = getattr(again.interactions, kind), getattr(whole.interactions, kind)
        assert all((ours[key] == theirs[key]).all() for key in theirs)


def test_a_flipped_bit_of_the_cache_is_never_read_as_data(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    whole = load("ml-100k")
    (path,) = nowhere.iterdir()
    body, chance = path.read_bytes(), random.Random(1)
    for _ in range(200):
        at = chance.randrange(len(body))
        path.write_bytes(body[:at] + bytes([body[at] ^ 1 << chance.randrange(8)]) + body[at + 1 :])
        again = load("ml-100k")
        assert (again.titles, again.checksum) == (whole.titles, whole.checksum)
        assert (again.interactions.user_features["age"] == whole.interactions.user_features["age"]).all()


def test_a_download_that_is_killed_half_way_leaves_no_cache_and_can_be_repeated(tmp_path: Path) -> None:
    """kill -9, while the archive comes in."""
    code = (
        "import io, sys, time\n"
        "from recprivlib.data import load, sources\n"
        "class Slow(io.BytesIO):\n"
        "    headers = {}\n"
        "    def read(self, *_):\n"
        "        print('reading', flush=True); time.sleep(0.05); return b'x' * 1000\n"
        "sources._opened = lambda url: Slow()\n"
        "load('ml-1m')\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    environment.pop("RECPRIV_DATA", None)
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "reading\n"
        process.kill()
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    assert load("ml-100k").source == "$RECPRIV_DATA"


def test_the_cache_is_where_the_system_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / ".cache" / "recprivlib"
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "recprivlib"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "recprivlib"
