"""Tables to bind queries over, and bound queries as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.algebra.explain import explain
from compiled_plan.planner.sql.binding.core import Bound, Surroundings
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import CompiledPlanError

TABLES = """
CREATE TABLE t (a INT, b STRING, n INT NOT NULL, r ROW<x INT, y ROW<z STRING>>, arr ARRAY<INT>, m MAP<STRING, INT>)
  WITH ('connector' = 'datagen');
CREATE TABLE u (a INT, d STRING, e BIGINT) WITH ('connector' = 'datagen');
CREATE TABLE w (x INT, y STRING, a INT) WITH ('connector' = 'datagen');
CREATE TABLE clicks (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, p AS PROCTIME())
  WITH ('connector' = 'datagen');
CREATE TABLE nest (id INT, rows_ ARRAY<ROW<sku STRING, n INT> NOT NULL>, bag MULTISET<STRING>)
  WITH ('connector' = 'datagen');
CREATE TABLE k (a INT, b STRING, c INT NOT NULL) WITH ('connector' = 'blackhole');
CREATE TABLE wide (a BIGINT, b STRING) WITH ('connector' = 'blackhole');
"""


@pytest.fixture
def env() -> TableEnvironment:
    """An environment with the tables above."""
    env = TableEnvironment()
    env.execute_sql(TABLES)
    return env


@pytest.fixture
def bind(env: TableEnvironment) -> Callable[[str], Bound]:
    """Bind one query."""

    def bound(text: str) -> Bound:
        (statement,) = parse_script(text)
        assert isinstance(statement, st.Query)
        binder = new_binder(SourceText(text), env.catalog)
        return binder.bind_query(binder, statement.query, Surroundings())

    return bound


@pytest.fixture
def tree(bind: Callable[[str], Bound]) -> Callable[[str], str]:
    """The tree of one query as text."""
    return lambda text: explain(bind(text).rel)


@pytest.fixture
def refused(bind: Callable[[str], Bound]) -> Callable[[str], CompiledPlanError]:
    """The error of one query."""

    def error(text: str) -> CompiledPlanError:
        with pytest.raises(CompiledPlanError) as caught:
            bind(text)
        return caught.value

    return error
