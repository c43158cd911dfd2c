"""Values of BITMAP in Python: the portable serialization of Roaring bitmaps.

Source: the Roaring bitmap format specification. Members are signed integers of 32 bits, as in BITMAP_TO_ARRAY.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

#: First number of a file without runs, and the lower half of the first number of a file with runs.
_PLAIN, _RUNS = 12346, 12347
#: Number of containers from which on a file with runs has offsets.
_OFFSETS_FROM = 4
#: A container with more members is a bit set.
_MOST_LISTED = 4096
_BITS = 1 << 16


def read(data: bytes) -> frozenset[int]:
    """The members of a bitmap.

    Raises:
        ValueError: the bytes are no bitmap.
    """
    return frozenset(member - (1 << 32) if member >> 31 else member for member in members(data))


def text(data: bytes) -> str:
    """The members as unsigned numbers in their order, as BITMAP_TO_STRING: `{1,2,4294967295}`."""
    return "{" + ",".join(map(str, members(data))) + "}"


def members(data: bytes) -> list[int]:
    """The members as unsigned numbers in their order. Raises ValueError as `read`."""
    try:
        return [key << 16 | low for key, lows in _containers(data) for low in lows]
    except struct.error as fault:
        raise ValueError(f"the bytes are not a serialized bitmap: {fault}") from None


def _containers(data: bytes) -> Iterator[tuple[int, Iterable[int]]]:
    """The upper halves of the members, and the lower halves of each."""
    (cookie,), at, with_runs = struct.unpack_from("<I", data), 4, b""
    if cookie & 0xFFFF == _RUNS:
        count = (cookie >> 16) + 1
        with_runs = data[at : at + (count + 7) // 8]
        at += len(with_runs)
    elif cookie == _PLAIN:
        (count,) = struct.unpack_from("<I", data, at)
        at += 4
    else:
        raise ValueError(f"the bytes are not a serialized bitmap: they begin with {cookie}")
    heads = [struct.unpack_from("<HH", data, at + 4 * index) for index in range(count)]
    at += 4 * count
    if not with_runs or count >= _OFFSETS_FROM:
        at += 4 * count
    for index, (key, most) in enumerate(heads):
        if with_runs and with_runs[index // 8] >> index % 8 & 1:
            (runs,) = struct.unpack_from("<H", data, at)
            pairs = [struct.unpack_from("<HH", data, at + 2 + 4 * run) for run in range(runs)]
            at += 2 + 4 * runs
            yield key, (start + step for start, length in pairs for step in range(length + 1))
        elif most < _MOST_LISTED:
            yield key, struct.unpack_from(f"<{most + 1}H", data, at)
            at += 2 * (most + 1)
        else:
            bits = int.from_bytes(data[at : at + _BITS // 8], "little")
            at += _BITS // 8
            yield key, (low for low in range(_BITS) if bits >> low & 1)


def write(values: Iterable[int]) -> bytes:
    """The bytes of a bitmap, with runs where they are shorter, as the kernel writes it.

    Raises:
        ValueError: a member is no integer of 32 bits.
    """
    lows: dict[int, list[int]] = {}
    for member in sorted({_unsigned(value) for value in values}):
        lows.setdefault(member >> 16, []).append(member & 0xFFFF)
    bodies = [_body(part) for part in lows.values()]
    has_runs = any(is_run for is_run, _ in bodies)
    heads = b"".join(struct.pack("<HH", key, len(part) - 1) for key, part in lows.items())
    if has_runs:
        flags = sum(is_run << index for index, (is_run, _) in enumerate(bodies))
        start = struct.pack("<I", _RUNS | (len(bodies) - 1) << 16) + flags.to_bytes((len(bodies) + 7) // 8, "little")
    else:
        start = struct.pack("<II", _PLAIN, len(bodies))
    start += heads
    if not has_runs or len(bodies) >= _OFFSETS_FROM:
        at = len(start) + 4 * len(bodies)
        for _, body in bodies:
            start += struct.pack("<I", at)
            at += len(body)
    return start + b"".join(body for _, body in bodies)


def _body(lows: list[int]) -> tuple[bool, bytes]:
    """The bytes of a container, and True if they are runs."""
    runs: list[list[int]] = []
    for low in lows:
        if runs and runs[-1][0] + runs[-1][1] + 1 == low:
            runs[-1][1] += 1
        else:
            runs.append([low, 0])
    size = 2 * len(lows) if len(lows) <= _MOST_LISTED else _BITS // 8
    if 2 + 4 * len(runs) < size:
        return True, struct.pack("<H", len(runs)) + b"".join(struct.pack("<HH", *run) for run in runs)
    if len(lows) <= _MOST_LISTED:
        return False, struct.pack(f"<{len(lows)}H", *lows)
    return False, sum(1 << low for low in lows).to_bytes(_BITS // 8, "little")


def _unsigned(value: int) -> int:
    if isinstance(value, bool) or not -(1 << 31) <= int(value) < 1 << 31:
        raise ValueError(f"a member of a bitmap is an integer of 32 bits, not {value!r}")
    return int(value) & 0xFFFFFFFF
