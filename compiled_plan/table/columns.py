"""Operations of `Table` that select and compute columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self, overload

from compiled_plan.planner.table import nulls, rowwise, selecting
from compiled_plan.planner.table.building.planned import PlannedTable

if TYPE_CHECKING:
    from compiled_plan.planner.table.expressions.expression import Expression


class ColumnMethods(PlannedTable):
    """SELECT and its variants: select, compute, rename, replace and fill columns."""

    __slots__ = ()

    def select(self, *fields: Expression | str) -> Self:
        """SELECT.

        >>> from compiled_plan import TableEnvironment, col
        >>> orders = TableEnvironment().from_values([("nut", 3)], ["item", "price"])
        >>> orders.select("item", (col("price") * 2).alias("twice")).columns
        ['item', 'twice']

        Args:
            fields: expressions, column names, or "*".

        Returns:
            A new table, as all operations return.

        Raises:
            ProgramError: a column or function is unknown, or types do not fit; all operations raise it so.
        """
        return selecting.select(self, fields)

    def alias(self, *names: str | Expression) -> Self:
        """Rename all columns, or the first ones.

        Args:
            names: the new names, in order.
        """
        return selecting.rename_all(self, names)

    def add_columns(self, *fields: Expression | str) -> Self:
        """Append columns.

        Args:
            fields: expressions; `.alias(...)` names their columns.

        Raises:
            ProgramError: a column of that name exists.
        """
        return selecting.add_columns(self, fields)

    def add_or_replace_columns(self, *fields: Expression | str) -> Self:
        """Append columns, and replace existing columns of the same names.

        Args:
            fields: expressions; `.alias(...)` names their columns.
        """
        return selecting.add_or_replace_columns(self, fields)

    def rename_columns(self, *fields: Expression) -> Self:
        """Rename some columns, and keep the others: `rename_columns(col("a").alias("b"))`."""
        return selecting.rename_columns(self, fields)

    def drop_columns(self, *fields: Expression | str) -> Self:
        """Drop columns.

        Args:
            fields: the columns, as names or expressions.
        """
        return selecting.drop_columns(self, fields)

    def map(self, func: object) -> Self:
        """Map each row to a row.

        Args:
            func: a call of a scalar function; a ROW that it returns becomes as many columns.
        """
        return rowwise.map_rows(self, func)

    def flat_map(self, func: object) -> Self:
        """Map each row to any number of rows.

        Args:
            func: a call of a table function.
        """
        return rowwise.flat_map(self, func)

    # --- nulls

    @overload
    def fillna(self, value: Mapping[str, object]) -> Self: ...

    @overload
    def fillna(self, value: object, fields: Sequence[str | Expression] | None = None) -> Self: ...

    def fillna(self, value: object, fields: Sequence[str | Expression] | None = None) -> Self:
        """Replace NULLs: CASE WHEN a IS NULL THEN value ELSE a END.

        Args:
            value: the value, or a mapping of columns to values. A float means the DECIMAL with its digits.
            fields: the columns; by default all columns of a suitable type (a number fits numeric columns, a text fits
                text columns, and so on).

        Source: FLIP-155, "fillna".
        """
        return nulls.fillna(self, value, fields)

    def dropna(self, thresh: int, fields: Sequence[str | Expression] | None = None) -> Self:
        """Drop rows with fewer than `thresh` values that are not NULL.

        The FLIP contradicts itself: its text drops a row "if the number of non-null columns is less than the
        threshold", its SQL keeps exactly these rows. This method follows the text.

        Args:
            thresh: the minimum number of values that are not NULL; -1 drops the rows with only NULLs.
            fields: the columns to count; all by default.

        Source: FLIP-155, "dropna".
        """
        return nulls.dropna(self, thresh, fields)

    def replace(self, replacement: Mapping[object, object], fields: Sequence[str | Expression] | None = None) -> Self:
        """Replace values: CASE WHEN a = key THEN value ... ELSE a END.

        Args:
            replacement: new values by old values.
            fields: the columns; by default all columns of a suitable type.

        Source: FLIP-155, "replace".
        """
        return nulls.replace(self, replacement, fields)
