"""Scripts of declarations and a single INSERT or statement set, compiled to one plan."""

from __future__ import annotations

from compiled_plan.planner.algebra.nodes import Sink
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.writes import bind_writes, writes_of
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.declaring import declare
from compiled_plan.planner.sql.nodes import changes
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import ProgramError

_ONE = "compile one INSERT, or put several into one EXECUTE STATEMENT SET BEGIN ... END"


def bind_script(context: PlanningContext, text: str) -> tuple[list[Sink], st.Statement]:
    """Execute a script's declarations and bind its only INSERT or statement set; return the sinks and that statement.

    Raises:
        ProgramError: the script is invalid, or has no or several statements that write; with line, column and caret.
        UnsupportedError: it uses an unsupported construct.
    """
    source = SourceText(text)
    binder = new_binder(source, context.catalog)
    bound: tuple[list[Sink], st.Statement] | None = None
    for statement in parse_script(text):
        if not writes_of(statement):
            declare(context, binder, statement)
            continue
        if bound is not None and not _redefines(context, statement, bound[0]):
            raise source.error_at(statement.span, "the script writes data in more than one statement", _ONE)
        bound = bind_writes(binder, statement), statement
    if bound is None:
        raise ProgramError("the script has no INSERT, so there is nothing to compile", remedy=_ONE)
    return bound


def _redefines(context: PlanningContext, statement: st.Statement, sinks: list[Sink]) -> bool:
    """Return True if a statement changes the materialized table that the script fills: its last definition counts."""
    if len(sinks) != 1 or sinks[0].table.materialized is None:
        return False
    match statement:
        case changes.AlterTable() | st.CreateTable(materialized=st.Materialized(or_alter=True)):
            return context.catalog.qualify(statement.name) == sinks[0].table.identifier
    return False
