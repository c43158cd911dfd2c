"""Table: a relation as an immutable value, and its operations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NoReturn

from compiled_plan.planner.table.building.nodes import column, columns_remedy, named
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.planner.table.descriptors import TableDescriptor
from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.naming import hinted, name_of
from compiled_plan.planner.table.schemas import ResolvedSchema, schema_of
from compiled_plan.planner.table.table_schemas import TableSchema
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import RowType, row_of
from compiled_plan.results.html import columns_text, table_html
from compiled_plan.results.ready import FirstRows, description
from compiled_plan.results.table_result import TableResult
from compiled_plan.running.compiling import explain_query
from compiled_plan.running.inserts import TablePipeline, insert_into
from compiled_plan.running.statements import run_query
from compiled_plan.table.columns import ColumnMethods
from compiled_plan.table.groups import GroupMethods
from compiled_plan.table.joins import JoinMethods
from compiled_plan.table.rows import RowMethods


def _snake(name: object) -> str:
    """The Python name of a Java method, such as `executeInsert`."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda letter: f"_{letter[0].lower()}", str(name))


class NoColumnError(ProgramError, AttributeError):
    """The table has no such column."""


class Table(ColumnMethods, RowMethods, GroupMethods, JoinMethods):
    """An immutable relation with a schema; every operation returns a new table.

    A table is lazy: it becomes part of a plan when it is inserted into a sink or executed. Operations resolve names and
    types at once, like SQL; errors name the operation, the Python expression and the available columns.

    `table.a`, `table["a"]` (for names of methods) and `table.col("a")` are columns of this table, which a join
    distinguishes from columns of the same name in the other table. In operations on tables that do not derive from this
    one, they are resolved by name only, like `col("a")`.

    >>> from compiled_plan import TableEnvironment
    >>> orders = TableEnvironment().from_values([("nut", 3), ("fig", 9)], ["item", "price"])
    >>> orders.where(orders.price > 5).select(orders.item).columns
    ['item']

    Source: FLIP-155; Flink's "Table API" page. Returned by `TableEnvironment.from_path`, `from_values`, `sql_query`.
    """

    __slots__ = ()

    # --- columns and schema

    def col(self, name: str) -> Expression:
        """A column of this table.

        Args:
            name: the column.

        Raises:
            NoColumnError: the table has no such column.
            ProgramError: several columns have that name.
        """
        names = self._rows.names
        if name not in names:
            remedy = columns_remedy(name, list(names))
            if hasattr(type(self), snake := _snake(name)):
                remedy = f"the method is {snake}. {remedy}"
            raise NoColumnError(f"the table has no column {name!r}", remedy=remedy)
        if names.count(name) > 1:
            raise ProgramError(
                f"column {name!r} is ambiguous: {names.count(name)} columns have that name",
                remedy="take it from one of the tables that were joined, or rename it there",
            )
        node = column(name, self._rows.keys[-1])
        shown = f"{self._rows.name or 'table'}.{name}" if name.isidentifier() else f"table.col({name!r})"
        return Expression(named(node, shown))

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__") or name in PlannedTable.__slots__:
            raise AttributeError(name)
        return self.col(name)

    def __getitem__(self, name: str) -> Expression:
        return self.col(name)

    def __iter__(self) -> NoReturn:
        raise TypeError("a table cannot be iterated over: its rows are there only when a plan runs")

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *(name for name in self._rows.names if name.isidentifier())})

    def __copy__(self) -> Table:
        return self

    def __deepcopy__(self, memo: object) -> Table:
        return self

    def __repr__(self) -> str:
        return f"Table({self._described()})"

    def _repr_html_(self) -> str:
        """The columns with their types; a table has rows only when it runs."""
        return table_html(self._row_type(), (), "a table that has not run: show() and head() run it")

    def _described(self) -> str:
        return columns_text(self._row_type())

    def _row_type(self) -> RowType:
        columns = self.get_resolved_schema().columns
        return row_of([column.name for column in columns], [column.data_type for column in columns])

    def __str__(self) -> str:
        """A name for this table in SQL: `env.sql_query(f"SELECT * FROM {table}")`."""
        return name_of(self)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._rows.names)

    def get_schema(self) -> ResolvedSchema:
        """The columns with their types; in a session of `compiled_plan.pyflink` as a `TableSchema`."""
        schema = schema_of(self)
        return TableSchema.of_resolved(schema) if self._context.mutable_rows else schema

    def get_resolved_schema(self) -> ResolvedSchema:
        """The columns with their types."""
        return schema_of(self)

    def print_schema(self) -> None:
        """Print the columns with their types."""
        print(self.get_resolved_schema())

    def describe(self) -> TableResult:
        """The result of DESCRIBE: `table.describe().print()`.

        Source: FLIP-155, "describe".
        """
        return description(self.get_resolved_schema())

    # --- hints

    def hint(self, name: str, options: Mapping[str, str]) -> Table:
        """Add a hint.

        `orders.hint("OPTIONS", {"scan.startup.mode": "earliest-offset"})` overrides options of the table.
        `orders.hint("STATE_TTL", {"orders": "1 d", "rates": "2 d"}).join(rates, ...)` sets the state TTL of each join
        input.

        Args:
            name: OPTIONS for a table of the catalog, STATE_TTL for the next aggregate or join.
            options: options by key; for STATE_TTL, durations with a unit by the table's name in the catalog.

        Source: FLIP-155, "hint"; Flink's "Hints" page.
        """
        return hinted(self, name, options)

    # --- sinks

    def insert_into(
        self,
        table_path_or_descriptor: str | TableDescriptor,
        overwrite: bool = False,
        *,
        columns: Sequence[str] | None = None,
        options: Mapping[str, str] | None = None,
        on_conflict: Literal["NOTHING", "ERROR", "DEDUPLICATE"] | None = None,
    ) -> TablePipeline:
        """Insert the rows into a sink: `table.insert_into("sink").compile_plan()`.

        Args:
            table_path_or_descriptor: a table of the catalog, or a `TableDescriptor`. One without columns has those of
                this table.
            overwrite: INSERT OVERWRITE.
            columns: the sink columns to write, in the order of this table's columns; by default all, by position.
            options: options that override those of the sink.
            on_conflict: ON CONFLICT DO ..., if the upsert key of the rows differs from the sink's primary key.

        Returns:
            The insert, to compile or execute.

        Raises:
            ProgramError: the sink does not exist, or the columns do not fit (with both schemas).
        """
        if options is not None and not isinstance(options, Mapping):
            raise ProgramError(
                f"the options of a sink are a mapping, not {options!r}",
                where="insert_into()",
                remedy='write options={"sink.parallelism": "1"}',
            )
        return insert_into(self, table_path_or_descriptor, columns, options, on_conflict, overwrite=overwrite)

    def execute(self) -> TableResult:
        """Run the query on an embedded local Spark.

        `table.execute().print()`, `for row in table.execute().collect()`, `table.execute().to_dataframe("pandas")`.

        Returns:
            The result with the rows.

        Raises:
            ProgramError, UnsupportedError: the query cannot be planned or run.
            ExecutionError: Spark does not start.
        """
        return run_query(self._context, self._rows.rel, self._rows.names)

    def head(self, n: int = 5) -> TableResult:
        """Run the query until it has returned rows, and end the run.

        Args:
            n: the maximum number of rows. A table without updates is read up to them. One with updates is read to its
                end if its sources end; otherwise the rows are those after `n` inserts and updates.

        Returns:
            The rows, all available: to print, collect or convert to a DataFrame. A notebook shows them as a table.

        Raises:
            ProgramError, UnsupportedError, ExecutionError: as for `execute`; or the run failed.
        """
        return FirstRows(self.execute(), n)

    def show(self, n: int = 20) -> None:
        """Print the first rows: `print(table.head(n))`.

        Args:
            n: the maximum number of rows.

        Raises:
            ProgramError, UnsupportedError, ExecutionError: as for `head`.
        """
        print(self.head(n))

    def to_pandas(self) -> Any:
        """Run the query, and return its rows as a pandas DataFrame: `execute().to_dataframe("pandas")`."""
        return self.execute().to_dataframe("pandas")

    def execute_insert(self, table_path_or_descriptor: str | TableDescriptor, overwrite: bool = False) -> TableResult:
        """Insert the rows into a sink and run it: `insert_into(sink).execute()`.

        Args:
            table_path_or_descriptor: a table of the catalog, or a `TableDescriptor`.
            overwrite: as for `insert_into`.

        Raises:
            ProgramError, UnsupportedError, ExecutionError: as for `TablePipeline.execute`.
        """
        return self.insert_into(table_path_or_descriptor, overwrite).execute()

    def explain(self, *extra_details: str) -> str:
        """The operators that compute the table, as a tree, with the state entries of each operator.

        Args:
            extra_details: members of `ExplainDetail`, or their names.
        """
        return explain_query(self._context, self._rows.as_query().rel, extra_details)

    def print_explain(self, *extra_details: str) -> None:
        """Print the result of `explain`."""
        print(self.explain(*extra_details))
