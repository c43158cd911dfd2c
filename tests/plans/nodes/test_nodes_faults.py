"""A plan with one fault names the node, the JSON pointer and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.inspection.checked_plans import read_plan
from compiled_plan.plans.rex import Call, called_name, rex_from_json
from compiled_plan.running.plans import CompiledPlan
from tests.support.plan_files import data_of

CASE = "join/state_ttl_hint_join"


def node(data: Any, kind: str) -> dict[str, Any]:
    result: dict[str, Any] = next(item for item in data["nodes"] if item["type"].startswith(f"stream-exec-{kind}"))
    return result


def position(data: Any, kind: str) -> int:
    return next(at for at, item in enumerate(data["nodes"]) if item["type"].startswith(f"stream-exec-{kind}"))


def change(kind: str, path: tuple[str | int, ...], value: Any) -> Callable[[Any], None]:
    def apply(data: Any) -> None:
        here = node(data, kind)
        for part in path[:-1]:
            here = here[part]  # type: ignore[index]
        if value is ...:
            del here[path[-1]]  # type: ignore[arg-type]
        else:
            here[path[-1]] = value  # type: ignore[index]

    return apply


FAULTS: list[tuple[str, Callable[[Any], None], str, str]] = [
    ("missing", change("join", ("joinSpec", "joinType"), ...), "/joinSpec/joinType", "`joinType` is missing"),
    ("wrong type", change("join", ("joinSpec", "leftKeys", 0), "1"), "/joinSpec/leftKeys/0", "a whole number"),
    ("true is no number", change("join", ("joinSpec", "leftKeys", 0), True), "/leftKeys/0", "a whole number"),
    ("unknown value", change("join", ("joinSpec", "joinType"), "INNR"), "/joinSpec/joinType", "did you mean `INNER`?"),
    ("unknown field", change("join", ("joinspec",), {}), "/joinspec", "did you mean `joinSpec`?"),
    ("no input properties", change("join", ("inputProperties",), ...), "/inputProperties", "0 input properties for 2"),
    ("python name", change("join", ("join_spec",), {}), "/join_spec", "did you mean `joinSpec`?"),
    ("empty uid", change("join", ("uid",), " "), "/uid", "a uid must not be empty"),
    ("no such column", change("join", ("joinSpec", "rightKeys", 0), 9), "/joinSpec/rightKeys/0", "no column 9"),
    ("no such key", change("exchange", ("inputProperties", 0, "requiredDistribution", "keys"), [7]),
     "/requiredDistribution/keys/0", "no column 7: there are 1 columns"),
    ("bad output type", change("join", ("outputType",), "ROW<`a` INTT>"), "/outputType", "INTT"),
    ("not a row", change("join", ("outputType",), "INT"), "/outputType", "a ROW type is needed"),
    ("bad rex", change("join", ("joinSpec", "nonEquiCondition"), {"kind": "CAL"}), "/nonEquiCondition/kind", "CALL"),
    ("unknown node", change("join", ("type",), "stream-exec-jion_1"), "/type", "did you mean `stream-exec-join_1`?"),
    ("newer node", change("join", ("type",), "stream-exec-join_2"), "/type", "a newer version of the node type"),
    ("bad ttl", change("join", ("state", 0, "ttl"), "3 sek"), "/state/0/ttl", "did you mean `3 sec`?"),
    ("negative ttl", change("join", ("state", 0, "ttl"), "-3 s"), "/state/0/ttl", "bad TTL of 'leftState'"),
    ("index twice", change("join", ("state", 1, "index"), 0), "/state", "index 0 is used by 2 state entries"),
    ("index too big", change("join", ("state", 1, "index"), 2), "/state/1/index", "join has indexes 0 to 1"),
    ("entry missing", change("join", ("state",), []), "/state", "'leftState' (index 0) is missing"),
    ("misspelt entry", change("join", ("state", 0, "name"), "leftSate"), "/state/0/name", "did you mean `leftState`?"),
    ("state of a sink", change("sink", ("state",), [{"index": 0, "ttl": "1 s", "name": "x"}]), "/state", "no entries"),
    ("bad column", change("table-source", ("scanTableSource", "table", "resolvedTable", "schema", "columns", 0, "kind"),
                          "COMPUTD"), "/columns/0/kind", "did you mean `COMPUTED`?"),
    ("bad ability", change("table-source", ("scanTableSource", "abilities"), [{"type": "LimitPush"}]),
     "/abilities/0/type", "did you mean `LimitPushDown`?"),
]  # fmt: skip


@pytest.mark.parametrize(("apply", "pointer", "text"), [fault[1:] for fault in FAULTS], ids=[f[0] for f in FAULTS])
def test_a_fault_in_a_node(apply: Callable[[Any], None], pointer: str, text: str) -> None:
    data = data_of(CASE)
    before = json.dumps(data["nodes"])
    apply(data)
    assert json.dumps(data["nodes"]) != before
    with pytest.raises(PlanError) as raised:
        CompiledPlan.from_dict(data, "plan.json")
    assert text in str(raised.value)
    assert pointer in raised.value.where
    assert raised.value.where.startswith("plan.json: node ")
    assert "stream-exec-" in raised.value.where


def test_a_bare_number_is_milliseconds() -> None:
    data = data_of(CASE)
    node(data, "join")["state"][0]["ttl"] = 3000
    join = CompiledPlan.from_dict(data).nodes[position(data, "join")]
    assert join.ttl_ms(0) == 3000
    assert join.ttl_ms(1) != 3000


def test_all_faults_are_found_at_once() -> None:
    data = data_of(CASE)
    node(data, "join")["joinSpec"]["joinType"] = "X"
    node(data, "sink")["inputChangelogMode"] = ["INSERT", "UPSERT"]
    data["extra"] = 1
    plan, findings = read_plan(data)
    assert plan is None
    assert [finding.pointer for finding in findings] == [
        "/extra",
        f"/nodes/{position(data, 'join')}/joinSpec/joinType",
        f"/nodes/{position(data, 'sink')}/inputChangelogMode/1",
    ]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([], "a plan must be an object"),
        ({}, "the plan lacks the field `flinkVersion`"),
        ({"flinkVersion": "2.3", "nodes": {}, "edges": []}, "`nodes` must be a list"),
        ({"flinkVersion": "two", "nodes": [], "edges": []}, "not a version of Flink"),
        ({"flinkVersion": "2.3", "nodes": [], "edges": [], "uid": 1}, "unknown field `uid` in the plan's root"),
        ({"$schema": 1, "flinkVersion": "2.3", "nodes": [], "edges": []}, r"`\$schema` must be a text, not 1"),
        ({"flinkVersion": "2.3", "nodes": [1], "edges": []}, "a node must be an object"),
        ({"flinkVersion": "2.3", "nodes": [], "edges": [{"source": 1}]}, "the field `target` is missing"),
    ],
)
def test_a_fault_in_the_root(data: Any, text: str) -> None:
    with pytest.raises(PlanError, match=text):
        CompiledPlan.from_dict(data)


def test_text_that_is_no_json_names_line_and_column() -> None:
    with pytest.raises(PlanError) as raised:
        CompiledPlan.from_json('{\n  "flinkVersion" : "2.3",\n  "nodes" : [ }', "p.json")
    assert raised.value.where == 'p.json, line 3, column 15, /nodes\n      "nodes" : [ }\n                  ^'


def test_a_password_is_not_in_a_message() -> None:
    data = data_of(CASE)
    node(data, "table-source")["scanTableSource"]["table"]["resolvedTable"]["options"]["password"] = 424242
    with pytest.raises(PlanError) as raised:
        CompiledPlan.from_dict(data)
    assert "password" in str(raised.value)
    assert "424242" not in str(raised.value)


class TestGraph:
    def test_dangling_edge(self) -> None:
        data = data_of(CASE)
        data["edges"][0]["target"] = 99
        with pytest.raises(PlanError, match="the plan has no node 99") as raised:
            CompiledPlan.from_dict(data)
        assert raised.value.where == "/edges/0/target"

    def test_duplicate_id(self) -> None:
        data = data_of(CASE)
        data["nodes"][1]["id"] = data["nodes"][0]["id"]
        with pytest.raises(PlanError, match="is used 2 times"):
            CompiledPlan.from_dict(data)

    def test_an_expression_over_a_missing_column(self) -> None:
        data = data_of("search_ranges")
        at = position(data, "calc")
        text = json.dumps(data["nodes"][at]["projection"]).replace('"inputIndex": 0', '"inputIndex": 40')
        data["nodes"][at]["projection"] = json.loads(text)
        with pytest.raises(PlanError, match="no column 40: there are") as raised:
            CompiledPlan.from_dict(data)
        assert f"/nodes/{at}/projection/0" in raised.value.where

    def test_one_uid_for_two_operators(self) -> None:
        data = data_of("join/three_way_inner")
        for item in data["nodes"]:
            if item["type"] == "stream-exec-join_1":
                item["uid"] = "mine"
        with pytest.raises(PlanError, match="the uid 'mine' is used 2 times"):
            CompiledPlan.from_dict(data)

    def test_cycle_names_its_nodes(self) -> None:
        data = data_of("set_ops/union_all")  # union takes any number of inputs
        union = node(data, "union")["id"]
        consumer = next(edge for edge in data["edges"] if edge["source"] == union)
        data["edges"].append({**consumer, "source": consumer["target"], "target": union})
        for item in data["nodes"]:
            if item["id"] == union:
                item["inputProperties"].append(item["inputProperties"][0])
        with pytest.raises(PlanError, match="the nodes form a cycle") as raised:
            CompiledPlan.from_dict(data)
        assert str(union) in str(raised.value)

    def test_wrong_number_of_inputs(self) -> None:
        data = data_of(CASE)
        join = node(data, "join")["id"]
        edge = next(edge for edge in data["edges"] if edge["target"] == join)
        data["edges"].remove(edge)
        with pytest.raises(PlanError, match="join takes 2 inputs, and 1 edges lead to it"):
            CompiledPlan.from_dict(data)


def test_a_batch_plan_is_refused_as_such_once() -> None:
    data = data_of(CASE)
    for item in data["nodes"]:
        item["type"] = item["type"].replace("stream-exec-", "batch-exec-")
    plan, (finding,) = read_plan(data)
    assert plan is None
    assert "batch plan" in finding.message
    assert "streaming mode" in finding.remedy
    (checked,) = check(json.dumps(data))
    assert (checked.message, checked.remedy, checked.pointer) == (
        finding.message,
        finding.remedy,
        finding.pointer,
    )


def test_functions_of_the_user_have_their_names_in_messages() -> None:
    called = {
        "udf1": {"catalogName": "`default_catalog`.`default_database`.`udf1`"},
        "f": {"systemName": "f"},
        "org.example.F": {"class": "org.example.F"},
        "$UPPER$1": {"internalName": "$UPPER$1"},
    }
    for name, fields in called.items():
        call = rex_from_json({"kind": "CALL", **fields, "operands": [], "type": "INT"})
        assert isinstance(call, Call) and called_name(call) == name
