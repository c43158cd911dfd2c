"""The description of the API, and requests made from it."""

from __future__ import annotations

import os
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import schemathesis
import uvicorn
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from compiled_plan.service.app import application
from compiled_plan.service.settings import Limits, Settings
from compiled_plan.service.workers.pool import Workers
from tests.service.web.conftest import PROGRAM

#: What exists, for path parameters and headers.
KNOWN = {"name": ("orders", "other", "missing"), "number": (1, 2, 3), "id": (1, 2)}


def test_the_description_says_how_errors_are_answered(client: TestClient) -> None:
    found = client.get("openapi.json").json()
    assert found["components"]["schemas"]["Problem"]["required"] == ["title", "status", "detail"]
    operations = [each for path in found["paths"].values() for each in path.values()]
    assert all("422" not in each["responses"] and "4XX" in each["responses"] for each in operations)
    assert all(each["summary"] and each["description"] for each in operations)
    assert "HTTPValidationError" not in str(found)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, workers: Workers) -> Iterator[str]:
    """A served service with two pipelines."""
    limits = Limits(requests_per_minute=10**9, compile_seconds=20)
    app = application(Settings(home=tmp_path_factory.mktemp("served"), tokens=False, limits=limits), workers)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    base = f"http://127.0.0.1:{listening.getsockname()[1]}"
    with httpx2.Client(base_url=f"{base}/api/v1/", timeout=60) as client:
        for name in ("orders", "other"):
            assert client.post("pipelines", json={"name": name}).status_code == 201
            assert client.post(f"pipelines/{name}/versions", json={"program": PROGRAM}).status_code == 201
    yield base
    server.should_exit = True
    thread.join()


def ask(address: str, examples: int, seen: Counter[str]) -> None:
    """Ask every operation of the description so often; none is answered by an error of the service's own."""
    schema = schemathesis.openapi.from_url(f"{address}/api/v1/openapi.json")
    for found in schema.get_all_operations():
        ask_operation(found.ok(), address, examples, seen)


def ask_operation(operation: Any, address: str, examples: int, seen: Counter[str]) -> None:
    @seed(int(os.environ.get("SEED", "1")))
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(), data=st.data())
    def send(case: Any, data: st.DataObject) -> None:
        for name in case.path_parameters or {}:
            if name in KNOWN and data.draw(st.booleans()):
                case.path_parameters[name] = data.draw(st.sampled_from(KNOWN[name]))
        headers = {"If-Match": "*"} if data.draw(st.booleans()) else {}
        answer = case.call(base_url=address, headers=headers, timeout=60)
        seen[f"{operation.method.upper()} {operation.path}"] += 1
        seen[f"{answer.status_code // 100}xx"] += 1
        assert answer.status_code < 500, (case.as_curl_command(), answer.text)
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == ["application/problem+json"], answer.text
            assert answer.json()["status"] == answer.status_code

    send()


def test_no_request_of_the_description_breaks_the_service(address: str) -> None:
    seen: Counter[str] = Counter()
    ask(address, 8, seen)
    assert seen["2xx"] and seen["4xx"]


@pytest.mark.deep
def test_no_request_of_ten_thousand_breaks_the_service(address: str, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    operations = sum(len(path) for path in httpx2.get(f"{address}/api/v1/openapi.json").json()["paths"].values())
    wanted = int(os.environ.get("REQUESTS", "10000"))
    ask(address, wanted // operations + 1, seen)
    total = sum(count for name, count in seen.items() if name.endswith("xx"))
    print(f"{total} requests: {dict(seen)}")
    assert total >= wanted * 0.9
