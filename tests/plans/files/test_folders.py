"""Folders that are read, local and by fsspec."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import fsspec
import pytest

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.files.folders import LocalReads, ReadableFolder, RemoteReads, folder_to_read


@pytest.fixture(params=["local", "file-url", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ReadableFolder]:
    if request.param != "memory":
        (tmp_path / "heads").mkdir()
        (tmp_path / "heads/2").write_text("two ä", encoding="utf-8")
        (tmp_path / "heads/10").write_text("ten")
        yield folder_to_read(str(tmp_path) if request.param == "local" else f"file://{tmp_path}")
        return
    memory, root = fsspec.filesystem("memory"), f"/{uuid4().hex}"
    memory.pipe(f"{root}/heads/2", "two ä".encode())
    memory.pipe(f"{root}/heads/10", b"ten")
    yield folder_to_read(f"memory:/{root}/")
    memory.rm(root, recursive=True)


def test_existing_files_are_read(folder: ReadableFolder) -> None:
    assert folder.names("heads") == ("10", "2")
    assert folder.names() == ("heads",)
    assert folder.read_text("heads/2") == "two ä"
    assert folder.holds() and folder.holds("heads") and folder.holds("heads/10")
    assert folder.inside("heads").read_text("10") == "ten"
    assert folder.inside("heads").uri == folder.child("heads")


def test_missing_files_are_none(folder: ReadableFolder) -> None:
    assert folder.names("generations") == ()
    assert folder.names("heads/2") in ((), ("2",))  # object stores make no difference
    assert folder.read_text("heads/3") is None
    assert not folder.holds("generations")
    assert not folder.inside("nowhere").holds()


@pytest.mark.parametrize(
    ("path", "kind", "uri"),
    [
        ("/tmp/c", LocalReads, "file:/tmp/c"),
        ("file:///tmp/c", LocalReads, "file:/tmp/c"),
        ("file:/tmp/c", LocalReads, "file:/tmp/c"),
        ("s3://bucket/c/", RemoteReads, "s3://bucket/c"),
    ],
)
def test_a_path_is_local_or_remote(path: str, kind: type[ReadableFolder], uri: str) -> None:
    folder = folder_to_read(path)
    assert (type(folder), folder.uri) == (kind, uri)


def test_a_store_without_a_driver_is_refused_by_name() -> None:
    with pytest.raises(PlanError, match="cannot look into the folder"):
        folder_to_read("nosuch://bucket/c").names("heads")
