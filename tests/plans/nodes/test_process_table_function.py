"""The calls of TO_CHANGELOG and FROM_CHANGELOG in plans."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.findings import Severity
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.nodes.process_table_function import KINDS, ProcessTableFunction, codes_of
from compiled_plan.plans.plan import CompiledPlan

PROGRAM = """
CREATE TABLE events (id INT, code STRING, amount INT) WITH ('connector' = 'datagen');
CREATE TABLE totals (id INT, amount INT) WITH ('connector' = 'blackhole');
INSERT INTO totals SELECT * FROM FROM_CHANGELOG(
  TABLE events, DESCRIPTOR(code), MAP['c, r', 'INSERT', 'ub', 'UPDATE_BEFORE', 'ua', 'UPDATE_AFTER'])
"""


def data() -> Any:
    return json.loads(TableEnvironment().compile_statements(PROGRAM).plan.to_json())


def call_of(plan: Any) -> dict[str, Any]:
    call: dict[str, Any] = next(node["functionCall"] for node in plan["nodes"] if "functionCall" in node)
    return call


def test_codes_follow_the_mapping() -> None:
    assert codes_of("TO", None) == tuple((kind, kind) for kind in KINDS)
    assert codes_of("TO", {" INSERT ,DELETE": " x, y "}) == ((" x, y ", "INSERT"), (" x, y ", "DELETE"))
    assert codes_of("FROM", {"c, r": " INSERT ", "d": "DELETE"}) == (("c", "INSERT"), ("r", "INSERT"), ("d", "DELETE"))


def test_a_call_is_read() -> None:
    plan = CompiledPlan.from_json(json.dumps(data()))
    (node,) = [node for node in plan.nodes if isinstance(node, ProcessTableFunction)]
    assert node.call().column == "code"
    assert [code for code, _ in node.call().codes] == ["c", "r", "ub", "ua"]
    assert node.to_dict() == next(node for node in data()["nodes"] if "functionCall" in node)


def column(plan: Any) -> None:
    call_of(plan)["operands"][1]["operands"][0]["value"] = "nope"


def number(plan: Any) -> None:
    call_of(plan)["operands"][1]["operands"][0]["value"] = "id"


def kind(plan: Any) -> None:
    call_of(plan)["operands"][2]["operands"][1]["value"] = "INS"


def operands(plan: Any) -> None:
    del call_of(plan)["operands"][1:]


def output(plan: Any) -> None:
    node = next(node for node in plan["nodes"] if "functionCall" in node)
    node["outputType"] = "ROW<`id` INT>"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (column, "the input has no column 'nope'"),
        (number, "column 'id' is INT, no text"),
        (kind, "unknown kind of change 'INS'"),
        (operands, "not a table, a descriptor and a map of constants"),
        (output, "the output type has 1 fields, and the function gives 2"),
    ],
)
def test_a_call_that_does_not_fit_is_named(change: Callable[[Any], None], message: str) -> None:
    plan = data()
    change(plan)
    assert message in "\n".join(finding.message for finding in check(json.dumps(plan)))


@pytest.mark.parametrize(
    ("names", "name"),
    [
        ({"catalogName": "`c`.`d`.`f`", "class": "com.shop.F"}, "`c`.`d`.`f`"),
        ({"systemName": "f"}, "f"),
        ({"class": "com.shop.F"}, "com.shop.F"),
        ({"internalName": "$MINE$1"}, "$MINE$1"),
    ],
)
def test_functions_of_users_can_be_edited_and_are_refused_by_name(names: dict[str, str], name: str) -> None:
    plan = data()
    call = call_of(plan)
    del call["internalName"]
    call |= names
    (finding,) = (finding for finding in check(json.dumps(plan)) if "cannot run" in finding.message)
    assert finding.message == f"the process table function {name} cannot run here"
    assert (finding.severity, "Kafka" in finding.remedy) == (Severity.ERROR, True)
