"""DESCRIBE, SHOW and EXPLAIN: statements that only show something, and their results.

Source: Flink's pages "DESCRIBE", "SHOW" and "EXPLAIN" statements; FLIP-155, "describe".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from compiled_plan.api.queries import explain_statement, from_path
from compiled_plan.api.results.ready import ReadyResult, description
from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions.aggregates import aggregate_names
from compiled_plan.planner.functions.registry import function_names
from compiled_plan.planner.sql.binding.core import Binder
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.table.schemas import declared_schema, schema_of
from compiled_plan.plans.text.masking import masked
from compiled_plan.plans.types import STRING, row_of


def show(
    context: PlanningContext, binder: Binder, statement: st.Describe | st.DescribeCatalog | st.Show | st.Explain
) -> ReadyResult:
    """The result of a statement that shows something.

    Raises:
        ProgramError: there is no such table, catalog or database; a statement to explain is wrong.
        UnsupportedError: a SHOW that is not known.
    """
    match statement:
        case st.Describe():
            return _described(context, binder, statement)
        case st.DescribeCatalog():
            return _catalog_described(context.catalog, statement)
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


def _catalog_described(catalog: Catalog, statement: st.DescribeCatalog) -> ReadyResult:
    found = catalog.catalog_of(statement.name)
    options = masked(found.options)
    told = [("name", statement.name), ("type", options.pop("type")), ("comment", found.comment or None)]
    if statement.extended:
        told += [(f"option:{key}", value) for key, value in sorted(options.items())]
    return ReadyResult(row_of(["info name", "info value"], [STRING, STRING]), told)


def _functions() -> list[str]:
    """The built-in functions that have a name, and not only a sign."""
    return [name for name in (*function_names(), *aggregate_names()) if name.replace("_", "").isalnum()]


def _own(catalog: Catalog, database: tuple[str, ...]) -> list[str]:
    """The functions of a database."""
    return catalog.functions.names_in(*catalog.path_of(database))


#: What SHOW lists: the column's name, and the names, given what they are of (empty for where the session is).
_SHOWN: dict[str, tuple[str, Callable[[Catalog, tuple[str, ...]], list[str]]]] = {
    "CATALOGS": ("catalog name", lambda catalog, of: catalog.catalog_names()),
    "DATABASES": ("database name", lambda catalog, of: catalog.database_names(".".join(of))),
    "TABLES": ("table name", lambda catalog, of: catalog.names(of)),
    "VIEWS": ("view name", lambda catalog, of: catalog.view_names(of)),
    "FUNCTIONS": (
        "function name",
        lambda catalog, of: _own(catalog, of) if of else sorted({*_functions(), *catalog.functions.names()}),
    ),
    "USER FUNCTIONS": (
        "function name",
        lambda catalog, of: _own(catalog, of) if of else catalog.functions.names(),
    ),
    "CURRENT CATALOG": ("current catalog name", lambda catalog, of: [catalog.current_catalog]),
    "CURRENT DATABASE": ("current database name", lambda catalog, of: [catalog.current_database]),
}
#: Those whose names are of a database.
_OF_A_DATABASE = ("TABLES", "VIEWS", "FUNCTIONS", "USER FUNCTIONS")


def _shown(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    found = _SHOWN.get(statement.what)
    if found is None:
        raise binder.source.unsupported_at(statement.span, f"SHOW {statement.what}", f"write SHOW {', '.join(_SHOWN)}")
    what, names = found
    if statement.of and statement.what in _OF_A_DATABASE:
        context.catalog.database_of(statement.of)
    listed = names(context.catalog, statement.of)
    if statement.like is not None:
        listed = [name for name in listed if _fits(name, statement.like)]
    return ReadyResult(row_of([what], [STRING]), [(name,) for name in listed])


def _fits(name: str, like: st.NamePattern) -> bool:
    """Whether a name is like a pattern, where % is any text, _ any character, and \\ takes the next as it is."""
    pieces = [""]
    for part in re.findall(r"(?s)\\.|.", like.pattern):
        if part == "%":
            pieces.append("")
        else:
            pieces[-1] += "." if part == "_" else re.escape(part[-1])
    first, *more = pieces
    # Each piece but the last is where it first fits: without the groups the time grows with the power of their number.
    pattern = first + "".join(f"(?>.*?{piece})" for piece in more[:-1]) + "".join(f".*{piece}" for piece in more[-1:])
    flags = re.DOTALL | (re.IGNORECASE if like.any_case else 0)
    return (re.fullmatch(pattern, name, flags) is not None) is not like.negated
