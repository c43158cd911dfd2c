from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.registry import programs

SECRET = """
CREATE TABLE orders (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://h/d', 'table-name' = 't',
  'username' = 'me', 'password' = 'geheim');
CREATE TABLE copies (id INT) WITH ('connector' = 'print');
INSERT INTO copies SELECT id FROM orders;
"""


def test_the_first_version_is_in_force(client: TestClient, orders: str, program: str) -> None:
    pipeline = client.get(f"pipelines/{orders}").json()
    assert (pipeline["in_force"], pipeline["newest"]) == (1, 1)
    version = client.get(f"pipelines/{orders}/versions/1").json()
    assert (version["program"], version["comment"], version["kind"]) == (program, "first", "program")
    assert (version["stateful"], version["in_force"], version["created_by"]) == (2, True, "local")


def test_a_program_is_compiled_over_the_version_in_force(client: TestClient, orders: str, program: str) -> None:
    entry = client.get(f"pipelines/{orders}/versions/1/state").json()["state"][0]
    etag = client.get(f"pipelines/{orders}").headers["ETag"]
    edits = {"edits": [{"node": entry["uid"], "state": entry["entry"], "ttl": "3 d"}], "comment": "shorter"}
    edited = client.post(f"pipelines/{orders}/versions/1/ttl", json=edits, headers={"If-Match": etag})
    assert (edited.status_code, edited.json()["verdict"]) == (201, "full")
    new = program.replace("GROUP BY country", "WHERE amount > 1 GROUP BY country")
    added = client.post(f"pipelines/{orders}/versions", json={"program": new}).json()
    assert (added["version"]["number"], added["version"]["parent"], added["version"]["in_force"]) == (3, 2, False)
    assert added["verdict"] in ("partial", "incompatible")
    assert any("is kept as edited" in line for line in added["warnings"])
    entries = client.get(f"pipelines/{orders}/versions/3/state").json()["state"]
    assert (entry["uid"], "259200000 ms") in {(item["uid"], item["ttl"]) for item in entries} | {
        (item["uid"], "259200000 ms") for item in entries if item["ttl_ms"] == 259_200_000
    }


def test_an_uploaded_plan_is_returned_unchanged(client: TestClient, orders: str) -> None:
    text = client.get(f"pipelines/{orders}/versions/1/plan").text
    client.post("pipelines", json={"name": "copy"})
    added = client.post("pipelines/copy/versions", json={"plan": text})
    assert (added.status_code, added.json()["version"]["kind"]) == (201, "plan")
    assert client.get("pipelines/copy/versions/1/plan").text == text
    as_json = client.post("pipelines/copy/versions", json={"plan": json.loads(text)})
    assert (as_json.status_code, as_json.json()["verdict"]) == (201, "full")


def test_versions_are_paged_newest_first(client: TestClient, orders: str, program: str) -> None:
    for _ in range(2):
        assert client.post(f"pipelines/{orders}/versions", json={"program": program}).status_code == 201
    first = client.get(f"pipelines/{orders}/versions", params={"limit": 2}).json()
    assert [item["number"] for item in first["items"]] == [3, 2]
    rest = client.get(f"pipelines/{orders}/versions", params={"limit": 2, "cursor": first["cursor"]}).json()
    assert ([item["number"] for item in rest["items"]], rest["cursor"]) == ([1], "")
    assert len({item["plan_hash"] for item in [*first["items"], *rest["items"]]}) == 1


def test_another_version_is_put_in_force(client: TestClient, orders: str, program: str) -> None:
    client.post(f"pipelines/{orders}/versions", json={"program": program})
    etag = client.get(f"pipelines/{orders}").headers["ETag"]
    done = client.put(f"pipelines/{orders}/in-force", json={"version": 2}, headers={"If-Match": etag})
    assert (done.status_code, done.json()["in_force"]) == (200, 2)
    again = client.put(f"pipelines/{orders}/in-force", json={"version": 1}, headers={"If-Match": etag})
    assert again.status_code == 412
    missing = client.put(f"pipelines/{orders}/in-force", json={"version": 9}, headers={"If-Match": "*"})
    assert (missing.status_code, missing.json()["remedy"]) == (404, "the newest is 2; old ones may be removed")


def test_the_history_of_versions_in_force(client: TestClient, orders: str, program: str) -> None:
    client.post(f"pipelines/{orders}/versions", json={"program": program, "put_in_force": True})
    for version in (1, 1, 2):
        client.put(f"pipelines/{orders}/in-force", json={"version": version}, headers={"If-Match": "*"})
    first = client.get(f"pipelines/{orders}/in-force", params={"limit": 3}).json()
    assert [(item["version"], item["by"]) for item in first["items"]] == [(2, "local"), (1, "local"), (2, "local")]
    rest = client.get(f"pipelines/{orders}/in-force", params={"cursor": first["cursor"]}).json()
    assert ([item["version"] for item in rest["items"]], rest["cursor"]) == ([1], "")


