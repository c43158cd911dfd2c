"""The format `parquet`. Source: Flink's page "Parquet"."""

from __future__ import annotations

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import without
from compiled_plan.plans.connectors.spec import FormatSpec

SPEC = FormatSpec(
    "parquet",
    "Parquet's files. Its options go to Parquet's library.",
    extension="parquet",
    blocks=True,
    open=True,
    unfit=without("parquet", (t.TimeType, t.NullType), "declare it as STRING or INT"),
)
