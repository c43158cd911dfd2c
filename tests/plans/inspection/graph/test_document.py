from __future__ import annotations

import time

import pytest

from compiled_plan.plans.inspection.graph import graph_of
from compiled_plan.plans.plan import CompiledPlan
from tests.support.plan_files import CONFORMANCE, name_of, text_of


def test_exchanges_are_what_edges_say() -> None:
    plan = CompiledPlan.from_json(text_of("join/state_ttl_hint_join"))
    graph = graph_of(plan)
    assert {node.kind for node in graph.nodes} == {node.kind for node in plan.nodes} - {"exchange"}
    (join,) = (node for node in graph.nodes if node.kind == "join")
    into = sorted((edge for edge in graph.edges if edge.target == join.id), key=lambda edge: edge.port)
    assert [edge.port for edge in into] == [0, 1]
    assert all(edge.exchange == f"by {', '.join(join.keys[edge.port].columns)}" for edge in into)
    shown = graph.model_dump(mode="json")["edges"][0]
    assert {"from", "to", "port", "exchange", "changelog", "via"} == set(shown)


def test_state_with_its_ttls() -> None:
    plan = CompiledPlan.from_json(text_of("join/state_ttl_hint_join"))
    (join,) = (node for node in graph_of(plan).nodes if node.kind == "join")
    entries = plan.node(join.id).ttl_entries
    assert [(entry.index, entry.name, entry.ttl, entry.ttl_ms) for entry in join.state] == [
        (entry.index, entry.name, entry.ttl, entry.ttl_ms) for entry in entries
    ]
    assert join.uid
    assert all(entry.of and entry.effective_ttl for entry in join.state)


@pytest.mark.parametrize(
    ("name", "kind", "keys"),
    [
        ("aggregate/agg_over_agg", "sink", [(0, ["cnt"])]),
        ("changelog_normalize/maxwell_duplicates_join", "join", [(0, ["id"]), (1, ["name"])]),
        ("deduplicate/dedup_then_join", "deduplicate", [(0, ["order_id"])]),
        ("join/multi_join_same_key", "multi-join", [(0, ["uid"])]),
    ],
)
def test_unique_keys_of_inputs(name: str, kind: str, keys: list[tuple[int, list[str]]]) -> None:
    drawn = graph_of(CompiledPlan.from_json(text_of(name))).nodes
    assert keys in [[(key.input, key.columns) for key in node.upsert_keys] for node in drawn if node.kind == kind]


@pytest.mark.slow
@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.wide)])
def test_every_plan_can_be_drawn(step: int) -> None:
    """One plan in eight, and all in `make test-wide`."""
    for name in map(name_of, CONFORMANCE[::step]):
        plan = CompiledPlan.from_json(text_of(name))
        begin = time.process_time()
        graph = graph_of(plan)
        assert time.process_time() - begin < 2, name
        ids = {node.id for node in graph.nodes}
        assert ids == {node.id for node in plan.nodes if node.kind != "exchange"}
        assert all({edge.source, edge.target} <= ids for edge in graph.edges)
        assert all(node.words and node.description and len(node.columns) for node in graph.nodes), name
        assert all(bool(node.table) == (node.kind in ("table-source-scan", "sink")) for node in graph.nodes), name
        places = [(node.rank, node.order) for node in graph.nodes]
        assert len(set(places)) == len(places)


def test_passwords_are_hidden() -> None:
    text = text_of("pipelines/web_shop").replace('"books"', '"password=hunter2"')
    shown = graph_of(CompiledPlan.from_json(text)).model_dump_json()
    assert "password=***" in shown
    assert "hunter2" not in shown


@pytest.mark.wide
@pytest.mark.slow
def test_descriptions_of_flink_are_not_read() -> None:
    for name in map(name_of, CONFORMANCE):
        plan = CompiledPlan.from_json(text_of(name))
        described = [node.model_copy(update={"description": "Calc(select=[x], where=[y])"}) for node in plan.nodes]
        assert graph_of(plan.with_nodes(described)) == graph_of(plan), name


def test_operators_without_state_are_summarized_by_their_fields() -> None:
    nodes = graph_of(CompiledPlan.from_json(text_of("pipelines/web_shop"))).nodes
    assert {
        ("calc", "((category = 'books') OR (price > 50))"),
        ("calc", "order_id, price, order_time, CAST(currency AS STRING) AS currency0"),
        ("correlate", "UNNEST_ROWS(items)"),
        ("watermark-assigner", "update_time: update_time"),
        ("drop-update-before", "currency, rate, update_time"),
        ("local-window-aggregate", "category, $e, SUM(price), COUNT(DISTINCT user_id)"),
        ("sink", "filesystem, json"),
    } <= {(node.kind, node.description) for node in nodes}
