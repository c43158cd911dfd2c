"""Plans of a newer Flink: read as far as possible, every unknown part named, never run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from pydantic.alias_generators import to_camel

from compiled_plan.plans.errors import PlanError, UnsupportedError
from compiled_plan.plans.inspection.check import report
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.plans.inspection.graph import graph_of
from compiled_plan.plans.inspection.lint import lint
from compiled_plan.plans.inspection.rules import check_runs
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.nodes.base import IDLE_ENTRY, PlanNode
from compiled_plan.plans.nodes.newer import FLINK_VERSION, is_newer
from compiled_plan.plans.nodes.registry import all_node_types
from compiled_plan.plans.plan import CompiledPlan
from tests.support.commands import called
from tests.support.plan_files import NAMES, data_of
from tests.support.tiers import but_wide

JOIN = "join/state_ttl_hint_join"
SOME = [JOIN, "aggregate/minibatch_two_phase"]
#: Fields of all nodes, which are not written without a value.
_SHARED = {to_camel(name) for name in PlanNode.model_fields}


def newer_version(node: dict[str, Any]) -> str:
    node["type"] = node["type"].rpartition("_")[0] + "_99"
    return "/type"


def new_type(node: dict[str, Any]) -> str:
    node["type"] = "stream-exec-to-come_1"
    return "/type"


def new_field(node: dict[str, Any]) -> str:
    node["toCome"] = {"deep": [1]}
    return "/toCome"


def typed(kind: str, data: Any) -> int:
    return next(at for at, node in enumerate(data["nodes"]) if node["type"].startswith(f"stream-exec-{kind}"))


def plans_by_type(names: Iterable[str]) -> dict[str, str]:
    """For each node type a plan of Flink that has it."""
    plans: dict[str, str] = {}
    for name in names:
        for node in data_of(name)["nodes"]:
            plans.setdefault(node["type"], name)
    return {type_: name for type_, name in sorted(plans.items()) if all_node_types()[type_].RUNNABLE}


@pytest.mark.parametrize("names", but_wide([SOME, list(NAMES)], lambda names: names is SOME), ids=["some", "all"])
@pytest.mark.parametrize("change", [newer_version, new_type, new_field])
def test_every_node_may_be_one_that_is_to_come(change: Callable[[dict[str, Any]], str], names: Iterable[str]) -> None:
    for type_, name in plans_by_type(names).items():
        data = data_of(name)
        data["flinkVersion"] = "2.4"
        at = typed(type_.removeprefix("stream-exec-"), data)
        pointer = f"/nodes/{at}{change(data['nodes'][at])}"
        text = json.dumps(data)
        plan = plan_from_json(text)
        written: Any = plan.to_dict()["nodes"]
        own = {key: value for key, value in data["nodes"][at].items() if value is not None or key not in _SHARED}
        assert written[at] == own, type_
        errors = {finding.pointer: finding for finding in report(text).findings if finding.is_error}
        assert {"/flinkVersion", pointer} <= set(errors), (type_, list(errors))
        assert "compile it with Flink 2.3" in errors[pointer].remedy
        assert all(finding.editable for finding in errors.values())
        (drawn,) = (node for node in graph_of(plan).nodes if node.id == data["nodes"][at]["id"])
        assert drawn.problems == [errors[pointer].message]
        listed = [entry["name"] for node in data["nodes"] for entry in node.get("state", ())]
        assert [line.entry for line in state_lines(plan) if line.entry != IDLE_ENTRY] == listed, type_
        assert diff_of(PlanPair.of(plan, plan)).is_empty, type_
        with pytest.raises(UnsupportedError, match=r"the plan is of Flink 2\.4"):
            check_runs(plan)
        data["flinkVersion"] = FLINK_VERSION
        with pytest.raises(PlanError, match=r"unknown|newer version"):
            plan_from_json(json.dumps(data))


def test_a_newer_plan_of_known_nodes_is_edited_and_does_not_run() -> None:
    data = data_of(JOIN)
    data["flinkVersion"] = "2.4"
    text, changes = set_ttls(
        json.dumps(data), [parse_edit(f"{data['nodes'][typed('join', data)]['id']}.leftState=7 h")]
    )
    assert [change.new for change in changes] == ["7 h"]
    (finding,) = (finding for finding in report(text).findings if finding.is_error)
    assert (finding.pointer, finding.value, finding.editable) == ("/flinkVersion", "2.4", True)
    assert "Flink 2.3" in finding.remedy


def test_the_state_of_an_unknown_node_is_edited_and_compared() -> None:
    data = data_of(JOIN)
    data["flinkVersion"] = "2.4"
    node = data["nodes"][typed("join", data)]
    newer_version(node)
    old = json.dumps(data)
    new, _ = set_ttls(old, [parse_edit(f"{node['id']}.leftState=7 h")])
    difference = diff_of(PlanPair.of(plan_from_json(old), plan_from_json(new)))
    assert [(change.name, change.new) for edit in difference.operators for change in edit.ttls] == [
        ("leftState", 7 * 3_600_000)
    ]
    data["nodes"][typed("join", data)]["joinSpec"]["joinType"] = "LEFT"
    assert not diff_of(PlanPair.of(plan_from_json(old), plan_from_json(json.dumps(data)))).is_empty


def test_a_node_type_of_a_known_later_release_names_it_and_another_way() -> None:
    data = data_of(JOIN)
    at = typed("join", data)
    data["nodes"][at]["type"] = "stream-exec-lateral-snapshot-join_1"
    with pytest.raises(PlanError, match=r"is of Flink 2\.4") as raised:
        plan_from_json(json.dumps(data))
    assert "FOR SYSTEM_TIME AS OF" in raised.value.remedy
    data["flinkVersion"] = "2.4"
    (finding,) = (finding for finding in report(json.dumps(data)).findings if finding.pointer == f"/nodes/{at}/type")
    assert "FOR SYSTEM_TIME AS OF" in finding.remedy


@pytest.mark.parametrize(
    ("version", "name", "warned"),
    [("2.4", "$CAST$1", 1), ("2.4", "$TRY_CAST$1", 1), ("2.4", "$UPPER$1", 0), ("2.3", "$CAST$1", 0)],
)
def test_a_cast_of_bytes_is_warned_of_where_it_is_strict(version: str, name: str, warned: int) -> None:
    data = data_of("calc/array_functions")
    data["flinkVersion"] = version
    calc = data["nodes"][typed("calc", data)]
    operand = {"kind": "LITERAL", "value": "gA==", "type": "VARBINARY(1) NOT NULL"}
    text = {"kind": "CALL", "internalName": name, "operands": [operand], "type": "VARCHAR(2147483647)"}
    calc["condition"] = {
        "kind": "CALL",
        "syntax": "POSTFIX",
        "internalName": "$IS NOT NULL$1",
        "operands": [text],
        "type": "BOOLEAN NOT NULL",
    }
    findings = [finding for finding in lint(CompiledPlan.from_dict(data)) if "a CAST of bytes" in finding.message]
    assert len(findings) == warned


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(toCome=1), "unknown field `toCome` in the plan's root"),
        (lambda data: data["edges"][0].update(toCome=1), "unknown field `toCome`"),
        (lambda data: data["nodes"][0].update(type="stream-exec-to-come_1", outputType=1), "unknown node type"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_the_version(change: Callable[[Any], None], message: str) -> None:
    data = data_of(JOIN)
    data["flinkVersion"] = "2.4"
    change(data)
    with pytest.raises(PlanError, match=message) as raised:
        plan_from_json(json.dumps(data))
    assert raised.value.remedy == "the plan is of Flink 2.4: compile it with Flink 2.3"


def test_diff_plan_says_why_a_plan_does_not_run(tmp_path: Any) -> None:
    data = data_of(JOIN)
    (tmp_path / "old.json").write_text(json.dumps(data))
    data["flinkVersion"] = "2.4"
    newer_version(data["nodes"][typed("join", data)])
    (tmp_path / "new.json").write_text(json.dumps(data))
    printed = called("diff_plan", tmp_path / "old.json", tmp_path / "new.json")
    assert printed.returncode == 0
    assert "execute-plan refuses it: the plan is of Flink 2.4" in printed.stderr
    assert "a newer version of the node type 'stream-exec-join'" in printed.stderr


def test_versions_are_compared_as_numbers() -> None:
    assert [is_newer(version) for version in ("1.18", "2.3", "2.4", "2.10", "3.0")] == [False, False, True, True, True]
