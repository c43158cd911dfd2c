"""The interface between connectors and the executor.

A source returns a streaming DataFrame with the columns `kind` (TINYINT, Flink's RowKind byte), `ord` (BIGINT, arrival
order in the batch), `path` (BINARY or null, order among rows of one `ord`), then one column per physical column of the
table named `f0`, `f1`, ... and one per requested metadata column, `m0`, `m1`, .... A source with watermarks by
partition also has `partition` (STRING), the partition of the row. A sink gets each micro-batch as a DataFrame of
`kind`, `ord`, `path` and `f0`, `f1`, ...; its writes must be idempotent, since a batch is written again after a crash.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, runtime_checkable

from compiled_plan.plans.connectors.checks import table_faults
from compiled_plan.plans.connectors.registry import module_name
from compiled_plan.plans.connectors.spec import ConnectorSpec
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.tables import CatalogTable, ResolvedTable
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.types import LogicalType, RowType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql import functions as F
else:
    F = deferred("pyspark.sql.functions")

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
        options: the WITH options, with keys unchanged.
        metadata: key and type of each requested metadata column, in order.
        partition_keys: names of the columns of PARTITIONED BY.
        primary_key: names of the primary key's columns.
        node: the plan node's id, for messages.
        wanted: of a source, the names of the used columns; None for all. Others may be null.
        sink: of a sink, its name in the run, stable over starts; a table may have several sinks.
        filters: of a source, expressions that are true for all rows that are used, each with the positions of the
            columns that it references; None for references to anything else. The plan evaluates them again.
        dead_letters: of a source, the table for unreadable records; None if there is none.
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
        """Of a source, the names of the columns to read: at least one, even if only the number of rows is used."""
        names = self.columns.names
        return tuple(name for name in names if self.wanted is None or name in self.wanted) or names[:1]


@dataclass(frozen=True, slots=True)
class SourceContext:
    """The environment of a source.

    Args:
        max_files: maximum number of files per micro-batch and table; None for no limit.
        clock: the time of a row, as TIMESTAMP; None for the time of its micro-batch.
        sample: of a sample of the table, the number of rows: they are the earliest, whatever the table's options say
            about its beginning, and generated ones come at once; None for a run.
        secrets: the secrets to which options of tables refer.
        again: True if the rows were read before, up to a position: a source refuses if it lacks some of them now.
    """

    spark: SparkSession
    max_files: int | None = None
    clock: Column | None = None
    sample: int | None = None
    secrets: Secrets = field(default_factory=Secrets)
    again: bool = False


@dataclass(frozen=True, slots=True)
class RowSource:
    """An open source.

    Args:
        frame: its rows.
        bounded: True if it ends.
        keeps: objects to keep alive while it is read.
        cut: the rows up to the end of a bounded source, for a run that continues for other sources; None for `frame`.
        partitions: the number of tasks that read it in real-time mode.
        fixed: True if it has the same rows whenever it is read, such as a version of a table.
    """

    frame: DataFrame
    bounded: bool
    keeps: object = None
    cut: DataFrame | None = None
    partitions: int = 1
    fixed: bool = False


class RowSink(Protocol):
    """A sink that takes the rows of micro-batches."""

    #: True if the sink reads the columns `ord` and `path`; otherwise they may be omitted.
    READS_ORDER: ClassVar[bool]

    def write(self, frame: DataFrame, batch_id: int) -> None:
        """Write one batch; called again with the same id and rows after a crash."""


@runtime_checkable
class LeavesFiles(Protocol):
    """A sink that writes files named after their run."""

    def left(self) -> tuple[int, str]:
        """The number of files of this run, and a pattern of their names."""


@runtime_checkable
class LooksAhead(Protocol):
    """A sink that inspects existing output before any sink of the run writes its first micro-batch."""

    def look_ahead(self, batch_id: int) -> None:
        """Refuse a micro-batch if the sink already has later ones of this run.

        Raises:
            CheckpointError: it has: the checkpoint is an older copy.
        """


@runtime_checkable
class RunsRows(Protocol):
    """A sink that may run the rows in another query than its argument's, invisible to Spark's listeners."""

    RUNS_ROWS: ClassVar[bool]


class Commits(Protocol):
    """Actions of a sink on commits of micro-batches."""

    def check(self, *, ends: bool, has_watermark: bool) -> None:
        """Refuse actions that would never happen.

        Args:
            ends: True if the run will have written all rows at some time.
            has_watermark: True if the run has a watermark.

        Raises:
            UnsupportedError: names the table and the missing condition.
        """

    def settle(self, batch: int, watermark: int | None, *, ended: bool) -> None:
        """Act on the progress of commits; called periodically.

        Args:
            batch: the last committed micro-batch.
            watermark: the query's watermark in it, in ms since 1970; None if there is none.
            ended: True if all rows are written.
        """


@runtime_checkable
class HasCommits(Protocol):
    """A sink that may act on commits of micro-batches."""

    @property
    def commits(self) -> Commits | None:
        """The actions; None if there are none."""


@dataclass(frozen=True, slots=True)
class SinkContext:
    """The environment of a sink.

    Args:
        run_id: stable over restarts on one checkpoint.
        stdout: prints a line of data.
        writes: True if the sink will write; otherwise it only reports what it left, and its target may be missing.
        folders: the folders of the plan's sinks, each with its number among the sinks that share it.
        begun: returns the time at which a micro-batch was first begun, in ms since 1970; known once it is written.
        secrets: the secrets to which options of tables refer.
    """

    spark: SparkSession
    run_id: str
    stdout: Callable[[str], None]
    writes: bool = True
    folders: list[tuple[str, int]] = field(default_factory=list)
    begun: Callable[[int], int] = lambda _: int(time.time() * 1000)
    secrets: Secrets = field(default_factory=Secrets)

    def share(self, folder: str) -> int:
        """Number a sink among those that write into a folder.

        Args:
            folder: its path, normalised so that paths of the same folder are equal.

        Returns:
            0, or a larger number than any other sink has that writes into the same folder, one below it, or above it.
        """
        prefix = f"{folder.rstrip('/')}/"
        shared = [number for root, number in self.folders if prefix.startswith(root) or root.startswith(prefix)]
        number = max(shared, default=-1) + 1
        self.folders.append((prefix, number))
        return number


def table_of(node: TableSourceScan | Sink) -> CatalogTable:
    spec = node.scan_table_source if isinstance(node, TableSourceScan) else node.dynamic_table_sink
    return spec.table


def resolved_table(node: TableSourceScan | Sink) -> ResolvedTable:
    table = table_of(node).resolved_table
    assert table is not None
    return table


def insert_head(order: Column | None = None) -> tuple[Column, Column, Column]:
    """`kind`, `ord` and `path` of inserts, in the order in which a task reads them unless `order` defines another."""
    order = F.call_function("order_number") if order is None else order
    return F.lit(INSERT).cast("tinyint").alias(KIND), order.alias(ORD), F.lit(None).cast("binary").alias(PATH)


def only_inserts(message: str) -> Column:
    """`kind`; any row but an insert fails the run with the message."""
    kind = F.col(KIND)
    return F.when(kind == INSERT, kind).otherwise(F.raise_error(F.lit(message)).cast("tinyint")).alias(KIND)


SourceFactory = Callable[[TableSpec, SourceContext], RowSource]
SinkFactory = Callable[[TableSpec, SinkContext], RowSink]
#: Returns the parameters of a table for the kernel's LookupTable, as JSON text.
LookupFactory = Callable[["LookupTable"], str]
#: Returns the newest rows of a table whenever a plan of them runs, with the columns `v0`, `v1`, ....
WholeLookupFactory = Callable[["LookupTable", "SparkSession"], "DataFrame"]


@dataclass(frozen=True, slots=True)
class LookupTable:
    """A table for lookups by key.

    Args:
        identifier: catalog.database.name, unquoted, for messages.
        columns: the columns to read.
        keys: positions of the key columns, in the order of the lookup values.
        options: the WITH options.
        miss_retries: maximum number of retries of a key without rows.
        miss_delay: delay before each retry, in ms.
    """

    identifier: str
    columns: RowType
    keys: tuple[int, ...]
    options: dict[str, str]
    miss_retries: int = 0
    miss_delay: int = 0


_F = TypeVar("_F")


class Registry(dict[str, _F]):
    """Factories of tables for one use, by connector name; a call registers one.

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
        """The factory for a table with these options; imports the connector's module, which has its name."""
        name = options["connector"]
        import_module(f"compiled_plan.plans.execution.connectors.{module_name(name)}")
        return self[name]


