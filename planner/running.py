"""Statements that run: queries whose rows are collected, INSERTs, plan files. Compiled here, run by `plans.embedded`.

Source: Flink's `TableEnvironment.executeSql` and `Table.execute`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from planner.algebra.nodes import RelNode, Sink
from planner.catalog.tables import CatalogTable, Column, ObjectIdentifier
from planner.sql import statements as st
from planner.sql.binding.core import Session, Surroundings
from planner.sql.binding.inserts import bind_insert
from plans import embedded
from plans.files import exists
from plans.plan import CompiledPlan
from plans.results import DONE, Display, TableResult
from plans.session_options import DEFAULT, UTC, ZONE, with_zone
from plans.types import LogicalType, TimestampBase

if TYPE_CHECKING:
    from planner.environment import TableEnvironment


def run_query(environment: TableEnvironment, rel: RelNode, names: Sequence[str] = ()) -> TableResult:
    """Run a query; its rows come out of the result.

    Args:
        environment: what it was bound in.
        rel: the query.
        names: of its columns; those of `rel` where they are left out or repeat themselves.

    Raises:
        ProgramError, UnsupportedError: the query cannot be planned, or cannot run.
        ExecutionError: Spark does not start.
    """
    return start_plan(environment, compile_query(environment, rel, names))


def compile_query(environment: TableEnvironment, rel: RelNode, names: Sequence[str] = ()) -> CompiledPlan:
    """The plan of a query whose rows this process collects; it cannot be written to a file."""
    from planner.physical import plan

    return plan([_collecting(rel, names)], environment.config)


def _collecting(rel: RelNode, names: Sequence[str]) -> Sink:
    name = uuid4().hex[:12]
    fields = rel.row_type.fields
    shown = names if len(set(names)) == len(fields) else rel.row_type.names
    columns = tuple(
        Column(one, _plain(field.type), comment=field.comment) for one, field in zip(shown, fields, strict=True)
    )
    table = CatalogTable(
        ObjectIdentifier("default_catalog", "default_database", f"collect-{name}"),
        columns,
        (("connector", "collect"), ("id", name)),
        temporary=True,
    )
    return Sink(rel, table)


def _plain(type_: LogicalType) -> LogicalType:
    return type_.as_regular() if isinstance(type_, TimestampBase) else type_


def run_sinks(environment: TableEnvironment, sinks: list[Sink]) -> TableResult:
    """Run INSERTs as one job, in the background unless `table.dml-sync` is set.

    Raises:
        ProgramError, UnsupportedError, ExecutionError: as `run_query`.
    """
    from planner.physical import plan

    return run_plan(environment, plan(sinks, environment.config))


def run_plan(environment: TableEnvironment, plan: CompiledPlan) -> TableResult:
    """Run a plan that writes, in the background unless `table.dml-sync` is set.

    Raises:
        UnsupportedError, ExecutionError: as `run_query`.
    """
    result = start_plan(environment, plan)
    if environment.config.boolean("table.dml-sync"):
        result.wait()
    return result


def start_plan(environment: TableEnvironment, plan: CompiledPlan) -> TableResult:
    """Run a plan in the background; where it says nothing of a time zone, that of the session holds."""
    zone, width = environment.config.value(ZONE), environment.config.value("table.display.max-column-width")
    display = Display(UTC if zone == DEFAULT else zone, int(width))
    return embedded.execute(with_zone(plan, otherwise=zone), display=display)


def run_statement(environment: TableEnvironment, session: Session, statement: st.Statement) -> TableResult:
    """Run a statement that reads or writes data, or a plan file.

    Raises:
        ProgramError, UnsupportedError, PlanError, ExecutionError: it is wrong or does not run.
    """
    match statement:
        case st.Query():
            bound = session.bind_query(session, statement.query, Surroundings())
            return run_query(environment, bound.rel, bound.names)
        case st.Insert():
            return run_sinks(environment, [bind_insert(session, statement)])
        case st.StatementSet():
            if not statement.inserts:
                raise session.source.error_at(statement.span, "the statement set is empty", "put an INSERT into it")
            return run_sinks(environment, [bind_insert(session, insert) for insert in statement.inserts])
        case st.ExecutePlan():
            if statement.if_exists and not exists(statement.path):
                return DONE
            return start_plan(environment, CompiledPlan.read_file(statement.path))
        case st.CompilePlan():
            if not (statement.if_not_exists and exists(statement.path)):
                _write(environment, session, statement, if_not_exists=False)
            return DONE
        case st.CompileAndExecutePlan():
            return start_plan(environment, _write(environment, session, statement, if_not_exists=True))
    raise AssertionError(statement)


def _write(
    environment: TableEnvironment,
    session: Session,
    statement: st.CompilePlan | st.CompileAndExecutePlan,
    *,
    if_not_exists: bool,
) -> CompiledPlan:
    """The plan of a plan file, which is compiled and written unless it is there."""
    from planner.physical import plan
    from plans.errors import PlanError

    if exists(statement.path):
        if if_not_exists:
            return CompiledPlan.read_file(statement.path)
        raise PlanError(
            f"the plan file {statement.path} is there already",
            remedy="write COMPILE PLAN IF NOT EXISTS, or remove the file",
        )
    body = statement.body
    inserts = (body,) if isinstance(body, st.Insert) else body.inserts
    found = plan([bind_insert(session, insert) for insert in inserts], environment.config)
    found.write_file(statement.path)
    return found
