"""The connector `testing`: tables of a test that replace a program's own.

Rows of sources are Parquet files, one per step of the test and table; lookup tables are in the memory of the JVM; rows
of sinks go to the test, by micro-batch: a repeated one replaces its rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans.connectors.specs.testing import SPEC
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.connectors.collect import in_order
from compiled_plan.plans.execution.interfaces.connectors import (
    KIND,
    ORD,
    PATH,
    LookupTable,
    RowSource,
    SinkContext,
    SourceContext,
    TableSpec,
    lookup_connector,
    sink_connector,
    source_connector,
)
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The running tests, by the option `test` of their tables.
TESTS: dict[str, TestTables] = {}


@dataclass(slots=True)
class TestTables:
    """The tables of a running test.

    Args:
        folder: the folder of the rows of its sources.
        bounded: True if the input of the test ends.
        written: the rows of sinks, by table, then by run and micro-batch.
    """

    __test__: ClassVar[bool] = False

    folder: Path
    bounded: bool = False
    written: dict[str, dict[tuple[str, int], Any]] = field(default_factory=dict)

    def source_folder(self, table: str) -> Path:
        """The folder of the rows of a source."""
        folder = self.folder / table.replace("/", "_")
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def source_schema(table: TableSpec) -> s.StructType:
    """The columns of the rows of a source: kind, order, then physical and metadata columns."""
    named = [(f"f{at}", type_) for at, type_ in enumerate(table.columns.types)]
    named += [(f"m{at}", type_) for at, (_, type_) in enumerate(table.metadata)]
    head = [s.StructField(KIND, s.ByteType()), s.StructField(ORD, s.LongType())]
    return s.StructType([*head, *(s.StructField(name, to_spark(type_)) for name, type_ in named)])


def source_rows(frame: DataFrame, table: TableSpec) -> DataFrame:
    """Rows of `source_schema` as those of a source."""
    _, _, *columns = source_schema(table).names
    return frame.select(KIND, ORD, F.lit(None).cast("binary").alias(PATH), *columns)


def _test_of(table: TableSpec) -> TestTables:
    test = TESTS.get(table.options["test"])
    if test is None:
        raise _unknown(table.identifier)
    return test


def _unknown(table: str) -> UnsupportedError:
    return UnsupportedError(
        f"{table} is a table of a test that does not run in this process",
        remedy="use another connector: tests replace the tables of a program themselves",
    )


@source_connector(SPEC)
def source(table: TableSpec, context: SourceContext) -> RowSource:
    """The source of a table.

    Raises:
        UnsupportedError: its test does not run in this process.
    """
    test = _test_of(table)
    folder = test.source_folder(table.options["id"])
    frame = context.spark.readStream.schema(source_schema(table)).parquet(str(folder))
    return RowSource(source_rows(frame, table), bounded=test.bounded, keeps=test)


@lookup_connector(SPEC)
def lookup(table: LookupTable) -> str:
    """The parameters of a table for the kernel's LookupTable.

    Raises:
        UnsupportedError: no test has made the table.
    """
    if "columns" not in table.options:
        raise _unknown(table.options["id"])
    names = table.options["columns"].split("\x1f")
    memory = {
        "id": f"{table.options['test']}/{table.options['id']}",
        "columns": [names.index(name) for name in table.columns.names],
        "keys": list(table.keys),
    }
    # Retries would only wait: no row comes during a step.
    return json.dumps({"memory": memory})


@dataclass(frozen=True, slots=True)
class TestSink:
    """Hands rows to the test in the order in which they were produced."""

    __test__: ClassVar[bool] = False
    READS_ORDER: ClassVar[bool] = True

    width: int
    run_id: str
    batches: dict[tuple[str, int], Any]

    def write(self, frame: DataFrame, batch_id: int) -> None:
        self.batches[self.run_id, batch_id] = in_order(frame, self.width)


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> TestSink:
    """The sink of a table.

    Raises:
        UnsupportedError: its test does not run in this process.
    """
    test = _test_of(table)
    return TestSink(len(table.columns.fields), context.run_id, test.written.setdefault(table.options["id"], {}))
