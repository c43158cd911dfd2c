"""Sources from data sources: read as streams if supported, otherwise as batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from compiled_plan.plans.connectors.specs.spark import SPEC
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import RowSource, SourceContext, TableSpec, insert_head
from compiled_plan.plans.execution.providers.columns import check_columns, plan_columns
from compiled_plan.plans.execution.providers.provider import Opened
from compiled_plan.plans.execution.providers.whole import whole
from compiled_plan.plans.execution.spark.types import schema_of
from compiled_plan.plans.types import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

#: Spark's messages for a data source without streaming reads, and for one that requires a schema.
_NO_STREAM = ("does not support streamed reading", "simpleStreamReader is not implemented")
_NO_COLUMNS = "Schema must be specified"


def read(table: TableSpec, context: SourceContext) -> RowSource:
    """The rows of a table; columns that the plan does not use are null.

    Raises:
        UnsupportedError: it must be a stream and is not.
        DataError: its columns differ from those of the data source; names the column and both types.
        ExecutionError: the data source refuses; gives its reason.
    """
    opened = Opened.of(context.spark, table)
    mode = SPEC.values(table.options).text("scan.mode")
    if context.max_files is not None and mode != "batch":
        opened.options.setdefault("maxFilesPerTrigger", str(context.max_files))
    stream = None if mode == "batch" else _stream(opened, must=mode == "streaming")
    if stream is not None:
        return RowSource(_rows(stream, table), bounded=False)
    with opened.errors_named("read"):
        frame = _loaded(opened, opened.spark.read)
    frame = frame.select(*(F.col(quote_identifier(name)) for name in table.used))
    bounded, held = whole(frame)
    return RowSource(_rows(bounded, table), bounded=True, keeps=held)


def _stream(opened: Opened, *, must: bool) -> DataFrame | None:
    """The data source as a stream; None if it has no streaming reads and need not have any."""
    try:
        return _checked_stream(opened)
    except (PySparkException, Py4JJavaError) as fault:
        if any(text in str(fault) for text in _NO_STREAM):
            if not must:
                return None
            raise UnsupportedError(
                f"provider {opened.name!r} does not support streaming reads",
                where=f"table {opened.table.identifier}",
                remedy="leave 'scan.mode' out, or set it to 'batch': the table is read as a whole",
            ) from None
        raise opened.refused("read as a stream", fault) from fault


def _checked_stream(opened: Opened) -> DataFrame:
    """The data source as a stream with the columns of the table."""
    try:
        return _loaded(opened, opened.spark.readStream)
    except (PySparkException, Py4JJavaError) as fault:
        if _NO_COLUMNS not in str(fault):
            raise
    # Files contain their schema, but a stream of files must be given it.
    return _loaded(opened, opened.spark.readStream, _columns_of_files(opened))


def _loaded(opened: Opened, reader: Any, columns: StructType | None = None) -> DataFrame:
    """The rows of a data source, with the columns of the table.

    Args:
        reader: Spark's reader, for a stream or a batch.
        columns: the schema given to the data source; None if it has types of its own.

    Raises:
        DataError: it lacks columns of the table.
    """
    reader = reader.format(opened.name).options(**opened.options)
    if not opened.typed:
        # An unreadable record fails the run, unless the table says otherwise.
        strict = opened.options if "mode" in map(str.lower, opened.options) else {"mode": "FAILFAST"}
        columns = schema_of(opened.table.columns)
        reader = reader.options(**strict)
    frame: DataFrame = (reader if columns is None else reader.schema(columns)).load()
    inferred = frame.schema
    if columns is None and (wanted := _parted(opened, inferred)) != inferred:
        frame = reader.schema(wanted).load()
    _begun(frame)
    if opened.typed:
        check_columns(opened.table, frame.schema, opened.title)
    return frame


def _parted(opened: Opened, columns: StructType) -> StructType:
    """The columns, with declared types for partition columns: names of folders have no types."""
    declared = schema_of(opened.table.columns)
    keys = {name for name in opened.table.partition_keys if name in columns.names}
    return type(columns)([declared[field.name] if field.name in keys else field for field in columns.fields])


def _columns_of_files(opened: Opened) -> StructType:
    """The columns of existing files; the declared ones if there are none yet."""
    try:
        return _parted(opened, opened.spark.read.format(opened.name).options(**opened.options).load().schema)
    except PySparkException as fault:
        if "UNABLE_TO_INFER_SCHEMA" not in str(fault):
            raise
        return schema_of(opened.table.columns)


def _begun(stream: DataFrame) -> None:
    """Start a data source in Python: it only now reports if it is a stream; others have done so before."""
    plan: Any = stream._jdf.queryExecution().analyzed()
    if plan.getClass().getSimpleName() != "StreamingRelationV2":
        return
    table = plan.table()
    if table.getClass().getSimpleName() == "PythonTable":
        rows = table.newScanBuilder(plan.extraOptions()).build().toMicroBatchStream("")
        try:
            rows.initialOffset()
        finally:
            rows.stop()


def _rows(frame: DataFrame, table: TableSpec) -> DataFrame:
    """The columns of `RowSource` from those of the data source."""
    columns = enumerate(plan_columns(table))
    return frame.select(*insert_head(), *(column.alias(f"f{at}") for at, column in columns))
