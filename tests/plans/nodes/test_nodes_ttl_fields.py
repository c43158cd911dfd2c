"""A node type with its TTL in a field of its own: the declaration is all that editor, schema, checks and diff need."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.inspection.checked_plans import plan_from_dict, plan_from_json
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.plans.inspection.graph import graph_of
from compiled_plan.plans.inspection.recompile import recompile, with_record
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.nodes.base import NODE_TYPES, TTL, TWO_INPUTS, PlanNode, StatefulNode, StateSlot, TtlField
from compiled_plan.plans.nodes.model import Enforcing, Int
from compiled_plan.plans.nodes.specs import JoinSpec
from compiled_plan.plans.plan.session_options import with_session
from compiled_plan.schemas import generate
from tests.support.plan_files import data_of

TYPE = "stream-exec-latest-join_1"
HOUR = 3_600_000


@pytest.fixture(autouse=True)
def latest_join() -> Iterator[None]:
    class LatestJoin(PlanNode):
        """A join with the latest rows of the right input."""

        NAME = "stream-exec-latest-join"
        INPUTS = TWO_INPUTS
        KEEPS_STATE = True
        TTL_FIELDS = (TtlField("rightState", 1, "state_ttl_ms"),)

        join_spec: Enforcing[JoinSpec]
        state_ttl_ms: Int | None = None

    yield
    NODE_TYPES.pop(TYPE)


def data(ttl: Any = HOUR) -> dict[str, Any]:
    """A plan of Flink's with the node in place of a join."""
    plan = data_of("join/state_ttl_hint_join")
    node = join_of(plan, "stream-exec-join_1")
    for name in ("leftUpsertKeys", "rightUpsertKeys", "state"):
        node.pop(name, None)
    node["type"] = TYPE
    if ttl is not None:
        node["stateTtlMs"] = ttl
    return plan


def join_of(plan: Any, type_: str = TYPE) -> dict[str, Any]:
    (node,) = (node for node in plan["nodes"] if node["type"] == type_)
    join: dict[str, Any] = node
    return join


def entries(plan: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [
        (line.entry, line.index, line.ttl) for line in state_lines(plan_from_dict(plan)) if line.entry == "rightState"
    ]


def edited(plan: dict[str, Any], ttl: str) -> str:
    text, _ = set_ttls(json.dumps(plan, indent=2), [parse_edit(f"{join_of(plan)['id']}={ttl}")])
    return text


def test_it_is_listed_and_drawn() -> None:
    assert entries(data()) == [("rightState", 1, "3600000 ms")]
    assert entries(data(None)) == [("rightState", 1, "0 ms")]
    assert entries(data(0)) == [("rightState", 1, "0 ms")]
    (drawn,) = (node for node in graph_of(plan_from_dict(data())).nodes if node.id == join_of(data())["id"])
    assert [(state.name, state.ttl_ms, state.effective_ttl) for state in drawn.state] == [("rightState", HOUR, "1 h")]


@pytest.mark.parametrize("before", [HOUR, None, 0])
def test_an_edit_changes_the_number_alone(before: int | None) -> None:
    new = json.loads(edited(data(before), "2 h"))
    assert new == data(2 * HOUR)
    assert entries(new) == [("rightState", 1, "7200000 ms")]


def test_the_schema_and_the_check_know_it() -> None:
    validator = jsonschema.Draft202012Validator(generate.build())
    assert not list(validator.iter_errors(data()))
    assert list(validator.iter_errors(data("1 h")))
    for wrong, message in (("1 h", "a whole number"), (-1, "the TTL of 'rightState' is negative")):
        (finding,) = (item for item in check(json.dumps(data(wrong))) if item.pointer.endswith("/stateTtlMs"))
        assert message in finding.message
        with pytest.raises(PlanError):
            plan_from_dict(data(wrong))


def test_a_comparison_names_it() -> None:
    old, new = plan_from_dict(data()), plan_from_json(edited(data(), "2 h"))
    difference = diff_of(PlanPair.of(old, new))
    changes = [(change.name, change.old, change.new) for edit in difference.operators for change in edit.ttls]
    assert changes == [("rightState", HOUR, 2 * HOUR)]
    assert not any(edit.edits for edit in difference.operators)


def test_an_edit_outlives_a_compilation() -> None:
    compiled = with_record(plan_from_dict(data()))
    text, _ = set_ttls(compiled.to_json(), [parse_edit(f"{join_of(data())['id']}.rightState=2 h")])
    merged = recompile(compiled, plan_from_json(text))
    assert [(edit.entry, edit.ttl) for edit in merged.kept_ttls] == [("rightState", "7200000 ms")]
    assert entries(merged.plan.to_dict()) == [("rightState", 1, "7200000 ms")]


def test_the_option_holds_where_the_field_has_no_value() -> None:
    session = {TTL: "3 h"}
    assert entries(with_session(plan_from_dict(data(None)), session).to_dict()) == [("rightState", 1, "3 h")]
    assert entries(with_session(plan_from_dict(data()), session).to_dict()) == [("rightState", 1, "3600000 ms")]


def test_a_field_beside_a_state_array() -> None:
    class BothJoin(StatefulNode):
        """A join with a TTL in each form."""

        NAME = "stream-exec-both-join"
        INPUTS = TWO_INPUTS
        STATE = (StateSlot("leftState", 0),)
        TTL_FIELDS = (TtlField("rightState", 1, "state_ttl_ms"),)

        join_spec: Enforcing[JoinSpec]
        state_ttl_ms: Int | None = None

    try:
        plan = data()
        node = next(node for node in plan["nodes"] if node["type"] == TYPE)
        node |= {"type": "stream-exec-both-join_1", "state": [{"index": 0, "ttl": "1 s", "name": "leftState"}]}
        edits = [parse_edit(f"{node['id']}.{name}=5 s") for name in ("leftState", "rightState")]
        text, changes = set_ttls(json.dumps(plan), edits)
        assert [(change.entry, change.old, change.new) for change in changes] == [
            ("leftState", "1 s", "5 s"),
            ("rightState", "3600000 ms", "5 s"),
        ]
        node["state"][0]["ttl"], node["stateTtlMs"] = "5 s", 5000
        assert json.loads(text) == plan
    finally:
        NODE_TYPES.pop("stream-exec-both-join_1")
