"""Operations of a table that choose rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.table.methods.base import TableBase

if TYPE_CHECKING:
    from planner.table.expressions.expression import Expression
    from planner.table.table import Table


class RowMethods(TableBase):
    """WHERE, DISTINCT, ORDER BY, LIMIT, deduplication, top-n, samples."""

    __slots__ = ()

    def where(self, condition: Expression) -> Table:
        """The rows for which the condition is true."""
        from planner.table.selecting import where

        return where(self._this, condition, "where")

    def filter(self, condition: Expression) -> Table:
        """The same as `where`."""
        from planner.table.selecting import where

        return where(self._this, condition, "filter")

    def distinct(self) -> Table:
        """SELECT DISTINCT: every row once."""
        from planner.table.selecting import distinct

        return distinct(self._this)

    def order_by(self, *fields: Expression | str) -> Table:
        """ORDER BY: `order_by(col("a"), col("b").desc)`."""
        from planner.table.selecting import order_by

        return order_by(self._this, fields)

    def limit(self, fetch: int, offset: int = 0) -> Table:
        """The first `fetch` rows behind the first `offset`, in the order of `order_by` before it."""
        from planner.table.selecting import limit

        return limit(self._this, "limit", fetch=fetch, offset=offset or None)

    def offset(self, offset: int) -> Table:
        """The rows behind the first `offset`."""
        from planner.table.selecting import limit

        return limit(self._this, "offset", offset=offset)

    def fetch(self, fetch: int) -> Table:
        """The first `fetch` rows."""
        from planner.table.selecting import limit

        return limit(self._this, "fetch", fetch=fetch)

    def deduplicate(
        self, fields: Sequence[Expression | str], order_field: Expression | str, keep_first: bool = True
    ) -> Table:
        """One row for each value of the fields: the first or the last.

        SELECT ... FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY fields ORDER BY order_field [DESC]) AS rownum FROM
        table) WHERE rownum = 1, without the row number.

        Args:
            fields: the fields whose duplicates go.
            order_field: the time attribute that says which row is first.
            keep_first: whether to keep the first row, else the last.

        Source: FLIP-155, "deduplicate".
        """
        from planner.table.tops import deduplicate

        return deduplicate(self._this, fields, order_field, keep_first)

    def topn(
        self,
        n: int,
        partition_fields: Sequence[Expression | str],
        order_fields: Sequence[Expression | str],
        *,
        rank_column: str | None = None,
    ) -> Table:
        """The first n rows for each value of the partition fields.

        SELECT ... FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY partition_fields ORDER BY order_fields) AS rownum
        FROM table) WHERE rownum <= n. The document's SQL for it says `rownum = 3`; its text, n elements.

        Args:
            n: the number of rows, from 1.
            partition_fields: each combination of their values has its own n rows; [] for the table as a whole.
            order_fields: what says which rows are first: columns, `.asc` or `.desc`.
            rank_column: a name for the row number as the last column; left out without one.

        Source: FLIP-155, "topn" and "window", example 7.
        """
        from planner.table.tops import topn

        return topn(self._this, n, partition_fields, order_fields, rank_column)

    def sample(self, fraction: float, seed: int | None = None) -> Table:
        """A random part of the rows: WHERE RAND() < fraction.

        Args:
            fraction: from 0.0 to 1.0, the share of rows to expect.
            seed: makes the sample repeatable. Whether a row is in it is then told by a hash of the seed and all its
                columns, as in `split`, and not by RAND(seed), whose numbers depend on the order of the rows. Equal
                rows are in it together.

        Source: FLIP-155, "sample".
        """
        from planner.table.sampling import sample

        return sample(self._this, fraction, seed)

    def split(self, weights: Sequence[float], seed: int = 0) -> list[Table]:
        """Parts of the table, disjoint and together the whole, in the proportion of the weights.

        Which part a row belongs to is told by a hash of the seed and all its columns (but for processing times): it
        does not depend on order, partitions or other runs, and a row that is updated leaves the part that it was in.
        Equal rows are in the same part.

        Args:
            weights: not negative, one above 0; they need not add up to 1.
            seed: another one gives another split.

        Source: FLIP-155, "split"; its SQL is called logically equivalent.
        """
        from planner.table.sampling import split

        return split(self._this, weights, seed)
