"""What a connector gives to the executor.

A source gives a streaming DataFrame whose columns are `kind` (TINYINT, Flink's RowKind byte), `ord` (BIGINT, arrival
order in the batch), `path` (BINARY or null, order among rows of one `ord`), then one column per physical column of the
table named `f0`, `f1`, ... and one per metadata column asked for, `m0`, `m1`, .... One whose partitions have watermarks
of their own has `partition` (STRING), the row's, too. A sink gets each micro-batch as a DataFrame of `kind`, `ord`,
`path` and `f0`, `f1`, ... and writes it so that a batch that is written again (after a crash) leaves what one writing
leaves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, runtime_checkable

from compiled_plan.plans.connectors.checks import table_faults
from compiled_plan.plans.connectors.registry import module_name
from compiled_plan.plans.connectors.spec import ConnectorSpec
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.tables import CatalogTable, ResolvedTable
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import LogicalType, RowType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

KIND, ORD, PATH = "kind", "ord", "path"
PARTITION = "partition"

#: Flink's RowKind bytes.
INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = 0, 1, 2, 3


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
        sink: of a sink, its name in the run, the same at every start; a table may be written by several.
        filters: of a source, expressions that are true for all rows that are used, each with the positions of the
            columns that it refers to; None for what is none. The plan looks at them again.
        dead_letters: of a source, the table of the program for records that cannot be read; None where there is none.
    """

    identifier: str
    columns: RowType
    options: dict[str, str]
    metadata: tuple[tuple[str, LogicalType], ...] = ()
    partition_keys: tuple[str, ...] = ()
    primary_key: tuple[str, ...] = ()
    node: int = 0
    wanted: frozenset[str] | None = None
    sink: str = ""
    filters: tuple[tuple[RexNode, tuple[int | None, ...]], ...] = ()
    dead_letters: TableSpec | None = None

    @property
    def used(self) -> tuple[str, ...]:
        """Of a source, the names of the columns to read: one at least, though only the number of rows may be wanted."""
        names = self.columns.names
        return tuple(name for name in names if self.wanted is None or name in self.wanted) or names[:1]


@dataclass(frozen=True, slots=True)
class SourceContext:
    """What a source may use.

    Args:
        max_files: how many files a micro-batch reads of one table at most; None for all that are there.
        clock: the time of a row, as TIMESTAMP; None where that of its micro-batch is meant.
    """

    spark: SparkSession
    max_files: int | None = None
    clock: Column | None = None


@dataclass(frozen=True, slots=True)
class RowSource:
    """A source that is ready to be read.

    Args:
        frame: its rows.
        bounded: whether it ends.
        keeps: what it needs while it is read.
        cut: the rows up to the end of a bounded source in a run that goes on, for others; None where these are `frame`.
        partitions: how many tasks read it in real-time mode.
    """

    frame: DataFrame
    bounded: bool
    keeps: object = None
    cut: DataFrame | None = None
    partitions: int = 1


class RowSink(Protocol):
    """Writes micro-batches."""

    #: Whether the columns `ord` and `path` are needed; they may be left out elsewhere.
    READS_ORDER: ClassVar[bool]

    def write(self, frame: DataFrame, batch_id: int) -> None:
        """Write one batch; called again with the same id after a crash, with the same rows."""


@runtime_checkable
class LeavesFiles(Protocol):
    """A sink whose rows are files that name their run."""

    def left(self) -> tuple[int, str]:
        """How many files of this run there are, and a pattern of their names."""


@runtime_checkable
class LooksAhead(Protocol):
    """A sink that looks at what is there before any sink of the run writes its first micro-batch."""

    def look_ahead(self, batch_id: int) -> None:
        """Refuse a micro-batch behind others that the sink got of this run.

        Raises:
            CheckpointError: there are some: the checkpoint is an older copy.
        """


@runtime_checkable
class RunsRows(Protocol):
    """A sink that may run the rows in another query than the one that it is given, of which Spark tells nobody."""

    RUNS_ROWS: ClassVar[bool]


class Commits(Protocol):
    """What is to be done when micro-batches are committed."""

    def check(self, *, ends: bool, has_watermark: bool) -> None:
        """Refuse what would never be done.

        Args:
            ends: whether all rows are written at some time.
            has_watermark: whether a run knows its watermark.

        Raises:
            UnsupportedError: names the table, and what it needs.
        """

    def settle(self, batch: int, watermark: int | None, *, ended: bool) -> None:
        """Told now and then.

        Args:
            batch: the last one that is committed.
            watermark: of the query in it, in ms since 1970; None where there is none.
            ended: whether all rows are written.
        """


@runtime_checkable
class HasCommits(Protocol):
    """A sink that may have something to do when micro-batches are committed."""

    @property
    def commits(self) -> Commits | None:
        """What that is; None for nothing."""


@dataclass(frozen=True, slots=True)
class SinkContext:
    """What a sink may use.

    Args:
        run_id: stable over restarts on one checkpoint.
        stdout: prints a line of data.
        writes: whether it is going to write; else it is asked what it left, and need not be there.
        folders: those that sinks of the same plan write into, each with how many it has to share with.
        begun: when a micro-batch was begun for the first time, in ms since 1970; known once it is written.
    """

    spark: SparkSession
    run_id: str
    stdout: Callable[[str], None]
    writes: bool = True
    folders: list[tuple[str, int]] = field(default_factory=list)
    begun: Callable[[int], int] = lambda _: int(time.time() * 1000)

    def share(self, folder: str) -> int:
        """A number for a sink that is about to write into a folder.

        Args:
            folder: its path, in the form that paths of the same folder have in common.

        Returns:
            0, or more than that of any other sink that writes into the same folder, one below it, or above it.
        """
        whole = f"{folder.rstrip('/')}/"
        shared = [number for root, number in self.folders if whole.startswith(root) or root.startswith(whole)]
        number = max(shared, default=-1) + 1
        self.folders.append((whole, number))
        return number


