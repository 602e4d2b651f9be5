"""What Python has compiled in a page, as one archive for the reader's next visit: most of an import is compiling."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

HEAD = 16  # bytes of a compiled file before its code: magic, flags, and what it was compiled from
UNCHECKED = (1).to_bytes(4, "little") + bytes(8)  # no look at the source, which is unpacked anew each time


def compiled() -> bytes:
    """A zip of every module that is here, to be unpacked at the root."""
    pack = io.BytesIO()
    with zipfile.ZipFile(pack, "w", zipfile.ZIP_STORED) as archive:
        for module in list(sys.modules.values()):
            kept = getattr(getattr(module, "__spec__", None), "cached", None)
            if kept and Path(kept).is_file():
                body = Path(kept).read_bytes()
                archive.writestr(kept.lstrip("/"), body[:4] + UNCHECKED + body[HEAD:])
    return pack.getvalue()
