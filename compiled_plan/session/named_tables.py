"""Named tables and views, and tables of a program's own rows: a mixin of `TableEnvironment`.

Source: Flink's `TableEnvironment`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.plans.deferred import deferred

# Methods import the Table API when they need it, as in `environment`.
if TYPE_CHECKING:
    from compiled_plan.planner.table import descriptors, naming
    from compiled_plan.planner.table.descriptors import TableDescriptor
    from compiled_plan.plans.types.conversions.data_types import AnyType
    from compiled_plan.session import embedding, queries
    from compiled_plan.table import Table
else:
    descriptors = deferred("compiled_plan.planner.table.descriptors")
    naming = deferred("compiled_plan.planner.table.naming")
    embedding = deferred("compiled_plan.session.embedding")
    queries = deferred("compiled_plan.session.queries")


class TableMethods:
    """Methods of the Table API that return, register and drop tables and views.

    >>> from compiled_plan import TableEnvironment, col
    >>> env = TableEnvironment()
    >>> env.create_temporary_view("ages", env.from_values([("Ann", 34), ("Bob", 17)], ["name", "age"]))
    >>> adults = env.from_path("ages").where(col("age") >= 18)
    >>> env.sql_query(f"SELECT name FROM {adults}").columns
    ['name']
    """

    context: PlanningContext

    def from_path(self, path: str) -> Table:
        """A table or view of the catalog.

        Args:
            path: `t`, `db.t` or `catalog.db.t`.

        Returns:
            The table.

        Raises:
            ProgramError: no table or view has that name.
        """
        return queries.from_path(self.context, path)

    def from_descriptor(self, descriptor: TableDescriptor) -> Table:
        """A table that is declared inline, without a name in the catalog.

        Args:
            descriptor: its declaration, as for `create_temporary_table`.

        Returns:
            The table.

        Raises:
            ProgramError: the declaration is wrong.
        """
        return embedding.from_descriptor(self.context, descriptor)

    def sql_query(self, query: str) -> Table:
        """The result of a query as a table.

        Args:
            query: the SQL, which refers to tables by name, or to a `Table` as f"... {table} ...".

        Returns:
            The table.

        Raises:
            ProgramError: the text is not a query, or the query is wrong; with line, column and caret.
        """
        return queries.sql_query(self.context, query)

    def from_values(self, values: Iterable[object], schema: AnyType = None) -> Table:
        """A table of constant rows.

        Args:
            values: the rows: tuples, lists, Rows, dicts, NamedTuples, dataclass objects, or single values, which are
                rows of one column. Values may be expressions.
            schema: the columns: a row type (`DataTypes.ROW(...)`, `"ROW<a INT, b STRING>"`), a class with annotations,
                or a list of names. By default the rows' own names, or f0, f1, ..., and the common type of the values.

            Returns:
                The table.

            Raises:
                ProgramError: there are no rows and no types, the rows differ in width, or a column has no common type.
                DataError: a value does not have its column's type; with column, type and value.
        """
        return embedding.from_values(self.context, values, schema)

    def from_dataframe(self, frame: object, schema: AnyType = None) -> Table:
        """A table of the rows of a DataFrame.

        Args:
            frame: a DataFrame of pandas or Spark, or a Table or RecordBatch of PyArrow. A streaming DataFrame of Spark
                is an unbounded source.
            schema: the columns: a row type, or a list of names; by default those of the frame.

            Returns:
                The table.

            Raises:
                ProgramError: the object is not a DataFrame, a column has an unknown type, or the schema does not fit.
                DataError: a value does not have its column's type; with column, type and value.
        """
        return embedding.from_dataframe(self.context, frame, schema)

    def from_elements(self, elements: Iterable[object], schema: AnyType = None, verify_schema: bool = True) -> Table:
        """A table of constant rows, with the types of PyFlink.

        Args:
            elements: the rows: tuples, lists, Rows, dicts, or objects with attributes; or all `row(...)` expressions.
            schema: the columns: a row type, or a list of names; by default the rows' own names, or _1, _2, ..., and
                types by the class of the values: int is BIGINT, str STRING, datetime TIMESTAMP_LTZ(6). Any other type
                is the type of single values, in the column `value`.
            verify_schema: has no effect: values that do not have the type of their column are always refused.

        Returns:
            The table.

        Raises:
            ProgramError: there are no rows and no types, or a column has no common type.
            DataError: a value does not have its column's type; with column, type and value.
        """
        return embedding.from_elements(self.context, elements, schema)

    def from_pandas(self, pdf: object, schema: AnyType = None, splits_num: int = 1) -> Table:
        """A table of the rows of a pandas DataFrame.

        Args:
            pdf: the DataFrame.
            schema: as for `from_dataframe`; also a list of types.
            splits_num: has no effect: Spark splits the rows.

        Returns:
            The table.

        Raises:
            ProgramError, DataError: as for `from_dataframe`.
        """
        return embedding.from_pandas(self.context, pdf, schema)

    def create_temporary_view(self, view_path: str, table: Table) -> None:
        """Register a table as a view of this session, for SQL and `from_path`.

        Args:
            view_path: `v`, `db.v` or `catalog.db.v`.
            table: the table.

        Raises:
            ProgramError: the name is taken.
        """
        naming.create_view(self.context, view_path, table, "create_temporary_view")

    def drop_temporary_view(self, view_path: str) -> bool:
        """Drop a temporary view; return False if it does not exist."""
        return naming.drop(self.context, "VIEW", view_path, temporary=True)

    def drop_temporary_table(self, table_path: str) -> bool:
        """Drop a temporary table; return False if it does not exist."""
        return naming.drop(self.context, "TABLE", table_path, temporary=True)

    def drop_view(self, view_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drop a view of a catalog; return False if it does not exist.

        Raises:
            ProgramError: it does not exist, and `ignore_if_not_exists` is False.
        """
        return naming.drop(self.context, "VIEW", view_path, temporary=False, if_exists=ignore_if_not_exists)

    def drop_table(self, table_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drop a table of a catalog; return False if it does not exist.

        Raises:
            ProgramError: it does not exist, and `ignore_if_not_exists` is False.
        """
        return naming.drop(self.context, "TABLE", table_path, temporary=False, if_exists=ignore_if_not_exists)

    def create_view(self, view_path: str, table: Table, ignore_if_exists: bool = False) -> None:
        """Register a table as a view of a catalog.

        Args:
            view_path: `v`, `db.v` or `catalog.db.v`.
            table: the table.
            ignore_if_exists: keep an object of that name, without an error.

        Raises:
            ProgramError: the name is taken.
        """
        naming.create_view(
            self.context, view_path, table, "create_view", temporary=False, if_not_exists=ignore_if_exists
        )

    def create_temporary_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:
        """Declare a table of this session.

        Args:
            path: `t`, `db.t` or `catalog.db.t`.
            descriptor: `TableDescriptor.for_connector("filesystem").schema(...).option(...).build()`.
            ignoreIfExists: keep an object of that name, without an error; spelt as in PyFlink.

        Raises:
            ProgramError: the declaration is wrong, or the name is taken.
        """
        descriptors.create_table(self.context, path, descriptor, temporary=True, ignore_if_exists=ignoreIfExists)

    def create_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:
        """Declare a table of a catalog.

        Args:
            path: `t`, `db.t` or `catalog.db.t`.
            descriptor: as for `create_temporary_table`.
            ignoreIfExists: keep an object of that name, without an error; spelt as in PyFlink.

        Raises:
            ProgramError: the declaration is wrong, or the name is taken.
        """
        descriptors.create_table(self.context, path, descriptor, temporary=False, ignore_if_exists=ignoreIfExists)
