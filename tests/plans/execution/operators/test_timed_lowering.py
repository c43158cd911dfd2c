"""Kernel parameters of OVER windows, time-based joins and patterns, from plans of Flink."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions import ExpressionContext
from compiled_plan.plans.execution.operators.base import KeyedOperator, Lowering, has_event_time, lower_keyed
from compiled_plan.plans.inspection.rules import check_runs
from compiled_plan.plans.nodes.read import read_node
from compiled_plan.plans.plan import CompiledPlan, Edge
from tests.support.kernel.specs import kernel_parameters
from tests.support.plan_files import data_of


def lowered(data: Any, type_: str, *, row_by_row: bool = False) -> tuple[KeyedOperator, bool]:
    """The operator of the node of a type, and whether it is in event time."""
    plan = CompiledPlan.from_dict(data)
    check_runs(plan)
    (node,) = (node for node in plan.nodes if node.type == f"stream-exec-{type_}_1")
    lowering = Lowering(plan, ExpressionContext(), row_by_row=row_by_row)
    return lower_keyed(node, lowering), has_event_time(node, plan)


def node_of(data: Any, type_: str) -> dict[str, Any]:
    result: dict[str, Any] = next(node for node in data["nodes"] if node["type"] == f"stream-exec-{type_}_1")
    return result


def test_a_window_of_time() -> None:
    operator, event_time = lowered(data_of("over_range"), "over-aggregate")
    assert event_time
    assert {name: kernel_parameters(operator.parameters)[name] for name in ("time", "rows", "preceding")} == {
        "time": 3,
        "rows": False,
        "preceding": 3_600_000,
    }
    assert [agg["args"] for agg in kernel_parameters(operator.parameters)["aggs"]] == [[2], [2], []]


def test_constants_that_are_arguments_become_columns() -> None:
    data = data_of("over_range")
    node = node_of(data, "over-aggregate")
    spec = node["overSpec"]
    spec["constants"].append({"kind": "LITERAL", "value": 2, "type": "INT NOT NULL"})
    width = spec["originalInputFields"]
    spec["groups"][0]["aggCalls"][0] |= {"internalName": "$COUNT$1", "argList": [2, width + 1]}
    operator, _ = lowered(data, "over-aggregate")
    assert kernel_parameters(operator.parameters)["aggs"][0]["args"] == [2, width]
    assert [str(type_) for type_ in operator.ports[0].types[width:]] == ["INT NOT NULL"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"upperBound": {"kind": "UNBOUNDED_FOLLOWING"}}, "ends after the current row"),
        (
            {"orderBy": {"fields": [{"index": 3, "isAscending": False, "nullIsLast": True}]}},
            "time column ascending",
        ),
        ({"orderBy": {"fields": [{"index": 0, "isAscending": True, "nullIsLast": False}]}}, "not ordered by time"),
    ],
)
def test_windows_that_are_refused(change: dict[str, Any], why: str) -> None:
    data = data_of("over_range")
    node_of(data, "over-aggregate")["overSpec"]["groups"][0].update(change)
    with pytest.raises(UnsupportedError, match=why):
        lowered(data, "over-aggregate")


def test_windows_that_differ_are_refused() -> None:
    data = data_of("over_range")
    node = node_of(data, "over-aggregate")
    groups, fields = node["overSpec"]["groups"], node["outputType"]["fields"]
    groups.append(groups[0])
    fields += [field | {"name": f"{field['name']}_again"} for field in fields[-len(groups[0]["aggCalls"]) :]]
    with pytest.raises(UnsupportedError, match="OVER windows differ"):
        lowered(data, "over-aggregate")


@pytest.mark.parametrize(("join_type", "held_back"), [("INNER", 14_400_000), ("LEFT", 14_400_000 + 7_200_001)])
def test_an_interval_join_holds_the_watermark_back(join_type: str, held_back: int) -> None:
    data = data_of("interval_join/left_outer")
    node_of(data, "interval-join")["intervalJoinSpec"]["joinSpec"]["joinType"] = join_type
    operator, event_time = lowered(data, "interval-join")
    assert (event_time, operator.holds_back) == (True, held_back)
    assert (
        kernel_parameters(operator.parameters)["lowerBound"],
        kernel_parameters(operator.parameters)["upperBound"],
    ) == (-14_400_000, 0)
    assert not kernel_parameters(operator.parameters)["sharedWatermark"]
    operator, _ = lowered(data, "interval-join", row_by_row=True)
    assert kernel_parameters(operator.parameters)["sharedWatermark"], "control rows have told of that of both inputs"


def test_inputs_through_one_watermark_assigner_share_a_watermark() -> None:
    """The left input joined with itself, and nothing behind the join."""
    data = data_of("interval_join/left_outer")
    join = node_of(data, "interval-join")
    left, _ = (edge["source"] for edge in data["edges"] if edge["target"] == join["id"])
    retained, todo = {join["id"]}, [left]
    while todo:
        retained.add(todo[-1])
        at = todo.pop()
        todo += [edge["source"] for edge in data["edges"] if edge["target"] == at]
    data["nodes"] = [node for node in data["nodes"] if node["id"] in retained]
    data["edges"] = [edge for edge in data["edges"] if {edge["source"], edge["target"]} <= retained]
    data["edges"].append(data["edges"][-1])
    row = next(node["outputType"] for node in data["nodes"] if node["id"] == left)
    again = [field | {"name": f"{field['name']}0"} for field in row["fields"]]
    join["outputType"] = row | {"fields": [*row["fields"], *again]}
    spec = join["intervalJoinSpec"]
    spec["joinSpec"] |= {"rightKeys": spec["joinSpec"]["leftKeys"], "nonEquiCondition": None}
    spec["windowBounds"]["rightTimeIndex"] = spec["windowBounds"]["leftTimeIndex"]
    nodes = [node for at, item in enumerate(data["nodes"]) if (node := read_node(item, at)[0]) is not None]
    plan = CompiledPlan(tuple(nodes), tuple(Edge.between(edge["source"], edge["target"]) for edge in data["edges"]))
    operator = lower_keyed(plan.node(join["id"]), Lowering(plan, ExpressionContext()))
    assert kernel_parameters(operator.parameters)["sharedWatermark"]


def test_an_interval_join_in_processing_time() -> None:
    operator, event_time = lowered(data_of("interval_join_proctime"), "interval-join")
    assert (event_time, operator.holds_back) == (False, 0)
    assert kernel_parameters(operator.parameters)["condition"] is not None


def test_temporal_joins() -> None:
    assert lowered(data_of("temporal_join/with_non_equi"), "temporal-join")[1]
    data = data_of("temporal_join_proctime")
    node_of(data, "temporal-join")["isTemporalFunctionJoin"] = True
    assert not lowered(data, "temporal-join")[1]


@pytest.mark.parametrize(
    ("changes", "joins", "message"),
    [
        ({}, "INNER", "processing-time temporal join with a table that is not looked up"),
        ({}, "LEFT", "processing-time temporal join with a table that is not looked up"),
        ({}, "RIGHT", "temporal join of type RIGHT"),
        ({"isTemporalFunctionJoin": True}, "LEFT", "temporal join of type LEFT"),
        ({"isTemporalFunctionJoin": True, "rightTimeAttributeIndex": 0}, "LEFT", "temporal join of type LEFT"),
    ],
)
def test_temporal_joins_that_flink_refuses_to_run(changes: dict[str, Any], joins: str, message: str) -> None:
    data = data_of("temporal_join_proctime")
    node = node_of(data, "temporal-join")
    node |= changes
    node["joinSpec"]["joinType"] = joins
    with pytest.raises(UnsupportedError, match=message):
        lowered(data, "temporal-join")


def reference(alpha: str, index: int = 0) -> dict[str, Any]:
    return {"kind": "PATTERN_INPUT_REF", "alpha": alpha, "inputIndex": index, "type": "INT"}


def literal(value: Any, type_: str = "INT NOT NULL") -> dict[str, Any]:
    return {"kind": "LITERAL", "value": value, "type": type_}


def call(name: str, *operands: Any, type_: str = "INT") -> dict[str, Any]:
    return {"kind": "CALL", "internalName": name, "operands": list(operands), "type": type_}


def pattern(define: Any, last: bool = True) -> Any:
    """The plan with (A B{2,3} C), or C* at the end, and a condition for B."""
    data = data_of("match_recognize")
    spec = node_of(data, "match")["matchSpec"]
    if last:
        spec["pattern"]["operands"][1] = literal("C", "CHAR(1) NOT NULL")
    if define is not None:
        spec["patternDefinitions"]["B"] = call("$>$1", define, literal(1), type_="BOOLEAN")
    return data


def test_a_pattern() -> None:
    twice = call("$*$1", reference("B"), literal(2))
    data = pattern(call("$LAST$1", twice, literal(1)))
    operator, event_time = lowered(data, "match")
    parameters = kernel_parameters(operator.parameters)
    assert event_time
    assert parameters["pattern"] == [
        {"min": 1, "max": 1, "greedy": True},
        {"min": 2, "max": 3, "greedy": True},
        {"min": 1, "max": 1, "greedy": True},
    ]
    width = len(CompiledPlan.from_dict(data).inputs(node_of(data, "match")["id"])[0].output_type.types)
    # An expression over a row is a column of its own; a sum has one for its type.
    assert parameters["defines"][1] == [{"kind": "last", "variable": 1, "column": width, "offset": 1}]
    assert parameters["measures"] == [
        {"kind": "last", "variable": 0, "column": 0, "offset": 0},
        {"kind": "aggregate", "function": "$SUM$1", "variable": 1, "args": [0], "typeOf": width + 1, "java": None},
    ]
    assert len(operator.ports[0].types) == width + 2
    assert (parameters["conditions"][1] is None, parameters["conditions"][2]) == (False, None)
    assert (parameters["skip"], parameters["skipVariable"]) == ("NEXT_ROW", None)


@pytest.mark.parametrize(
    ("define", "last", "why"),
    [
        (None, False, "optional variable after a greedy one"),
        (None, True, "PREV or NEXT with an offset"),
        (call("$LAST$1", call("$+$1", reference("A"), reference("B")), literal(0)), True, "several variables"),
        (reference("X"), True, "the variable X"),
        (call("$LAST$1", reference("B"), reference("B")), True, "no constant"),
    ],
)
def test_patterns_that_are_refused(define: Any, last: bool, why: str) -> None:
    with pytest.raises(UnsupportedError, match=why):
        lowered(pattern(define, last), "match")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"allRows": True}, "ALL ROWS"),
        ({"pattern": {"kind": "CALL", "sqlKind": "PATTERN_ALTER", "operands": [], "type": "NULL"}}, "PATTERN_ALTER"),
    ],
)
def test_clauses_that_are_refused(change: dict[str, Any], why: str) -> None:
    data = pattern(reference("B"))
    node_of(data, "match")["matchSpec"].update(change)
    with pytest.raises(UnsupportedError, match=why):
        lowered(data, "match")


def test_subsets_that_no_expression_uses_have_no_effect() -> None:
    data = pattern(reference("B"))
    expected, _ = lowered(data, "match")
    node_of(data, "match")["matchSpec"]["subsets"] = {"S": ["A", "B"]}
    operator, _ = lowered(data, "match")
    assert kernel_parameters(operator.parameters) == kernel_parameters(expected.parameters)


@pytest.mark.parametrize("place", ["define", "measures", "after"])
def test_variables_of_subsets_are_refused(place: str) -> None:
    data = pattern(reference("S") if place == "define" else reference("B"))
    spec = node_of(data, "match")["matchSpec"]
    spec["subsets"] = {"S": ["A", "B"]}
    if place == "measures":
        spec["measures"] = dict.fromkeys(spec["measures"], reference("S"))
    elif place == "after":
        spec["after"] = call("$SKIP TO LAST$1", literal("S", "CHAR(1) NOT NULL"), type_="NULL")
    with pytest.raises(UnsupportedError, match="the SUBSET variable S"):
        lowered(data, "match")


@pytest.mark.parametrize(
    ("least", "most", "reluctant", "why"),
    [
        (0, 1, True, "reluctant optional"),
        (0, -1, False, "optional variable after a greedy one"),
        (1, -1, False, "greedy quantifier at the end"),
    ],
)
def test_quantifiers_that_are_refused(least: int, most: int, reluctant: bool, why: str) -> None:
    data = data_of("match_recognize")
    numbers = [literal(least), literal(most), literal(reluctant, "BOOLEAN NOT NULL")]
    last = call("$PATTERN_QUANTIFIER$1", literal("C", "CHAR(1) NOT NULL"), *numbers, type_="NULL")
    node_of(data, "match")["matchSpec"]["pattern"]["operands"][1] = last
    with pytest.raises(UnsupportedError, match=why):
        lowered(data, "match")
