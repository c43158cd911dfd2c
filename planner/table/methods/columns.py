"""Operations of a table that choose and compute columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, overload

from planner.table.methods.base import TableBase

if TYPE_CHECKING:
    from planner.table.expressions.expression import Expression
    from planner.table.table import Table


class ColumnMethods(TableBase):
    """SELECT and what is made of it: columns chosen, computed, renamed, filled."""

    __slots__ = ()

    def select(self, *fields: Expression | str) -> Table:
        """SELECT: expressions, names of columns, or "*".

        Raises:
            ProgramError: an unknown column or function, wrong types; as all operations.
        """
        from planner.table.selecting import select

        return select(self._this, fields)

    def alias(self, *names: str | Expression) -> Table:
        """The same table with its columns, or the first ones, under other names."""
        from planner.table.selecting import rename_all

        return rename_all(self._this, names)  # type: ignore[arg-type]

    def add_columns(self, *fields: Expression | str) -> Table:
        """All columns, and further ones behind them.

        Raises:
            ProgramError: a column of that name is there already.
        """
        from planner.table.selecting import add_columns

        return add_columns(self._this, fields)

    def add_or_replace_columns(self, *fields: Expression | str) -> Table:
        """All columns, those of the same names replaced, further ones behind them."""
        from planner.table.selecting import add_or_replace_columns

        return add_or_replace_columns(self._this, fields)

    def rename_columns(self, *fields: Expression) -> Table:
        """All columns, some under other names: `rename_columns(col("a").alias("b"))`."""
        from planner.table.selecting import rename_columns

        return rename_columns(self._this, fields)

    def drop_columns(self, *fields: Expression | str) -> Table:
        """All columns but these."""
        from planner.table.selecting import drop_columns

        return drop_columns(self._this, fields)

    def map(self, function: Expression) -> Table:
        """Each row made one other by a scalar function; a ROW that it gives becomes as many columns."""
        from planner.table.rowwise import map_rows

        return map_rows(self._this, function)

    def flat_map(self, function: Expression) -> Table:
        """Each row made any number of others by a table function."""
        from planner.table.rowwise import flat_map

        return flat_map(self._this, function)

    # --- nulls

    @overload
    def fillna(self, value: Mapping[str, object]) -> Table: ...

    @overload
    def fillna(self, value: object, fields: Sequence[str | Expression] | None = None) -> Table: ...

    def fillna(self, value: object, fields: Sequence[str | Expression] | None = None) -> Table:
        """NULLs replaced: CASE WHEN a IS NULL THEN value ELSE a END.

        Args:
            value: the value; or a mapping of columns to values. A float stands for the decimal number of its digits.
            fields: the columns; without them all columns that the value can stand in (a number in numeric columns, a
                text in columns of text, and so on).

        Source: FLIP-155, "fillna".
        """
        from planner.table.nulls import fillna

        return fillna(self._this, value, fields)

    def dropna(self, thresh: int, fields: Sequence[str | Expression] | None = None) -> Table:
        """The rows with at least `thresh` values that are not NULL.

        The document contradicts itself: its text removes a row "if the number of non-null columns is less than the
        threshold", its SQL keeps exactly those. This is the text.

        Args:
            thresh: how many values must be there; -1 drops the rows where all are NULL.
            fields: the columns to look at; without them all.

        Source: FLIP-155, "dropna".
        """
        from planner.table.nulls import dropna

        return dropna(self._this, thresh, fields)

    def replace(self, replacement: Mapping[object, object], fields: Sequence[str | Expression] | None = None) -> Table:
        """Values replaced: CASE WHEN a = key THEN value ... ELSE a END.

        Args:
            replacement: values, and what to replace them with.
            fields: the columns; without them all columns that the values can stand in.

        Source: FLIP-155, "replace".
        """
        from planner.table.nulls import replace

        return replace(self._this, replacement, fields)