def test_a_refused_program_adds_no_version(client: TestClient, orders: str) -> None:
    answer = client.post(f"pipelines/{orders}/versions", json={"program": "INSERT INTO nowhere SELECT 1"})
    problem = answer.json()
    assert (answer.status_code, "line 1" in problem["where"], bool(problem["remedy"])) == (422, True, True)
    assert client.get(f"pipelines/{orders}").json()["newest"] == 1


@pytest.mark.parametrize("body", [{}, {"program": "x", "file": "y"}, {"program": "x", "colour": 1}, {"plan": 5}])
def test_a_version_has_either_a_program_or_a_plan(body: dict[str, object], client: TestClient, orders: str) -> None:
    assert client.post(f"pipelines/{orders}/versions", json=body).status_code == 422


def test_the_same_request_adds_one_version(client: TestClient, orders: str, program: str) -> None:
    headers = {"Idempotency-Key": "k1"}
    first = client.post(f"pipelines/{orders}/versions", json={"program": program}, headers=headers)
    again = client.post(f"pipelines/{orders}/versions", json={"program": program}, headers=headers)
    assert (first.json(), again.headers["Idempotent-Replay"]) == (again.json(), "true")
    assert client.get(f"pipelines/{orders}").json()["newest"] == 2
    response = client.post(f"pipelines/{orders}/versions", json={"program": program + " "}, headers=headers)
    assert (response.status_code, response.json()["where"]) == (422, "Idempotency-Key")


def test_a_failed_request_may_be_sent_again(client: TestClient, orders: str) -> None:
    headers = {"Idempotency-Key": "k2"}
    answers = [
        client.post(f"pipelines/{orders}/versions", json={"program": "nonsense"}, headers=headers) for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [422, 422]


def test_secrets_are_masked_and_filled_in_again(client: TestClient) -> None:
    client.post("pipelines", json={"name": "db"})
    assert client.post("pipelines/db/versions", json={"program": SECRET}).status_code == 201
    shown = client.get("pipelines/db/versions/1").json()["program"]
    assert shown == SECRET.replace("geheim", "******")
    for path in ("plan", "graph", "state", "stages"):
        assert "geheim" not in client.get(f"pipelines/db/versions/1/{path}").text
    again = client.post("pipelines/db/versions", json={"program": shown + "-- more"})
    assert (again.status_code, again.json()["verdict"]) == (201, "full")
    versions = client.get("pipelines/db/versions").json()["items"]
    assert versions[0]["plan_hash"] == versions[1]["plan_hash"]


def test_secrets_in_options_are_masked_too(client: TestClient, orders: str, program: str) -> None:
    body = {"program": program, "options": {"my.password": "geheim"}, "put_in_force": True}
    assert client.post(f"pipelines/{orders}/versions", json=body).status_code == 201
    shown = client.get(f"pipelines/{orders}/versions/2")
    assert (shown.json()["options"], "geheim" in shown.text) == ({"my.password": "******"}, False)
    again = client.post(f"pipelines/{orders}/versions", json=body | {"options": shown.json()["options"]})
    assert again.status_code == 201
    unknown = client.post(f"pipelines/{orders}/versions", json=body | {"options": {"other.password": "******"}})
    assert (unknown.status_code, unknown.json()["where"]) == (422, "options")


def test_a_version_put_in_force_during_a_compilation_is_not_lost(
    client: TestClient, orders: str, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A TTL edit in between is kept: the program is compiled again over it."""
    entry = client.get(f"pipelines/{orders}/versions/1/state").json()["state"][0]
    edit = {"edits": [{"node": entry["uid"], "state": entry["entry"], "ttl": "3 d"}]}
    prepare, calls = programs.prepare, 0

    def slow(*arguments: Any, **options: Any) -> programs.Prepared:
        nonlocal calls
        calls += 1
        if calls == 1:
            client.post(f"pipelines/{orders}/versions/1/ttl", json=edit, headers={"If-Match": "*"})
        return prepare(*arguments, **options)

    monkeypatch.setattr(programs, "prepare", slow)
    body = {"program": program, "put_in_force": True}
    added = client.post(f"pipelines/{orders}/versions", json=body).json()["version"]
    assert (calls, added["number"], added["parent"]) == (2, 3, 2)
    assert client.get(f"pipelines/{orders}/versions/3/state").json()["state"][0]["ttl_ms"] == 259_200_000


def test_an_unknown_masked_value_is_refused(client: TestClient) -> None:
    client.post("pipelines", json={"name": "db"})
    answer = client.post("pipelines/db/versions", json={"program": SECRET.replace("geheim", "******")})
    assert (answer.status_code, answer.json()["remedy"]) == (422, "write the value")
