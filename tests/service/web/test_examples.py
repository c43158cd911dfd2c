"""Routes of examples: the change that is searched, and what they refuse."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import Mock

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.workers import test_jobs
from tests.support.waiting import wait_until


def ended(client: TestClient, body: dict[str, Any]) -> dict[str, Any]:
    begun = client.post("examples", json=body)
    assert begun.status_code == 202, begun.text
    id_ = begun.json()["id"]
    wait_until(lambda: client.get(f"examples/{id_}").json()["state"] not in ("waiting", "running"))
    document: dict[str, Any] = client.get(f"examples/{id_}").json()
    return document


RESULT = {"inputs": 30, "ended": 0, "examples": [{"parts": ["sink totals"], "test": "steps: []\n"}], "missing": []}


def test_a_search_compares_the_last_program_with_a_version_or_a_program(
    client: TestClient, orders: str, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[Any] = []

    def ask(request: bytes, seconds: float, progress: Any) -> Any:
        requests.append(json.loads(request))
        progress(RESULT)
        return {"result": 1}

    monkeypatch.setattr(test_jobs, "Worker", lambda *_: Mock(ask=ask))
    new = program.replace("SUM", "MAX")
    client.post(f"pipelines/{orders}/versions", json={"program": new}).raise_for_status()
    for change in ({"version": 2}, {"new": {"program": new}}):
        document = ended(client, {"pipeline": orders, **change})
        assert (document["state"], document["result"]) == ("done", RESULT), str(document)
    stored, compiled = (request["change"] for request in requests)
    assert stored == compiled and "$SUM$" in stored[0] and "$MAX$" in stored[1]
    assert [request["names"] for request in requests] == [
        ["orders/1.json", "orders/2.json"],
        ["orders/1.json", "orders/new.json"],
    ]


def test_a_search_needs_one_new_program_and_an_old_one(client: TestClient, orders: str, program: str) -> None:
    both = {"pipeline": orders, "version": 1, "new": {"program": program}}
    assert client.post("examples", json=both).status_code == 422
    assert client.post("examples", json={"pipeline": orders}).status_code == 422
    assert client.post("examples", json={"pipeline": orders, "version": 7}).status_code == 404
    client.post("pipelines", json={"name": "empty"})
    refused = client.post("examples", json={"pipeline": "empty", "new": {"program": program}})
    assert (refused.status_code, refused.json()["detail"]) == (404, "the pipeline has no program")
    assert client.get("examples/none").status_code == 404
    assert client.delete("examples/none").status_code == 404
