"""CREATE FUNCTION and ALTER FUNCTION.

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
    _check_language(source, statement)
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


def alter_function(catalog: Catalog, source: SourceText, statement: st.AlterFunction) -> None:
    """ALTER FUNCTION [IF EXISTS] name AS 'module.Class' LANGUAGE PYTHON.

    Raises:
        UnsupportedError: another language.
        ProgramError: a temporary function, there is none of that name, or the class cannot be imported.
    """
    if statement.temporary:
        raise source.error_at(
            statement.span, "ALTER changes functions of a catalog only", "DROP the temporary function, and CREATE it"
        )
    name = catalog.qualify(statement.name)
    if not catalog.functions.holds(name, temporary=False):
        if statement.if_exists:
            return
        raise source.error_at(statement.span, f"there is no function {name}", "write IF EXISTS, or check the name")
    _check_language(source, statement)
    catalog.functions.replace(catalog_function(name, statement.identifier, temporary=False, system=False))
    catalog.version += 1


def _check_language(source: SourceText, statement: st.CreateFunction | st.AlterFunction) -> None:
    if statement.language != "PYTHON":
        language = statement.language or "JAVA"
        raise source.unsupported_at(
            statement.span, f"a function in {language}", "write a Python class, and LANGUAGE PYTHON after its name"
        )
