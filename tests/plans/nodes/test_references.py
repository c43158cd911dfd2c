"""Columns that nodes refer to: the declarations, over the plans that Flink compiled."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.references import Reference, reference_faults, references, with_columns
from tests.support.plan_files import NAMES, plan_of

#: Indices in the JSON of a node that count no columns of its input.
NO_COLUMNS = (
    *("scanTableSource", "dynamicTableSink", "temporalTable", "table", "outputType", "description", "state"),
    *("projectionOnTemporalTable", "filterOnTemporalTable", "localAggInputRowType"),
)


def nodes() -> list[tuple[PlanNode, list[int]]]:
    return [
        (node, [len(above.output_type.fields) for above in plan.inputs(node)])
        for plan in map(plan_of, NAMES)
        for node in plan.nodes
        if node.RUNNABLE
    ]


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def test_every_reference_is_at_its_place_and_within_its_input() -> None:
    kinds = set()
    for node, widths in nodes():
        data = node.to_dict()
        for reference in references(node):
            kinds.add(node.kind)
            if isinstance(column := at(data, reference.path), int):
                assert column == reference.column, (node.kind, reference)
            width = sum(widths) if reference.input is None else widths[reference.input]
            assert reference.column < width, (node.kind, reference)
        assert not list(reference_faults(node, widths))
    assert len(kinds) > 20


def test_no_expression_is_left_out() -> None:
    """The declaration knows each reference of an expression in the JSON, except references to other rows."""

    def indices(value: Any) -> list[int]:
        if isinstance(value, dict):
            own = [value["inputIndex"]] if value.get("kind") in ("INPUT_REF", "PATTERN_INPUT_REF") else []
            return own + [i for key, item in value.items() if key not in NO_COLUMNS for i in indices(item)]
        return [i for item in value for i in indices(item)] if isinstance(value, list) else []

    for node, _ in nodes():
        if node.kind in ("correlate", "values"):
            continue
        end = node.columns_end
        wanted = [index for index in indices(node.to_dict()) if end is None or index < end]
        known = [reference.column for reference in references(node)]
        assert all(known.count(index) >= wanted.count(index) for index in wanted), (node.kind, wanted, known)


def test_the_same_columns_give_the_same_node_and_others_come_back() -> None:
    for node, _ in nodes():
        assert with_columns(node, lambda reference: reference.column) == node
        if node.columns_end is None:
            there = with_columns(node, lambda reference: reference.column + 100)
            assert [reference.column - 100 for reference in references(there)] == [
                reference.column for reference in references(node)
            ]
            assert with_columns(there, lambda reference: reference.column - 100) == node


@pytest.mark.parametrize(
    ("kind", "path", "input_"),
    [
        ("join", ("joinSpec", "leftKeys", 0), 0),
        ("join", ("joinSpec", "rightKeys", 0), 1),
        ("group-aggregate", ("grouping", 0), 0),
        ("group-aggregate", ("aggCalls", 0, "argList", 0), 0),
        ("rank", ("orderBy", "fields", 0, "index"), 0),
        ("deduplicate", ("uniqueKeys", 0), 0),
        ("window-join", ("rightWindowing", "windowEnd"), 1),
        ("interval-join", ("intervalJoinSpec", "windowBounds", "rightTimeIndex"), 1),
        ("multi-join", ("joinAttributeMap", "1", 0, "rightFieldIndex"), 1),
        ("temporal-join", ("rightTimeAttributeIndex",), 1),
        ("exchange", ("inputProperties", 0, "requiredDistribution", "keys", 0), 0),
        ("sink", ("inputUpsertKey", 0), 0),
    ],
)
def test_indices_are_known_with_their_input(kind: str, path: tuple[str | int, ...], input_: int) -> None:
    matching = [
        reference
        for node, _ in nodes()
        if node.kind == kind
        for reference in references(node)
        if reference.path == path
    ]
    assert matching
    assert {reference.input for reference in matching} == {input_}


def test_keys_of_each_input_are_columns_of_that_input() -> None:
    node = next(node for node, _ in nodes() if node.kind == "multi-join")
    keyed = node.model_copy(update={"input_unique_keys": (((0,), (1,)), ((2,),))})
    columns = [
        (reference.input, reference.column) for reference in references(keyed) if reference.path[0] == "inputUniqueKeys"
    ]
    assert columns == [(0, 0), (0, 1), (1, 2)]


def test_phases_behind_the_first_keep_the_columns_of_its_input() -> None:
    for node, _ in nodes():
        if node.kind == "global-group-aggregate":
            assert not [reference for reference in references(node) if reference.path[0] == "aggCalls"]


def test_references_out_of_range_are_reported() -> None:
    node = next(node for node, _ in nodes() if node.kind == "group-aggregate" and node.grouping)  # type: ignore[attr-defined]
    wrong = with_columns(node, lambda reference: 9 if reference.path == ("grouping", 0) else reference.column)
    (fault,) = (fault for fault in reference_faults(wrong, [3]) if fault.path == ("grouping", 0))
    assert (fault.message, fault.value) == ("no column 9: there are 3 columns", 9)
    assert json.loads(json.dumps(wrong.to_dict()))["grouping"][0] == 9
    assert Reference(("grouping", 0), 0, 9) in references(wrong)
