from __future__ import annotations

import json
import re

from plans.identity import derived_uids, keeps_state, with_uids
from plans.plan import CompiledPlan
from tests.plans.plan_files import ALL, data_of, text_of

CASE = "join/three_way_inner"


def test_every_operator_with_state_has_one_and_no_two_are_equal() -> None:
    for path in ALL:
        plan = with_uids(CompiledPlan.read_file(path))
        for node in plan.nodes:
            assert (node.uid is not None) == keeps_state(node), node
        uids = [node.uid for node in plan.nodes if node.uid]
        assert len(uids) == len(set(uids))


def test_they_name_kind_tables_and_fingerprint() -> None:
    uids = list(derived_uids(CompiledPlan.from_json(text_of("join/state_ttl_hint_join"))).values())
    assert len(uids) == 1
    assert re.fullmatch(r"join-[a-z_]+-[a-z_]+-[0-9a-f]{4}", uids[0])


def test_they_do_not_depend_on_node_ids() -> None:
    data = data_of(CASE)
    text = json.dumps(data)
    for node in data["nodes"]:
        node["id"] += 1000
    for edge in data["edges"]:
        edge["source"] += 1000
        edge["target"] += 1000
    one, other = CompiledPlan.from_json(text), CompiledPlan.from_data(data)
    assert list(derived_uids(one).values()) == list(derived_uids(other).values())


def test_they_stay_when_a_passive_field_changes_and_move_when_an_enforcing_one_does() -> None:
    data = data_of("join/state_ttl_hint_join")
    before = list(derived_uids(CompiledPlan.from_data(data)).values())
    join = next(node for node in data["nodes"] if node["type"] == "stream-exec-join_1")
    join["description"] = "another"
    join["state"][0]["ttl"] = "7 d"
    assert list(derived_uids(CompiledPlan.from_data(data)).values()) == before
    join["joinSpec"]["joinType"] = "LEFT"
    assert list(derived_uids(CompiledPlan.from_data(data)).values()) != before


def test_equal_operators_are_numbered() -> None:
    data = data_of("join/state_ttl_hint_join")
    twin = {node["id"]: {**node, "id": node["id"] + 500} for node in data["nodes"]}
    data["nodes"] += twin.values()
    data["edges"] += [{**e, "source": e["source"] + 500, "target": e["target"] + 500} for e in data["edges"]]
    first, second = derived_uids(CompiledPlan.from_data(data)).values()
    assert second == f"{first}-2"


def test_those_of_the_file_are_kept() -> None:
    data = data_of("join/state_ttl_hint_join")
    join = next(node for node in data["nodes"] if node["type"] == "stream-exec-join_1")
    join["uid"] = "my-join"
    assert list(derived_uids(CompiledPlan.from_data(data)).values()) == ["my-join"]
