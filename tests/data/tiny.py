"""ml-100k of two ratings: its files, its archive, and a web server's answer with it."""

from __future__ import annotations

import hashlib
import io
import zipfile

ITEM = "|Film (1995)|01-Jan-1995||url" + "|0" * 19 + "\n"
FILES = {"u.data": "1\t2\t3\t20\n1\t1\t5\t20\n", "u.item": f"1{ITEM}2{ITEM}", "u.user": "1|24|M|writer|85711\n"}


class Answer(io.BytesIO):
    """What a web server sends; `cut` bytes of it get lost."""

    def __init__(self, body: bytes, cut: int = 0) -> None:
        super().__init__(body[: len(body) - cut])
        self.headers = {"Content-Length": str(len(body))}


def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as pack:
        for name, text in FILES.items():
            pack.writestr(zipfile.ZipInfo(f"ml-100k/{name}"), text)
        pack.writestr(zipfile.ZipInfo("../evil"), "never written")
    return out.getvalue()


def sha(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