def table_of(node: TableSourceScan | Sink) -> CatalogTable:
    """The table that a scan reads or a sink writes."""
    spec = node.scan_table_source if isinstance(node, TableSourceScan) else node.dynamic_table_sink
    return spec.table


def resolved_table(node: TableSourceScan | Sink) -> ResolvedTable:
    """Schema and options of the table of a scan or sink."""
    table = table_of(node).resolved_table
    assert table is not None
    return table


def insert_head(order: Column | None = None) -> tuple[Column, Column, Column]:
    """`kind`, `ord` and `path` of inserts, counted as a task reads them unless `order` says how they stand."""
    from pyspark.sql import functions as F

    order = F.call_function("order_number") if order is None else order
    return F.lit(INSERT).cast("tinyint").alias(KIND), order.alias(ORD), F.lit(None).cast("binary").alias(PATH)


def only_inserts(message: str) -> Column:
    """`kind`, where any row but an insert fails the run with a message."""
    from pyspark.sql import functions as F

    kind = F.col(KIND)
    return F.when(kind == INSERT, kind).otherwise(F.raise_error(F.lit(message)).cast("tinyint")).alias(KIND)


SourceFactory = Callable[[TableSpec, SourceContext], RowSource]
SinkFactory = Callable[[TableSpec, SinkContext], RowSink]
#: Given a table: what the kernel's LookupTable needs to know, as JSON text.
LookupFactory = Callable[["LookupTable"], str]


@dataclass(frozen=True, slots=True)
class LookupTable:
    """A table that is asked by key.

    Args:
        identifier: catalog.database.name, unquoted, for messages.
        columns: the columns that are read.
        keys: positions of the columns that are compared, in the order in which their values are given.
        options: the WITH options.
        miss_retries: how often a key without rows is looked up again.
        miss_delay: milliseconds before each of these.
    """

    identifier: str
    columns: RowType
    keys: tuple[int, ...]
    options: dict[str, str]
    miss_retries: int = 0
    miss_delay: int = 0


_F = TypeVar("_F")


class Registry(dict[str, _F]):
    """Factories of tables for one use, by the names of connectors; a call registers one.

    Args:
        use: "source", "sink" or "lookup".
    """

    def __init__(self, use: str) -> None:
        super().__init__()
        self.use = use

    def __call__(self, spec: ConnectorSpec) -> Callable[[_F], _F]:
        """Register a function for a connector."""
        assert getattr(spec, self.use) is not None, f"the spec of {spec.name} has no {self.use}"

        def register(factory: _F) -> _F:
            self[spec.name] = factory
            return factory

        return register

    def of(self, options: Mapping[str, str]) -> _F:
        """The factory for a table of these options; loads the connector's module, which has its name."""
        name = options["connector"]
        import_module(f"compiled_plan.plans.execution.connectors.{module_name(name)}")
        return self[name]


source_connector: Registry[SourceFactory] = Registry("source")
sink_connector: Registry[SinkFactory] = Registry("sink")
lookup_connector: Registry[LookupFactory] = Registry("lookup")


def check_table(
    table: str,
    options: Mapping[str, str],
    columns: RowType,
    partition_keys: tuple[str, ...] = (),
    *,
    reading: bool,
    lookup: bool = False,
    primary_key: tuple[str, ...] = (),
) -> None:
    """Refuse a table whose options, connector, format or columns do not run.

    Raises:
        UnsupportedError: names the table and the option or column.
    """
    for fault in table_faults(
        table, options, columns, partition_keys, reading=reading, lookup=lookup, primary_key=primary_key
    ):
        where = f"table {table}, WITH, '{fault.option}'" if fault.option else f"table {table}"
        raise UnsupportedError(fault.message, where=where, remedy=fault.remedy)


def open_source(table: TableSpec, context: SourceContext) -> RowSource:
    """The source for a table.

    Raises:
        UnsupportedError: no such connector, or it cannot be read; a wrong option or column; names the table.
    """
    keys = table.partition_keys
    check_table(table.identifier, table.options, table.columns, keys, reading=True, primary_key=table.primary_key)
    return source_connector.of(table.options)(table, context)


def open_sink(table: TableSpec, context: SinkContext) -> RowSink:
    """The sink for a table.

    Raises:
        UnsupportedError: no such connector, or it cannot be written; a wrong option or column; names the table.
    """
    keys = table.partition_keys
    check_table(table.identifier, table.options, table.columns, keys, reading=False, primary_key=table.primary_key)
    return sink_connector.of(table.options)(table, context)


def files_of(table: TableSpec, context: SinkContext) -> tuple[int, str]:
    """How many files a run left in a table, and a pattern of their names; 0 and no pattern where rows are no files."""
    sink = open_sink(table, context)
    return sink.left() if isinstance(sink, LeavesFiles) else (0, "")


def open_lookup(table: LookupTable) -> str:
    """What the kernel's LookupTable needs to know of a table, as JSON text.

    Raises:
        UnsupportedError: no such connector, or it cannot be looked up; a wrong option or column; names the table.
    """
    check_table(table.identifier, table.options, table.columns, reading=True, lookup=True)
    return lookup_connector.of(table.options)(table)
