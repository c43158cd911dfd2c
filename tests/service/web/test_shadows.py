"""Shadow runs of a pipeline, with a stand-in for `execute-plan`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from compiled_plan.plans.execution.shadow.report import Outcome
from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs.shadows import ShadowJob
from compiled_plan.service.workers.pool import Workers
from tests.service.web.conftest import PROGRAM
from tests.support.waiting import wait_until

#: The report after each round; without the file `$0` it waits, then it ends with its arguments.
REPORT = {"outcome": "equal", "rows_in": 30, "rounds": 2, "seconds": 4.5, "batch": 3, "tables": []}
WAITING = f"""
for last; do :; done
echo '{json.dumps({"seq": 1, "event": "shadow", "report": REPORT})}' > "$last"
trap 'exit 130' INT
while [ ! -e "$0" ]; do sleep 0.02; done
echo "{{\\"rows_in\\": 60, \\"seconds\\": 9, \\"arguments\\": \\"$*\\"}}"
"""
SHADOW = "/pipelines/shop/upgrade/shadow"


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def client(settings: Settings, workers: Workers, gate: Path) -> Iterator[TestClient]:
    app = application(settings, workers, ("/bin/sh", "-c", WAITING, str(gate)))
    with TestClient(app, base_url="http://127.0.0.1/api/v1", client=("127.0.0.1", 5000)) as client:
        client.post("/pipelines", json={"name": "shop"}).raise_for_status()
        client.post("/pipelines/shop/versions", json={"program": PROGRAM}).raise_for_status()
        yield client


def shadow(client: TestClient) -> dict[str, Any]:
    document: dict[str, Any] = client.get(SHADOW).json()
    return document


def test_a_shadow_run_has_a_report_so_far_and_a_result(client: TestClient, gate: Path) -> None:
    assert client.get(SHADOW).status_code == 404
    body = {"version": 1, "partial": True, "reset": ["join-1"], "rows": 60, "share": 30}
    begun = client.post(SHADOW, json=body)
    assert (begun.status_code, begun.json()["state"]) == (202, "running")
    wait_until(lambda: shadow(client)["so_far"] == REPORT, "the report")
    assert (shadow(client)["done"], shadow(client)["of"]) == (30, 60)
    assert client.post(SHADOW, json=body).status_code == 409
    gate.touch()
    wait_until(lambda: shadow(client)["state"] == "done", "the end")
    words = shadow(client)["result"]["arguments"].split()
    pairs = list(pairwise(words))
    assert {"--shadow", "--json"} <= set(words)
    for pair in (("--rows", "60"), ("--shadow-share", "30"), ("--reset", "join-1"), ("--upgrade", "migrate-partial")):
        assert pair in pairs


def test_an_ended_shadow_run_keeps_its_report(client: TestClient) -> None:
    client.post(SHADOW, json={"version": 1, "seconds": 9})
    wait_until(lambda: shadow(client)["done"] == 4, "the report")
    ended = client.delete(SHADOW).json()
    assert (ended["state"], ended["so_far"], ended["of"]) == ("cancelled", REPORT, 9)
    assert shadow(client)["so_far"] == REPORT


@pytest.mark.parametrize("extent", [{"share": 0}, {"rows": 0}, {"seconds": 10**9}], ids=str)
def test_an_extent_out_of_bounds_is_refused(client: TestClient, extent: dict[str, Any]) -> None:
    assert client.post(SHADOW, json={"version": 1, **extent}).status_code == 422


# ---- takeover

PROMOTE = f"{SHADOW}/promote"


def following(client: TestClient) -> None:
    """Begin a shadow that has compared, and follows the run."""
    client.post(SHADOW, json={"version": 1, "promote": True}).raise_for_status()
    wait_until(lambda: shadow(client)["follows"], "the report")


def test_a_shadow_may_correct_the_past(client: TestClient) -> None:
    client.post(SHADOW, json={"version": 1, "promote": True, "correct": True}).raise_for_status()
    assert shadow(client)["corrects"]


def test_a_shadow_takes_over_only_when_it_follows(client: TestClient, gate: Path) -> None:
    def refusal() -> str:
        answer = client.post(PROMOTE)
        assert answer.status_code == 409, answer.text
        return str(answer.json()["detail"])

    assert client.post(PROMOTE).status_code == 404
    client.post(SHADOW, json={"version": 1, "rows": 60, "promote": True})
    wait_until(lambda: shadow(client)["done"] == 30, "the report")
    assert "the shadow still compares" in refusal()
    assert client.get("/pipelines/shop/upgrade").json()["state"] == "none"
    client.delete(SHADOW)
    assert "no shadow follows the run" in refusal()


def test_a_shadow_that_does_not_promote_cannot_take_over(client: TestClient) -> None:
    client.post(SHADOW, json={"version": 1})
    wait_until(lambda: shadow(client)["so_far"] is not None, "the report")
    assert not shadow(client)["follows"]
    assert client.post(PROMOTE).status_code == 409


def test_a_difference_that_is_not_named_cannot_take_over(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ShadowJob, "outcome", Outcome.OTHERWISE)
    following(client)
    answer = client.post(PROMOTE)
    assert answer.status_code == 409
    assert "differs otherwise than the comparison of the plans names" in answer.json()["detail"]
    assert client.get("/pipelines/shop/upgrade").json()["state"] == "none"
    assert shadow(client)["state"] == "running"


def test_a_takeover_is_requested_once(client: TestClient) -> None:
    following(client)
    headers = {"Idempotency-Key": "k"}
    first = client.post(PROMOTE, headers=headers)
    assert (first.status_code, first.json()["state"], first.json()["to"]) == (200, "migrating", 1)
    assert [step["name"] for step in first.json()["steps"]] == ["stop", "promote", "run"]
    again = client.post(PROMOTE, headers=headers)
    assert again.json() == first.json() and again.headers["Idempotent-Replay"] == "true"
    # A second takeover is refused, and the first one goes on.
    assert client.post(PROMOTE).status_code == 409
    app: Any = client.app
    assert app.state.runs.shadows.last(1).takes_over
    client.delete(SHADOW)
