"""Previews, with a stand-in for the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.workers.pool import Workers
from tests.support.fake_runs import COMMAND, INSPECT
from tests.support.waiting import wait_until

#: Ends with a row that has its options when a file exists; fails for 7 rows, with its plan. `$0` is the file.
WAITING = """
for last; do :; done
echo '{"done": 3, "of": 100}' > "$last"
trap 'exit 130' INT
while [ ! -e "$0" ]; do sleep 0.02; done
case " $* " in *" --rows 7 "*) echo "error: refused: $(grep 's3cret' "$1")" >&2; exit 1 ;; esac
echo "{\\"columns\\": [{\\"name\\": \\"a\\", \\"type\\": \\"INT\\"}],
       \\"rows\\": [{\\"kind\\": \\"+I\\", \\"values\\": [\\"$*\\", null]}], \\"ended\\": \\"rows\\"}"
"""
ORDERS = """CREATE TABLE orders (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/shop',
  'table-name' = 'orders', 'username' = 'shop', 'password' = '{password}');
"""
SINK = "CREATE TABLE s (id INT) WITH ('connector' = 'print'); INSERT INTO s SELECT id FROM orders;\n"
PROGRAM = ORDERS.format(password="s3cret-word") + SINK


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def client(settings: Settings, workers: Workers, gate: Path) -> Iterator[TestClient]:
    command = ("/bin/sh", "-c", WAITING, str(gate))
    app = application(settings, workers, COMMAND, INSPECT, preview=command)
    with TestClient(app, base_url="http://127.0.0.1/api/v1", client=("127.0.0.1", 5000)) as client:
        yield client


@pytest.fixture
def shop(client: TestClient) -> str:
    """A pipeline whose program has a password."""
    client.post("/pipelines", json={"name": "shop"}).raise_for_status()
    client.post("/pipelines/shop/versions", json={"program": PROGRAM}).raise_for_status()
    return "shop"


@pytest.fixture
def nodes(client: TestClient, shop: str) -> dict[str, dict[str, Any]]:
    """The source and the sink of the pipeline in its graph."""
    graph = client.get(f"/pipelines/{shop}/versions/1/graph").json()
    return {node["role"]: node for node in graph["nodes"]}


def ended(client: TestClient) -> dict[str, Any]:
    def document() -> dict[str, Any]:
        job: dict[str, Any] = client.get("/preview").json()
        return job

    wait_until(lambda: document()["state"] != "running", "the end")
    return document()


def test_a_preview_has_progress_and_rows(client: TestClient, gate: Path) -> None:
    assert client.get("/preview").status_code == 404
    begun = client.post("/preview", json={"program": PROGRAM, "table": "orders"})
    assert (begun.status_code, begun.json()["state"]) == (202, "running")
    wait_until(lambda: client.get("/preview").json()["done"] == 3, "progress")
    assert client.post("/preview", json={"program": PROGRAM, "table": "orders"}).status_code == 409
    gate.touch()
    result = ended(client)["result"]
    assert (result["columns"], result["ended"]) == ([{"name": "a", "type": "INT"}], "rows")
    assert "--rows 100 --seconds 30.0" in result["rows"][0]["values"][0]
    assert result["rows"][0]["values"][1] is None


def test_a_preview_is_cancelled(client: TestClient) -> None:
    client.post("/preview", json={"program": PROGRAM, "cursor": 0})
    assert client.delete("/preview").json()["state"] == "cancelled"
    assert client.post("/preview", json={"program": PROGRAM, "cursor": 0}).status_code == 202
    client.delete("/preview")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("program", [None, ORDERS.format(password="******")])
def test_masked_secrets_are_restored_and_masked_in_errors(
    client: TestClient, shop: str, gate: Path, program: str | None
) -> None:
    gate.touch()
    client.post("/preview", json={"program": program, "over": shop, "table": "orders", "rows": 7}).raise_for_status()
    job = ended(client)
    assert job["state"] == "failed"
    assert "s3cret" not in str(job)
    assert "refused" in job["message"]
    assert "******" in job["message"]


def plan_of(client: TestClient, name: str) -> dict[str, Any]:
    """The plan of the first version, with its secrets."""
    plan: dict[str, Any] = json.loads(client.get(f"/pipelines/{name}/versions/1/plan").text)
    return json.loads(json.dumps(plan).replace("******", "s3cret-word"))  # type: ignore[no-any-return]


@pytest.mark.wide
@pytest.mark.parametrize("is_imported", [False, True])
def test_the_table_of_a_source_of_a_version(
    client: TestClient, shop: str, nodes: dict[str, dict[str, Any]], gate: Path, is_imported: bool
) -> None:
    gate.touch()
    assert [nodes[role]["readable"] for role in ("source", "sink")] == [True, False]
    if is_imported:
        client.post("/pipelines", json={"name": "imported"}).raise_for_status()
        body = {"plan": plan_of(client, shop)}
        client.post("/pipelines/imported/versions", json=body).raise_for_status()
        shop = "imported"
    # Another version is in force meanwhile.
    later = {"program": PROGRAM.replace("orders", "others"), "put_in_force": True}
    client.post(f"/pipelines/{shop}/versions", json=later).raise_for_status()
    question = {"over": shop, "version": 1, "node": nodes["source"]["id"]}
    assert client.post("/preview", json=question).status_code == 202
    assert ended(client)["result"]["ended"] == "rows"
    client.post("/preview", json=question | {"rows": 7}).raise_for_status()
    job = ended(client)
    # The plan that the command got is that of the table; its secrets are masked.
    assert ("s3cret" in str(job), "******" in job["message"]) == (False, True)
    assert "others" not in job["message"]


def test_nodes_that_cannot_be_read(client: TestClient, shop: str, nodes: dict[str, dict[str, Any]]) -> None:
    for body, status, said in (
        ({"node": nodes["sink"]["id"]}, 422, "print"),
        ({"node": 99}, 422, "no table to read"),
        ({"node": nodes["source"]["id"], "version": 9}, 404, "no version 9"),
        ({"node": nodes["source"]["id"], "program": PROGRAM}, 422, "leave the program out"),
    ):
        answer = client.post("/preview", json={"over": shop, **body})
        assert (answer.status_code, said in answer.text) == (status, True), answer.text
    client.post("/pipelines", json={"name": "empty"}).raise_for_status()
    assert client.post("/preview", json={"over": "empty", "node": 1}).status_code == 404


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"program": PROGRAM}, "exactly one of cursor, table and node"),
        ({"table": "orders"}, "give program, over, or both"),
        ({"program": PROGRAM, "table": "missing"}, "missing"),
        ({"program": ORDERS.format(password="******"), "table": "orders"}, "masked"),
        (
            {"program": "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'path' = '/etc', 'format' = 'raw')"}
            | {"table": "t"},
            "not in an allowed folder",
        ),
        ({"program": PROGRAM, "table": "orders", "rows": 1_000_000}, "rows"),
    ],
)
def test_refusals(client: TestClient, body: dict[str, Any], said: str) -> None:
    answer = client.post("/preview", json=body)
    assert answer.status_code == 422
    assert said in answer.text


TESTS = """tests:
- {name: some, set: {table.local-time-zone: Europe/Berlin}, steps: [{rows: {orders: [[1]]}}]}
- {name: none, steps: [{rows: {others: [[1]]}}]}
- {name: file, init: x.sql, steps: [{rows: {orders: [[1]]}}]}
"""


def test_rows_of_a_test_take_the_place_of_the_sources(client: TestClient, shop: str, gate: Path) -> None:
    gate.touch()
    stored = {"program": f"{PROGRAM}-- tested", "tests": TESTS, "put_in_force": True}
    client.post(f"/pipelines/{shop}/versions", json=stored).raise_for_status()
    for body in ({"over": shop}, {"program": PROGRAM, "tests": TESTS}):
        client.post("/preview", json={"table": "orders", "test": "some", **body}).raise_for_status()
        options = ended(client)["result"]["rows"][0]["values"][0]
        assert "--sample" in options and "tests.yaml --test=some" in options


@pytest.mark.wide
@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"test": "none", "tests": TESTS}, 422, "'none' has no rows for 'orders'"),
        ({"test": "file", "tests": TESTS}, 422, "`init` names files"),
        ({"test": "soem", "tests": TESTS}, 422, "no test 'soem'"),
        ({"test": "some", "tests": "tests: ["}, 422, "not YAML"),
        ({"test": "some"}, 404, "there are no tests"),
        ({"tests": TESTS}, 422, "name the test in `test`"),
    ],
)
def test_tests_without_rows_for_a_statement(client: TestClient, body: dict[str, str], status: int, said: str) -> None:
    answer = client.post("/preview", json={"program": PROGRAM, "table": "orders", **body})
    assert (answer.status_code, said in answer.text) == (status, True), answer.text


def test_a_node_has_no_rows_in_a_test(client: TestClient, shop: str) -> None:
    answer = client.post("/preview", json={"over": shop, "node": 1, "test": "some", "tests": TESTS})
    assert (answer.status_code, "a node has no rows in a test" in answer.text) == (422, True)
