"""Positions of Flink's Kafka source: the next offset of each partition.

A reader stores its partitions as splits; the coordinator stores all partitions, and whether a reader has got them.
Source: the serializers of Flink's Kafka connector 4 (version 2 of the coordinator's state) and 5 (version 3).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

from compiled_plan.plans.connectors.messages import LATEST
from compiled_plan.plans.execution.state.flink.positions.binary import Reader, contents, versioned
from compiled_plan.plans.execution.state.flink.positions.errors import PositionError

#: Versions of a split, of the coordinator's own state, and of its two known contents.
_SPLIT, _COORDINATOR, _STATUSES, _SPLITS = 0, 1, 2, 3
#: A split without an end, and the status of a partition that a reader has got.
_ENDLESS, _ASSIGNED = -(2**63), 0
#: Topic, partition, and next offset; None for an offset that is not stored.
_Split = tuple[str, int, int | None]


def next_offsets(splits: Sequence[bytes], coordinator: bytes | None) -> dict[str, dict[int, int]]:
    """The next offsets by topic and partition; those of `connectors.messages` for a partition that was not read yet.

    Raises:
        PositionError: there are no splits, one cannot be read, or a partition has no offset.
    """
    read = [_split(Reader(content)) for content in contents(splits, _SPLIT)]
    if not read:
        raise PositionError("the savepoint has no position of it")
    waiting = [] if coordinator is None else list(_waiting(coordinator, {(topic, at) for topic, at, _ in read}))
    offsets: dict[str, dict[int, int]] = {}
    for topic, partition, offset in (*waiting, *read):
        if offset is None or offset == LATEST:
            raise PositionError(f"partition {partition} of {topic} has not been read yet and has no offset")
        offsets.setdefault(topic, {})[partition] = offset
    return offsets


def _split(reader: Reader) -> _Split:
    try:
        topic, partition, offset = reader.utf(), reader.take("i"), reader.take("q")
        reader.take("q")  # the offset at which it ends
    except (struct.error, UnicodeDecodeError):
        raise PositionError("a split of the source cannot be read") from None
    return topic, partition, offset


def _waiting(coordinator: bytes, read: set[tuple[str, int]]) -> Iterator[_Split]:
    """The partitions of a coordinator that no reader has got yet.

    Raises:
        PositionError: the state has an unknown form, or a reader has read a partition to its end.
    """
    for split, status in _known(coordinator):
        topic, partition, _ = split
        if (topic, partition) in read:
            continue
        if status == _ASSIGNED:
            raise PositionError(f"partition {partition} of {topic} was read to its end")
        yield split


def _known(coordinator: bytes) -> list[tuple[_Split, int]]:
    """The partitions of a coordinator, with their status."""
    reader = Reader(coordinator)
    try:
        own, version = reader.take("i"), reader.take("i")
        if own != _COORDINATOR or version not in (_STATUSES, _SPLITS):
            raise PositionError(f"the state of the source's coordinator has a version that is not known: {version}")
        reader.take("i")  # the length of what follows
        count = reader.take("i")
        if version == _STATUSES:
            return [((reader.utf(), reader.take("i"), None), reader.take("i")) for _ in range(count)]
        reader.take("i")  # the version of the splits
        return [(_split(Reader(reader.bytes(reader.take("i")))), reader.take("i")) for _ in range(count)]
    except (struct.error, UnicodeDecodeError):
        raise PositionError("the state of the source is truncated") from None


def splits_of(offsets: Mapping[str, Mapping[int, int]]) -> tuple[bytes, ...]:
    """The splits of a reader with these next offsets."""
    return tuple(
        versioned(_SPLIT, _partition(topic, partition) + struct.pack(">qq", offset, _ENDLESS))
        for topic, partitions in offsets.items()
        for partition, offset in partitions.items()
    )


def coordinator_of(offsets: Mapping[str, Mapping[int, int]]) -> bytes:
    """The state of a coordinator whose partitions all have a reader."""
    places = [(topic, partition) for topic, partitions in offsets.items() for partition in partitions]
    known = b"".join(_partition(*place) + struct.pack(">i", _ASSIGNED) for place in places)
    # Its end says that the first partitions are known: those that come later are read from their beginning.
    state = struct.pack(">i", len(places)) + known + b"\x01"
    return struct.pack(">i", _COORDINATOR) + versioned(_STATUSES, state)


def _partition(topic: str, number: int) -> bytes:
    name = topic.encode()
    return struct.pack(">H", len(name)) + name + struct.pack(">i", number)
