"""What a connector gives to the executor.

A source gives a streaming DataFrame whose columns are `kind` (TINYINT, Flink's RowKind byte), `ord` (BIGINT, arrival
order in the batch), `path` (BINARY or null, order among rows of one `ord`), then one column per physical column of the
table named `f0`, `f1`, ... and one per metadata column asked for, `m0`, `m1`, .... A sink gets each micro-batch as a
DataFrame of `kind`, `ord`, `path` and `f0`, `f1`, ... and writes it so that a batch that is written again (after a
crash) leaves what one writing leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from plans.execution.connectors.options import check_table
from plans.types import LogicalType, RowType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KIND, ORD, PATH = "kind", "ord", "path"

#: Flink's RowKind bytes.
INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = 0, 1, 2, 3

#: Short texts of the row kinds, by byte.
KIND_TEXT = ("+I", "-U", "+U", "-D")


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table as a connector sees it.

    Args:
        identifier: catalog.database.name, unquoted, for messages.
        columns: the physical columns in order.
        options: the WITH options; keys are as written.
        metadata: key and type of each metadata column asked for, in order.
        partition_keys: names of the columns of PARTITIONED BY.
        primary_key: names of the primary key's columns.
        node: the plan node's id, for messages.
        wanted: of a source, the names of the columns that are used; None for all. The others may be null.
    """

    identifier: str
    columns: RowType
    options: dict[str, str]
    metadata: tuple[tuple[str, LogicalType], ...] = ()
    partition_keys: tuple[str, ...] = ()
    primary_key: tuple[str, ...] = ()
    node: int = 0
    wanted: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class SourceContext:
    """What a source may use.

    Args:
        spark: the session.
        max_files: how many files a micro-batch reads of one table at most; None for all that are there.
    """

    spark: SparkSession
    max_files: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A source that is ready to be read; `bounded` tells whether it ends, `keeps` what it needs while it is read."""

    frame: DataFrame
    bounded: bool
    keeps: object = None


class Sink(Protocol):
    """Writes micro-batches."""

    #: Whether the columns `ord` and `path` are needed; they may be left out elsewhere.
    READS_ORDER: ClassVar[bool]

    def write(self, frame: DataFrame, batch_id: int) -> None:
        """Write one batch; called again with the same id after a crash, with the same rows."""


@dataclass(frozen=True, slots=True)
class SinkContext:
    """What a sink may use. `run_id` is stable over restarts on one checkpoint; `stdout` prints a line of data."""

    spark: SparkSession
    run_id: str
    stdout: Callable[[str], None]


SourceFactory = Callable[[TableSpec, SourceContext], Source]
SinkFactory = Callable[[TableSpec, SinkContext], Sink]

_SOURCES: dict[str, SourceFactory] = {}
_SINKS: dict[str, SinkFactory] = {}


def source_connector(name: str) -> Callable[[SourceFactory], SourceFactory]:
    """Register a function as the source of connector `name`."""

    def register(factory: SourceFactory) -> SourceFactory:
        _SOURCES[name] = factory
        return factory

    return register


def sink_connector(name: str) -> Callable[[SinkFactory], SinkFactory]:
    """Register a function as the sink of connector `name`."""

    def register(factory: SinkFactory) -> SinkFactory:
        _SINKS[name] = factory
        return factory

    return register


def open_source(table: TableSpec, context: SourceContext) -> Source:
    """The source for a table.

    Raises:
        UnsupportedError: no such connector, or it cannot be read; a wrong option or column; names the table.
    """
    check_table(table.identifier, table.options, table.columns, table.partition_keys, reading=True)
    return _SOURCES[table.options["connector"]](table, context)


def open_sink(table: TableSpec, context: SinkContext) -> Sink:
    """The sink for a table.

    Raises:
        UnsupportedError: no such connector, or it cannot be written; a wrong option or column; names the table.
    """
    check_table(table.identifier, table.options, table.columns, table.partition_keys, reading=False)
    return _SINKS[table.options["connector"]](table, context)
