"""The names of `pyflink.table.descriptors`, which Flink deprecates."""

from __future__ import annotations

from compiled_plan.planner.diagnostics.refusing import refused_class

Rowtime = refused_class(
    "Rowtime",
    "no operation of Flink's Table API takes it",
    'declare the watermark: Schema.new_builder().watermark("ts", "ts - INTERVAL \'5\' SECOND")',
)

Schema = refused_class(
    "descriptors.Schema",
    "no operation of Flink's Table API takes it",
    "write Schema.new_builder() of compiled_plan.pyflink",
)

__all__ = ["Rowtime", "Schema"]
