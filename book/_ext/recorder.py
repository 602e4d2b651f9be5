"""Run in each kernel of the build before its first cell: a list of what it opens and imports of this project."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NAME = "course_recorder"
LISTEN = f"__import__('runpy').run_path({str(Path(__file__).resolve())!r}, run_name='__listen__') and None"  # first
TELL = f"print(__import__({NAME!r}).told())"  # the last cell


class Recorder(ModuleType):
    """What has been opened so far; a module, so that a later cell finds it."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.opened: set[str] = set()

    def heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An audit event of this interpreter."""
        if event == "open" and isinstance(arguments[0], str) and not arguments[0].endswith((".py", ".pyc")):
            self.opened.add(arguments[0])  # of Python what is imported counts: names alone are read off more files

    def told(self) -> str:
        """All files of the library and its tables that were opened or imported, as JSON."""
        modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        files = {Path(file).resolve() for file in (*list(self.opened), *modules) if isinstance(file, str)}
        ours = [file for file in files if file.is_relative_to(ROOT / "recprivlib")]
        return json.dumps(sorted(file.relative_to(ROOT).as_posix() for file in ours if file.is_file()))


if __name__ == "__listen__":
    sys.modules[NAME] = recorder = Recorder()
    sys.addaudithook(recorder.heard)
