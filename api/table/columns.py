"""Operations of a table that choose and compute columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self, overload

from compiled_plan.planner.table import nulls, rowwise, selecting
from compiled_plan.planner.table.building.planned import PlannedTable

if TYPE_CHECKING:
    from compiled_plan.planner.table.expressions.expression import Expression


class ColumnMethods(PlannedTable):
    """SELECT and what is made of it: columns chosen, computed, renamed, filled."""

    __slots__ = ()

    def select(self, *fields: Expression | str) -> Self:
        """SELECT: expressions, names of columns, or "*".

        Raises:
            ProgramError: an unknown column or function, wrong types; as all operations.
        """
        return selecting.select(self, fields)

    def alias(self, *names: str | Expression) -> Self:
        """The same table with its columns, or the first ones, under other names."""
        return selecting.rename_all(self, names)  # type: ignore[arg-type]

    def add_columns(self, *fields: Expression | str) -> Self:
        """All columns, and further ones behind them.

        Raises:
            ProgramError: a column of that name is there already.
        """
        return selecting.add_columns(self, fields)

    def add_or_replace_columns(self, *fields: Expression | str) -> Self:
        """All columns, those of the same names replaced, further ones behind them."""
        return selecting.add_or_replace_columns(self, fields)

    def rename_columns(self, *fields: Expression) -> Self:
        """All columns, some under other names: `rename_columns(col("a").alias("b"))`."""
        return selecting.rename_columns(self, fields)

    def drop_columns(self, *fields: Expression | str) -> Self:
        """All columns but these."""
        return selecting.drop_columns(self, fields)

    def map(self, function: Expression) -> Self:
        """Each row made one other by a scalar function; a ROW that it gives becomes as many columns."""
        return rowwise.map_rows(self, function)

    def flat_map(self, function: Expression) -> Self:
        """Each row made any number of others by a table function."""
        return rowwise.flat_map(self, function)

    # --- nulls

    @overload
    def fillna(self, value: Mapping[str, object]) -> Self: ...

    @overload
    def fillna(self, value: object, fields: Sequence[str | Expression] | None = None) -> Self: ...

    def fillna(self, value: object, fields: Sequence[str | Expression] | None = None) -> Self:
        """NULLs replaced: CASE WHEN a IS NULL THEN value ELSE a END.

        Args:
            value: the value; or a mapping of columns to values. A float stands for the decimal number of its digits.
            fields: the columns; without them all columns that the value can stand in (a number in numeric columns, a
                text in columns of text, and so on).

        Source: FLIP-155, "fillna".
        """
        return nulls.fillna(self, value, fields)

    def dropna(self, thresh: int, fields: Sequence[str | Expression] | None = None) -> Self:
        """The rows with at least `thresh` values that are not NULL.

        The document contradicts itself: its text removes a row "if the number of non-null columns is less than the
        threshold", its SQL keeps exactly those. This is the text.

        Args:
            thresh: how many values must be there; -1 drops the rows where all are NULL.
            fields: the columns to look at; without them all.

        Source: FLIP-155, "dropna".
        """
        return nulls.dropna(self, thresh, fields)

    def replace(self, replacement: Mapping[object, object], fields: Sequence[str | Expression] | None = None) -> Self:
        """Values replaced: CASE WHEN a = key THEN value ... ELSE a END.

        Args:
            replacement: values, and what to replace them with.
            fields: the columns; without them all columns that the values can stand in.

        Source: FLIP-155, "replace".
        """
        return nulls.replace(self, replacement, fields)
