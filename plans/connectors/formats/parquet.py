"""The format `parquet`. Source: Flink's page "Parquet"."""

from __future__ import annotations

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import without
from compiled_plan.plans.connectors.common import refused, tuning
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.table_options import Use
from compiled_plan.plans.text.options import Kind

_LIBRARY = "it is of Flink's own reader and writer, which Spark's are not"

SPEC = FormatSpec(
    "parquet",
    "Parquet's files. Its options go to Parquet's library.",
    {
        "utc-timezone": refused("Whether a TIMESTAMP is the moment of that time in UTC.", _LIBRARY),
        "timestamp.time.unit": refused("What times are counted in.", _LIBRARY),
        "write.int64.timestamp": refused("Write times as INT64 and not as INT96.", _LIBRARY, Use.SINK),
        "batch-size": tuning(Kind.INTEGER, "Rows that are read at once.", Use.SOURCE),
    },
    extension="parquet",
    blocks=True,
    open=True,
    unfit=without("parquet", (t.TimeType, t.NullType), "declare it as STRING or INT"),
)
