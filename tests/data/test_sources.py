"""Which copy is taken, and that a bad or half one never is."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recprivlib.data import checksum, load, sources
from recprivlib.data.sources import RECIPES, Form, Unreachable
from recprivlib.parameters import UserError
from tests.data.tiny import FILES, Answer, archive


class Failing(Answer):
    def read(self, *_: Any) -> bytes:
        if self.tell():
            raise ConnectionResetError("connection reset")
        return super().read(10)


def test_the_order_is_environment_cache_publisher_copy(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def publisher(url: str) -> Any:
        asked.append("publisher")
        raise Unreachable("no network")

    def copy(recipe: Any, folder: Path) -> Form:
        asked.append("copy")
        for name, text in FILES.items():
            (folder / name).write_text(text)
        return recipe.form

    monkeypatch.setattr(sources, "_opened", publisher)
    monkeypatch.setattr(sources, "_from_pypi", copy)
    assert load("ml-100k").source == "the copy on PyPI"
    assert asked == ["publisher", "copy"]
    assert load("ml-100k").source == "the user cache"
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    assert load("ml-100k").source == "$RECPRIV_DATA"
    assert asked == ["publisher", "copy"]


def test_the_publishers_archive_is_fetched_verified_and_kept(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_opened", lambda url: Answer(archive()))
    assert load("ml-100k").source == "its publisher"
    assert [p.suffix for p in nowhere.iterdir()] == [".npz"]
    assert load("ml-100k").source == "the user cache"


class Babbling(Answer):
    def read(self, *_: Any) -> bytes:
        raise http.client.IncompleteRead(b"half a chunk")


@pytest.mark.parametrize(
    "answer", [lambda: Answer(archive(), cut=40), lambda: Failing(archive()), lambda: Babbling(archive())]
)
def test_an_interrupted_download_leaves_nothing_and_can_be_repeated(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    monkeypatch.setattr(sources, "_opened", lambda url: answer())
    with pytest.raises(UserError, match=r"cut short|connection reset|IncompleteRead"):
        load("ml-100k")
    assert not nowhere.exists() or not list(nowhere.iterdir())
    monkeypatch.setattr(sources, "_opened", lambda url: Answer(archive()))
    assert load("ml-100k").source == "its publisher"


def test_another_archive_is_an_error_and_never_a_silent_fallback(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_opened", lambda url: Answer(b"<html>please log in to the hotel network</html>"))
    monkeypatch.setattr(sources, "_from_pypi", lambda *_: pytest.fail("the next source was asked"))
    with pytest.raises(UserError, match=r"has SHA-256 .* but must have"):
        load("ml-100k")


@pytest.mark.parametrize(
    ("file", "good", "bad"),
    [
        ("u.user", "|24|", "|25|"),
        ("u.user", "writer", "lawyer"),
        ("u.item", "Film", "Fi1m"),
        ("u.item", "|0\n", "|1\n"),
    ],
    ids=["an age", "an occupation", "a title", "a genre"],
)
def test_what_comes_along_with_the_ratings_is_checked_too(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch, file: str, good: str, bad: str
) -> None:
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    path = small / "ml-100k" / file
    path.write_text(path.read_text().replace(good, bad, 1))
    with pytest.raises(UserError, match=r"has the right ratings, but its titles or features \(age, gender"):
        load("ml-100k")
    assert not nowhere.exists() or not list(nowhere.iterdir())


def test_a_folder_that_is_a_file_or_locked_is_said_and_not_passed_over(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    folder = small / "ml-100k"
    with as_nobody(folder), pytest.raises(UserError, match=r"cannot be read: Permission denied"):
        load("ml-100k")
    shutil.rmtree(folder)
    folder.write_text("ml-100k.zip")
    with pytest.raises(UserError, match=r"ml-100k is no folder, but must be one that holds u\.data, u\.item, u\.user"):
        load("ml-100k")
    folder.unlink()
    folder.symlink_to(small / "gone")
    with pytest.raises(UserError, match=r"ml-100k is no folder"):
        load("ml-100k")
    monkeypatch.setenv("RECPRIV_DATA", "/" + "x" * 5000)
    with pytest.raises(UserError, match="there is no such folder"):
        load("ml-100k")


@contextlib.contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Without the right to look into `folder`; root, who may run the tests, becomes nobody for that."""
    folder.chmod(0)
    for parent in folder.parents:
        if parent == Path(tempfile.gettempdir()):
            break
        parent.chmod(0o755)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


