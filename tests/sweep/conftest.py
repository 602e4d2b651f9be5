from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from recprivlib.closure import PACKAGE


@pytest.fixture(scope="session")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package, whose sources (part of every cell's address) nobody edits meanwhile."""
    folder = tmp_path_factory.mktemp("frozen")
    shutil.copytree(PACKAGE, folder / "recprivlib", ignore=shutil.ignore_patterns("__pycache__", "results"))
    return folder
