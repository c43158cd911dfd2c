"""Operations of two tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.table.methods.base import TableBase

if TYPE_CHECKING:
    from planner.table.expressions.expression import Expression
    from planner.table.joins import TemporalTable
    from planner.table.table import Table


class JoinMethods(TableBase):
    """Joins, temporal joins, table functions, set operations."""

    __slots__ = ()

    def join(self, right: Table | TemporalTable, condition: Expression | None = None) -> Table:
        """The pairs of rows for which the condition is true; all pairs without one.

        Args:
            right: another table, or a table as of a time (`as_of`).
            condition: over the columns of both.
        """
        from planner.table.joins import join

        return join(self._this, right, condition, "INNER", "join")

    def left_outer_join(self, right: Table | TemporalTable, condition: Expression | None = None) -> Table:
        """As `join`, with the rows of the left side that have no partner."""
        from planner.table.joins import join

        return join(self._this, right, condition, "LEFT", "left_outer_join")

    def right_outer_join(self, right: Table, condition: Expression) -> Table:
        """As `join`, with the rows of the right side that have no partner."""
        from planner.table.joins import join

        return join(self._this, right, condition, "RIGHT", "right_outer_join")

    def full_outer_join(self, right: Table, condition: Expression) -> Table:
        """As `join`, with the rows of both sides that have no partner."""
        from planner.table.joins import join

        return join(self._this, right, condition, "FULL", "full_outer_join")

    def join_lateral(self, function: Expression, condition: Expression | None = None) -> Table:
        """Each row with the rows that a table function gives for it.

        Args:
            function: `call("split", col("a")).alias("word", "length")`, or `call("UNNEST", col("array")).alias("x")`.
            condition: over the columns of both.
        """
        from planner.table.joins import join_lateral

        return join_lateral(self._this, function, condition, "INNER", "join_lateral")

    def left_outer_join_lateral(self, function: Expression, condition: Expression | None = None) -> Table:
        """As `join_lateral`, with the rows for which the function gives none."""
        from planner.table.joins import join_lateral

        return join_lateral(self._this, function, condition, "LEFT", "left_outer_join_lateral")

    def as_of(self, time: Expression | str) -> TemporalTable:
        """The table as it is at a time, for the right side of a join: FOR SYSTEM_TIME AS OF.

        `orders.join(rates.as_of(orders.order_time), orders.currency == rates.currency)`

        Args:
            time: a time attribute of the left side: a rowtime for the version that held then (this table needs a
                primary key and a rowtime), a processing time for the row that is there now.

        Source: FLIP-155, "asof".
        """
        from planner.table.joins import TemporalTable
        from planner.table.operations import nodes_of

        return TemporalTable(self._this, nodes_of("as_of", [time])[0])

    def union(self, right: Table) -> Table:
        """UNION: the rows of both, each once."""
        return self._combined(right, "union")

    def union_all(self, right: Table) -> Table:
        """UNION ALL: the rows of both."""
        return self._combined(right, "union_all")

    def intersect(self, right: Table) -> Table:
        """INTERSECT: the rows that both have, each once."""
        return self._combined(right, "intersect")

    def intersect_all(self, right: Table) -> Table:
        """INTERSECT ALL: the rows that both have, as often as both have them."""
        return self._combined(right, "intersect_all")

    def minus(self, right: Table) -> Table:
        """EXCEPT: the rows that the other has not, each once."""
        return self._combined(right, "minus")

    def minus_all(self, right: Table) -> Table:
        """EXCEPT ALL: the rows that the other has not so often."""
        return self._combined(right, "minus_all")

    def _combined(self, right: Table, operation: str) -> Table:
        from planner.table.selecting import combine

        return combine(self._this, right, operation)
