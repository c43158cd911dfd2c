"""The OpenAPI description, and requests generated from it."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
import schemathesis
import uvicorn
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Limits, Settings
from compiled_plan.service.workers.pool import Workers
from tests.service.web.conftest import PROGRAM
from tests.support.fake_runs import INSPECT, QUICK_COMMAND
from tests.support.service import ending_runs

#: Existing resources, for path parameters and headers.
KNOWN = {"name": ("orders", "other", "missing"), "number": (1, 2, 3), "id": (1, 2)}


def test_the_description_declares_error_answers(client: TestClient) -> None:
    description = client.get("openapi.json").json()
    assert description["components"]["schemas"]["Problem"]["required"] == ["title", "status", "detail"]
    operations = [operation for path in description["paths"].values() for operation in path.values()]
    assert all("422" not in operation["responses"] and "4XX" in operation["responses"] for operation in operations)
    assert all(operation["summary"] and operation["description"] for operation in operations)
    assert "HTTPValidationError" not in str(description)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, workers: Workers) -> Iterator[str]:
    """A served service with two pipelines."""
    limits = Limits(requests_per_minute=10**9, compile_seconds=20)
    home = tmp_path_factory.mktemp("served")
    app = application(Settings(home=home, tokens=False, limits=limits), workers, QUICK_COMMAND, INSPECT)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    with ending_runs(home):
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def prepare(address: str) -> dict[str, Any]:
    """Ensure that two pipelines with a version exist; the plan of one."""
    with httpx2.Client(base_url=f"{address}/api/v1/", timeout=60) as client:
        for name in ("orders", "other"):
            if client.post("pipelines", json={"name": name}).status_code == 201:
                assert client.post(f"pipelines/{name}/versions", json={"program": PROGRAM}).status_code == 201
        plan: dict[str, Any] = client.get("pipelines/orders/versions/1/plan").json()
        return plan


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2**40) | st.text(max_size=5) | st.sampled_from(["1 d", "JOIN", "INT"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def changed(draw: st.DrawFn, plan: dict[str, Any]) -> dict[str, Any]:
    """A plan with some values changed or removed."""
    copied: dict[str, Any] = json.loads(json.dumps(plan))
    for _ in range(draw(st.integers(0, 3))):
        place: Any = copied
        while isinstance(place, dict | list) and place:
            key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
            inner = place[key]
            if isinstance(inner, dict | list) and inner and draw(st.integers(0, 9)):
                place = inner
                continue
            if draw(st.booleans()):
                del place[key]
            else:
                place[key] = draw(JSON)
            break
    return copied


@st.composite
def rewritten(draw: st.DrawFn) -> str:
    """A program with some words changed or removed."""
    words = PROGRAM.split(" ")
    for _ in range(draw(st.integers(0, 3))):
        words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(["", "(", "'", "NULL", "SELECT", "0", "💥"]))
    return " ".join(words)


@st.composite
def started(draw: st.DrawFn, path: str, body: Any) -> Any:
    """A start or an upgrade that may succeed; or unchanged, but without spark-submit."""
    if draw(st.integers(0, 3)):
        number = {"version": draw(st.integers(1, 3))}
        if path.endswith("migrate"):
            return number
        does = draw(st.sampled_from(["run", "finish", "crash", "refuse"]))
        return {**(number if draw(st.booleans()) else {}), "settings": {"conf": {"fake.do": does}}}
    if isinstance(body, dict) and isinstance(body.get("settings"), dict):
        body["settings"].pop("launcher", None)
    return body


def ask(address: str, examples: int, seen: Counter[str]) -> None:
    """Send generated requests to every operation; none is answered with a 5xx status."""
    schema = schemathesis.openapi.from_url(f"{address}/api/v1/openapi.json")
    for operation in schema.get_all_operations():
        ask_operation(operation.ok(), address, examples, seen, prepare(address))


def ask_operation(operation: Any, address: str, examples: int, seen: Counter[str], plan: dict[str, Any]) -> None:
    @seed(int(os.environ.get("SEED", "1")))
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(), data=st.data())
    def send(case: Any, data: st.DataObject) -> None:
        for name in case.path_parameters or {}:
            if name in KNOWN and data.draw(st.booleans()):
                case.path_parameters[name] = data.draw(st.sampled_from(KNOWN[name]))
        if operation.path.endswith(("/compile", "/validate", "/versions")) and data.draw(st.integers(0, 3)):
            is_plan = operation.path.endswith("/validate") or data.draw(st.booleans())
            body = {"plan": data.draw(changed(plan))} if is_plan else {"program": data.draw(rewritten())}
            case.body = body if operation.method == "post" else case.body
        if operation.path.endswith("/run/progress"):
            case.query["seconds"] = data.draw(st.sampled_from([0, 0.1]))  # else it runs until the client disconnects
        if operation.path.endswith(("/run/start", "/upgrade/migrate")):
            case.body = data.draw(started(operation.path, case.body))
        headers = {"If-Match": "*"} if data.draw(st.booleans()) else {}
        answer = case.call(base_url=address, headers=headers, timeout=60)
        seen[f"{operation.method.upper()} {operation.path}"] += 1
        seen[f"{answer.status_code // 100}xx"] += 1
        assert answer.status_code < 500, (case.as_curl_command(), answer.text)
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == ["application/problem+json"], answer.text
            assert answer.json()["status"] == answer.status_code

    send()


@pytest.mark.wide
@pytest.mark.slow
def test_no_request_of_the_description_breaks_the_service(address: str) -> None:
    seen: Counter[str] = Counter()
    ask(address, 3, seen)
    assert seen["2xx"] and seen["4xx"]


@pytest.mark.deep
def test_no_request_of_ten_thousand_breaks_the_service(address: str) -> None:
    seen: Counter[str] = Counter()
    operations = sum(len(path) for path in httpx2.get(f"{address}/api/v1/openapi.json").json()["paths"].values())
    wanted = int(os.environ.get("REQUESTS", "10000"))
    # Operations without parameters are requested once or twice.
    ask(address, wanted * 5 // 4 // operations, seen)
    total = sum(count for name, count in seen.items() if name.endswith("xx"))
    print(f"{total} requests: {dict(seen)}")
    assert total >= wanted
