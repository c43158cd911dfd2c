"""CREATE TABLE ... AS: the table of a query's columns, and the query that fills it.

Source: Flink's "CREATE TABLE ... AS" section, and Flink 2.3 for the order of columns and the restrictions.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.nodes import Sink
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind
from compiled_plan.planner.functions import casts
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Bound, Surroundings
from compiled_plan.planner.sql.binding.ddl import draft_table
from compiled_plan.planner.sql.binding.inserts import bind_rows, check_target, summary
from compiled_plan.planner.sql.binding.schemas import Draft, Formula, draft_column, resolve
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.text.position import Span


def bind_create_as(binder: Binder, statement: st.CreateTable) -> Sink:
    """The Sink of a CREATE TABLE ... AS; its table is not in the catalog yet.

    Raises:
        ProgramError: as for CREATE TABLE and INSERT; columns that do not fit the query's.
    """
    assert statement.query is not None
    source = binder.source
    if statement.temporary:
        raise source.error_at(statement.span, "CREATE TABLE ... AS creates no temporary table", "leave TEMPORARY out")
    if statement.or_replace and statement.if_not_exists:
        raise source.error_at(statement.span, "a replaced table takes no IF NOT EXISTS", "leave one of them out")
    query = binder.bind_query(binder, statement.query, Surroundings())
    existing = _existing(binder, statement)
    table = existing or resolve(binder, _draft(binder, statement, query))
    return bind_into(binder, table, query, statement, by_name=existing is None)


def bind_into(
    binder: Binder, table: CatalogTable, query: Bound, statement: st.CreateTable | None = None, *, by_name: bool = True
) -> Sink:
    """The Sink of a query that fills a table.

    Args:
        binder: the binder of the script.
        table: the table.
        query: the query.
        statement: for the positions of errors.
        by_name: write to the columns of the query's names; otherwise to all in their order.
    """
    span = Span(0, 0, 1, 1) if statement is None else statement.span
    name = table.identifier
    names = query.rel.row_type.names
    insert = st.Insert(
        target=(name.catalog, name.database, name.name),
        target_span=span,
        hints=(),
        columns=tuple((name,) for name in names) if by_name else (),
        column_spans=(span,) * len(names),
        partition={},
        overwrite=False,
        query=ast.Values(()),
        query_text="",
        on_conflict=None,
        span=span,
        text="",
    )
    check_target(binder, insert, table)
    # As in Flink, the query itself has the columns in the order of the table, with NULL for missing ones.
    return replace(bind_rows(binder, insert, table, query), target=None)


def _existing(binder: Binder, statement: st.CreateTable) -> CatalogTable | None:
    """The table that IF NOT EXISTS finds."""
    table = binder.catalog.known(statement.name)
    return table if statement.if_not_exists and isinstance(table, CatalogTable) else None


def _draft(binder: Binder, statement: st.CreateTable, query: Bound) -> Draft:
    row = query.rel.row_type
    columns = {field.name: Column(field.name, field.type.as_regular()) for field in row.fields}
    if any(isinstance(item, st.NamedClause) for item in statement.columns):
        return draft_table(binder, statement, _reordered(binder, statement, columns), {})
    formulas: dict[str, Formula] = {}
    declared: dict[str, Column] = {}
    for item in statement.columns:
        column, formula = draft_column(item, binder.source)
        _check(binder, item, column, declared, columns.get(item.name))
        declared[item.name] = column
        if formula is not None:
            formulas[item.name] = formula
    key = () if statement.primary_key is None else statement.primary_key.columns
    for name, column in columns.items():
        if statement.primary_key is not None and name in key and name not in declared and column.type.nullable:
            raise binder.source.error_at(
                statement.primary_key.span,
                f"primary key column {name!r} is nullable in the query",
                f"declare it: CREATE TABLE t ({name} {summary(column.type)} NOT NULL, ...)",
            )
    # As in Flink, a declared column that the query has, too, changes its type and keeps its place.
    added = [column for name, column in declared.items() if name not in columns]
    selected = [declared.get(name, column) for name, column in columns.items()]
    return draft_table(binder, statement, (*added, *selected), formulas)


def _reordered(binder: Binder, statement: st.CreateTable, columns: dict[str, Column]) -> tuple[Column, ...]:
    """The query's columns in the order of the statement's names."""
    if len(statement.columns) != len(columns):
        raise binder.source.error_at(
            statement.span,
            f"the column list has {len(statement.columns)} names, the query {len(columns)} columns",
            "name all columns of the query, in the order that the table should have",
        )
    ordered = []
    for at, item in enumerate(statement.columns):
        if item.name not in columns:
            raise binder.source.error_at(
                item.span, f"the query has no column {item.name!r}", f"it has: {', '.join(columns)}"
            )
        if any(before.name == item.name for before in statement.columns[:at]):
            raise binder.source.error_at(item.span, f"column {item.name!r} is named twice", "name it once")
        ordered.append(columns[item.name])
    return tuple(ordered)


def _check(
    binder: Binder, item: st.ColumnClause, column: Column, declared: dict[str, Column], selected: Column | None
) -> None:
    """Raise if a declared column does not fit the columns before it, or the query's column of its name."""
    error = binder.source.error_at
    if item.name in declared:
        raise error(item.span, f"column {item.name!r} is declared twice", "rename one of them")
    if selected is None:
        return
    if column.kind is ColumnKind.COMPUTED:
        raise error(item.span, f"column {item.name!r} is computed, and the query has one of that name", "rename one")
    if not casts.supports_implicit_cast(selected.type, column.type):
        raise error(
            item.span,
            f"column {item.name!r} is {summary(selected.type)} in the query and cannot become {summary(column.type)}",
            "CAST it in the query",
        )


def register(binder: Binder, statement: st.CreateTable, table: CatalogTable) -> None:
    """Put the table of a CREATE TABLE ... AS into the catalog.

    Raises:
        ProgramError: the name is taken, or REPLACE TABLE finds no table.
    """
    catalog = binder.catalog
    if statement.replace_only and not isinstance(catalog.known(statement.name), CatalogTable):
        raise ProgramError(f"there is no table {table.identifier} to replace", remedy="write CREATE OR REPLACE TABLE")
    materialized = statement.materialized
    replaces = statement.or_replace or (materialized is not None and materialized.or_alter)
    catalog.create(table, if_not_exists=statement.if_not_exists, replace=replaces)
