"""Operations of `Table` that select rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from compiled_plan.planner.table import sampling, selecting, table_functions, tops
from compiled_plan.planner.table.building.planned import PlannedTable

if TYPE_CHECKING:
    from compiled_plan.planner.table.expressions.expression import Expression


class RowMethods(PlannedTable):
    """WHERE, DISTINCT, ORDER BY, LIMIT, deduplication, Top-N, changelog conversion, samples.

    >>> from compiled_plan import TableEnvironment, col
    >>> orders = TableEnvironment().from_values([("nut", 3), ("fig", 9)], ["item", "price"])
    >>> dear = orders.where(col("price") > 5).order_by(col("price").desc).fetch(10)
    >>> print(dear.explain())
    [4] SortLimit(orderBy=[price DESC], offset=[0], fetch=[10], strategy=[AppendFastStrategy])
       state: rankState, ttl 0 ms
    +- [3] Exchange(distribution=[single])
       +- [2] Calc(select=[item, price], where=[(price > 5)])
          +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }, { _UTF-16LE'fig', 9 }]])
    """

    __slots__ = ()

    def where(self, predicate: Expression) -> Self:
        """WHERE.

        Args:
            predicate: a BOOLEAN expression; rows for which it is false or NULL are dropped.
        """
        return selecting.where(self, predicate, "where")

    def filter(self, predicate: Expression) -> Self:
        """Keep the rows that fulfil a condition; PyFlink's alias of `where`."""
        return selecting.where(self, predicate, "filter")

    def distinct(self) -> Self:
        """SELECT DISTINCT: each row once, with state without end by default."""
        return selecting.distinct(self)

    def order_by(self, *fields: Expression | str) -> Self:
        """ORDER BY columns or expressions: `order_by(col("a"), col("b").desc)`."""
        return selecting.order_by(self, fields)

    def limit(self, fetch: int, offset: int = 0) -> Self:
        """LIMIT and OFFSET.

        Args:
            fetch: the maximum number of rows.
            offset: the number of rows to skip, in the order of the preceding `order_by`.
        """
        return selecting.limit(self, "limit", fetch=fetch, offset=offset or None)

    def offset(self, offset: int) -> Self:
        """OFFSET: skip the first `offset` rows."""
        return selecting.limit(self, "offset", offset=offset)

    def fetch(self, fetch: int) -> Self:
        """FETCH FIRST: the first `fetch` rows."""
        return selecting.limit(self, "fetch", fetch=fetch)

    def deduplicate(
        self, fields: Sequence[Expression | str], order_field: Expression | str, keep_first: bool = True
    ) -> Self:
        """Deduplicate by fields: keep the first or the last row for each combination of their values.

        SELECT ... FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY fields ORDER BY order_field [DESC]) AS rownum FROM
        table) WHERE rownum = 1, without the row number.

        Args:
            fields: the deduplication key.
            order_field: the time attribute that orders the rows.
            keep_first: keep the first row, otherwise the last.

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
        """Top-N: the first n rows of each partition.

        SELECT ... FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY partition_fields ORDER BY order_fields) AS rownum
        FROM table) WHERE rownum <= n. The SQL of the FLIP has `rownum = 3`, its text n elements.

        Args:
            n: the number of rows, from 1.
            partition_fields: the partition key; [] for the table as a whole.
            order_fields: the sort order: columns, with `.asc` or `.desc`.
            rank_column: the name of a last column with the row number; no such column by default.

        Source: FLIP-155, "topn" and "window", example 7.
        """
        return tops.topn(self, n, partition_fields, order_fields, rank_column)

    def to_changelog(
        self,
        *arguments: Expression | str | Mapping[str, str],
        op: str | None = None,
        op_mapping: Mapping[str, str] | None = None,
        on_time: str | None = None,
        uid: str | None = None,
    ) -> Self:
        """TO_CHANGELOG: changes as rows, with the code of the row kind in the first column.

        Args:
            arguments: the arguments below in their order, or expressions as in PyFlink:
                `descriptor("code").as_argument("op")`.
            op: the name of the first column; `op` by default.
            op_mapping: codes by row kind, or by several: `{"INSERT, UPDATE_AFTER": "false", "DELETE": "true"}`.
                Other changes are dropped. The default codes are INSERT, UPDATE_BEFORE, UPDATE_AFTER and DELETE.
            on_time: the time attribute that the last column, `rowtime`, repeats; for tables of inserts.
            uid: the operator's uid in the plan.
        """
        named = {"op": op, "op_mapping": op_mapping, "on_time": on_time, "uid": uid}
        return table_functions.changelog(self, "TO_CHANGELOG", arguments, named)

    def from_changelog(
        self,
        *arguments: Expression | str | Mapping[str, str],
        op: str | None = None,
        op_mapping: Mapping[str, str] | None = None,
        uid: str | None = None,
    ) -> Self:
        """FROM_CHANGELOG: rows as changes, with the code of the row kind in a text column.

        Args:
            arguments: as in `to_changelog`.
            op: the name of the text column; `op` by default.
            op_mapping: row kinds by code, or by several: `{"c, r": "INSERT", "d": "DELETE"}`. A row with another code
                fails the run.
            uid: the operator's uid in the plan.
        """
        named = {"op": op, "op_mapping": op_mapping, "uid": uid}
        return table_functions.changelog(self, "FROM_CHANGELOG", arguments, named)

    def sample(self, fraction: float, seed: int | None = None) -> Self:
        """A random sample: WHERE RAND() < fraction.

        Args:
            fraction: the expected share of the rows, from 0.0 to 1.0.
            seed: makes the sample repeatable. A hash of the seed and all columns then selects rows, as in `split`,
                rather than RAND(seed), whose numbers depend on the order of the rows. Equal rows are selected together.

        Source: FLIP-155, "sample".
        """
        return sampling.sample(self, fraction, seed)

    def split(self, weights: Sequence[float], seed: int = 0) -> list[Self]:
        """Split the table into disjoint parts in the proportion of the weights.

        A hash of the seed and all columns (except processing times) selects the part of a row. The part does not
        depend on order, partitions or other runs; an updated row leaves its old part; equal rows are in the same part.

        Args:
            weights: not negative, at least one above 0; they need not add up to 1.
            seed: selects another split.

        Returns:
            One table per weight.

        Source: FLIP-155, "split"; its SQL is only logically equivalent.
        """
        return sampling.split(self, weights, seed)