source_connector: Registry[SourceFactory] = Registry("source")
sink_connector: Registry[SinkFactory] = Registry("sink")
lookup_connector: Registry[LookupFactory] = Registry("lookup")
whole_lookup_connector: Registry[WholeLookupFactory] = Registry("lookup")


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
    """Refuse a table whose options, connector, format or columns do not run; references to secrets are resolved.

    Raises:
        UnsupportedError: names the table and the option or column.
    """
    for fault in table_faults(
        table,
        options,
        columns,
        partition_keys,
        reading=reading,
        lookup=lookup,
        primary_key=primary_key,
        resolved=True,
    ):
        where = f"table {table}, WITH, '{fault.option}'" if fault.option else f"table {table}"
        raise UnsupportedError(fault.message, where=where, remedy=fault.remedy)


def with_secrets(table: TableSpec, secrets: Secrets) -> TableSpec:
    """The table with the values of secrets in its options; those of its dead letters stay until they are opened."""
    return replace(table, options=secrets.resolved(table.options, f"table {table.identifier}"))


def open_source(table: TableSpec, context: SourceContext) -> RowSource:
    """The source for a table.

    Raises:
        UnsupportedError: no such connector, or it cannot be read; a wrong option or column; names the table.
        ExecutionError: secrets are missing.
    """
    table, keys = with_secrets(table, context.secrets), table.partition_keys
    check_table(table.identifier, table.options, table.columns, keys, reading=True, primary_key=table.primary_key)
    return source_connector.of(table.options)(table, context)


