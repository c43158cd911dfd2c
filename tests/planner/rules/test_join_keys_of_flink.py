"""Join keys for conditions of all kinds, compared with Flink 2.3's plans of the same queries.

`join_predicates.json` has the joins of Flink's plan for each query: kind, number of keys, number of null-safe keys.
Where ours differ, it has `here` and `why`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from tests.planner.rules.test_join_keys import SINK, SINK_3, TABLES

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("join_predicates.json").read_text())


def joins(query: str, sink: str) -> list[list[Any]]:
    plan = TableEnvironment().compile_script(f"{TABLES}{SINK}{SINK_3}INSERT INTO {sink} {query};")
    specs = [node["joinSpec"] for node in json.loads(plan.to_json())["nodes"] if node["type"] == "stream-exec-join_1"]
    return sorted([spec["joinType"], len(spec["leftKeys"]), spec["filterNulls"].count(False)] for spec in specs)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["query"])
def test_joins_have_the_keys_of_flinks_plan(case: dict[str, Any]) -> None:
    assert joins(case["query"], case["sink"]) == case.get("here", case["flink"])


@pytest.mark.parametrize("case", [case for case in CASES if "here" in case], ids=lambda case: case["query"])
def test_deviations_from_flink_never_lose_a_key(case: dict[str, Any]) -> None:
    assert case["why"]
    without = [sum(not keys for _, keys, _ in joins) for joins in (case["here"], case["flink"])]
    assert without[0] <= without[1] or case["flink"] == []
