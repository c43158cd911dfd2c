"""Routes of tests: what they refuse, whose runs they show, and tests stored with versions."""

from __future__ import annotations

from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.workers import test_jobs
from tests.support.waiting import wait_until

TESTS = "steps: [{rows: {orders: [[1, ann, 2.5]]}}]"


def ended(client: TestClient, body: dict[str, Any]) -> dict[str, Any]:
    id_ = client.post("tests", json=body).json()["id"]
    wait_until(lambda: client.get(f"tests/{id_}").json()["state"] not in ("waiting", "running"))
    document: dict[str, Any] = client.get(f"tests/{id_}").json()
    return document


def test_results_are_those_of_the_process(client: TestClient, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = {"name": "t", "line": 0, "passed": True, "seconds": 0.1, "notes": [], "steps": [], "failure": []}

    def ask(request: bytes, seconds: float, progress: Any) -> Any:
        progress(result)
        return {"result": 1}

    monkeypatch.setattr(test_jobs, "Worker", lambda *_: Mock(ask=ask))
    document = ended(client, {"program": program, "tests": TESTS})
    assert (document["state"], document["tests"], document["results"]) == ("done", 1, [result])


def test_a_client_has_one_run_at_a_time(client: TestClient, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    end = Event()
    monkeypatch.setattr(test_jobs, "Worker", lambda *_: Mock(ask=lambda *_: end.wait() and {"result": 1}))
    body = {"program": program, "tests": TESTS}
    first = client.post("tests", json=body)
    refused = client.post("tests", json=body)
    assert (refused.status_code, refused.json()["detail"]) == (409, "tests run already")
    assert client.delete(f"tests/{first.json()['id']}").json()["state"] == "cancelled"
    second = client.post("tests", json=body)
    assert second.status_code == 202
    end.set()
    wait_until(lambda: client.get(f"tests/{second.json()['id']}").json()["state"] == "done")


def test_a_text_that_is_no_file_of_tests_fails_with_its_line(client: TestClient, program: str) -> None:
    document = ended(client, {"program": program, "tests": "tests:\n  - name: [}"})
    assert document["state"] == "failed"
    assert "not YAML" in document["message"]
    assert "line 2" in document["where"]


def test_names_of_the_tests_of_a_file(client: TestClient) -> None:
    tests = "tests: [{name: a, steps: [{end:}]}, {steps: [{end:}]}]"
    assert client.post("tests/names", json={"tests": tests}).json() == {"names": ["a", "test 2"]}
    refused = client.post("tests/names", json={"tests": "tests: ["})
    assert (refused.status_code, "not YAML" in refused.json()["detail"]) == (422, True)


def test_an_unknown_run_is_not_found(client: TestClient) -> None:
    assert client.get("tests/none").status_code == 404
    assert client.delete("tests/none").status_code == 404


def test_tests_are_stored_with_versions_and_inherited(client: TestClient, program: str) -> None:
    client.post("pipelines", json={"name": "p"})

    def added(**body: Any) -> str:
        number = client.post("pipelines/p/versions", json={"program": program, **body}).json()["version"]["number"]
        return str(client.get(f"pipelines/p/versions/{number}").json()["tests"])

    assert added() == ""
    assert added(tests=TESTS, put_in_force=True) == TESTS
    assert added() == TESTS
    assert added(tests="") == ""
    entry = client.get("pipelines/p/versions/2/state").json()["state"][0]
    edit = {"edits": [{"node": entry["uid"], "state": entry["entry"], "ttl": "3 d"}]}
    client.post("pipelines/p/versions/2/ttl", json=edit, headers={"if-match": "*"})
    assert client.get("pipelines/p/versions/5").json()["tests"] == TESTS
