"""Small files of a checkpoint, local and remote."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.spark.storage import Folder, LocalFolder, RemoteFolder, folder_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def keeps_the_rules(folder: Folder) -> None:
    """The folder does not exist before, nor afterwards."""
    assert not folder.holds()
    assert folder.read_text("a/b") is None
    assert folder.names("a") == ()
    folder.write_text("a/b", "1")
    folder.write_text("a/b", "ü")
    assert folder.read_text("a/b") == "ü"
    with pytest.raises(FileExistsError):
        folder.create_text("a/b", "3")
    folder.create_text("a/c", "4")
    folder.make("d")
    assert [name for name in folder.names("a") if not name.endswith(".crc")] == ["b", "c"]
    assert folder.inside("a").read_text("c") == "4"
    assert folder.holds("d")
    copies(folder)
    links(folder)
    folder.remove("a/c")
    folder.remove("a/c")
    assert not folder.holds("a/c")
    folder.remove()
    assert not folder.holds()


def copies(folder: Folder) -> None:
    """Entries get the same name elsewhere and replace existing ones; missing ones are not copied."""
    target = folder.inside("other")
    folder.write_text("a/deep/1", "x")
    for text in ("x", "y"):
        folder.write_text("a/deep/1", text)
        for name in ("a", "a/b", "a/none"):
            folder.copy(name, target)
        assert target.read_text("a/deep/1") == text
        assert target.read_text("a/b") == "ü"
        assert [name for name in target.names("a") if not name.endswith(".crc")] == ["b", "c", "deep"]
    assert folder.read_text("a/deep/1") == "y"
    folder.remove("a/deep")


def links(folder: Folder) -> None:
    """A link has the content of then, whatever replaces the file or the link."""
    target = folder.inside("linked")
    assert folder.link("a/b", target, "deep/1")
    assert folder.sizes("a") == {**folder.sizes("a"), "b": 2, "c": 1}
    folder.write_text("a/b", "later")
    assert target.read_text("deep/1") == "ü"
    assert folder.link("a/b", target, "deep/1")
    assert folder.link("a/b", target, "deep/1")
    target.write_text("deep/1", "of its own")
    assert folder.read_text("a/b") == "later"
    assert not folder.link("a/none", target, "deep/2")
    assert [name for name in target.names("deep") if not name.endswith(".crc")] == ["1"]
    folder.write_text("a/b", "ü")
    target.remove()


def test_a_folder_of_another_file_system(spark: SparkSession, mounted: str) -> None:
    folder = folder_of(spark, f"{mounted}/far")
    assert isinstance(folder, RemoteFolder)
    assert folder.uri == f"{mounted}/far"
    keeps_the_rules(folder)


def test_a_local_folder(tmp_path: Path) -> None:
    keeps_the_rules(LocalFolder(tmp_path / "x y%20z"))


@pytest.fixture
def flushed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The paths that were flushed to the disk."""
    paths: list[Path] = []
    fsync = os.fsync

    def noted(number: int) -> None:
        paths.append(Path(f"/proc/self/fd/{number}").readlink())
        fsync(number)

    monkeypatch.setattr(os, "fsync", noted)
    return paths


def test_writes_and_copies_are_flushed_with_their_new_folders(tmp_path: Path, flushed: list[Path]) -> None:
    folder, target = LocalFolder(tmp_path / "one"), LocalFolder(tmp_path / "two")
    folder.write_text("a/b/c", "1")
    one = tmp_path / "one"
    assert {tmp_path, one, one / "a", one / "a/b"} <= set(flushed)
    (one / "a/b/d").write_text("by another")
    flushed.clear()
    folder.copy("a", target)
    two = tmp_path / "two"
    assert {tmp_path, two, two / "a", two / "a/b", two / "a/b/c", two / "a/b/d"} <= set(flushed)
    flushed.clear()
    folder.flush()
    assert {tmp_path, one, one / "a", one / "a/b", one / "a/b/c", one / "a/b/d"} <= set(flushed)


def test_io_errors_become_errors_of_the_product(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff")
    folder = LocalFolder(tmp_path)
    for act in (
        lambda: folder.write_text("file/x", "1"),
        lambda: folder.create_text("file/x", "1"),
        lambda: folder.make("file"),
        lambda: folder.read_text(""),
        lambda: folder.read_text("file"),
    ):
        with pytest.raises(ExecutionError):
            act()
    assert folder.read_text("file/x") is None
    assert folder.names("file") == ()


def test_folders_through_hadoop(spark: SparkSession, tmp_path: Path) -> None:
    local = folder_of(spark, str(tmp_path / "x y%20z"))
    assert isinstance(local, LocalFolder)
    assert local.path == tmp_path / "x y%20z"
    keeps_the_rules(RemoteFolder(spark._jvm, spark._jsc.hadoopConfiguration(), (tmp_path / "far").as_uri()))


def test_a_file_that_hadoop_wrote_before_can_be_read_by_it_afterwards(spark: SparkSession, tmp_path: Path) -> None:
    far = RemoteFolder(spark._jvm, spark._jsc.hadoopConfiguration(), tmp_path.as_uri())
    stream = far._manager.createAtomic(far._at("log"), True)
    stream.write(bytearray(b"long before"))
    stream.close()
    LocalFolder(tmp_path).write_text("log", "after")
    assert far.read_text("log") == "after"


@pytest.mark.attack
def test_a_new_folder_is_closed_to_other_users(tmp_path: Path) -> None:
    LocalFolder(tmp_path / "new").make()
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    (tmp_path / "old").mkdir(mode=0o755)
    (tmp_path / "old").chmod(0o755)
    LocalFolder(tmp_path / "old").make()
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o755


def test_copying_nothing_creates_no_folder(tmp_path: Path) -> None:
    LocalFolder(tmp_path / "one").copy("sources/a", LocalFolder(tmp_path / "two"))
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_an_object_store_is_replaced_whole(spark: SparkSession, bucket: str) -> None:
    """The file is always there, so a process that ends while it replaces one loses nothing."""
    folder = folder_of(spark, f"{bucket}/replaced")
    folder.write_text("digests", "0")
    there, ended = list[bool](), Event()

    def look() -> None:
        while not ended.is_set():
            there.append(folder.holds("digests"))

    looking = Thread(target=look)
    looking.start()
    try:
        for number in range(1, 60):
            folder.write_text("digests", str(number))
    finally:
        ended.set()
        looking.join()
    assert all(there) and len(there) > 20
    assert folder.names() == ("digests",)
    with pytest.raises(FileExistsError):
        folder.create_text("digests", "x")
    assert folder.read_text("digests") == "59"


def test_a_file_that_is_replaced_while_it_is_read_is_read_again(
    spark: SparkSession, mounted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(spark, f"{mounted}/far")
    assert isinstance(folder, RemoteFolder)
    folder.write_text("digests", "1")
    content, faults = RemoteFolder._content, ["request failed (Service: S3, Status Code: 412)", "access denied"]

    def fails_first(self: RemoteFolder, name: str) -> bytes:
        if faults:
            raise RuntimeError(faults.pop(0))
        return content(self, name)

    monkeypatch.setattr(RemoteFolder, "_content", fails_first)
    with pytest.raises(RuntimeError, match="access denied"):
        folder.read_text("digests")
    faults.append("FileNotFoundException: no such object")
    assert folder.read_text("digests") == "1"
