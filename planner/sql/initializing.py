"""Init files: statements that prepare a session before its program, as the SQL client's `-i` takes them.

Source: `OperationExecutor.configureSession` of Flink 2.3's gateway, which says what may stand in one.
"""

from __future__ import annotations

from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.declaring import declare
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import CompiledPlanError

#: Statements that do more than to prepare a session, and how they are called.
_REFUSED: dict[type[st.Statement], str] = {
    st.Query: "a query",
    st.Insert: "INSERT",
    st.StatementSet: "a statement set",
    st.CompilePlan: "COMPILE PLAN",
    st.ExecutePlan: "EXECUTE PLAN",
    st.CompileAndExecutePlan: "COMPILE AND EXECUTE PLAN",
    st.Explain: "EXPLAIN",
    st.Describe: "DESCRIBE",
    st.DescribeCatalog: "DESCRIBE",
    st.Show: "SHOW",
}


def initialize(context: PlanningContext, text: str, file: str) -> None:
    """Carry out the statements of an init file.

    Args:
        context: what they prepare.
        text: the statements.
        file: the name of the file, with which places in errors begin.

    Raises:
        ProgramError: a statement is wrong, or none that prepares a session; with file, line, column and caret.
        UnsupportedError: one that is not supported.
    """
    source = SourceText(text, file)
    statements = _parsed(source)
    for statement in statements:
        refused = next((name for kind, name in _REFUSED.items() if isinstance(statement, kind)), None)
        if refused is not None:
            raise source.error_at(
                statement.span,
                f"{refused} cannot stand in an init file",
                "keep it to SET, RESET, USE, CREATE, DROP, ALTER DATABASE and ALTER CATALOG; put this into the program",
            )
    binder = new_binder(source, context.catalog)
    for statement in statements:
        declare(context, binder, statement)


def _parsed(source: SourceText) -> list[st.Statement]:
    try:
        return parse_script(source.text)
    except CompiledPlanError as fault:
        raise type(fault)(fault.message, where=source.in_file(fault.where), remedy=fault.remedy) from None
