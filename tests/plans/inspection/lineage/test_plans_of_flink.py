"""The lineage of the plans that Flink compiled: irrelevant changes compare equal, relevant ones do not."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.inspection.identity import derived_uids
from compiled_plan.plans.inspection.lineage.drafting import rule_of
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.nodes.registry import all_node_types, node_type
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import cases, categories
from tests.support.lineages import changes
from tests.support.plan_files import NAMES, data_of, plan_of
from tests.support.tables import failures

pytestmark = pytest.mark.slow


def same(old: CompiledPlan, new: CompiledPlan) -> bool:
    differences = changes(old, new)
    return not differences.texts and all(left.identity == right.identity for left, right in differences.pairs)


def shuffled(data: Any, seed: str) -> Any:
    """The plan with other ids, its nodes and edges in another order, and other descriptions and TTLs."""
    shuffled, chance = copy.deepcopy(data), random.Random(seed)
    numbers = chance.sample(range(1000), len(shuffled["nodes"]))
    ids = {node["id"]: number for node, number in zip(shuffled["nodes"], numbers, strict=True)}
    for node in shuffled["nodes"]:
        node["id"] = ids[node["id"]]
        node["description"] = f"another {node['id']}"
        for entry in node.get("state", ()):
            entry["ttl"] = "7 d"
    for edge in shuffled["edges"]:
        edge["source"], edge["target"] = ids[edge["source"]], ids[edge["target"]]
    chance.shuffle(shuffled["nodes"])
    targets = sorted({edge["target"] for edge in shuffled["edges"]}, key=lambda _: chance.random())
    # The order of the edges of one target is that of its inputs.
    shuffled["edges"] = [edge for target in targets for edge in shuffled["edges"] if edge["target"] == target]
    return shuffled


def check_same_when_shuffled(name: str) -> None:
    old, new = plan_of(name), CompiledPlan.from_dict(shuffled(data_of(name), name))
    assert same(old, new)
    assert sorted(derived_uids(old).values()) == sorted(derived_uids(new).values())


@pytest.mark.wide
def test_ids_order_descriptions_and_ttls_change_nothing() -> None:
    assert failures(check_same_when_shuffled, NAMES) == {}


def check_properties(name: str) -> None:
    plan = plan_of(name)
    lineage = lineage_of(plan)
    for operator in lineage.operators:
        assert operator.properties
        for property_ in operator.properties:
            assert property_.name
            assert all(item.text and item.digest for item in property_.items)
            assert "column 9" not in property_.text
    keeping = {node.id for node in plan.nodes if node.keeps_state and node.RUNNABLE}
    known = {operator.node for operator in lineage.operators}
    passing = {node.id for node in plan.nodes if node.kind in ("incremental-group-aggregate", "window-table-function")}
    sinks = {node.id for node in plan.nodes if node.kind == "sink"}
    assert keeping - passing - sinks <= known


def test_every_operator_has_a_rule_and_readable_properties() -> None:
    assert failures(check_properties, NAMES) == {}


Edit = Callable[[dict[str, Any]], bool]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from objects(item)
    elif isinstance(value, list):
        for item in value:
            yield from objects(item)


def _literal(item: dict[str, Any]) -> bool:
    value = item.get("value")
    if item.get("kind") != "LITERAL" or isinstance(value, bool) or not isinstance(value, int):
        return False
    item["value"] = value + 1
    return True


def _ascending(item: dict[str, Any]) -> bool:
    if not isinstance(item.get("isAscending"), bool):
        return False
    item["isAscending"] = not item["isAscending"]
    return True


def _nulls(item: dict[str, Any]) -> bool:
    if not isinstance(item.get("nullIsLast"), bool):
        return False
    item["nullIsLast"] = not item["nullIsLast"]
    return True


def _distinct(item: dict[str, Any]) -> bool:
    if "argList" not in item or not item["argList"]:
        return False
    item["distinct"] = not item["distinct"]
    return True


def _function(item: dict[str, Any]) -> bool:
    if item.get("internalName") not in ("$SUM$1", "$COUNT$1", "$MAX$1") or "argList" not in item:
        return False
    item["internalName"] = "$MIN$1"
    return True


def _join(item: dict[str, Any]) -> bool:
    if item.get("joinType") != "INNER" or "leftKeys" not in item:
        return False
    item["joinType"] = "LEFT"
    return True


def _window(item: dict[str, Any]) -> bool:
    if not isinstance(item.get("size"), str) or not item["size"].startswith("PT"):
        return False
    item["size"] = "PT37M"
    return True


def _bound(item: dict[str, Any]) -> bool:
    if "leftLowerBound" not in item:
        return False
    item["leftLowerBound"] -= 1000
    return True


def _keep(item: dict[str, Any]) -> bool:
    if not isinstance(item.get("keepLastRow"), bool):
        return False
    item["keepLastRow"] = not item["keepLastRow"]
    return True


def _path(item: dict[str, Any]) -> bool:
    if item.get("connector") != "filesystem" or "path" not in item:
        return False
    item["path"] += "2"
    return True


EDITS: tuple[Edit, ...] = (
    *(_literal, _ascending, _nulls, _distinct, _function),
    *(_join, _window, _bound, _keep, _path),
)


def _reaches(plan: CompiledPlan, node: int, operators: frozenset[int]) -> bool:
    return node in operators or any(_reaches(plan, consumer.id, operators) for consumer in plan.consumers(node))


#: Irrelevant fields: the buckets of a split aggregate, and predicates that the operators above a scan test again.
PASSIVE = ("stream-exec-sink", "stream-exec-limit", "stream-exec-expand")
SPLIT = "aggregate/count_distinct_split"


@pytest.mark.wide
def test_what_an_operator_keeps_depends_on_every_part_above_it() -> None:
    """A changed literal, direction, function, window or path anywhere in front of an operator is detected."""
    tried, missed = 0, []
    for name in NAMES[::3]:
        data = data_of(name)
        plan = CompiledPlan.from_dict(data)
        operators = frozenset(operator.node for operator in lineage_of(plan).operators)
        for at, node in enumerate(data["nodes"]):
            if node["type"].startswith(PASSIVE) or name == SPLIT:
                continue
            # Properties in front of two-phase aggregates are stored twice; the first phase counts.
            if "global" in node["type"] or not _reaches(plan, node["id"], operators):
                continue
            for edit in EDITS[1:] if "scan" in node["type"] else EDITS:
                edited = copy.deepcopy(data)
                if not any(edit(object_) for object_ in objects(edited["nodes"][at])):
                    continue
                try:
                    changed = CompiledPlan.from_dict(edited)
                except Exception:
                    continue
                tried += 1
                if same(plan, changed):
                    missed.append((name, node["id"], node["description"], edit.__name__))
    assert not missed
    assert tried > 100


@pytest.mark.wide
def test_both_planners_mean_the_same(tmp_path: Path) -> None:
    """Programs compiled here and by Flink, except those that are planned differently with the same result."""
    equal, others = [], []
    for case in [case for case in cases(*categories()) if not case.refused_at]:
        flink = CompiledPlan.from_json(case.flink_plan(tmp_path))
        own = TableEnvironment().compile_script(case.program(tmp_path))
        bare = own.with_nodes([node.model_copy(update={"uid": None}) for node in own.nodes])
        (equal if same(flink, bare) else others).append(case.name)
    assert len(equal) > 190
    assert len(others) < len(equal) / 6, others


#: Declared as affecting state, and stored elsewhere: second phases work on the rows and calls of the first.
SECOND_PHASES = ("global-group-aggregate", "global-window-aggregate", "incremental-group-aggregate")
#: The available plans have no other value, but for names and nullability.
UNTRIED = {("group-window-aggregate", "aggCalls"), ("window-aggregate", "aggCalls"), ("multi-join", "joinConditions")}


@pytest.mark.wide
def test_every_field_that_is_declared_to_shape_state_does() -> None:
    """Each such field of each node type, replaced by another fitting value, is detected by the rule of the type."""
    places: dict[str, list[tuple[Any, int]]] = {}
    for name in NAMES:
        data = data_of(name)
        for at, node in enumerate(data["nodes"]):
            places.setdefault(node["type"], []).append((data, at))
    noticed, missed = set(), set()
    for type_, every in places.items():
        # Sinks keep state only if they materialize.
        keeping = [(data, at) for data, at in every if data["nodes"][at].get("requireUpsertMaterialize")]
        some = [*every[:10], *keeping]
        model = node_type(type_)
        assert model is not None
        kind = model.NAME.removeprefix("stream-exec-")
        if not model.KEEPS_STATE or kind in SECOND_PHASES:
            continue
        for field in model.enforcing_fields():
            alias = model.model_fields[field].alias or field
            values = {json.dumps(data["nodes"][at].get(alias)) for data, at in some}
            differs = [difference for data, at in some for difference in _differs(data, at, alias, values)]
            if differs:
                (noticed if any(differs) else missed).add((kind, alias))
    assert missed <= UNTRIED
    assert len(noticed) > 15


def _differs(data: Any, at: int, alias: str, values: set[str]) -> Iterator[bool]:
    """Per fitting value, True if it changes the lineage; stops at the first one that does."""
    for value in sorted(values - {json.dumps(data["nodes"][at].get(alias))}):
        edited = copy.deepcopy(data)
        edited["nodes"][at][alias] = json.loads(value)
        with suppress(PlanError):
            differs = not same(CompiledPlan.from_dict(data), CompiledPlan.from_dict(edited))
            yield differs
            if differs:
                return


def test_every_node_type_has_a_rule_of_its_own() -> None:
    for name, type_ in all_node_types().items():
        own = rule_of(type_).__name__ not in ("unknown", "declared")
        assert own == type_.RUNNABLE, name