def open_sink(table: TableSpec, context: SinkContext) -> RowSink:
    """The sink for a table.

    Raises:
        UnsupportedError: no such connector, or it cannot be written; a wrong option or column; names the table.
        ExecutionError: secrets are missing.
    """
    table, keys = with_secrets(table, context.secrets), table.partition_keys
    check_table(table.identifier, table.options, table.columns, keys, reading=False, primary_key=table.primary_key)
    return sink_connector.of(table.options)(table, context)


def files_of(table: TableSpec, context: SinkContext) -> tuple[int, str]:
    """The number of files that a run left in a table, and a pattern of their names; (0, "") if rows are not files."""
    sink = open_sink(table, context)
    return sink.left() if isinstance(sink, LeavesFiles) else (0, "")


def open_lookup(table: LookupTable, secrets: Secrets) -> str:
    """The parameters of a table for the kernel's LookupTable, as JSON text.

    Raises:
        UnsupportedError: no such connector, or it cannot be looked up; a wrong option or column; names the table.
        ExecutionError: secrets are missing.
    """
    table = _checked_lookup(table, secrets)
    return lookup_connector.of(table.options)(table)


def open_whole_lookup(table: LookupTable, spark: SparkSession, secrets: Secrets) -> DataFrame:
    """The newest rows of a table with which micro-batches are joined, see `WholeLookupFactory`.

    Raises:
        UnsupportedError: no such connector, or it cannot be looked up; a wrong option or column; names the table.
        DataError: the table does not exist, or its columns differ.
        ExecutionError: secrets are missing, or the table cannot be read.
    """
    table = _checked_lookup(table, secrets)
    return whole_lookup_connector.of(table.options)(table, spark)


def _checked_lookup(table: LookupTable, secrets: Secrets) -> LookupTable:
    table = replace(table, options=secrets.resolved(table.options, f"table {table.identifier}"))
    check_table(table.identifier, table.options, table.columns, reading=True, lookup=True)
    return table
