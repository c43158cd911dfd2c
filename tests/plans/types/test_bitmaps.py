"""Bytes of bitmaps in Python against those of Flink's BITMAP_TO_BYTES."""

from __future__ import annotations

import pytest

from compiled_plan.plans.types import bitmaps


@pytest.mark.parametrize(
    ("members", "data"),
    [
        ([], "3a30000000000000"),
        ([3, 1, 2, 2], "3a300000010000000000020010000000010002000300"),
        (list(range(1, 13)), "3b3000000100000b00010001000b00"),
    ],
)
def test_known_bytes(members: list[int], data: str) -> None:
    assert bitmaps.write(members).hex() == data
    assert bitmaps.read(bytes.fromhex(data)) == frozenset(members)


@pytest.mark.parametrize(
    "members",
    [
        [-1, 0, 5, 2**31 - 1, -(2**31)],
        list(range(0, 20000, 2)),
        list(range(65530, 65545)),
        [*range(100, 70000), 10**6, *range(200_000, 300_000, 7), 2**30],
    ],
)
def test_all_kinds_of_containers_are_read_as_written(members: list[int]) -> None:
    assert bitmaps.read(bitmaps.write(members)) == frozenset(members)


def test_the_text_has_unsigned_numbers() -> None:
    assert bitmaps.text(bitmaps.write([-1, 2, 0])) == "{0,2,4294967295}"


@pytest.mark.parametrize("data", [b"", b"\x01", b"\x01\x02\x03\x04\x05", bytes.fromhex("3a30000001")])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a serialized bitmap"):
        bitmaps.read(data)


@pytest.mark.parametrize("member", [2**31, True])
def test_members_have_32_bits(member: int) -> None:
    with pytest.raises(ValueError, match="integer of 32 bits"):
        bitmaps.write([member])
