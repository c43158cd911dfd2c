"""Samples of the tables that a plan reads: their first rows, read by their own connectors and formats.

The tables are read by queries of their own, which know nothing of a checkpoint of the plan.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.execution.connectors.collect import in_order
from compiled_plan.plans.execution.expressions import register
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH, SourceContext, TableSpec, open_source
from compiled_plan.plans.execution.interfaces.dead_letters import DEAD
from compiled_plan.plans.execution.session.lakes import check_lakes
from compiled_plan.plans.execution.session.spark_session import no_query_starts
from compiled_plan.plans.execution.session.stopping import StoppedError, follow
from compiled_plan.plans.execution.spark.arrow import values_of
from compiled_plan.plans.execution.spark.failures import translate
from compiled_plan.plans.execution.spark.java import cache_classes, frame_of, java_class
from compiled_plan.plans.execution.spark.packages import check_loaded_code, provide
from compiled_plan.plans.execution.stages.prepared import scan_columns, spec_of
from compiled_plan.plans.execution.testing.replacing import PlanTables, table_id
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.tables import CatalogTable, MetadataColumn
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.types import LogicalType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.plan import CompiledPlan

_HOST = "org.compiledplan.kernel.host"
#: Files per micro-batch. Of each one, a task reads at most the rows of the sample.
_FILES = 16


@dataclass(frozen=True, slots=True)
class Sample:
    """The first rows of a table, in the order in which a run reads them.

    Args:
        table: the table, as the plan declares it.
        kinds: bytes of `RowKind`.
        rows: internal values: physical columns, then all metadata columns; those that the plan does not read are NULL.
        refusal: the reason why the table cannot be read; empty if it was.
    """

    table: CatalogTable
    kinds: tuple[int, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    refusal: str = ""


def samples(spark: SparkSession, plan: CompiledPlan, count: int, secrets: Secrets) -> Iterator[Sample]:
    """Read the tables that a plan scans or looks up.

    Args:
        count: the maximum number of rows per table.
        secrets: the secrets to which options of the tables refer.

    Raises:
        CompiledPlanError: a table that runs cannot be read now.
    """
    cache_classes(spark._jvm)
    register(spark)
    java_class(spark._jvm, f"{_HOST}.input.OrderNumber").register(spark._jsparkSession)
    check_loaded_code(plan, spark)
    check_lakes(spark, plan)
    provide(spark, plan)
    tables, metadata = PlanTables.of(plan), _read_metadata(plan)
    for name, table in {**tables.lookups, **tables.sources}.items():
        try:
            yield _sample(spark, table, metadata.get(name, {}), count, secrets)
        except UnsupportedError as fault:
            yield Sample(table, refusal=fault.message)


def _read_metadata(plan: CompiledPlan) -> Mapping[str, Mapping[str, LogicalType]]:
    """Keys and types of the metadata that scans read, by table."""
    read: dict[str, dict[str, LogicalType]] = {}
    for node in plan.nodes:
        if isinstance(node, TableSourceScan):
            keys = read.setdefault(table_id(node.scan_table_source.table), {})
            keys |= dict(scan_columns(node).metadata)
    return read


def _sample(
    spark: SparkSession, table: CatalogTable, metadata: Mapping[str, LogicalType], count: int, secrets: Secrets
) -> Sample:
    assert table.resolved_table is not None
    spec = spec_of(table, table.resolved_table, 0, tuple(metadata.items()))
    kinds, columns = _first_rows(spark, spec, count, secrets)
    by_key = dict(zip(metadata, columns[len(spec.columns.fields) :], strict=True))
    declared = [column for column in table.resolved_table.table_schema.columns if isinstance(column, MetadataColumn)]
    nothing = [None] * len(kinds)
    columns = [*columns[: len(spec.columns.fields)], *(by_key.get(column.key, nothing) for column in declared)]
    return Sample(table, tuple(kinds), tuple(zip(*columns, strict=True)))


def _first_rows(
    spark: SparkSession, table: TableSpec, count: int, secrets: Secrets
) -> tuple[list[int], list[list[Any]]]:
    """Kinds, and values by column: physical columns, then metadata."""
    width, types = len(table.columns.fields), (*table.columns.types, *(type_ for _, type_ in table.metadata))
    with no_query_starts():
        source = open_source(table, SourceContext(spark, max_files=_FILES, sample=count, secrets=secrets))
    named = [f"m{at} AS f{width + at}" for at in range(len(table.metadata))]
    rows = source.frame.where(f"{KIND} <> {DEAD}").selectExpr(
        KIND, ORD, PATH, *(f"f{at}" for at in range(width)), *named
    )
    kinds: list[int] = []
    columns: list[list[Any]] = [[] for _ in types]
    enough = threading.Event()

    def take(frame: DataFrame, _: int) -> None:
        if enough.is_set():
            return
        batch = in_order(_first_of_tasks(frame, count), len(types)).slice(0, count - len(kinds))
        kinds.extend(batch.column(0).to_pylist())
        for at, type_ in enumerate(types):
            columns[at] += values_of(batch.column(at + 1), type_)
        if len(kinds) >= count:
            enough.set()

    with TemporaryDirectory(prefix="compiled-plan-sample-") as folder:
        writer = rows.writeStream.foreachBatch(take).option("checkpointLocation", folder)
        try:
            query = writer.trigger(availableNow=True).start()
            with suppress(StoppedError):
                follow(spark, query, enough.is_set)
        except CompiledPlanError:
            raise
        except Exception as fault:
            raise translate(fault) from fault
    return kinds, columns


def _first_of_tasks(frame: DataFrame, count: int) -> DataFrame:
    """The first rows of each task, which reads no further."""
    spark = frame.sparkSession
    return frame_of(java_class(spark._jvm, f"{_HOST}.spark.Plans").firstOfTasks(frame._jdf, count), spark)
