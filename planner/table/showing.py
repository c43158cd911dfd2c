"""DESCRIBE, SHOW and EXPLAIN: statements that only show something, and their results.

Source: Flink's pages "DESCRIBE", "SHOW" and "EXPLAIN" statements; FLIP-155, "describe".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from planner.catalog.tables import CatalogTable
from planner.functions.aggregates import aggregate_names
from planner.functions.registry import function_names
from planner.sql import statements as st
from planner.suggestions import did_you_mean
from plans.ready import ReadyResult
from plans.types import BOOLEAN, STRING, row_of

if TYPE_CHECKING:
    from planner.environment import TableEnvironment
    from planner.sql.binding.core import Session
    from planner.table.schemas import ResolvedSchema

_COLUMNS = ("name", "type", "null", "key", "extras", "watermark")


def description(schema: ResolvedSchema) -> ReadyResult:
    """The rows of DESCRIBE: one a column; its comment is the last where any has one."""
    from planner.sql.binding.inserts import summary

    commented = any(column.comment is not None for column in schema.columns)
    key = f"PRI({', '.join(schema.primary_key)})"
    rows = [
        (
            column.name,
            summary(column.data_type.with_nullability(True)),
            column.data_type.nullable,
            key if column.name in schema.primary_key else None,
            column.extras,
            column.watermark,
            *((column.comment,) if commented else ()),
        )
        for column in schema.columns
    ]
    names = (*_COLUMNS, *(("comment",) if commented else ()))
    return ReadyResult(row_of(names, [BOOLEAN if name == "null" else STRING for name in names]), rows)


def show(env: TableEnvironment, session: Session, statement: st.Describe | st.Show | st.Explain) -> ReadyResult:
    """The result of a statement that shows something.

    Raises:
        ProgramError: there is no such table; a statement to explain is wrong.
        UnsupportedError: a SHOW that is not known.
    """
    match statement:
        case st.Describe():
            return _described(env, session, statement)
        case st.Explain():
            from planner.table.environment import explain_statement

            text = explain_statement(env, session, statement.body)
            return ReadyResult(row_of(["result"], [STRING]), [(text,)], text)
        case st.Show():
            return _shown(env, session, statement)


def _described(env: TableEnvironment, session: Session, statement: st.Describe) -> ReadyResult:
    from planner.table.schemas import declared_schema, schema_of

    found = env.catalog.find(statement.name)
    if found is None:
        raise session.source.error_at(
            statement.span,
            f"table or view {'.'.join(statement.name)!r} not found",
            did_you_mean(statement.name[-1], env.catalog.names(), "create it with CREATE TABLE"),
        )
    if isinstance(found, CatalogTable):
        return description(declared_schema(found))
    return description(schema_of(env.from_path(".".join(f"`{part.replace('`', '``')}`" for part in statement.name))))


def _listed(what: str, names: list[str]) -> ReadyResult:
    return ReadyResult(row_of([what], [STRING]), [(name,) for name in names])


def _functions() -> list[str]:
    """The built-in functions that have a name, and not only a sign."""
    return [name for name in (*function_names(), *aggregate_names()) if name.replace("_", "").isalnum()]


_SHOWN: dict[str, tuple[str, Callable[[TableEnvironment], list[str]]]] = {
    "CATALOGS": ("catalog name", lambda env: env.list_catalogs()),
    "DATABASES": ("database name", lambda env: env.list_databases()),
    "TABLES": ("table name", lambda env: env.list_tables()),
    "VIEWS": ("view name", lambda env: env.list_views()),
    "FUNCTIONS": ("function name", lambda env: sorted({*_functions(), *env.catalog.functions.names()})),
    "USER FUNCTIONS": ("function name", lambda env: env.catalog.functions.names()),
    "CURRENT CATALOG": ("current catalog name", lambda env: [env.get_current_catalog()]),
    "CURRENT DATABASE": ("current database name", lambda env: [env.get_current_database()]),
}


def _shown(env: TableEnvironment, session: Session, statement: st.Show) -> ReadyResult:
    found = _SHOWN.get(statement.what)
    if found is None:
        raise session.source.unsupported_at(statement.span, f"SHOW {statement.what}", f"write SHOW {', '.join(_SHOWN)}")
    what, names = found
    return _listed(what, names(env))
