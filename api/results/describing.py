"""What DESCRIBE says of a table.

Source: Flink's page "DESCRIBE" statements; FLIP-155, "describe".
"""

from __future__ import annotations

from compiled_plan.api.results.ready import ReadyResult
from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.table.schemas import ResolvedSchema
from compiled_plan.plans.types import BOOLEAN, STRING, row_of

_COLUMNS = ("name", "type", "null", "key", "extras", "watermark")


def description(schema: ResolvedSchema) -> ReadyResult:
    """The rows of DESCRIBE: one a column; its comment is the last where any has one."""
    commented = any(column.comment is not None for column in schema.columns)
    key = f"PRI({', '.join(schema.primary_key)})"
    rows = [
        (
            column.name,
            summary(column.data_type.with_nullability(True)),
            column.data_type.nullable,
            key if column.name in schema.primary_key else None,
            column.extras,
            column.watermark,
            *((column.comment,) if commented else ()),
        )
        for column in schema.columns
    ]
    names = (*_COLUMNS, *(("comment",) if commented else ()))
    return ReadyResult(row_of(names, [BOOLEAN if name == "null" else STRING for name in names]), rows)
