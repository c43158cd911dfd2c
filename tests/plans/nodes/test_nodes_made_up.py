"""A node type declared in this module: registry, schema, references, mapping, check and lineage follow from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from compiled_plan.plans.inspection.checked_plans import read_plan
from compiled_plan.plans.inspection.identity import derived_uids
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.nodes.base import NODE_TYPES, StatefulNode, StateSlot
from compiled_plan.plans.nodes.fields import RexJson
from compiled_plan.plans.nodes.model import Bool, Enforcing, Int, OfInput
from compiled_plan.plans.nodes.references import references, with_columns
from compiled_plan.plans.nodes.registry import all_node_types, node_type
from compiled_plan.plans.nodes.specs import SortSpec
from compiled_plan.schemas import generate
from tests.support.plan_files import data_of

NAME = "stream-exec-made-up"


@pytest.fixture
def made_up() -> Iterator[type[StatefulNode]]:
    class MadeUp(StatefulNode):
        """A stateful node."""

        NAME = "stream-exec-made-up"
        STATE = (StateSlot("madeUpState", 0),)

        watched: Enforcing[OfInput[tuple[Int, ...]]]
        order_by: Enforcing[SortSpec]
        condition: Enforcing[RexJson]
        times: Enforcing[Int]
        loudly: Bool

    yield MadeUp
    NODE_TYPES.pop(f"{NAME}_1")


def plan(**changes: Any) -> dict[str, Any]:
    """A plan of Flink's with the node in place of a deduplication."""
    data = data_of("deduplicate/rowtime_last")
    (node,) = (node for node in data["nodes"] if node["type"] == "stream-exec-deduplicate_1")
    for name in ("uniqueKeys", "isRowtime", "keepLastRow", "outputInsertOnly", "generateUpdateBefore"):
        del node[name]
    order = {"fields": [{"index": 1, "isAscending": True, "nullIsLast": False}]}
    column = {"kind": "INPUT_REF", "inputIndex": 0, "type": "BOOLEAN"}
    node |= {"type": f"{NAME}_1", "watched": [1, 0], "orderBy": order, "condition": column, "times": 3, "loudly": True}
    node["state"][0]["name"] = "madeUpState"
    node |= changes
    return data


def test_the_registry_and_the_schema_have_it(made_up: type[StatefulNode]) -> None:
    assert node_type(f"{NAME}_1") is made_up is all_node_types()[f"{NAME}_1"]
    schema = generate.build()
    validator = jsonschema.Draft202012Validator(schema)
    assert not list(validator.iter_errors(plan()))
    assert "'times' is a required property" in str(next(validator.iter_errors(without(plan(), "times"))))
    assert list(validator.iter_errors(plan(loudly=3)))


def without(data: dict[str, Any], field: str) -> dict[str, Any]:
    for node in data["nodes"]:
        if node["type"] == f"{NAME}_1":
            del node[field]
    return data


def test_its_columns_are_known_and_can_be_remapped(made_up: type[StatefulNode]) -> None:
    read, findings = read_plan(plan())
    assert read is not None, findings
    (node,) = (node for node in read.nodes if isinstance(node, made_up))
    assert [
        (reference.path[0], reference.column)
        for reference in references(node)
        if reference.path[0] != "inputProperties"
    ] == [
        ("watched", 1),
        ("watched", 0),
        ("orderBy", 1),
        ("condition", 0),
    ]
    moved: Any = with_columns(
        node, lambda reference: 1 - reference.column if reference.column < 2 else reference.column
    )
    assert (moved.watched, moved.order_by.fields[0].index, moved.condition.index) == ((0, 1), 0, 1)


def test_the_check_refuses_missing_columns(made_up: type[StatefulNode]) -> None:
    read, findings = read_plan(plan(watched=[1, 77]))
    assert read is None
    assert [(finding.pointer.rpartition("/nodes/")[2].partition("/")[2], finding.value) for finding in findings] == [
        ("watched/1", 77)
    ]


def test_its_lineage_is_that_of_its_enforcing_fields(made_up: type[StatefulNode]) -> None:
    def properties(**changes: Any) -> dict[str, str]:
        read, findings = read_plan(plan(**changes))
        assert read is not None, findings
        (operator,) = (operator for operator in lineage_of(read).operators if operator.kind == "made-up")
        assert derived_uids(read)[operator.node].startswith("made-up-")
        return {property_.name: property_.digest for property_ in operator.properties}

    before = properties()
    assert {"key", "watched", "orderBy", "condition", "times, the rest", "columns", "rows", "filter"} <= set(before)
    assert properties(loudly=False, description="another") == before

    def changed(**changes: Any) -> set[str]:
        return {name for name, digest in properties(**changes).items() if before[name] != digest}

    assert changed(watched=[0, 1]) == {"watched"}
    assert changed(times=4) == {"times, the rest"}
    assert changed(orderBy={"fields": [{"index": 0, "isAscending": True, "nullIsLast": False}]}) == {"orderBy"}
    descending = {"index": 1, "isAscending": False, "nullIsLast": False}
    assert changed(orderBy={"fields": [descending]}) == {"orderBy, the rest"}
