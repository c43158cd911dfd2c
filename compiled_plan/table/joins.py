"""Operations of `Table` that combine two tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from compiled_plan.planner.table import joins, operations, rowwise, selecting
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.planner.table.joins import TemporalTable

if TYPE_CHECKING:
    from compiled_plan.planner.table.expressions.expression import Expression


class JoinMethods(PlannedTable):
    """Joins, temporal joins, lateral joins, set operations.

    >>> from compiled_plan import TableEnvironment
    >>> env = TableEnvironment()
    >>> orders = env.from_values([(1, "EUR")], ["id", "currency"])
    >>> rates = env.from_values([("EUR", 1)], ["code", "rate"])
    >>> orders.join(rates, orders.currency == rates.code).select(orders.id, rates.rate).columns
    ['id', 'rate']
    """

    __slots__ = ()

    def join(self, right: PlannedTable | TemporalTable, join_predicate: Expression | None = None) -> Self:
        """INNER JOIN.

        Args:
            right: the right side: a table, or a table as of a time (`as_of`).
            join_predicate: the join condition over the columns of both sides; a cross join by default.
        """
        return joins.join(self, right, join_predicate, "INNER", "join")

    def left_outer_join(self, right: PlannedTable | TemporalTable, join_predicate: Expression | None = None) -> Self:
        """LEFT OUTER JOIN; arguments as for `join`."""
        return joins.join(self, right, join_predicate, "LEFT", "left_outer_join")

    def right_outer_join(self, right: PlannedTable, join_predicate: Expression) -> Self:
        """RIGHT OUTER JOIN; arguments as for `join`."""
        return joins.join(self, right, join_predicate, "RIGHT", "right_outer_join")

    def full_outer_join(self, right: PlannedTable, join_predicate: Expression) -> Self:
        """FULL OUTER JOIN; arguments as for `join`."""
        return joins.join(self, right, join_predicate, "FULL", "full_outer_join")

    def join_lateral(self, table_function_call: Expression, join_predicate: Expression | None = None) -> Self:
        """Join each row with the rows that a table function returns for it.

        Args:
            table_function_call: `call("split", col("a")).alias("word", "length")`, or
                `call("UNNEST", col("array")).alias("x")`.
            join_predicate: the join condition over the columns of both sides.
        """
        return rowwise.join_lateral_rows(self, table_function_call, join_predicate, "INNER", "join_lateral")

    def left_outer_join_lateral(
        self, table_function_call: Expression, join_predicate: Expression | None = None
    ) -> Self:
        """As `join_lateral`, and rows without a result of the function remain, with NULLs."""
        return rowwise.join_lateral_rows(self, table_function_call, join_predicate, "LEFT", "left_outer_join_lateral")

    def as_of(self, time: Expression | str) -> TemporalTable:
        """The table as of a time, for the right side of a join: FOR SYSTEM_TIME AS OF.

        `orders.join(rates.as_of(orders.order_time), orders.currency == rates.currency)`

        Args:
            time: a time attribute of the left side: an event time for the version valid at that time (this table
                needs a primary key and an event-time attribute), a processing time for the current version.

        Source: FLIP-155, "asof".
        """
        return TemporalTable(self, operations.nodes_of("as_of", [time])[0])

    def union(self, right: PlannedTable) -> Self:
        """UNION: the distinct rows of both tables."""
        return self._combined(right, "union")

    def union_all(self, right: PlannedTable) -> Self:
        """UNION ALL: the rows of both tables."""
        return self._combined(right, "union_all")

    def intersect(self, right: PlannedTable) -> Self:
        """INTERSECT: the distinct common rows."""
        return self._combined(right, "intersect")

    def intersect_all(self, right: PlannedTable) -> Self:
        """INTERSECT ALL: the common rows; the number of duplicates is the smaller of both sides."""
        return self._combined(right, "intersect_all")

    def minus(self, right: PlannedTable) -> Self:
        """EXCEPT: the distinct rows that the right table does not contain."""
        return self._combined(right, "minus")

    def minus_all(self, right: PlannedTable) -> Self:
        """EXCEPT ALL: the rows of this table; each row of the right table removes one duplicate."""
        return self._combined(right, "minus_all")

    def _combined(self, right: PlannedTable, operation: str) -> Self:
        return selecting.combine(self, right, operation)
