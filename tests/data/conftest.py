from __future__ import annotations

from pathlib import Path

import pytest

from recprivlib.data import sources


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
