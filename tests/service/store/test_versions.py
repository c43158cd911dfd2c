"""The registry in both databases, with concurrent requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.workers.pool import Workers
from tests.support.service import client_of, database_in

PROGRAM = """
CREATE TABLE orders (id INT, v INT) WITH ('connector' = 'datagen');
CREATE TABLE sums (id INT, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'print');
INSERT INTO sums SELECT id, SUM(v) FROM orders GROUP BY id;
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def client(request: pytest.FixtureRequest, settings: Settings, workers: Workers) -> Iterator[TestClient]:
    if request.param == "postgresql":
        url = database_in(request.getfixturevalue("postgres"), f"service_{uuid4().hex}")
        settings = settings.model_copy(update={"database": url})
    with client_of(application(settings, workers)) as client:
        yield client


@pytest.fixture
def orders(client: TestClient) -> str:
    assert client.post("pipelines", json={"name": "orders"}).status_code == 201
    assert client.post("pipelines/orders/versions", json={"program": PROGRAM}).status_code == 201
    return "orders"


def at_once(count: int, send: object) -> list[int]:
    """The statuses of this many concurrent requests."""
    codes: list[int] = []
    gate = threading.Barrier(count)

    def work() -> None:
        gate.wait()
        codes.append(send().status_code)  # type: ignore[operator]

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(codes)


@pytest.mark.wide
def test_concurrently_added_versions_have_different_numbers(client: TestClient, orders: str) -> None:
    body = {"program": PROGRAM}
    assert at_once(6, lambda: client.post(f"pipelines/{orders}/versions", json=body)) == [201] * 6
    items = client.get(f"pipelines/{orders}/versions").json()["items"]
    assert [item["number"] for item in items] == [7, 6, 5, 4, 3, 2, 1]


@pytest.mark.wide
def test_one_of_several_concurrent_edits_succeeds(client: TestClient, orders: str) -> None:
    entry = client.get(f"pipelines/{orders}/versions/1/state").json()["state"][0]
    tag = client.get(f"pipelines/{orders}").headers["ETag"]
    body = {"edits": [{"node": entry["uid"], "state": entry["entry"], "ttl": "3 d"}]}
    path = f"pipelines/{orders}/versions/1/ttl"
    assert at_once(5, lambda: client.post(path, json=body, headers={"If-Match": tag})) == [201] + [412] * 4
    assert client.get(f"pipelines/{orders}").json()["newest"] == 2


def test_one_of_several_equal_concurrent_requests_is_executed(client: TestClient, orders: str) -> None:
    headers = {"Idempotency-Key": "k"}
    body = {"program": PROGRAM}
    codes = at_once(5, lambda: client.post(f"pipelines/{orders}/versions", json=body, headers=headers))
    assert set(codes) <= {201, 409} and 201 in codes
    assert client.get(f"pipelines/{orders}").json()["newest"] == 2


def test_concurrent_creations_of_one_name(client: TestClient) -> None:
    assert at_once(5, lambda: client.post("pipelines", json={"name": "orders"})) == [201] + [409] * 4


def test_lists_and_removal(client: TestClient, orders: str) -> None:
    client.post("pipelines", json={"name": "b"})
    page = client.get("pipelines", params={"q": "ORD", "limit": 1}).json()
    assert ([item["name"] for item in page["items"]], page["counts"]) == (["orders"], {"none": 2})
    assert client.delete(f"pipelines/{orders}", headers={"If-Match": "*"}).status_code == 204
    assert client.get("pipelines").json()["total"] == 1


def test_text_that_no_database_stores_is_a_client_error(client: TestClient) -> None:
    for path in ("pipelines?q=%00", "pipelines/%00", "pipelines/a%00/versions", "pipelines?q=%ed%a0%80"):
        assert client.get(path).status_code in (200, 404, 422), path
