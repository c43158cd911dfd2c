"""Row expressions that the planner makes of SQL expressions over the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.sql.binding.core import Surroundings
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes.statements import Query
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.stateless import Calc
from compiled_plan.plans.rex import InputRef, RexNode
from compiled_plan.running.compiling import compile_query


@cache
def _session(columns: tuple[tuple[str, str], ...], zone: str) -> TableEnvironment:
    env = TableEnvironment()
    env.set("table.local-time-zone", zone)
    declared = ", ".join(f"`{name}` {type_}" for name, type_ in columns)
    env.execute_sql(f"CREATE TABLE recorded ({declared}) WITH ('connector' = 'datagen')")
    return env


def compiled(
    texts: Sequence[str], columns: Sequence[tuple[str, str]], zone: str = "UTC"
) -> tuple[tuple[RexNode, ...], tuple[str, ...]]:
    """The row expressions of a SELECT list, and the names of the columns that they refer to."""
    env = _session(tuple(map(tuple, columns)), zone)
    text = f"SELECT {', '.join(f'{sql} AS x{at}' for at, sql in enumerate(texts))} FROM recorded"
    binder = new_binder(SourceText(text), env.catalog)
    (statement,) = parse_script(text)
    assert isinstance(statement, Query)
    bound = binder.bind_query(binder, statement.query, Surroundings())
    plan = compile_query(env.context, bound.rel, bound.names)
    (scan,) = (node for node in plan.nodes if isinstance(node, TableSourceScan))
    calc = next((node for node in plan.nodes if isinstance(node, Calc)), None)
    types = scan.output_type.types
    whole = tuple(InputRef(at, type_) for at, type_ in enumerate(types))
    return (calc.projection if calc else whole), scan.output_type.names
