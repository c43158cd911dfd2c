"""A script of SQL that becomes one plan: declarations, and one INSERT or one statement set."""

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
    """The sinks of a script's one INSERT or statement set, and that statement; its declarations are carried out.

    Raises:
        ProgramError: the script is wrong, or writes in no or in several statements; with line, column and caret.
        UnsupportedError: it uses what is not supported.
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
