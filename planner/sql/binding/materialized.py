"""Materialized tables: a table, the query that fills it, and the freshness of its rows.

Source: Flink's page "Materialized Table Statements". A plan here is always refreshed continuously, which gives the rows
of a full refresh, too; the freshness becomes the time between the micro-batches of `execute-plan`.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.nodes import Sink
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, Column, Materialized
from compiled_plan.planner.functions import casts
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.altering import altered_table
from compiled_plan.planner.sql.binding.core import Binder
from compiled_plan.planner.sql.binding.create_as import bind_create_as, bind_into
from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.sql.binding.views import new_view, view_columns, view_query
from compiled_plan.planner.sql.nodes import changes
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.plans.errors import ProgramError, UnsupportedError

_MS = {"SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000}
#: Flink's freshness of a table without FRESHNESS, in ms.
_DEFAULT_MS = 180_000
#: Start modes that a start without or with a checkpoint follows by itself.
_STARTS = ("", "FROM_BEGINNING", "RESUME_OR_FROM_BEGINNING")


def bind_create_materialized(binder: Binder, statement: st.CreateTable) -> Sink:
    """The Sink of a CREATE MATERIALIZED TABLE; its table is not in the catalog yet.

    Raises:
        ProgramError: as for CREATE TABLE ... AS, or an invalid freshness.
        UnsupportedError: REFRESH_MODE = FULL, or another start mode.
    """
    clauses = statement.materialized
    assert clauses is not None and statement.query is not None
    _check_mode(clauses.mode)
    if clauses.start not in _STARTS:
        raise UnsupportedError(
            f"START_MODE = {clauses.start} is not supported",
            remedy="a run starts from its checkpoint, else from the start of its sources; where a source starts is an "
            "option of its table, such as 'scan.startup.mode' of Kafka",
        )
    freshness = _DEFAULT_MS if clauses.freshness is None else _freshness_ms(binder, clauses.freshness)
    identifier = binder.catalog.qualify(statement.name)
    view = new_view(binder, identifier, statement.query, clauses.query_text)
    sink = bind_create_as(binder, statement)
    names, _ = view_columns(view)
    for item in statement.columns:
        if isinstance(item, st.PhysicalClause) and item.name not in names:
            raise binder.source.error_at(
                item.span,
                f"the query of the materialized table has no column {item.name!r}",
                f"select it, or leave it out; the query has {', '.join(names)}",
            )
    table = replace(sink.table, materialized=Materialized(view, clauses.query_text, freshness))
    old = binder.catalog.known(statement.name)
    if clauses.or_alter and isinstance(old, CatalogTable):
        _check_query(_materialized(old), view)
    return replace(sink, table=table)


def alter_materialized(binder: Binder, statement: changes.AlterTable) -> CatalogTable:
    """Change a materialized table in the catalog, and return it.

    Raises:
        ProgramError: there is no such materialized table, or the change does not fit it.
        UnsupportedError: SUSPEND, RESUME, REFRESH, or REFRESH_MODE = FULL.
    """
    catalog, change = binder.catalog, statement.change
    old = catalog.alterable("TABLE", statement.name)
    if old is None:
        raise catalog.no_alterable("TABLE", statement.name)
    assert isinstance(old, CatalogTable)
    table = _altered(binder, _materialized(old), change)
    materialized_sink(binder, table)  # raises if the query cannot fill the table
    catalog.alter(table)
    return table


def _altered(binder: Binder, table: CatalogTable, change: changes.TableChange) -> CatalogTable:
    materialized = table.materialized
    assert materialized is not None
    match change:
        case changes.RunAction(action):
            raise UnsupportedError(
                f"{action} of a materialized table is not supported: it acts on a run, and compiling has none",
                remedy="SUSPEND: stop the run, whose checkpoint keeps the state; RESUME: start the plan again with "
                "that checkpoint; REFRESH: leave it out, as the rows are refreshed continuously",
            )
        case changes.SetQuery():
            view = new_view(binder, table.identifier, change.query, change.query_text)
            added = _check_query(table, view)
            changed = replace(materialized, query=view, sql=change.query_text)
            return replace(table, columns=(*table.columns, *added), materialized=changed)
        case changes.SetFreshness(freshness):
            return replace(table, materialized=replace(materialized, freshness_ms=_freshness_ms(binder, freshness)))
        case changes.SetRefreshMode(mode):
            _check_mode(mode)
            return table
        case changes.ChangeSchema(add=True, columns=placed):
            for item in placed:
                column = item.column
                if isinstance(column, st.PhysicalClause) or (
                    isinstance(column, st.MetadataClause) and not column.virtual
                ):
                    raise ProgramError(
                        f"the query of the materialized table has no column {column.name!r}",
                        remedy="write ALTER MATERIALIZED TABLE ... AS the new query",
                    )
        case changes.AddPartitions() | changes.DropPartitions():
            raise ProgramError("ALTER MATERIALIZED TABLE changes no partitions", remedy="leave the statement out")
    return altered_table(binder, table, change)


def materialized_sink(binder: Binder, table: CatalogTable) -> Sink:
    """The Sink that fills a materialized table of the catalog."""
    assert table.materialized is not None and isinstance(table.materialized.query, CatalogView)
    return bind_into(binder, table, view_query(binder, table.materialized.query))


def _materialized(table: CatalogTable) -> CatalogTable:
    if table.materialized is None:
        raise ProgramError(f"{table.identifier} is no materialized table", remedy="write ALTER TABLE")
    return table


def _check_query(table: CatalogTable, view: CatalogView) -> tuple[Column, ...]:
    """The columns that a new query adds to a materialized table.

    Raises:
        ProgramError: the new query lacks a column of the old one, or an added column is NOT NULL or in the table.
    """
    assert table.materialized is not None and isinstance(table.materialized.query, CatalogView)
    columns = {column.name: column for column in table.columns}
    names, types = view_columns(view)
    old_names, _ = view_columns(table.materialized.query)
    for at, name in enumerate(old_names):
        type_ = columns[name].type
        fits = at < len(names) and names[at] == name and casts.supports_implicit_cast(types[at], type_)
        if not fits:
            actual = f"{names[at]} {summary(types[at])}" if at < len(names) else "nothing"
            raise ProgramError(
                f"column {at + 1} of {table.identifier} is {name} {summary(type_)}, and of the new query {actual}",
                remedy="a new query keeps the columns of the table, and may add nullable ones at the end",
            )
    added = [Column(name, type_.as_regular()) for name, type_ in zip(names, types, strict=True)][len(old_names) :]
    for column in added:
        if column.name in columns:
            raise ProgramError(f"{table.identifier} has a column {column.name!r}", remedy="rename it in the query")
        if not column.type.nullable:
            raise ProgramError(
                f"the new column {column.name!r} of {table.identifier} is NOT NULL, and older rows have no value",
                remedy=f"make it nullable: NULLIF({column.name}, NULL), say",
            )
    return tuple(added)


def _check_mode(mode: str) -> None:
    if mode == "FULL":
        raise UnsupportedError(
            "REFRESH_MODE = FULL is not supported: plans here run continuously",
            remedy="write REFRESH_MODE = CONTINUOUS, which gives the same rows without recomputing all of them",
        )


def _freshness_ms(binder: Binder, node: ast.Expression) -> int:
    """The milliseconds of FRESHNESS = INTERVAL 'n' SECOND, MINUTE, HOUR or DAY."""
    assert isinstance(node, ast.IntervalLiteral)
    amount, unit = node.amount, node.unit
    plain = isinstance(amount, str) and amount.strip().isdecimal() and not node.negative
    if plain and int(str(amount)) > 0 and unit.end is None and unit.start in _MS:
        return int(str(amount)) * _MS[unit.start]
    raise binder.source.error(
        node,
        "FRESHNESS is a positive whole number of seconds, minutes, hours or days",
        "write FRESHNESS = INTERVAL '1' MINUTE",
    )


def drop_materialized(binder: Binder, statement: st.Drop) -> None:
    """DROP MATERIALIZED TABLE.

    Raises:
        ProgramError: there is no such materialized table.
    """
    table = binder.catalog.known(statement.name)
    if not isinstance(table, CatalogTable) or table.materialized is None:
        if statement.if_exists and table is None:
            return
        name = binder.catalog.qualify(statement.name)
        raise ProgramError(f"there is no materialized table {name}", remedy="write IF EXISTS, or check the name")
    binder.catalog.drop("TABLE", statement.name)
