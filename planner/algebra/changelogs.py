"""TO_CHANGELOG and FROM_CHANGELOG in relational algebra."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.nodes import Barrier
from compiled_plan.plans.nodes.process_table_function import OP, ROWTIME, Direction, event_time
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import STRING, Field, RowType


@dataclass(frozen=True, slots=True)
class ChangelogFunction(Barrier):
    """Conversion of changes to rows with a leading operation code (TO), or of such rows to changes (FROM).

    `column` is the code column if the call names one, `mapping` the call's MAP if it has one, `on_time` the time
    attribute that the result repeats as its last column, and `uid` the call's name for the plan.
    """

    direction: Direction
    column: str | None = None
    mapping: RexNode | None = None
    on_time: str | None = None
    uid: str | None = None

    @property
    def code_column(self) -> str:
        return OP if self.column is None else self.column

    @property
    def row_type(self) -> RowType:
        fields = self.input.row_type.fields
        if self.direction == "TO":
            columns = (Field(self.code_column, STRING), *fields)
            if self.on_time is None:
                return RowType(fields=columns)
            time = next(field.type for field in fields if field.name == self.on_time)
            name = f"{ROWTIME}0" if ROWTIME in [field.name for field in columns] else ROWTIME
            return RowType(fields=(*columns, Field(name, event_time(time))))
        return RowType(fields=tuple(field for field in fields if field.name != self.code_column))
