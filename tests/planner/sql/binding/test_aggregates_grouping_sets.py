"""Keys and sets that GROUP BY names repeatedly, with the grouping sets of Flink's plans."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.nodes.stateless import Expand


@pytest.mark.parametrize(
    ("grouping", "sets"),
    [
        ("CUBE (a, a)", [2]),
        ("ROLLUP (a, a)", [2]),
        ("ROLLUP (a, b, a)", [3]),
        ("CUBE (a, b, a)", [4]),
        ("CUBE ((a, b), a)", [3]),
        ("ROLLUP ((a, b), (b, a))", [2]),
        ("GROUPING SETS (CUBE (a, a), (a))", [2]),
        ("GROUPING SETS (ROLLUP (a, a), CUBE (a, b))", [2, 4]),
        ("DISTINCT CUBE (a), CUBE (a)", [2]),
        ("CUBE (a), CUBE (a)", [2]),
        ("a, CUBE (a, b)", [2]),
    ],
)
def test_a_cube_has_each_set_once(grouping: str, sets: list[int]) -> None:
    env = TableEnvironment()
    env.execute_sql("CREATE TABLE t (a INT, b INT) WITH ('connector' = 'datagen')")
    env.execute_sql("CREATE TABLE o (n BIGINT) WITH ('connector' = 'blackhole')")
    plan = env.compile_plan_sql(f"INSERT INTO o SELECT COUNT(*) FROM t GROUP BY {grouping}")
    assert sorted(len(node.projects) for node in plan.nodes if isinstance(node, Expand)) == sets
