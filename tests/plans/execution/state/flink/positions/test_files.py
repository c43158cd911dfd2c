"""Files that a source of Flink has read, from the states of its coordinator and of its readers."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest

from compiled_plan.plans.execution.state.flink.positions.errors import PositionError
from compiled_plan.plans.execution.state.flink.positions.files import FilesRead, files_read


def utf(text: str) -> bytes:
    return struct.pack(">H", len(text.encode())) + text.encode()


def text(value: str | None) -> bytes:
    """A nullable text as Flink stores it; short, of any letters of two bytes."""
    if value is None:
        return b"\0"
    letters = b"".join(
        bytes([ord(letter)]) if ord(letter) < 0x80 else bytes([ord(letter) & 0x7F | 0x80, ord(letter) >> 7])
        for letter in value
    )
    return b"\1" + bytes([len(value) + 1]) + letters


def split(
    path: str, length: int = 10, size: int = 10, *, scheme: str = "file", host: str | None = None, records: int = -1
) -> bytes:
    """A split; `records` of it are read."""
    place = (
        b"\1" + text(scheme) + text(None) + text(host) + struct.pack(">i", -1) + text(path) + text(None) + text(None)
    )
    figures = struct.pack(">qqqq", 0, length, 1_700_000_000_000, size)
    position = b"\0" if records < 0 else b"\1" + struct.pack(">qq", 0, records)
    return utf("0000000001") + place + figures + struct.pack(">i", 1) + utf("localhost") + position


def coordinator(splits: Sequence[bytes] = (), paths: Sequence[str] = (), version: int = 1) -> bytes:
    parts = [*splits, *(path.encode() for path in paths)]
    content = struct.pack("<Iiii", 0xDEADBEEF, 1, len(splits), len(paths))
    content += b"".join(struct.pack("<i", len(part)) + part for part in parts)
    return struct.pack(">iii", version, 1, len(content)) + content


def test_a_source_that_looks_for_files_has_read_what_it_has_found_and_handed_out() -> None:
    state = coordinator([split("/t/b ü.json")], ["file:/t/a.json", "file:/t/b ü.json", "file:/t/c.json"])
    read = files_read(state, [split("/t/c.json")], unbounded=True)
    assert read == FilesRead(frozenset({"file:/t/a.json"}), frozenset({"file:/t/b ü.json", "file:/t/c.json"}))
    assert read.words == "1 file read, 2 files not read"


def test_a_source_that_ends_has_read_all_files_but_those_left() -> None:
    read = files_read(coordinator([split("/t/b.json", host="bucket", scheme="s3")]), (), unbounded=False)
    assert read == FilesRead(None, frozenset({"s3://bucket/t/b.json"}))
    assert read.words == "all files read, 1 file not read"
    assert files_read(coordinator(), (), unbounded=False).words == "all files read"


def test_a_source_that_has_found_no_file_has_read_none() -> None:
    assert files_read(coordinator(), (), unbounded=True).paths == frozenset()


def test_all_ranges_of_a_file_that_are_left_are_the_file() -> None:
    state = coordinator([split("/t/b", 6), split("/t/b", 4)])
    assert files_read(state, (), unbounded=False).unread == {"file:/t/b"}


@pytest.mark.parametrize(
    "splits",
    [
        pytest.param([split("/t/b", records=3)], id="some records of a range"),
        pytest.param([split("/t/b", 6)], id="a range of two"),
    ],
)
def test_a_file_that_is_read_by_half_is_refused(splits: Sequence[bytes]) -> None:
    with pytest.raises(PositionError, match="has read a part of the file file:/t/b") as refusal:
        files_read(coordinator(paths=["file:/t/b"]), splits, unbounded=True)
    assert "--start TABLE=earliest" in refusal.value.remedy


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (None, "has no position"),
        (coordinator(version=7), "version that is not known: 7"),
        (coordinator(paths=["file:/t/b"])[:-3], "cannot be read"),
        (b"\0", "cannot be read"),
    ],
)
def test_states_that_are_not_known_are_refused(state: bytes | None, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        files_read(state, (), unbounded=True)
