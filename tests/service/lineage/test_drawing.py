"""The drawing of the lineage across pipelines."""

from __future__ import annotations

from typing import Any

from compiled_plan.service.lineage.drawing import lineage_of


def use(name: str, *, shared: bool = True) -> dict[str, Any]:
    return {"namespace": "kafka://broker:9092", "name": name, "connector": "kafka", "shared": shared}


def test_a_shared_table_connects_pipelines_and_others_do_not() -> None:
    uses = {
        "clean": {"reads": [use("raw")], "writes": [use("orders"), use("out", shared=False)]},
        "totals": {"reads": [use("orders"), use("out", shared=False)], "writes": []},
    }
    lineage = lineage_of(uses, 3)
    tables = {(table.name, *table.written_by, *table.read_by) for table in lineage.tables}
    assert tables == {("raw", "clean"), ("orders", "clean", "totals"), ("out", "clean"), ("out", "totals")}
    rank = {node.words: node.rank for node in lineage.graph.nodes}
    assert (rank["raw"], rank["clean"], rank["orders"], rank["totals"]) == (0, 1, 2, 3)
    assert lineage.pending == 3


def test_a_cycle_is_drawn() -> None:
    uses = {
        "a": {"reads": [use("one")], "writes": [use("two")]},
        "b": {"reads": [use("two")], "writes": [use("one")]},
        "itself": {"reads": [use("three")], "writes": [use("three")]},
    }
    graph = lineage_of(uses).graph
    assert len(graph.edges) == 6
    assert len({(node.rank, node.order) for node in graph.nodes}) == len(graph.nodes)


def test_a_node_shows_the_end_of_a_name() -> None:
    reads = [use("/data/shop/orders"), use("clicks"), use("/returns/"), use("default_catalog.default_database.t")]
    nodes = lineage_of({"a": {"reads": reads, "writes": []}}).graph.nodes
    assert {node.words: node.table for node in nodes if node.kind == "table"} == {
        "shop/orders": "/data/shop/orders",
        "clicks": "clicks",
        "returns": "/returns/",
        "t": "default_catalog.default_database.t",
    }