def test_without_network_and_cache_the_way_out_is_named(nowhere: Path) -> None:
    with pytest.raises(UserError, match=r"no network.*RECPRIV_DATA.*--data synthetic"):
        load("ml-1m")


def test_recpriv_data_that_is_no_folder_or_lacks_a_file_is_said(
    small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECPRIV_DATA", str(small / "nowhere"))
    with pytest.raises(UserError, match="there is no such folder"):
        load("ml-100k")
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    (small / "ml-100k" / "u.user").unlink()
    with pytest.raises(UserError, match=r"holds no u\.user"):
        load("ml-100k")
    shutil.rmtree(small / "ml-100k")  # a data set that is not there is looked for elsewhere
    with pytest.raises(UserError, match="cannot be fetched"):
        load("ml-100k")


def test_a_file_that_cannot_be_read_is_said(small: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(paths: list[Path]) -> str:
        raise PermissionError(13, "Permission denied", str(paths[0]))

    monkeypatch.setattr(sources, "_digest", locked)  # root, who may run the tests, can read everything
    monkeypatch.setenv("RECPRIV_DATA", str(small))
    with pytest.raises(UserError, match=r"u\.data cannot be read: Permission denied"):
        load("ml-100k")


def test_a_host_that_never_answers_is_given_up_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    end = threading.Event()
    monkeypatch.setattr(sources, "CONNECT", -0.9)  # joined after 0.1 s
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: end.wait(60))
    start = time.perf_counter()
    with pytest.raises(Unreachable, match="no answer"):
        sources._opened("https://example.org")
    assert time.perf_counter() - start < 30  # and not sixty
    end.set()


@pytest.mark.parametrize(
    ("stderr", "kind", "said"),
    [
        ("/usr/bin/python: No module named pip", Unreachable, "no pip, as is usual in a uv environment"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM …", UserError, "SHA-256"),
        ("WARNING: x\nERROR: No matching distribution found for recbole==1.2.1", Unreachable, "No matching"),
        ("", Unreachable, "pip failed"),
    ],
)
def test_what_pip_says_becomes_one_sentence(stderr: str, kind: type, said: str) -> None:
    error = sources._pip_said(stderr)
    assert type(error) is kind
    assert said in str(error)


def test_the_copies_are_pinned_by_hash() -> None:
    for recipe in RECIPES.values():
        lines = [one for one in sources.COPIES.read_text().splitlines() if one.startswith(recipe.package + "==")]
        if recipe.copy:
            assert len(lines) == 1
            assert "--hash=sha256:" in lines[0]


def test_the_copies_on_pypi_are_the_publishers_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real download. `load` itself refuses arrays that are not the pinned ones; the rest is compared here."""
    real = os.environ.get("RECPRIV_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("RECPRIV_DATA", raising=False)
    copies = {name: load(name) for name in ("ml-100k", "ml-1m")}
    assert {c.source for c in copies.values()} <= {"its publisher", "the copy on PyPI"}
    for name, copy in copies.items():
        assert checksum(copy.interactions) == copy.checksum == RECIPES[name].checksum
        assert copy.interactions.user_features.keys() == {"age", "gender", "occupation"}
    if real and (Path(real) / "ml-1m").is_dir():
        monkeypatch.setenv("RECPRIV_DATA", real)
        for name, copy in copies.items():
            original = load(name)
            assert original.source == "$RECPRIV_DATA"
            assert original.titles == copy.titles
            for kind in ("user_features", "item_features"):
                theirs, ours = getattr(original.interactions, kind), getattr(copy.interactions, kind)
                assert all((theirs[key] == ours[key]).all() for key in theirs)


def test_a_changed_package_is_refused_by_pip(tmp_path: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(sources, "COPIES", tmp_path / "copies.txt")
    (tmp_path / "copies.txt").write_text(f"recbole==1.2.1 --hash=sha256:{'0' * 64}\n")
    (tmp_path / "out").mkdir()
    with pytest.raises(UserError, match="changed copy"):
        sources._from_pypi(RECIPES["ml-100k"], tmp_path / "out")
