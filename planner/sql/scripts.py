"""Scripts of declarations and a single INSERT or statement set, compiled to one plan."""

from __future__ import annotations

from compiled_plan.planner.algebra.nodes import Sink
from compiled_plan.planner.sql.binding.inserts import bind_insert
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.declaring import declare
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
        inserts = _inserts(source, statement)
        if inserts is None:
            declare(context, binder, statement)
            continue
        if bound is not None:
            raise source.error_at(statement.span, "the script writes data in more than one statement", _ONE)
        bound = [bind_insert(binder, insert) for insert in inserts], statement
    if bound is None:
        raise ProgramError("the script has no INSERT, so there is nothing to compile", remedy=_ONE)
    return bound


def _inserts(source: SourceText, statement: st.Statement) -> tuple[st.Insert, ...] | None:
    """The INSERTs of a statement that writes data; None for any other."""
    body = statement.body if isinstance(statement, st.CompilePlan) else statement
    if isinstance(body, st.Insert):
        return (body,)
    if isinstance(body, st.StatementSet):
        if not body.inserts:
            raise source.error_at(body.span, "the statement set is empty", "put at least one INSERT into it")
        return body.inserts
    return None
