"""Positions of sources: from the state of a Flink source, or from an option."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from compiled_plan.plans.connectors.messages import COMMITTED, EARLIEST, LATEST
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.flink.positions.binary import contents
from compiled_plan.plans.execution.state.flink.positions.errors import PositionError
from compiled_plan.plans.execution.state.flink.positions.files import ALL_READ, FILE_SPLITS, FilesRead, files_read
from compiled_plan.plans.execution.state.flink.positions.kafka import next_offsets
from compiled_plan.plans.nodes.tables import CatalogTable

#: The state of a source with its splits.
SPLITS = "SourceReaderState"
_ENDS: Mapping[str, int] = {"earliest": EARLIEST, "latest": LATEST}
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
        wanted: the value of `--start`; empty to import the position.

    Raises:
        PositionError: it cannot be imported.
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
    return _of_offsets(next_offsets(state.splits, state.coordinator))


def _of_offsets(offsets: Mapping[str, Mapping[int, int]]) -> Position:
    return Position(words_of(offsets), offsets)


def words_of(offsets: Mapping[str, Mapping[int, int]]) -> str:
    """The next offsets for people: `orders 0:42, 1:earliest`."""
    names = {EARLIEST: "earliest", COMMITTED: "offset of the group"}
    return "; ".join(
        f"{topic} "
        + ", ".join(f"{number}:{names.get(offset, offset)}" for number, offset in sorted(partitions.items()))
        for topic, partitions in sorted(offsets.items())
    )


def _files(table: CatalogTable, state: SourceState) -> Position:
    if state.finished:
        return Position(ALL_READ.words, files=ALL_READ)
    read = files_read(state.coordinator, contents(state.splits, FILE_SPLITS), unbounded=_MONITORS in table.options)
    return Position(read.words, files=read)


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
