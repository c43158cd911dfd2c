"""Tables and explanations of a session.

Source: Flink's "Concepts & Common API" page, `TableEnvironment`.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.sql.binding.core import Binder, Surroundings
from compiled_plan.planner.sql.binding.queries import bind_query
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.writes import bind_writes, writes_of
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.planner.table.building.rows import rows
from compiled_plan.planner.table.naming import scanned
from compiled_plan.planner.table.paths import path_of
from compiled_plan.plans.errors import ProgramError
from compiled_plan.running.compiling import compile_sinks, explain_query
from compiled_plan.table import Table


def from_path(context: PlanningContext, path: str) -> Table:
    """A table or view of the catalog."""
    path_scan, origin = scanned(context, path_of(path, "from_path"), {}, "from_path")
    return Table(context, path_scan, (), origin)


def sql_query(context: PlanningContext, text: str) -> Table:
    """The result of a SQL query as a table."""
    source = SourceText(text)
    statements = parse_script(text)
    query = statements[0] if len(statements) == 1 else None
    if not isinstance(query, st.Query):
        raise ProgramError(
            "sql_query() takes one query",
            where="sql_query()",
            remedy="write SELECT ...; give other statements to execute_sql(...)",
        )
    binder = Binder(source, context.catalog, bind_query, context.names)
    return Table(context, rows(binder.bind_query(binder, query.query, Surroundings())))


def explain_sql(context: PlanningContext, text: str, extra_details: Sequence[str] = ()) -> str:
    """Explain the text of a query, an INSERT or a statement set; EXPLAIN in it may name details, too."""
    statements = parse_script(text)
    statement = statements[0] if len(statements) == 1 else None
    body, details = (statement.body, statement.details) if isinstance(statement, st.Explain) else (statement, ())
    binder = Binder(SourceText(text), context.catalog, bind_query, context.names)
    return explain_statement(context, binder, body, (*details, *extra_details))


def explain_statement(
    context: PlanningContext, binder: Binder, statement: st.Statement | None, details: Sequence[str] = ()
) -> str:
    """The operators of a query, an INSERT or a statement set, with details of EXPLAIN."""
    match statement:
        case st.Query():
            return explain_query(context, binder.bind_query(binder, statement.query, Surroundings()).rel, details)
        case st.Insert() | st.StatementSet() | st.CreateTable():
            if writes_of(statement):
                return compile_sinks(context, bind_writes(binder, statement, create=False)).explain(*details)
    raise ProgramError(
        "one query, INSERT or statement set can be explained", where="EXPLAIN", remedy="give one of them"
    )
