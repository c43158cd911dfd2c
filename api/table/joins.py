"""Operations of two tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from compiled_plan.planner.table import joins, operations, selecting
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.planner.table.joins import TemporalTable

if TYPE_CHECKING:
    from compiled_plan.planner.table.expressions.expression import Expression


class JoinMethods(PlannedTable):
    """Joins, temporal joins, table functions, set operations."""

    __slots__ = ()

    def join(self, right: PlannedTable | TemporalTable, condition: Expression | None = None) -> Self:
        """The pairs of rows for which the condition is true; all pairs without one.

        Args:
            right: another table, or a table as of a time (`as_of`).
            condition: over the columns of both.
        """
        return joins.join(self, right, condition, "INNER", "join")

    def left_outer_join(self, right: PlannedTable | TemporalTable, condition: Expression | None = None) -> Self:
        """As `join`, with the rows of the left side that have no partner."""
        return joins.join(self, right, condition, "LEFT", "left_outer_join")

    def right_outer_join(self, right: PlannedTable, condition: Expression) -> Self:
        """As `join`, with the rows of the right side that have no partner."""
        return joins.join(self, right, condition, "RIGHT", "right_outer_join")

    def full_outer_join(self, right: PlannedTable, condition: Expression) -> Self:
        """As `join`, with the rows of both sides that have no partner."""
        return joins.join(self, right, condition, "FULL", "full_outer_join")

    def join_lateral(self, function: Expression, condition: Expression | None = None) -> Self:
        """Each row with the rows that a table function gives for it.

        Args:
            function: `call("split", col("a")).alias("word", "length")`, or `call("UNNEST", col("array")).alias("x")`.
            condition: over the columns of both.
        """
        return joins.join_lateral(self, function, condition, "INNER", "join_lateral")

    def left_outer_join_lateral(self, function: Expression, condition: Expression | None = None) -> Self:
        """As `join_lateral`, with the rows for which the function gives none."""
        return joins.join_lateral(self, function, condition, "LEFT", "left_outer_join_lateral")

    def as_of(self, time: Expression | str) -> TemporalTable:
        """The table as it is at a time, for the right side of a join: FOR SYSTEM_TIME AS OF.

        `orders.join(rates.as_of(orders.order_time), orders.currency == rates.currency)`

        Args:
            time: a time attribute of the left side: a rowtime for the version that held then (this table needs a
                primary key and a rowtime), a processing time for the row that is there now.

        Source: FLIP-155, "asof".
        """
        return TemporalTable(self, operations.nodes_of("as_of", [time])[0])

    def union(self, right: PlannedTable) -> Self:
        """UNION: the rows of both, each once."""
        return self._combined(right, "union")

    def union_all(self, right: PlannedTable) -> Self:
        """UNION ALL: the rows of both."""
        return self._combined(right, "union_all")

    def intersect(self, right: PlannedTable) -> Self:
        """INTERSECT: the rows that both have, each once."""
        return self._combined(right, "intersect")

    def intersect_all(self, right: PlannedTable) -> Self:
        """INTERSECT ALL: the rows that both have, as often as both have them."""
        return self._combined(right, "intersect_all")

    def minus(self, right: PlannedTable) -> Self:
        """EXCEPT: the rows that the other has not, each once."""
        return self._combined(right, "minus")

    def minus_all(self, right: PlannedTable) -> Self:
        """EXCEPT ALL: the rows that the other has not so often."""
        return self._combined(right, "minus_all")

    def _combined(self, right: PlannedTable, operation: str) -> Self:
        return selecting.combine(self, right, operation)
