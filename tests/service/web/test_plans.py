from __future__ import annotations

from fastapi.testclient import TestClient


def test_the_graph_has_operators_with_positions(client: TestClient, orders: str) -> None:
    graph = client.get(f"pipelines/{orders}/versions/1/graph").json()
    assert {"source", "operator", "sink"} == {node["role"] for node in graph["nodes"]}
    assert {edge["from"] for edge in graph["edges"]} <= {node["id"] for node in graph["nodes"]}


def test_a_dry_run_shows_the_stages(client: TestClient, orders: str) -> None:
    stages = client.get(f"pipelines/{orders}/versions/1/stages").json()
    assert ("stage 2" in stages["text"], len(stages["stages"]), stages["version"]) == (True, 2, 1)


def test_versions_are_compared(client: TestClient, orders: str, program: str) -> None:
    new = program.replace("SUM(amount)", "MAX(amount)")
    assert client.post(f"pipelines/{orders}/versions", json={"program": new}).json()["verdict"] == "partial"
    diff = client.get(f"pipelines/{orders}/diff", params={"from": 1, "to": 2}).json()
    assert (diff["old"], diff["verdict"]) == ({"name": "orders/1", "kind": "plan", "refusals": []}, "partial")
    assert client.get(f"pipelines/{orders}/diff", params={"from": 1, "to": 3}).status_code == 404
    assert client.get(f"pipelines/{orders}/diff", params={"from": 1}).status_code == 422
