"""Plans of previews: the first rows of a statement or table of a script, or of a table of a plan."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.compiling.completing import declared
from compiled_plan.compiling.plan_tables import declared_table
from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.algebra.nodes import RelNode
from compiled_plan.planner.sql.binding.core import Binder, Surroundings
from compiled_plan.planner.sql.binding.queries import bind_query
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.writes import bind_writes, writes_of
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.grammar.splitting import split_script
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.planner.user_functions.plans import with_catalog_functions
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import Exchange
from compiled_plan.plans.plan import CompiledPlan as Plan
from compiled_plan.plans.plan.session_options import (
    DEFAULT,
    SESSION_OPTIONS,
    UTC,
    ZONE,
    with_session,
    with_zone,
    zones_of,
)
from compiled_plan.plans.types.base import quote_identifier
from compiled_plan.running.compiling import compile_query

_REMEDY = "place the cursor in a SELECT, an INSERT, or the declaration of a table or view"


def preview_plan(settings: Mapping[str, str], script: str, at: int | str, rows: int) -> Plan:
    """The plan of a preview, whose sink is of the connector `collect`.

    Args:
        settings: configuration options, as set with SET at the start of the script.
        script: the SQL script, which may have errors in other statements.
        at: the number of characters before the cursor in the statement, or the path of a table or view.
        rows: the maximum number of rows.

    Raises:
        ProgramError: there is no statement with rows, or it is wrong.
        UnsupportedError: an operation is not supported.
    """
    environment = _environment(settings)
    # The last declaration may lack its semicolon.
    declared(environment, f"{script}\n;")
    return _plan_of(environment.context, statement_at(script, at) if isinstance(at, int) else _all_of(at), rows)


def table_preview_plan(settings: Mapping[str, str], plan: Plan, node: int, rows: int, program: str = "") -> Plan:
    """As `preview_plan`, for the table of a source or sink, as the plan declares it.

    The time zone is that of the plan, as in a run; a plan in which nothing depends on it stores none, and then it is
    that of the program.

    Args:
        settings: configuration options of the plan's program.
        plan: the plan.
        node: the id of the source or sink.
        rows: the maximum number of rows.
        program: the SQL script of the plan; empty if it is not known.

    Raises:
        PlanError: the node is no source or sink, or the plan has only the name of its table.
        ProgramError, UnsupportedError: the table cannot be read.
    """
    table = declared_table(plan, node)
    environment = _environment(settings)
    declared(environment, "".join(f"{piece.text};\n" for piece in split_script(program) if _sets_option(piece.text)))
    for zone in zones_of(plan)[:1]:
        environment.set(ZONE, zone)
    environment.context.catalog.create(table)
    return _plan_of(environment.context, _all_of(quote_identifier(table.identifier.name)), rows)


def _environment(settings: Mapping[str, str]) -> TableEnvironment:
    environment = TableEnvironment(settings)
    for key, value in settings.items():
        environment.set(key, value)
    return environment


def _plan_of(context: PlanningContext, statement: str, rows: int) -> Plan:
    rel, names = _bound(context, statement)
    plan: Plan = compile_query(context, rel, names, {"limit": str(rows)})
    if not any(isinstance(node, Exchange) for node in plan.nodes):
        plan = compile_query(context, rel, names, {"limit": str(rows), "ordered": "false"})
    zone = context.config.value(ZONE)
    zone = UTC if zone == DEFAULT else zone
    zoned = with_zone(with_catalog_functions(plan, context.catalog), otherwise=zone)
    # Rows are shown in this zone, also where no expression depends on it.
    shown = zoned.with_nodes([node.with_option(ZONE, zone) if isinstance(node, Sink) else node for node in zoned.nodes])
    return with_session(shown, context.config.changed(SESSION_OPTIONS))


def _sets_option(statement: str) -> bool:
    return statement.lstrip().upper().startswith(("SET", "RESET"))


def statement_at(script: str, cursor: int) -> str:
    """The statement at a position, with positions as in the script.

    After a semicolon it is the statement before it; on a later line the next one, if there is one.

    Args:
        script: the SQL script.
        cursor: the number of characters before the position.

    Raises:
        ProgramError: the script is empty.
    """
    pieces, before = split_script(script), script[:cursor]
    at = len(split_script(before)) - 1
    gap = before[before.rfind(";") + 1 :]
    if not gap.strip() and "\n" in gap and at + 1 < len(pieces):
        at += 1
    if not pieces:
        raise ProgramError("the script has no statement", where="preview", remedy=_REMEDY)
    return pieces[max(0, at)].text


def _bound(context: PlanningContext, text: str) -> tuple[RelNode, tuple[str, ...]]:
    """The query of a statement, and the names of its columns."""
    source, statements = SourceText(text), parse_script(text)
    binder = Binder(source, context.catalog, bind_query, context.names)
    match statements:
        case [st.Query() as statement]:
            bound = binder.bind_query(binder, statement.query, Surroundings())
            return bound.rel, bound.names
        case [st.CreateView() | st.CreateTable(query=None) as statement]:
            return _bound(context, _all_of(".".join(map(quote_identifier, statement.name))))
        case [statement] if len(writes_of(statement)) == 1:
            (sink,) = bind_writes(binder, statement, create=False)
            names = tuple(column.name for column in sink.table.columns)
            return sink.input, names if sink.target is None else tuple(names[at] for at in sink.target)
    raise ProgramError("a preview shows the rows of one query, INSERT, table or view", where="preview", remedy=_REMEDY)


def _all_of(table: str) -> str:
    return f"SELECT * FROM {table}"
