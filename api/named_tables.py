"""Tables and views by their names, and tables of rows that a program has: a part of `TableEnvironment`.

Source: Flink's `TableEnvironment`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compiled_plan.planner.sql.context import PlanningContext

# See `environment`: a script of SQL is compiled without what only these methods need.
if TYPE_CHECKING:
    from compiled_plan.api.table import Table
    from compiled_plan.planner.table.descriptors import TableDescriptor
    from compiled_plan.plans.types.conversions.data_types import AnyType


class TableMethods:
    """The methods of the Table API that give tables, and those that name them; see `planner.table`."""

    context: PlanningContext

    def from_path(self, path: str) -> Table:
        """A table or view of the catalog.

        Raises:
            ProgramError: there is none of that name.
        """
        from compiled_plan.api.queries import from_path

        return from_path(self.context, path)

    def from_descriptor(self, descriptor: TableDescriptor) -> Table:
        """A table that is declared where it is read, and has no name in the catalog.

        Raises:
            ProgramError: the declaration is wrong.
        """
        from compiled_plan.api.embedding import from_descriptor

        return from_descriptor(self.context, descriptor)

    def sql_query(self, query: str) -> Table:
        """The table that a query gives; other tables are in its text by name, or as f"... {table} ...".

        Raises:
            ProgramError: no query, or a wrong one; with line, column and caret.
        """
        from compiled_plan.api.queries import sql_query

        return sql_query(self.context, query)

    def from_values(self, values: Iterable[object], schema: AnyType = None) -> Table:
        """A table of constant rows.

        Args:
            values: the rows: tuples, lists, Rows, dicts, NamedTuples, objects of dataclasses, or single values, which
                are rows of one column; values may be expressions.
            schema: the columns: a row type (`DataTypes.ROW(...)`, `"ROW<a INT, b STRING>"`), a class with
                annotations, or a list of names. Left out, the names are those that the rows have, else f0, f1, ...,
                and each column has the common type of its values.

        Raises:
            ProgramError: no rows and no types; rows of different widths; a column without a common type.
            DataError: a value that is none of its column's type; names column, type and value.
        """
        from compiled_plan.api.embedding import from_values

        return from_values(self.context, values, schema)

    def from_dataframe(self, frame: object, schema: AnyType = None) -> Table:
        """A table of the rows of a DataFrame.

        Args:
            frame: of pandas, PyArrow (Table or RecordBatch) or Spark; a streaming one of Spark never ends.
            schema: the columns: a row type, or a list of names; those of the frame if left out.

        Raises:
            ProgramError: no DataFrame; a column whose type is not known; a schema that does not fit.
            DataError: a value that is none of its column's type; names column, type and value.
        """
        from compiled_plan.api.embedding import from_dataframe

        return from_dataframe(self.context, frame, schema)

    from_pandas = from_dataframe

    def create_temporary_view(self, path: str, table: Table) -> None:
        """Give a table a name, by which SQL and `from_path` find it.

        Raises:
            ProgramError: the name is taken.
        """
        from compiled_plan.planner.table.naming import create_view

        create_view(self.context, path, table, "create_temporary_view")

    def drop_temporary_view(self, path: str) -> bool:
        """Drop a temporary view; False where there is none."""
        from compiled_plan.planner.table.naming import drop_temporary

        return drop_temporary(self.context, "VIEW", path)

    def drop_temporary_table(self, path: str) -> bool:
        """Drop a temporary table; False where there is none."""
        from compiled_plan.planner.table.naming import drop_temporary

        return drop_temporary(self.context, "TABLE", path)

    def create_view(self, path: str, table: Table) -> None:
        """As `create_temporary_view`, in the catalog.

        Raises:
            ProgramError: the name is taken.
        """
        from compiled_plan.planner.table.naming import create_view

        create_view(self.context, path, table, "create_view", temporary=False)

    def create_temporary_table(self, path: str, descriptor: TableDescriptor) -> None:
        """Declare a temporary table: `TableDescriptor.for_connector("filesystem").schema(...).option(...).build()`.

        Raises:
            ProgramError: the declaration is wrong, or the name is taken.
        """
        from compiled_plan.planner.table.descriptors import create_table

        create_table(self.context, path, descriptor, temporary=True)

    def create_table(self, path: str, descriptor: TableDescriptor) -> None:
        """Declare a table of the catalog.

        Raises:
            ProgramError: the declaration is wrong, or the name is taken.
        """
        from compiled_plan.planner.table.descriptors import create_table

        create_table(self.context, path, descriptor, temporary=False)
