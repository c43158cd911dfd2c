"""What `TableEnvironment` does for the Table API.

Source: Flink's "Concepts & Common API" page, `TableEnvironment`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from planner.catalog.tables import CatalogTable, CatalogView
from planner.sql import nodes as ast
from planner.sql import statements as st
from planner.sql.binding.core import Bound, Session, Surroundings
from planner.sql.binding.hints import bind_block_hints
from planner.sql.binding.inserts import bind_insert
from planner.sql.binding.queries import bind_query
from planner.sql.binding.relations import Place, bind_from
from planner.sql.binding.source import Source
from planner.sql.parse import parse_script
from planner.table.inserts import compile_sinks
from planner.table.nodes import identifier
from planner.table.operations import bind, relation_node, session_for, table_hint
from planner.table.paths import path_of
from planner.table.rows import Origin, rows
from planner.table.table import Table
from planner.table.unfinished import check_table
from plans.errors import ProgramError

if TYPE_CHECKING:
    from planner.environment import TableEnvironment


def from_path(env: TableEnvironment, path: str) -> Table:
    """A table or view of the catalog."""
    return _scanned(env, path_of(path, "from_path"), {}, "from_path")


def _scanned(env: TableEnvironment, path: tuple[str, ...], options: dict[str, str], operation: str) -> Table:
    hints = [table_hint("OPTIONS", options)] if options else []
    node = ast.TableRef(parts=[identifier(part) for part in path], hints=hints)
    session = session_for(env, operation)
    found = bind_from(session, exp.From(this=node), Place(Surroundings()))
    declared = env.catalog.find(path)
    origin = Origin(path, declared, tuple(options.items())) if isinstance(declared, CatalogTable) else None
    names = tuple(column.name for column in found.visible)
    return Table(env, rows(Bound(found.rel, names), path[-1]), (), origin)


def hinted(table: Table, name: str, options: Mapping[str, str]) -> Table:
    """The table with a hint."""
    if not isinstance(options, Mapping):
        raise ProgramError(f"hint() takes a mapping of options, not {options!r}", where="hint()")
    texts = {str(key): str(value) for key, value in options.items()}
    if name.upper() != "OPTIONS":
        node = table_hint(name, texts)
        bind_block_hints(exp.Hint(expressions=[node]), session_for(table._env, "hint").source)
        return Table(table._env, table._rows, (*table._hints, node), table._origin)
    if table._origin is None:
        raise ProgramError(
            "the hint OPTIONS can only be applied to a table of the catalog",
            where="hint()",
            remedy="write from_path(name).hint(...), before any other operation",
        )
    found = _scanned(table._env, table._origin.path, dict(table._origin.options) | texts, "hint")
    # The same columns: those that were taken from the table before are columns of this one, too.
    keys = (*table._rows.keys, *found._rows.keys)
    again = rows(Bound(found._rows.rel, found._rows.names), found._rows.name, keys)
    return Table(table._env, again, table._hints, found._origin)


def sql_query(env: TableEnvironment, text: str) -> Table:
    """The table that a query of SQL gives."""
    source = Source(text)
    found = parse_script(text)
    query = found[0] if len(found) == 1 else None
    if not isinstance(query, st.Query):
        raise ProgramError(
            "sql_query() takes one query",
            where="sql_query()",
            remedy="write SELECT ...; give other statements to execute_sql(...)",
        )
    session = Session(source, env.catalog, bind_query, env.names)
    return Table(env, rows(session.bind_query(session, query.query, Surroundings())))


def explain_sql(env: TableEnvironment, text: str) -> str:
    """The operators of a query, an INSERT or a statement set."""
    found = parse_script(text)
    statement = found[0] if len(found) == 1 else None
    body = statement.body if isinstance(statement, st.Explain) else statement
    return explain_statement(env, Session(Source(text), env.catalog, bind_query, env.names), body)


def explain_statement(env: TableEnvironment, session: Session, statement: st.Statement | None) -> str:
    """The operators of a query, an INSERT or a statement set."""
    match statement:
        case st.Query():
            return explain_query(env, session.bind_query(session, statement.query, Surroundings()))
        case st.Insert():
            return compile_sinks(env, [bind_insert(session, statement)]).explain()
        case st.StatementSet():
            return compile_sinks(env, [bind_insert(session, insert) for insert in statement.inserts]).explain()
    raise ProgramError(
        "one query, INSERT or statement set can be explained", where="EXPLAIN", remedy="give one of them"
    )


def explain_query(env: TableEnvironment, query: Bound) -> str:
    """The operators of a query, without the one that would collect its rows."""
    from planner.running import compile_query

    _, *lines = compile_query(env, query.rel).explain().splitlines()
    return "\n".join(line.removeprefix("   " if line.startswith("   ") else "+- ") for line in lines)


def create_view(env: TableEnvironment, name: str, table: object, operation: str, *, temporary: bool = True) -> None:
    """A table under a name of the catalog."""
    env.catalog.create(_view(env, path_of(name, operation), check_table(table, operation), temporary=temporary))


def _view(env: TableEnvironment, path: tuple[str, ...], table: Table, *, temporary: bool) -> CatalogView:
    bound = bind(env, "create_temporary_view", relation_node(table._rows))
    return CatalogView(env.catalog.qualify(path), bound, bound.names, temporary)


def name_of(table: Table) -> str:
    """A name by which SQL finds the table; that of the catalog, or one made for it."""
    env = table._env
    origin = table._origin
    if origin is not None and not origin.options and env.catalog.find(origin.path) is origin.table:
        return ".".join(f"`{part.replace('`', '``')}`" for part in origin.path)
    name = f"UnnamedTable${table._rows.keys[-1][1:]}"
    env.catalog.create(_view(env, (name,), table, temporary=True), replace=True)
    return f"`{name}`"


def drop_temporary(env: TableEnvironment, kind: str, path: str) -> bool:
    """Drop a temporary table or view; False where there is none."""
    name = path_of(path, f"drop_temporary_{kind.lower()}")
    found = env.catalog.find(name)
    wanted = CatalogTable if kind == "TABLE" else CatalogView
    if not isinstance(found, wanted) or not found.temporary:
        return False
    env.catalog.drop(kind, name, temporary=True)
    return True
