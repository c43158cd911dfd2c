"""Tables out of Python's values and DataFrames, and tables that run.

Source: Flink's `TableEnvironment.fromValues` and `Table.execute`; PyFlink's `from_pandas`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING

from planner.algebra.nodes import Values
from planner.catalog.tables import CatalogTable, Column, ObjectIdentifier
from planner.functions.values import constant_rows
from planner.running import run_query
from planner.sql.binding.core import Bound
from planner.sql.binding.scans import scan
from planner.table.rows import rows
from planner.table.table import Table
from plans import embedded

if TYPE_CHECKING:
    from planner.environment import TableEnvironment
    from plans.results import TableResult
    from plans.types.data_types import AnyType

_NUMBERS = count(1)


def from_rows(env: TableEnvironment, values: Iterable[object], schema: AnyType = None) -> Table:
    """A table of rows of Python objects. See `planner.functions.values.constant_rows`."""
    found = constant_rows(values, schema)
    return Table(env, rows(Bound(Values(found.row_type, found.cells), found.row_type.names)))


def from_dataframe(env: TableEnvironment, frame: object, schema: AnyType = None) -> Table:
    """A table of the rows of a DataFrame. See `plans.embedded.inline`."""
    held = embedded.inline(frame, schema)
    catalog = env.catalog
    name = f"*anonymous_dataframe${next(_NUMBERS)}*"
    table = CatalogTable(
        ObjectIdentifier(catalog.current_catalog, catalog.current_database, name),
        tuple(Column(field.name, field.type, comment=field.comment) for field in held.row_type.fields),
        tuple(held.options.items()),
        temporary=True,
    )
    return Table(env, rows(Bound(scan(table, name, ()), held.row_type.names), name))


def execute(table: Table) -> TableResult:
    """Run the query of a table."""
    return run_query(table._env, table._rows.rel)
