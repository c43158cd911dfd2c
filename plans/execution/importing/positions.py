"""Positions of sources: from the state of a Flink source, or from an option."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.importing.file_positions import ALL_READ, FILE_SPLITS, FilesRead, files_read
from compiled_plan.plans.execution.importing.model import PositionError
from compiled_plan.plans.execution.importing.streams import Reader
from compiled_plan.plans.nodes.tables import CatalogTable

#: Flink's codes for an offset that is not known yet: the offset of the consumer group, and the ends of the partition.
COMMITTED, EARLIEST, LATEST = -3, -2, -1
_ENDS: Mapping[str, int] = {"earliest": EARLIEST, "latest": LATEST}
#: The header of a split in a source's state: the version of its serializer, and its length in bytes.
_HEADER = struct.Struct(">ii")
#: The version of Kafka's splits, and of the coordinator's state; the status of a split that a reader has got.
_KAFKA_SPLITS, _KAFKA_COORDINATOR, _ASSIGNED = 0, (1, 3), 0
_MONITORS = "source.monitor-interval"


@dataclass(frozen=True, slots=True)
class Position:
    """The position from which Spark continues a source; without `offsets`, `end` and `files` the source begins.

    Args:
        words: for people.
        offsets: of Kafka, the next offset of each partition by topic; `EARLIEST` or `COMMITTED` for one that was not
            read yet.
        end: of Kafka, `EARLIEST` or `LATEST` for all partitions.
        files: the files of the table that were read.
    """

    words: str
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    end: int | None = None
    files: FilesRead | None = None

    @property
    def begins(self) -> bool:
        """True if the source begins, where its table or `--start` says."""
        return not self.offsets and self.files is None


@dataclass(frozen=True, slots=True)
class SourceState:
    """The state of a source in a savepoint.

    Args:
        splits: the splits of its readers.
        coordinator: the state of its coordinator.
        finished: True if it had read its table, and has no state.
    """

    splits: Sequence[bytes] = ()
    coordinator: bytes | None = None
    finished: bool = False


def position_of(table: CatalogTable, state: SourceState, wanted: str) -> Position:
    """The position of a table.

    Args:
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
    return decode(table, state)


def kafka_position(state: SourceState) -> Position:
    """The next offsets of a Kafka source.

    Raises:
        PositionError: it has no splits of Kafka, or one without an offset.
    """
    splits = [_kafka_split(split) for split in _contents(state.splits, _KAFKA_SPLITS)]
    if not splits:
        raise PositionError("the savepoint has no position of it")
    offsets: dict[str, dict[int, int]] = {}
    for topic, partition, offset in (*_waiting(state.coordinator, splits), *splits):
        if offset == LATEST:
            raise PositionError(f"partition {partition} of {topic} has not been read yet and has no offset")
        offsets.setdefault(topic, {})[partition] = offset
    return _of_offsets(offsets)


def _waiting(coordinator: bytes | None, splits: Sequence[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    """The splits of a coordinator that no reader has got yet.

    Raises:
        PositionError: a reader has read a partition to its end.
    """
    if coordinator is None:
        return
    reader = Reader(coordinator)
    try:
        if (reader.take("i"), reader.take("i")) != _KAFKA_COORDINATOR:
            return
        reader.take("i")  # the length of what follows
        count = reader.take("i")
        reader.take("i")  # the version of the splits
        known = [(_kafka_split(reader.bytes(reader.take("i"))), reader.take("i")) for _ in range(count)]
    except struct.error:
        raise PositionError("the state of the source is truncated") from None
    read = {(topic, partition) for topic, partition, _ in splits}
    for split, status in known:
        topic, partition, _ = split
        if (topic, partition) not in read:
            if status == _ASSIGNED:
                raise PositionError(f"partition {partition} of {topic} was read to its end")
            yield split


def _of_offsets(offsets: Mapping[str, Mapping[int, int]]) -> Position:
    names = {EARLIEST: "earliest", COMMITTED: "offset of the group"}
    words = "; ".join(
        f"{topic} "
        + ", ".join(f"{number}:{names.get(offset, offset)}" for number, offset in sorted(partitions.items()))
        for topic, partitions in sorted(offsets.items())
    )
    return Position(words, offsets)


def _files(table: CatalogTable, state: SourceState) -> Position:
    if state.finished:
        return Position(ALL_READ.words, files=ALL_READ)
    read = files_read(state.coordinator, _contents(state.splits, FILE_SPLITS), unbounded=_MONITORS in table.options)
    return Position(read.words, files=read)


def _contents(elements: Sequence[bytes], expected: int) -> Iterator[bytes]:
    """The splits without their headers, all of one version."""
    for element in elements:
        if len(element) < _HEADER.size:
            raise PositionError("the state of the source is truncated")
        version, length = _HEADER.unpack_from(element)
        if version != expected:
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
    """A position as in Flink's `scan.startup.specific-offsets`, or an end of all partitions.

    `partition:0,offset:42;partition:1,offset:7`.
    """
    if wanted in _ENDS:
        return Position(f"{wanted}, as --start says", end=_ENDS[wanted])
    topic = table.options.get("topic", "")
    if not topic or ";" in topic:
        raise PositionError("offsets are taken for a table of one topic")
    offsets: dict[int, int] = {}
    for part in filter(None, wanted.split(";")):
        try:
            values = dict(item.split(":") for item in part.split(","))
            offsets[int(values["partition"])] = int(values["offset"])
        except (ValueError, KeyError):
            raise PositionError(f"{part!r} is not `partition:0,offset:42`") from None
    return _of_offsets({topic: offsets})


_DECODERS: Mapping[str, Callable[[CatalogTable, SourceState], Position]] = {
    "filesystem": _files,
    "kafka": lambda _, state: kafka_position(state),
    "upsert-kafka": lambda _, state: kafka_position(state),
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
