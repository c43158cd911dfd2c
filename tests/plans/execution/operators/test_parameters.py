"""Kernel parameters and the fields that operators read are equal: for all plans, and with an unknown field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from pyspark.sql import types as s

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions import ExpressionContext
from compiled_plan.plans.execution.operators.base import KeyedOperator, Lowering, is_keyed, lower_keyed
from compiled_plan.plans.execution.operators.changelog import sink_materializer
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.stages.prepared import is_materialising
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import LogicalType
from tests.support.kernel.harness import Harness, OperatorError
from tests.support.kernel.specs import kernel_parameters, types_of_operators
from tests.support.plan_files import ALL
from tools import build_kernel

_NAMES = {
    s.ByteType: "BYTE",
    s.ShortType: "SHORT",
    s.IntegerType: "INT",
    s.LongType: "BIGINT",
    s.StructType: "ROW",
    s.MapType: "MULTISET",
    s.NullType: "STRING",
}


def operators_of(plan: CompiledPlan) -> Iterator[KeyedOperator]:
    """The kernel's operators of a plan, without refused ones."""
    lowering = Lowering(plan, ExpressionContext(time_zone="UTC"))
    for node in plan.nodes:
        try:
            if isinstance(node, Sink) and is_materialising(node):
                yield sink_materializer(node, lowering)
            elif is_keyed(node):
                yield lower_keyed(node, lowering)
        except UnsupportedError:
            continue


def names_of(types: Sequence[LogicalType]) -> list[str]:
    return [name_of(to_spark(type_)) for type_ in types]


def name_of(type_: s.DataType) -> str:
    if isinstance(type_, s.ArrayType):
        return f"ARRAY<{name_of(type_.elementType)}>"
    return _NAMES.get(type(type_)) or type_.simpleString().upper()


def spec_of(operator: KeyedOperator) -> dict[str, Any]:
    return {
        "uid": "it",
        "type": operator.parameters.TYPE,
        "ttl": [],
        "timeDomain": "event",
        "inputTypes": [names_of(port.types) for port in operator.ports],
        "outputTypes": names_of(operator.output),
        "parameters": kernel_parameters(operator.parameters),
    }


def test_all_operators_of_all_plans_are_read(harness: Harness) -> None:
    seen = set()
    for path in ALL:
        try:
            plan = CompiledPlan.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except UnsupportedError:
            continue
        for operator in operators_of(plan):
            harness.create(spec_of(operator))
            seen.add(operator.parameters.TYPE)
    # No plan of Flink's has these; their own tests build them from all existing fields.
    rare = {
        "count-window-aggregate",
        "lookup-materializer",
        "proctime-over",
        "proctime-sort",
        "row-counter",
        "session-rows",
    }
    assert types_of_operators() - seen == rare


def test_an_operator_is_found_by_its_name() -> None:
    """An operator's class in the kernel has the name of its type."""
    folder = build_kernel.PRODUCT.sources / "org/compiledplan/kernel/operators"
    classes = {"".join(map(str.capitalize, type_.split("-"))) for type_ in types_of_operators()}
    assert classes - {file.stem for file in folder.rglob("*.java")} == set()


@pytest.fixture
def rank() -> dict[str, Any]:
    columns = [{"index": 0, "ascending": True, "nullsLast": False}]
    parameters = {
        "strategy": "append",
        "primaryKeys": [],
        "orderBy": columns,
        "start": 1,
        "end": None,
        "endColumn": None,
        "outputRowNumber": False,
        "generateUpdateBefore": True,
    }
    return {"uid": "top", "type": "rank", "inputTypes": [["INT"]], "outputTypes": ["INT"], "parameters": parameters}


def test_a_field_that_is_not_read_is_refused_by_name(harness: Harness, rank: dict[str, Any]) -> None:
    harness.create(rank)
    rank["parameters"]["limit"] = 3
    rank["parameters"]["orderBy"][0]["collation"] = "de"
    with pytest.raises(OperatorError, match=r"operator top \(rank\) has fields .* not read: limit, orderBy\.collation"):
        harness.create(rank)


def test_a_missing_field_is_named(harness: Harness, rank: dict[str, Any]) -> None:
    del rank["parameters"]["generateUpdateBefore"]
    with pytest.raises(OperatorError, match=r"operator top \(rank\) needs the fields generateUpdateBefore"):
        harness.create(rank)


def test_an_operator_that_is_not_known_is_refused(harness: Harness, rank: dict[str, Any]) -> None:
    with pytest.raises(OperatorError, match=r"unknown type; known are .*rank"):
        harness.create(rank | {"type": "ranking"})
