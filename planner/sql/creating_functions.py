"""CREATE FUNCTION and DROP FUNCTION.

Source: Flink's "CREATE Statements" page, CREATE FUNCTION; PyFlink's `LANGUAGE PYTHON`.
"""

from __future__ import annotations

from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.user_functions.registering import catalog_function


def create_function(catalog: Catalog, source: SourceText, statement: st.CreateFunction) -> None:
    """CREATE [TEMPORARY [SYSTEM]] FUNCTION name AS 'module.Class' LANGUAGE PYTHON.

    Raises:
        UnsupportedError: another language, or resources.
        ProgramError: the class cannot be imported, its types cannot be inferred, the name is taken, or there is no such
            database.
    """
    if statement.language != "PYTHON":
        language = statement.language or "JAVA"
        raise source.unsupported_at(
            statement.span, f"a function in {language}", "write a Python class, and LANGUAGE PYTHON after its name"
        )
    if statement.resources:
        raise source.unsupported_at(statement.span, "USING", "put the module beside the program, or on PYTHONPATH")
    name = catalog.qualify(statement.name)
    temporary = statement.temporary or statement.system
    if not temporary:
        catalog.require_database(name)
    exists = catalog.functions.holds(name, temporary=temporary, system=statement.system)
    if exists and statement.if_not_exists:
        return
    function = catalog_function(name, statement.identifier, temporary=temporary, system=statement.system)
    catalog.functions.create(function)
