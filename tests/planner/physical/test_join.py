"""Upsert keys of joins, and the sinks that need them."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.plan import CompiledPlan

TABLES = """
CREATE TABLE a (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '/a', 'format' = 'debezium-json');
CREATE TABLE b (id INT, w INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '/b', 'format' = 'debezium-json');
CREATE TABLE results (id INT, v INT, w INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'blackhole');
"""


def compiled(kind: str, conflict: str = "") -> CompiledPlan:
    query = f"SELECT a.id, a.v, b.w FROM a {kind} JOIN b ON a.id = b.id"
    return TableEnvironment().compile_script(f"{TABLES} INSERT INTO results {query} {conflict};")


def materializes(plan: CompiledPlan) -> bool:
    sink = next(node.to_dict() for node in plan.nodes if node.kind == "sink")
    return sink.get("requireUpsertMaterialize") is True


@pytest.mark.parametrize("kind", ["INNER", "LEFT"])
def test_the_key_of_the_left_side_identifies_joined_rows(kind: str) -> None:
    assert not materializes(compiled(kind))


def test_no_key_identifies_rows_of_a_full_join_whose_padded_rows_have_none() -> None:
    with pytest.raises(ProgramError, match=r"not the query's upsert key \(it has none\)"):
        compiled("FULL")
    assert materializes(compiled("FULL", "ON CONFLICT DO DEDUPLICATE"))
