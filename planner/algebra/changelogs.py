"""TO_CHANGELOG and FROM_CHANGELOG in relational algebra."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.nodes import Barrier
from compiled_plan.plans.nodes.process_table_function import OP, Direction
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import STRING, Field, RowType


@dataclass(frozen=True, slots=True)
class ChangelogFunction(Barrier):
    """Conversion of changes to rows with a leading operation code (TO), or of such rows to changes (FROM).

    `column` is the code column if the call names one, `mapping` the call's MAP if it has one, and `uid` its name for
    the
    plan.
    """

    direction: Direction
    column: str | None = None
    mapping: RexNode | None = None
    uid: str | None = None

    @property
    def code_column(self) -> str:
        return OP if self.column is None else self.column

    @property
    def row_type(self) -> RowType:
        fields = self.input.row_type.fields
        if self.direction == "TO":
            return RowType(fields=(Field(self.code_column, STRING), *fields))
        return RowType(fields=tuple(field for field in fields if field.name != self.code_column))
