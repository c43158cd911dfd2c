from __future__ import annotations

import pytest

from compiled_plan.plans.nodes import registry
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import Join, MultiJoin
from compiled_plan.plans.nodes.model import FieldMark
from compiled_plan.plans.nodes.registry import all_node_types, node_type
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.unsupported import OpaqueNode

NODE_TYPES = all_node_types()
# Every type that Flink 2.3 serialises in a streaming plan (its `ExecNodeMetadata`).
FLINK_TYPES = """
async-calc_1 async-correlate_1 calc_1 changelog-normalize_1 correlate_1 deduplicate_1 delta-join_1 delta-join_2
drop-update-before_1 exchange_1 expand_1 global-group-aggregate_1 global-window-aggregate_1 group-aggregate_1
group-window-aggregate_1 incremental-group-aggregate_1 interval-join_1 join_1 limit_1 local-group-aggregate_1
local-window-aggregate_1 lookup-join_1 ml-predict-table-function_1 match_1 mini-batch-assigner_1 multi-join_1
over-aggregate_1 process-table-function_1 python-async-calc_1 python-calc_1 python-correlate_1
python-group-aggregate_1 python-group-window-aggregate_1 python-over-aggregate_1 rank_1 sink_1 sink_2 sort_1
sort-limit_1 table-source-scan_1 table-source-scan_2 temporal-join_1 temporal-sort_1 union_1 values_1
vector-search-table-function_1 watermark-assigner_1 window-aggregate_1 window-deduplicate_1 window-join_1
window-rank_1 window-table-function_1
""".split()


def test_every_type_of_flink_is_declared_once() -> None:
    assert sorted(NODE_TYPES) == sorted(f"stream-exec-{name}" for name in FLINK_TYPES)


@pytest.mark.parametrize("model", NODE_TYPES.values(), ids=NODE_TYPES)
def test_a_declaration_is_whole(model: type[PlanNode]) -> None:
    order = model.field_order()
    assert len(order) == len(set(order))
    assert set(order) - {"state"} == set(model.model_fields) - {"state"}
    assert model.__doc__
    if model.STATE:
        assert "state" in model.model_fields
        assert model.KEEPS_STATE
    if model.KEEPS_STATE and model.RUNNABLE:
        assert model.enforcing_fields(), "an operator with state has fields that shape it"


def test_the_registry_names_the_module_of_every_type() -> None:
    families = {kind: module for module, kinds in registry._FAMILIES.items() for kind in kinds.split()}
    for model in NODE_TYPES.values():
        kind = model.NAME.removeprefix(registry.PREFIX)
        home = "unsupported" if issubclass(model, OpaqueNode) else families.get(kind, kind.replace("-", "_"))
        assert model.__module__ == f"compiled_plan.plans.nodes.{home}"
        assert node_type(model.type_name()) is model
    assert set(families) <= {model.NAME.removeprefix(registry.PREFIX) for model in NODE_TYPES.values()}
    assert node_type("stream-exec-join_1") is Join
    assert node_type("stream-exec-join_9") is None


def test_enforcing_fields_are_those_that_shape_the_state() -> None:
    assert Join.enforcing_fields() == ("join_spec", "left_upsert_keys", "right_upsert_keys")
    assert "generate_update_before" not in NODE_TYPES["stream-exec-group-aggregate_1"].enforcing_fields()
    assert FieldMark.ENFORCING not in Join.model_fields["description"].metadata


def test_state_entries_follow_inputs_and_fields() -> None:
    multi = NODE_TYPES[MultiJoin.type_name()].model_construct()
    assert [slot.name for slot in multi.state_slots(3)] == ["input-state-0", "input-state-1", "input-state-2"]
    assert Sink.model_construct(require_upsert_materialize=False).state_slots(1) == ()
    assert [slot.name for slot in Sink.model_construct(require_upsert_materialize=True).state_slots(1)] == [
        "sinkMaterializeState"
    ]


def test_a_node_that_cannot_run_keeps_its_own_fields() -> None:
    model = NODE_TYPES["stream-exec-delta-join_1"]
    assert issubclass(model, OpaqueNode) and not model.RUNNABLE
    own = {"joinType": "LEFT", "leftKeys": {"0": {"type": "FieldRef", "index": 0}}}
    node = model.model_validate({"id": 3, "outputType": "ROW<`a` INT>", "description": "x", **own})
    assert node.to_dict() == {
        "id": 3,
        "type": "stream-exec-delta-join_1",
        **own,
        "outputType": "ROW<`a` INT>",
        "description": "x",
    }
