"""Operations of a table that choose rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from compiled_plan.planner.table import sampling, selecting, table_functions, tops
from compiled_plan.planner.table.building.planned import PlannedTable

if TYPE_CHECKING:
    from compiled_plan.planner.table.expressions.expression import Expression


class RowMethods(PlannedTable):
    """WHERE, DISTINCT, ORDER BY, LIMIT, deduplication, top-n, changes as rows, samples."""

    __slots__ = ()

    def where(self, condition: Expression) -> Self:
        """The rows for which the condition is true."""
        return selecting.where(self, condition, "where")

    def filter(self, condition: Expression) -> Self:
        """The same as `where`."""
        return selecting.where(self, condition, "filter")

    def distinct(self) -> Self:
        """SELECT DISTINCT: every row once."""
        return selecting.distinct(self)

    def order_by(self, *fields: Expression | str) -> Self:
        """ORDER BY: `order_by(col("a"), col("b").desc)`."""
        return selecting.order_by(self, fields)

    def limit(self, fetch: int, offset: int = 0) -> Self:
        """The first `fetch` rows behind the first `offset`, in the order of `order_by` before it."""
        return selecting.limit(self, "limit", fetch=fetch, offset=offset or None)

    def offset(self, offset: int) -> Self:
        """The rows behind the first `offset`."""
        return selecting.limit(self, "offset", offset=offset)

    def fetch(self, fetch: int) -> Self:
        """The first `fetch` rows."""
        return selecting.limit(self, "fetch", fetch=fetch)

    def deduplicate(
        self, fields: Sequence[Expression | str], order_field: Expression | str, keep_first: bool = True
    ) -> Self:
        """One row for each value of the fields: the first or the last.

        SELECT ... FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY fields ORDER BY order_field [DESC]) AS rownum FROM
        table) WHERE rownum = 1, without the row number.

        Args:
            fields: the fields whose duplicates go.
            order_field: the time attribute that says which row is first.
            keep_first: whether to keep the first row, else the last.

        Source: FLIP-155, "deduplicate".
        """
        return tops.deduplicate(self, fields, order_field, keep_first)

    def topn(
        self,
        n: int,
        partition_fields: Sequence[Expression | str],
        order_fields: Sequence[Expression | str],
        *,
        rank_column: str | None = None,
    ) -> Self:
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
        return tops.topn(self, n, partition_fields, order_fields, rank_column)

    def to_changelog(self, op: str | None = None, op_mapping: Mapping[str, str] | None = None) -> Self:
        """Changes as rows: TO_CHANGELOG, with a code for the kind of change as the first column.

        Args:
            op: the name of that column; `op` if left out.
            op_mapping: codes by kind, or by several: `{"INSERT, UPDATE_AFTER": "false", "DELETE": "true"}`. Changes of
                other kinds are dropped. Left out, the codes are INSERT, UPDATE_BEFORE, UPDATE_AFTER and DELETE.
        """
        return table_functions.to_changelog(self, op, op_mapping)

    def from_changelog(self, op: str | None = None, op_mapping: Mapping[str, str] | None = None) -> Self:
        """Rows as changes: FROM_CHANGELOG, of which a text column is the code for the kind of change.

        Args:
            op: the name of that column; `op` if left out.
            op_mapping: kinds by code, or by several: `{"c, r": "INSERT", "d": "DELETE"}`. A row with another
                code fails.
        """
        return table_functions.from_changelog(self, op, op_mapping)

    def sample(self, fraction: float, seed: int | None = None) -> Self:
        """A random part of the rows: WHERE RAND() < fraction.

        Args:
            fraction: from 0.0 to 1.0, the share of rows to expect.
            seed: makes the sample repeatable. Whether a row is in it is then told by a hash of the seed and all its
                columns, as in `split`, and not by RAND(seed), whose numbers depend on the order of the rows. Equal
                rows are in it together.

        Source: FLIP-155, "sample".
        """
        return sampling.sample(self, fraction, seed)

    def split(self, weights: Sequence[float], seed: int = 0) -> list[Self]:
        """Parts of the table, disjoint and together the whole, in the proportion of the weights.

        Which part a row belongs to is told by a hash of the seed and all its columns (but for processing times): it
        does not depend on order, partitions or other runs, and a row that is updated leaves the part that it was in.
        Equal rows are in the same part.

        Args:
            weights: not negative, one above 0; they need not add up to 1.
            seed: another one gives another split.

        Source: FLIP-155, "split"; its SQL is called logically equivalent.
        """
        return sampling.split(self, weights, seed)
