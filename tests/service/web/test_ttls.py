from __future__ import annotations

from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs.glance import set_status
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.states import RunState
from tests.plans.execution.state.upgrade.checkpoints import started


def entries(client: TestClient, number: int = 1) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = client.get(f"pipelines/orders/versions/{number}/state").json()["state"]
    return entries


def edit(client: TestClient, ttl: object, etag: str | None = None, state: object = None) -> Any:
    entry = entries(client)[0]
    tag = etag if etag is not None else client.get("pipelines/orders").headers["ETag"]
    body = {"edits": [{"node": entry["uid"], "state": entry["entry"] if state is None else state, "ttl": ttl}]}
    return client.post("pipelines/orders/versions/1/ttl", json=body, headers={"If-Match": tag})


def test_an_edit_is_a_version_that_differs_in_the_ttl_alone(client: TestClient, orders: str) -> None:
    answer = edit(client, "3 d")
    assert answer.status_code == 201
    version = answer.json()["version"]
    assert (version["kind"], version["parent"], version["in_force"]) == ("ttl-edit", 1, True)
    before, after = (client.get(f"pipelines/orders/versions/{n}/plan").text.splitlines() for n in (1, 2))
    assert len([pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]) == 1
    diff = client.get("pipelines/orders/diff", params={"from": 1, "to": 2}).json()
    assert (diff["verdict"], [operator["change"] for operator in diff["operators"]].count("ttlChanged")) == ("full", 1)


def test_a_state_entry_may_be_named_by_its_input(client: TestClient, orders: str) -> None:
    assert edit(client, "3 d", state=0).status_code == 201
    assert entries(client, 2)[0]["ttl_ms"] == 259_200_000


def test_the_second_of_two_edits_of_one_version_is_refused(client: TestClient, orders: str) -> None:
    tag = client.get("pipelines/orders").headers["ETag"]
    assert [edit(client, ttl, tag).status_code for ttl in ("3 d", "4 d")] == [201, 412]


def test_an_upgrade_is_compared_with_the_running_state(
    client: TestClient, orders: str, program: str, settings: Settings
) -> None:
    held = CompiledPlan.from_json(client.get("pipelines/orders/versions/1/plan").text)
    started(settings.home / "checkpoints/1", held)
    assert edit(client, "20 s").json()["version"]["in_force"]
    compiled = client.post("compile", json={"program": program, "over": "orders"}).json()["diff"]
    before = entries(client, 1)[0]["ttl_ms"]
    for diff in (compiled, client.get("pipelines/orders/diff", params={"to": 2}).json()):
        assert diff["old"] == {"name": "orders/checkpoint", "kind": "checkpoint", "refusals": []}
        edits = [(ttl["oldMs"], ttl["newMs"]) for operator in diff["operators"] for ttl in operator["ttls"]]
        assert edits == [(before, 20_000)]


def test_without_a_checkpoint_an_upgrade_is_compared_with_the_version_that_runs(
    client: TestClient, orders: str
) -> None:
    with cast(FastAPI, client.app).state.parts.database.write() as session:
        set_status(session, pipelines.find(session, "orders"), RunState.RUNNING, 1)
    assert edit(client, "20 s").json()["version"]["in_force"]
    diff = client.get("pipelines/orders/diff", params={"to": 2}).json()
    assert (diff["old"]["name"], diff["same"]) == ("orders/1", False)


def test_an_edit_of_another_version_is_compared_with_the_one_in_force(
    client: TestClient, orders: str, program: str
) -> None:
    body = {"program": program.replace("SUM(amount)", "MAX(amount)"), "put_in_force": True}
    assert client.post("pipelines/orders/versions", json=body).status_code == 201
    assert edit(client, "3 d").json()["verdict"] != "full"


def test_an_edit_requires_the_etag_of_its_version(client: TestClient, orders: str) -> None:
    body = {"edits": [{"node": 1, "state": "x", "ttl": "1 d"}]}
    answer = client.post("pipelines/orders/versions/1/ttl", json=body)
    assert (answer.status_code, answer.json()["where"]) == (428, "If-Match")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("change", "message"),
    [({"ttl": "soon"}, "soon"), ({"state": "leftsState"}, "no state entry"), ({"node": "nowhere"}, "no node")],
)
def test_a_wrong_edit_is_reported_by_the_check_and_refused(
    change: dict[str, str], message: str, client: TestClient, orders: str
) -> None:
    entry = entries(client)[0]
    good = {"node": entry["uid"], "state": entry["entry"], "ttl": "2 d"}
    body = {"edits": [good, good | change]}
    check = client.post("pipelines/orders/versions/1/ttl/check", json=body).json()
    assert (check["valid"], [problem["edit"] for problem in check["problems"]], len(check["changes"])) == (
        False,
        [1],
        1,
    )
    assert message in check["problems"][0]["message"]
    refused = client.post("pipelines/orders/versions/1/ttl", json=body, headers={"If-Match": "*"})
    assert (refused.status_code, message in refused.json()["detail"]) == (422, True)
    assert client.get("pipelines/orders").json()["newest"] == 1


def test_doubtful_edits_are_reported(client: TestClient, orders: str) -> None:
    entry = entries(client)[0]
    body = {"edits": [{"node": entry["node"], "state": entry["entry"], "ttl": "5"}]}
    check = client.post("pipelines/orders/versions/1/ttl/check", json=body).json()
    assert (check["valid"], bool(check["changes"][0]["doubt"])) == (True, True)
