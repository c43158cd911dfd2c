"""DESCRIBE, SHOW and EXPLAIN: statements that only show something, and their results.

Source: Flink's pages "DESCRIBE", "SHOW" and "EXPLAIN" statements; FLIP-155, "describe".
"""

from __future__ import annotations

from collections.abc import Callable

from compiled_plan.api.describing import description
from compiled_plan.api.ready import ReadyResult
from compiled_plan.api.tables import explain_statement, from_path
from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.context import PlanningContext
from compiled_plan.planner.functions.aggregates import aggregate_names
from compiled_plan.planner.functions.registry import function_names
from compiled_plan.planner.sql import statements as st
from compiled_plan.planner.sql.binding.core import Binder
from compiled_plan.planner.suggestions import did_you_mean
from compiled_plan.planner.table.schemas import declared_schema, schema_of
from compiled_plan.plans.types import STRING, row_of


def show(context: PlanningContext, binder: Binder, statement: st.Describe | st.Show | st.Explain) -> ReadyResult:
    """The result of a statement that shows something.

    Raises:
        ProgramError: there is no such table; a statement to explain is wrong.
        UnsupportedError: a SHOW that is not known.
    """
    match statement:
        case st.Describe():
            return _described(context, binder, statement)
        case st.Explain():
            text = explain_statement(context, binder, statement.body)
            return ReadyResult(row_of(["result"], [STRING]), [(text,)], text)
        case st.Show():
            return _shown(context, binder, statement)


def _described(context: PlanningContext, binder: Binder, statement: st.Describe) -> ReadyResult:
    found = context.catalog.find(statement.name)
    if found is None:
        raise binder.source.error_at(
            statement.span,
            f"table or view {'.'.join(statement.name)!r} not found",
            did_you_mean(statement.name[-1], context.catalog.names(), "create it with CREATE TABLE"),
        )
    if isinstance(found, CatalogTable):
        return description(declared_schema(found))
    path = ".".join(f"`{part.replace('`', '``')}`" for part in statement.name)
    return description(schema_of(from_path(context, path)))


def _listed(what: str, names: list[str]) -> ReadyResult:
    return ReadyResult(row_of([what], [STRING]), [(name,) for name in names])


def _functions() -> list[str]:
    """The built-in functions that have a name, and not only a sign."""
    return [name for name in (*function_names(), *aggregate_names()) if name.replace("_", "").isalnum()]


_SHOWN: dict[str, tuple[str, Callable[[Catalog], list[str]]]] = {
    "CATALOGS": ("catalog name", lambda catalog: catalog.catalog_names()),
    "DATABASES": ("database name", lambda catalog: catalog.database_names()),
    "TABLES": ("table name", lambda catalog: catalog.names()),
    "VIEWS": ("view name", lambda catalog: catalog.view_names()),
    "FUNCTIONS": ("function name", lambda catalog: sorted({*_functions(), *catalog.functions.names()})),
    "USER FUNCTIONS": ("function name", lambda catalog: catalog.functions.names()),
    "CURRENT CATALOG": ("current catalog name", lambda catalog: [catalog.current_catalog]),
    "CURRENT DATABASE": ("current database name", lambda catalog: [catalog.current_database]),
}


def _shown(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    found = _SHOWN.get(statement.what)
    if found is None:
        raise binder.source.unsupported_at(statement.span, f"SHOW {statement.what}", f"write SHOW {', '.join(_SHOWN)}")
    what, names = found
    return _listed(what, names(context.catalog))
