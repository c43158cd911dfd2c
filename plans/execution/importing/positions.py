"""Positions of sources: from the state of a Flink source, or from an option."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.nodes.tables import CatalogTable

#: Values of `--start`, and the mode in which a table of Kafka begins there.
_MODES: Mapping[str, str] = {"earliest": "earliest-offset", "latest": "latest-offset"}
_MODE, _UPSERTS = "scan.startup.mode", "upsert-kafka"
#: The header of a split in a source's state: the version of its serializer, and its length in bytes.
_HEADER = struct.Struct(">ii")


@dataclass(frozen=True, slots=True)
class Position:
    """The position from which Spark continues a source.

    Args:
        words: for people.
        offset: its entry in Spark's offset log; empty if the source begins.
    """

    words: str
    offset: str = ""


class PositionError(Exception):
    """A position that cannot be taken over; the message is the reason."""


def position_of(table: CatalogTable, splits: Sequence[bytes], wanted: str) -> Position:
    """The position of a table.

    Args:
        splits: the splits in the state of its source's readers.
        wanted: the value of `--start`; empty to take over the position.

    Raises:
        PositionError: it cannot be taken over.
    """
    connector = table.options.get("connector", "")
    if wanted:
        return _STARTS.get(connector, _begin)(table, wanted)
    decode = _DECODERS.get(connector)
    if decode is None:
        raise PositionError(f"the position of the connector {connector!r} is not read from savepoints")
    if not splits:
        raise PositionError("the savepoint has no position of it")
    return decode(splits)


def kafka_position(splits: Sequence[bytes]) -> Position:
    """The next offsets in the splits of a Kafka source.

    Raises:
        PositionError: a split is not Kafka's, or has no offset yet.
    """
    offsets: dict[str, dict[str, int]] = {}
    for split in _contents(splits):
        topic, partition, offset = _kafka_split(split)
        if offset < 0:
            raise PositionError(f"partition {partition} of {topic} has not been read yet and has no offset")
        offsets.setdefault(topic, {})[str(partition)] = offset
    return _of_offsets(offsets)


def _of_offsets(offsets: Mapping[str, Mapping[str, int]]) -> Position:
    words = "; ".join(
        f"{topic} " + ", ".join(f"{partition}:{offset}" for partition, offset in sorted(partitions.items()))
        for topic, partitions in sorted(offsets.items())
    )
    return Position(words, json.dumps(offsets, separators=(",", ":"), sort_keys=True))


def _contents(elements: Sequence[bytes]) -> Iterator[bytes]:
    for element in elements:
        if len(element) < _HEADER.size:
            raise PositionError("the state of the source is truncated")
        version, length = _HEADER.unpack_from(element)
        if version != 0:
            raise PositionError(f"a split of version {version} is not known")
        yield element[_HEADER.size : _HEADER.size + length]


def _kafka_split(data: bytes) -> tuple[str, int, int]:
    """Topic, partition and next offset of a split, before the offset at which it ends; see `DataOutputStream`."""
    try:
        (length,) = struct.unpack_from(">H", data)
        topic = data[2 : 2 + length].decode()
        partition, offset, _ = struct.unpack(">iqq", data[2 + length :])
    except (struct.error, UnicodeDecodeError):
        raise PositionError("a split of the source cannot be read") from None
    return topic, partition, offset


def _begin(table: CatalogTable, wanted: str) -> Position:
    if wanted != "earliest":
        connector = table.options.get("connector", "")
        raise PositionError(f"the connector {connector!r} has no position {wanted!r}, only earliest")
    return Position("begins, as --start says")


def _kafka_start(table: CatalogTable, wanted: str) -> Position:
    """A position as in Flink's `scan.startup.specific-offsets`, or the beginning of the table.

    `partition:0,offset:42;partition:1,offset:7`.
    """
    if wanted in _MODES:
        # Without a position, Spark begins where the table's options say.
        mode = table.options.get(_MODE, _MODES["earliest"] if table.options["connector"] == _UPSERTS else "")
        if mode != _MODES[wanted]:
            raise PositionError(f"the table begins at {mode or 'group-offsets'} ({_MODE}), not at the {wanted} offset")
        return Position(f"begins at {mode}, as --start says")
    topic = table.options.get("topic", "")
    if not topic or ";" in topic:
        raise PositionError("offsets are taken for a table of one topic")
    offsets: dict[str, int] = {}
    for part in filter(None, wanted.split(";")):
        try:
            values = dict(item.split(":") for item in part.split(","))
            offsets[str(int(values["partition"]))] = int(values["offset"])
        except (ValueError, KeyError):
            raise PositionError(f"{part!r} is not `partition:0,offset:42`") from None
    return _of_offsets({topic: offsets})


_DECODERS: Mapping[str, Callable[[Sequence[bytes]], Position]] = {
    "kafka": kafka_position,
    "upsert-kafka": kafka_position,
}
_STARTS: Mapping[str, Callable[[CatalogTable, str], Position]] = {"kafka": _kafka_start, "upsert-kafka": _kafka_start}


def starts_of(options: Sequence[str]) -> Mapping[str, str]:
    """The values of `--start` by table.

    Raises:
        CheckpointError: one is not TABLE=POSITION.
    """
    starts: dict[str, str] = {}
    for option in options:
        table, equals, position = option.partition("=")
        if not (table and equals and position):
            raise CheckpointError(
                f"--start {option} is not TABLE=POSITION", remedy="write --start orders=earliest, one per table"
            )
        starts[table] = position
    return starts
