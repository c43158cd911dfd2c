"""DISTINCT over types whose values Flink cannot compare."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.nodes.aggregate import GroupAggregate

PROGRAM = """
CREATE TABLE s (a {type}) WITH ('connector' = 'filesystem', 'path' = '/s', 'format' = 'json');
CREATE TABLE o (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'debezium-json');
INSERT INTO o SELECT COUNT(DISTINCT a) FROM s;
"""


@pytest.mark.parametrize("type_", ["ROW<x INT>", "MAP<STRING, INT>", "BYTES"])
def test_distinct_over_a_composite_is_refused(type_: str) -> None:
    with pytest.raises(CompiledPlanError, match="DISTINCT over"):
        TableEnvironment().compile_script(PROGRAM.format(type=type_))


@pytest.mark.parametrize("type_", ["ARRAY<INT>", "BOOLEAN", "TIMESTAMP(3)", "TIME", "DECIMAL(5, 2)", "CHAR(2)"])
def test_distinct_over_a_plain_type_compiles(type_: str) -> None:
    plan = TableEnvironment().compile_script(PROGRAM.format(type=type_))
    (aggregate,) = (node for node in plan.nodes if isinstance(node, GroupAggregate))
    assert aggregate.agg_calls[0].distinct
