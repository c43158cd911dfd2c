"""Report programs of a retailer, of 100 operators and more: many joins, subqueries, aggregates, unions, views."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.inspection.check import check

PROGRAMS = Path(__file__).parent / "programs"
#: Joins without a key as written: with the one row of a global aggregate.
WITHOUT_KEY = {"growth": [], "margins": ["(sales > average)", "(net_profit > EXPR$0)"]}


def program(name: str) -> str:
    return (PROGRAMS / "tables.sql").read_text() + (PROGRAMS / f"{name}.sql").read_text()


@pytest.mark.parametrize("name", WITHOUT_KEY)
def test_a_program_of_100_operators_compiles_in_two_seconds(name: str) -> None:
    text = program(name)
    start = time.process_time()
    plan = TableEnvironment().compile_script(text).to_json()
    took = time.process_time() - start
    nodes: list[dict[str, Any]] = json.loads(plan)["nodes"]
    assert len(nodes) > 100
    assert took < 2
    assert check(plan) == ()
    joins = [node for node in nodes if node["type"] == "stream-exec-join_1" and not node["joinSpec"]["leftKeys"]]
    assert [node["description"].split("where=[")[1].split("], select=")[0] for node in joins] == WITHOUT_KEY[name]
