"""Smile: values come back as they were, and what Jackson writes is read."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.text.smile import decode, encode, json_text

#: Lengths at the limits of the tokens for texts and names.
LENGTHS = (0, 1, 2, 32, 33, 57, 58, 64, 65, 66, 300)


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        [[], {"a": [{"b": None}, True, False]}, []],
        [number * sign for number in (0, 1, 15, 16, 17, 63, 64, 2**31 - 1, 2**31, 2**63 - 1) for sign in (1, -1)],
        [0.0, -1.5, 1e300, 2**-1074, 0.1],
        ["a" * length for length in LENGTHS] + ["é" * length for length in LENGTHS],
        {"a" * length: length for length in LENGTHS} | {"é" * length: length for length in LENGTHS[1:]},
        "text",
    ],
)
def test_values_come_back(value: Any) -> None:
    assert decode(encode(value)) == value
    assert json.loads(json_text(encode(value))) == value


def test_deep_values_come_back() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [{"a": value}]
    data = encode(value)
    assert encode(decode(data)) == data
    # `==` and json.loads would exceed Python's recursion limit.
    assert json_text(data).count("[") == 5000


def long_names(number: int) -> bytes:
    """An object of an object with many names of three characters, in which the last one comes twice."""
    names = b"".join(b"\x82" + f"{at:03}".encode() + b"\xc2" for at in range(number))
    return (
        b":)\n\x01\xf8\xfa" + names + b"\xfb\xfa" + bytes((0x30 | number - 1 >> 8, number - 1 & 0xFF)) + b"\xc4\xfb\xf9"
    )


@pytest.mark.parametrize(
    ("data", "value"),
    [
        # The second name and the second text refer to the first ones.
        (b":)\n\x03\xf8\xfa\x81id\xc2\xfb\xfa\x40A\x61\x62\xfb\xf9", [{"id": 1}, {"id": "ab"}]),
        (b":)\n\x03\xf8A\x61\x62\x01\xf9", ["ab", "ab"]),
        (long_names(500), [{f"{at:03}": 1 for at in range(500)}, {"499": 2}]),
        (b":)\n\x00\x28" + bytes((0x03, 0x7C, 0x00, 0x00, 0x00)), struct.unpack(">f", b"\x3f\x80\x00\x00")[0]),
        (b":)\n\x00\x26\x89" + bytes((0x00, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0)), 2**64),
    ],
)
def test_what_jackson_writes_is_read(data: bytes, value: Any) -> None:
    assert decode(data) == value


@pytest.mark.parametrize(
    "data", [b"", b":)\n", b"{}", b":)\n\x00\xf8\xc0", b":)\n\x00\x42ab", b":)\n\x00\x01", b":)\n\x00\xff"]
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(PlanError, match=r"the bytes are no plan in Smile|is damaged near byte"):
        decode(data)
