"""Plans of any depth against the JSON Schema."""

from __future__ import annotations

import json

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.inspection.schema import schema_findings
from compiled_plan.plans.text import jsontext
from tests.support.tiers import but_wide

TABLES = """
CREATE TABLE t (id BIGINT, s STRING) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');
CREATE TABLE o (id BIGINT, s STRING) WITH ('connector' = 'print');
"""


def plan(levels: int) -> str:
    value = "(1 + " * levels + "id" + ")" * levels
    return TableEnvironment().compile_script(f"{TABLES}INSERT INTO o SELECT {value}, s FROM t;").to_json()


@pytest.mark.parametrize("levels", but_wide([15, 70, 100, 300, 1_000], lambda levels: levels in (15, 100)))
def test_deeply_nested_expressions(levels: int) -> None:
    text = plan(levels)
    assert check(text) == ()
    data = jsontext.loads(text)
    innermost = data["nodes"][1]["projection"][0]
    steps = ["nodes", "1", "projection", "0"]
    for _ in range(levels - 1):
        innermost = innermost["operands"][1]
        steps += ["operands", "1"]
    innermost["operands"][0]["odd"] = 1
    (finding,) = schema_findings(data)
    assert finding.pointer == f"/{'/'.join(steps)}/operands/0/odd"
    assert finding.node == "2 (stream-exec-calc_1)"


@pytest.mark.parametrize("levels", [50, 500, 1_000, 20_000])
def test_invalid_plans(levels: int) -> None:
    text = plan(1).replace('"nodes"', f'"odd": {"[" * levels}{"]" * levels}, "nodes"', 1)
    (finding,) = check(text)
    assert (finding.pointer, finding.message) == ("/odd", "unknown field `odd` in the plan's root")
    assert json.dumps(finding.to_dict())
