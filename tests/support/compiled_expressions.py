"""Row expressions that the planner makes of SQL expressions over the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.api.running.compiling import compile_query
from compiled_plan.planner.sql.binding.core import Surroundings
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes.statements import Query
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.nodes.stateless import Calc
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.rex import InputRef, RexNode


@cache
def _session(columns: tuple[tuple[str, str], ...], zone: str) -> TableEnvironment:
    env = TableEnvironment()
    env.set("table.local-time-zone", zone)
    declared = ", ".join(f"`{name}` {type_}" for name, type_ in columns)
    env.execute_sql(f"CREATE TABLE recorded ({declared}) WITH ('connector' = 'datagen')")
    return env


def compiled(sql: str, columns: Sequence[tuple[str, str]], zone: str = "UTC") -> tuple[RexNode, tuple[str, ...]]:
    """The row expression of a SELECT list's only item, and the names of the columns that it refers to."""
    env = _session(tuple(map(tuple, columns)), zone)  # type: ignore[arg-type]
    text = f"SELECT {sql} AS x FROM recorded"
    binder = new_binder(SourceText(text), env.catalog)
    (statement,) = parse_script(text)
    assert isinstance(statement, Query)
    bound = binder.bind_query(binder, statement.query, Surroundings())
    plan = compile_query(env.context, bound.rel, bound.names)
    (scan,) = (node for node in plan.nodes if isinstance(node, TableSourceScan))
    calc = next((node for node in plan.nodes if isinstance(node, Calc)), None)
    names = scan.output_type.names
    return (calc.projection[0] if calc else InputRef(0, scan.output_type.types[0])), names
