"""Table: a relation as a value, and its operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn, overload

from planner.table.expressions.expression import Expression
from planner.table.nodes import Column, columns_remedy, identifier, named
from plans.errors import ProgramError

if TYPE_CHECKING:
    from planner.catalog.tables import CatalogTable
    from planner.environment import TableEnvironment
    from planner.sql.nodes import BoundRelation, TableHint
    from planner.table.grouping import GroupedTable, OverWindowedTable, WindowedTable
    from planner.table.inserts import TablePipeline
    from planner.table.joins import TemporalTable
    from planner.table.rows import Rows
    from planner.table.schemas import ResolvedSchema, TableDescription
    from planner.table.windows import OverWindow, Window
    from plans.results import TableResult


class NoColumnError(ProgramError, AttributeError):
    """A column that a table does not have."""


class Table:
    """A table: rows of a schema that some program computes. Immutable: every operation gives another table.

    A table does nothing by itself: it becomes part of a plan when it is inserted into a sink. Operations resolve names
    and types at once, as SQL does; errors name the operation, the Python expression and the columns that there are.

    `table.a`, `table["a"]` and `table.col("a")` are columns of this very table, which a join keeps apart from those of
    the same name of another; `col("a")` is a column by its name alone.

    Source: FLIP-155; Flink's "Table API" page. Made by `TableEnvironment.from_path`, `from_values` and `sql_query`.
    """

    __slots__ = ("_env", "_hints", "_origin", "_path", "_rows")

    _env: TableEnvironment
    _rows: Rows
    _hints: tuple[TableHint, ...]
    _path: tuple[str, ...]
    _origin: CatalogTable | None

    def __init__(
        self,
        env: TableEnvironment,
        rows: Rows,
        hints: tuple[TableHint, ...] = (),
        path: tuple[str, ...] = (),
        origin: CatalogTable | None = None,
    ) -> None:
        object.__setattr__(self, "_env", env)
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_hints", hints)
        object.__setattr__(self, "_path", path)
        object.__setattr__(self, "_origin", origin)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a table cannot be changed: {name} = {value!r}; its operations give other tables")

    def _derived(self, rows: Rows, hints: tuple[TableHint, ...] | None = None) -> Table:
        return Table(self._env, rows, self._hints if hints is None else hints)

    def _node(self) -> BoundRelation:
        """The table as a query."""
        from planner.table.operations import relation_node

        return relation_node(self._rows)

    # --- columns and schema

    def col(self, name: str) -> Expression:
        """A column of this table.

        Raises:
            NoColumnError: there is none of that name.
        """
        names = self._rows.names
        if name not in names:
            raise NoColumnError(f"the table has no column {name!r}", remedy=columns_remedy(name, list(names)))
        if names.count(name) > 1:
            raise ProgramError(
                f"column {name!r} is ambiguous: {names.count(name)} columns have that name",
                remedy="take it from one of the tables that were joined, or rename it there",
            )
        node = Column(parts=[identifier(name)], owner=self._rows.keys[-1])
        shown = f"{self._rows.name or 'table'}.{name}" if name.isidentifier() else f"table.col({name!r})"
        return Expression(named(node, shown))

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__") or name in Table.__slots__:
            raise AttributeError(name)
        return self.col(name)

    def __getitem__(self, name: str) -> Expression:
        return self.col(name)

    def __iter__(self) -> NoReturn:
        raise TypeError("a table cannot be iterated over: its rows are there only when a plan runs")

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *(name for name in self._rows.names if name.isidentifier())})

    def __repr__(self) -> str:
        return f"Table{self.get_schema()}"

    def __str__(self) -> str:
        """A name for this table in SQL: `env.sql_query(f"SELECT * FROM {table}")`."""
        from planner.table.environment import name_of

        return name_of(self)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._rows.names)

    def get_schema(self) -> ResolvedSchema:
        """The columns with their types."""
        from planner.table.schemas import schema_of

        return schema_of(self)

    def get_resolved_schema(self) -> ResolvedSchema:
        """The same as `get_schema`."""
        return self.get_schema()

    def print_schema(self) -> None:
        """Print the columns with their types."""
        print(self.get_schema())

    def describe(self) -> TableDescription:
        """What DESCRIBE says of the table: `table.describe().print()`."""
        from planner.table.schemas import TableDescription

        return TableDescription(self.get_schema())

    # --- columns chosen

    def select(self, *fields: Expression | str) -> Table:
        """SELECT: expressions, names of columns, or "*".

        Raises:
            ProgramError: an unknown column or function, wrong types; as all operations.
        """
        from planner.table.selecting import select

        return select(self, fields)

    def alias(self, *names: str | Expression) -> Table:
        """The same table with its columns, or the first ones, under other names."""
        from planner.table.selecting import rename_all

        return rename_all(self, names)  # type: ignore[arg-type]

    def add_columns(self, *fields: Expression | str) -> Table:
        """All columns, and further ones behind them.

        Raises:
            ProgramError: a column of that name is there already.
        """
        from planner.table.selecting import add_columns

        return add_columns(self, fields)

    def add_or_replace_columns(self, *fields: Expression | str) -> Table:
        """All columns, those of the same names replaced, further ones behind them."""
        from planner.table.selecting import add_or_replace_columns

        return add_or_replace_columns(self, fields)

    def rename_columns(self, *fields: Expression) -> Table:
        """All columns, some under other names: `rename_columns(col("a").alias("b"))`."""
        from planner.table.selecting import rename_columns

        return rename_columns(self, fields)

    def drop_columns(self, *fields: Expression | str) -> Table:
        """All columns but these."""
        from planner.table.selecting import drop_columns

        return drop_columns(self, fields)

    def map(self, function: Expression) -> Table:
        """Each row made one other by a scalar function; a ROW that it gives becomes as many columns."""
        from planner.table.rowwise import map_rows

        return map_rows(self, function)

    def flat_map(self, function: Expression) -> Table:
        """Each row made any number of others by a table function."""
        from planner.table.rowwise import flat_map

        return flat_map(self, function)

    # --- rows chosen

    def where(self, condition: Expression) -> Table:
        """The rows for which the condition is true."""
        from planner.table.selecting import where

        return where(self, condition, "where")

    def filter(self, condition: Expression) -> Table:
        """The same as `where`."""
        from planner.table.selecting import where

        return where(self, condition, "filter")

    def distinct(self) -> Table:
        """SELECT DISTINCT: every row once."""
        from planner.table.selecting import distinct

        return distinct(self)

    def order_by(self, *fields: Expression | str) -> Table:
        """ORDER BY: `order_by(col("a"), col("b").desc)`."""
        from planner.table.selecting import order_by

        return order_by(self, fields)

    def limit(self, fetch: int, offset: int = 0) -> Table:
        """The first `fetch` rows behind the first `offset`, in the order of `order_by` before it."""
        from planner.table.selecting import limit

        return limit(self, "limit", fetch=fetch, offset=offset or None)

    def offset(self, offset: int) -> Table:
        """The rows behind the first `offset`."""
        from planner.table.selecting import limit

        return limit(self, "offset", offset=offset)

    def fetch(self, fetch: int) -> Table:
        """The first `fetch` rows."""
        from planner.table.selecting import limit

        return limit(self, "fetch", fetch=fetch)

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

        return deduplicate(self, fields, order_field, keep_first)

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

        return topn(self, n, partition_fields, order_fields, rank_column)

    def sample(self, fraction: float, seed: int | None = None) -> Table:
        """A random part of the rows: WHERE RAND([seed]) < fraction.

        Args:
            fraction: from 0.0 to 1.0, the share of rows to expect.
            seed: makes the numbers of RAND repeatable, as far as the rows come in the same order and partitions.

        Source: FLIP-155, "sample".
        """
        from planner.table.sampling import sample

        return sample(self, fraction, seed)

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

        return split(self, weights, seed)

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

        return fillna(self, value, fields)

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

        return dropna(self, thresh, fields)

    def replace(self, replacement: Mapping[object, object], fields: Sequence[str | Expression] | None = None) -> Table:
        """Values replaced: CASE WHEN a = key THEN value ... ELSE a END.

        Args:
            replacement: values, and what to replace them with.
            fields: the columns; without them all columns that the values can stand in.

        Source: FLIP-155, "replace".
        """
        from planner.table.nulls import replace

        return replace(self, replacement, fields)

    # --- groups and windows

    def group_by(self, *fields: Expression | str) -> GroupedTable:
        """GROUP BY; `select` follows."""
        from planner.table.grouping import group_by

        return group_by(self, fields)

    @overload
    def window(self, window: Window) -> Table: ...

    @overload
    def window(self, window: OverWindow) -> OverWindowedTable: ...

    def window(self, window: Window | OverWindow) -> Table | WindowedTable | OverWindowedTable:
        """A window table function: all columns, then window_start, window_end, window_time.

        `table.window(Tumble.over(lit(10).minutes).on(col("ts")))`; the window may be a `Tumble`, `Slide`, `Session` or
        `Cumulate`. With an alias it is a group window instead, after which only `group_by` can follow: see
        `group_window`, which has the types for it.

        Source: FLIP-155, "window".
        """
        from planner.table.grouping import WindowedTable, window_table
        from planner.table.windows import OverWindow

        if isinstance(window, OverWindow):
            return self.over_window(window)
        _check_window(window)
        return WindowedTable(self, window) if window.name else window_table(self, window)

    def group_window(self, window: Window) -> WindowedTable:
        """A group window: `group_window(Tumble.over(lit(1).hours).on(col("ts")).alias("w")).group_by(col("w"))`."""
        from planner.table.grouping import WindowedTable

        _check_window(window)
        if not window.name:
            raise ProgramError("a group window needs a name", where="group_window()", remedy='write .alias("w")')
        return WindowedTable(self, window)

    def over_window(self, *windows: OverWindow) -> OverWindowedTable:
        """Windows for `.over(col("w"))` in the `select` that follows."""
        from planner.table.grouping import OverWindowedTable

        return OverWindowedTable(self, windows)

    # --- joins and set operations

    def join(self, right: Table | TemporalTable, condition: Expression | None = None) -> Table:
        """The pairs of rows for which the condition is true; all pairs without one.

        Args:
            right: another table, or a table as of a time (`as_of`).
            condition: over the columns of both.
        """
        from planner.table.joins import join

        return join(self, right, condition, "INNER", "join")

    def left_outer_join(self, right: Table | TemporalTable, condition: Expression | None = None) -> Table:
        """As `join`, with the rows of the left side that have no partner."""
        from planner.table.joins import join

        return join(self, right, condition, "LEFT", "left_outer_join")

    def right_outer_join(self, right: Table, condition: Expression) -> Table:
        """As `join`, with the rows of the right side that have no partner."""
        from planner.table.joins import join

        return join(self, right, condition, "RIGHT", "right_outer_join")

    def full_outer_join(self, right: Table, condition: Expression) -> Table:
        """As `join`, with the rows of both sides that have no partner."""
        from planner.table.joins import join

        return join(self, right, condition, "FULL", "full_outer_join")

    def join_lateral(self, function: Expression, condition: Expression | None = None) -> Table:
        """Each row with the rows that a table function gives for it.

        Args:
            function: `call("split", col("a")).alias("word", "length")`, or `call("UNNEST", col("array")).alias("x")`.
            condition: over the columns of both.
        """
        from planner.table.joins import join_lateral

        return join_lateral(self, function, condition, "INNER", "join_lateral")

    def left_outer_join_lateral(self, function: Expression, condition: Expression | None = None) -> Table:
        """As `join_lateral`, with the rows for which the function gives none."""
        from planner.table.joins import join_lateral

        return join_lateral(self, function, condition, "LEFT", "left_outer_join_lateral")

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

        return TemporalTable(self, nodes_of("as_of", [time])[0])

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

        return combine(self, right, operation)

    # --- hints

    def hint(self, name: str, options: Mapping[str, str]) -> Table:
        """A hint: OPTIONS for a table of the catalog, STATE_TTL for the next aggregate or join.

        `orders.hint("OPTIONS", {"scan.startup.mode": "earliest-offset"})` reads the table with other options.
        `orders.hint("STATE_TTL", {"orders": "1 d", "rates": "2 d"}).join(rates, ...)` says how long each side of the
        join keeps its rows; tables are known by their names in the catalog.

        Source: FLIP-155, "hint"; Flink's "Hints" page.
        """
        from planner.table.environment import hinted

        return hinted(self, name, options)

    # --- sinks

    def insert_into(
        self,
        target: str,
        *,
        columns: Sequence[str] | None = None,
        options: Mapping[str, str] | None = None,
    ) -> TablePipeline:
        """The rows into a table of the catalog: `table.insert_into("sink").compile_plan()`.

        Args:
            target: the table's name.
            columns: the columns to write, in this table's order; without them all, by place.
            options: options of the sink that replace its own.

        Raises:
            ProgramError: no such table; columns that do not fit, with both schemas.
        """
        from planner.table.inserts import insert_into

        return insert_into(self, target, columns, dict(options or {}))

    def execute_insert(self, target: str) -> TableResult:
        """Insert the rows into a table of the catalog, on an embedded local Spark: `insert_into(target).execute()`.

        Raises:
            ProgramError, UnsupportedError, ExecutionError: as `TablePipeline.execute`.
        """
        return self.insert_into(target).execute()

    def explain(self) -> str:
        """The operators that compute the table, as a tree, each with its state entries."""
        from planner.table.environment import explain_query

        return explain_query(self._env, self._rows.as_query())


def _check_window(window: object) -> None:
    from planner.table.windows import Window

    if not isinstance(window, Window):
        raise ProgramError(
            f"window() takes a window, not {window!r}",
            where="window()",
            remedy='write Tumble.over(lit(10).minutes).on(col("ts")); Slide needs .every(...), Cumulate .step(...)',
        )
