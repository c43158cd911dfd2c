"""Init files: statements that prepare a session before its program, like the SQL client's `-i`.

Source: `OperationExecutor.configureSession` of Flink 2.3's gateway for the allowed statements.
"""

from __future__ import annotations

from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.declaring import declare
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import CompiledPlanError

#: Statements that are not allowed in an init file, and their names in errors.
_REFUSED: dict[type[st.Statement], str] = {
    st.Query: "a query",
    st.Insert: "INSERT",
    st.StatementSet: "a statement set",
    st.CompilePlan: "COMPILE PLAN",
    st.ExecutePlan: "EXECUTE PLAN",
    st.CompileAndExecutePlan: "COMPILE AND EXECUTE PLAN",
    st.Explain: "EXPLAIN",
    st.Describe: "DESCRIBE",
    st.Show: "SHOW",
}


def initialize(context: PlanningContext, text: str, file: str) -> None:
    """Execute the statements of an init file.

    Args:
        context: the session's planning context.
        text: the statements.
        file: the file's name, with which positions in errors start.

    Raises:
        ProgramError: an invalid statement, or one that is not allowed; with file, line, column and caret.
        UnsupportedError: one that is not supported.
    """
    source = SourceText(text, file)
    statements = _parsed(source)
    for statement in statements:
        refused = next((name for kind, name in _REFUSED.items() if isinstance(statement, kind)), None)
        if isinstance(statement, st.CreateTable) and statement.query is not None and statement.materialized is None:
            refused = "CREATE TABLE ... AS"
        if refused is not None:
            raise source.error_at(
                statement.span,
                f"{refused} cannot stand in an init file",
                "keep it to SET, RESET, USE, CREATE, DROP and ALTER; put this into the program",
            )
    binder = new_binder(source, context.catalog)
    for statement in statements:
        declare(context, binder, statement)


def _parsed(source: SourceText) -> list[st.Statement]:
    try:
        return parse_script(source.text)
    except CompiledPlanError as fault:
        raise type(fault)(fault.message, where=source.in_file(fault.where), remedy=fault.remedy) from None
