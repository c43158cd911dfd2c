"""The names of `pyflink.table.descriptors`, which Flink deprecates."""

from __future__ import annotations

from compiled_plan.api.refusing import refused_class
from compiled_plan.planner.table.declared_schemas import Schema

Rowtime = refused_class(
    "Rowtime",
    "no operation of Flink's Table API takes it",
    'declare the watermark: Schema.new_builder().watermark("ts", "ts - INTERVAL \'5\' SECOND")',
)

__all__ = ["Rowtime", "Schema"]
