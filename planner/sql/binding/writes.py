"""Statements that write data: INSERT, CREATE TABLE ... AS, materialized tables, and sets of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.algebra.nodes import Sink
from compiled_plan.planner.sql.binding.core import Binder
from compiled_plan.planner.sql.binding.inserts import bind_insert
from compiled_plan.planner.sql.nodes import changes
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.plans.deferred import deferred

if TYPE_CHECKING:
    from compiled_plan.planner.sql.binding import create_as, materialized
else:
    create_as = deferred("compiled_plan.planner.sql.binding.create_as")
    materialized = deferred("compiled_plan.planner.sql.binding.materialized")

#: A statement whose rows go into a table.
Write = st.Insert | st.CreateTable | changes.AlterTable


def writes_of(statement: st.Statement) -> tuple[Write, ...]:
    """The statements with sinks in a statement; empty if it writes no data."""
    match statement:
        case st.CompilePlan() | st.CompileAndExecutePlan():
            return writes_of(statement.body)
        case st.StatementSet():
            return statement.inserts
        case st.Insert():
            return (statement,)
        case st.CreateTable() if statement.query is not None:
            return (statement,)
        case changes.AlterTable(materialized=True):
            return (statement,)
    return ()


def bind_writes(binder: Binder, statement: st.Statement, *, create: bool = True) -> list[Sink]:
    """The sinks of a statement; a CREATE TABLE ... AS puts its table into the catalog.

    Args:
        binder: the binder of the script.
        statement: the statement.
        create: put tables into the catalog.

    Raises:
        ProgramError, UnsupportedError: a part of the statement is wrong or not supported.
    """
    return [_bind(binder, write, create) for write in writes_of(statement)]


def _bind(binder: Binder, write: Write, create: bool) -> Sink:
    if isinstance(write, st.Insert):
        return bind_insert(binder, write)
    with binder.source.at_span(write.span):
        return _bind_created(binder, write, create)


def _bind_created(binder: Binder, write: st.CreateTable | changes.AlterTable, create: bool) -> Sink:
    # Few programs create a table from a query.
    if isinstance(write, changes.AlterTable):
        return materialized.materialized_sink(binder, materialized.alter_materialized(binder, write))
    bind = create_as.bind_create_as if write.materialized is None else materialized.bind_create_materialized
    sink = bind(binder, write)
    if create:
        create_as.register(binder, write, sink.table)
    return sink
