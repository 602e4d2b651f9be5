"""`--data` on what is no file: a sentence at once, where reading would wait for ever or fill the memory."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from recprivlib.cli import main
from recprivlib.data import load
from recprivlib.data.rows import LARGEST
from recprivlib.parameters import UserError

unix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices in the file system are Unix's")


def pipe(path):
    os.mkfifo(path)


def listener(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


@unix
@pytest.mark.parametrize("name", ["it.csv", "it.zip", "it"])
@pytest.mark.parametrize(
    ("make", "called"),
    [
        (pipe, "a pipe"), (listener, "a socket"), (lambda path: path.mkdir(), "a folder"),
        (lambda path: path.symlink_to("/dev/zero"), "a device"), (lambda path: path.symlink_to("/dev/tty"), "a device"),
    ],
)  # fmt: skip
def test_what_is_no_file_is_refused_by_every_verb_and_not_opened(tmp_path, monkeypatch, capsys, make, called, name):
    monkeypatch.chdir(tmp_path)  # the name of a socket may not be long
    make(Path(name))
    for verb in (["run", "popularity", "--data"], ["data"], ["sweep", "popularity", "--out", "x.csv", "--data"]):
        assert main([*verb, f"./{name}"]) == 2
        assert f"{name} is {called}, but must be a file" in capsys.readouterr().err


@unix
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/stdin", "/dev/fd/0"])
def test_a_device_or_what_is_piped_in_is_refused(device):
    command = [sys.executable, "-m", "recprivlib", "run", "popularity", "--data", device]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.wait(60) == 2  # its input stays open
        err = run.stderr.read().decode()
    assert err.count("\n") == 1
    assert " is a " in err


def test_a_file_beyond_the_bound_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(5 << 30)  # no block of it is on the disk
    with pytest.raises(UserError, match=r"large\.csv has 5,120 MB, but at most 200 are read"):
        load(str(path))


def test_a_file_without_an_ending_that_is_known_is_named(tmp_path):
    (tmp_path / "ratings.json").write_text("{}")
    with pytest.raises(UserError, match=r"ratings\.json must end with one of \.csv, \.tsv, \.txt, \.dat, \.zip"):
        load(str(tmp_path / "ratings.json"))
    (tmp_path / "x.csv").touch()
    with pytest.raises(UserError, match="is empty"):
        load(str(tmp_path / "x.csv"))


def packed(path, text="", **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name in ("u.data", "u.user", "u.item"):
            with archive.open(name, "w", force_zip64=True) as file:
                for _ in range(0 if text else LARGEST // 3 // (1 << 20) + 2):
                    file.write(b"0" * (1 << 20))
                file.write(text.encode())


def test_a_small_archive_that_unpacks_to_more_than_may_be_read_is_refused(tmp_path):
    packed(tmp_path / "bomb.zip", compresslevel=1)
    assert (tmp_path / "bomb.zip").stat().st_size < 4 << 20
    with pytest.raises(UserError, match=r"bomb\.zip unpacks to more than 200 MB"):
        load(str(tmp_path / "bomb.zip"))


@pytest.mark.parametrize(("at", "byte", "said"), [(6, 1, "unpacked: .*password"), (8, 77, "cannot be unpacked")])
def test_an_archive_with_a_password_or_packed_in_a_way_unknown_is_refused(tmp_path, at, byte, said):
    path = tmp_path / "odd.zip"
    packed(path, "1\t1\t1\t1\n")
    body = bytearray(path.read_bytes())
    for place in (body.find(b"PK\3\4", start) for start in range(len(body))):
        if place >= 0:
            body[place + at] = byte
    start = 0
    while (start := body.find(b"PK\1\2", start) + 1) > 0:
        body[start - 1 + at + 2] = byte
    path.write_bytes(body)
    with pytest.raises(UserError, match=said):
        load(str(path))
