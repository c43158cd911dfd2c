"""The format `parquet`. Source: Flink's page "Parquet"."""

from __future__ import annotations

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import without
from compiled_plan.plans.connectors.common import refused, tuning
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.table_options import Use
from compiled_plan.plans.text.options import Kind

_LIBRARY = "it configures Flink's reader and writer, and runs use Spark's"

SPEC = FormatSpec(
    "parquet",
    "Parquet files. Options go to the Parquet library.",
    {
        "utc-timezone": refused("Read and write TIMESTAMP as an instant in UTC.", _LIBRARY),
        "timestamp.time.unit": refused("Time unit of timestamps.", _LIBRARY),
        "write.int64.timestamp": refused("Write timestamps as INT64 instead of INT96.", _LIBRARY, Use.SINK),
        "batch-size": tuning(Kind.INTEGER, "Number of rows per read.", Use.SOURCE),
    },
    extension="parquet",
    blocks=True,
    open=True,
    unfit=without("parquet", (t.TimeType, t.NullType), "declare it as STRING or INT"),
)
