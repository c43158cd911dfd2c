"""The routes of runs and upgrades, with a stand-in for `execute-plan`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs.generations import generation_of
from compiled_plan.service.web.runs import thinned
from compiled_plan.service.workers.pool import Workers
from tests.support.fake_runs import COMMAND, INSPECT

PROGRAM = """
CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '5');
CREATE TABLE lines (id INT) WITH ('connector' = 'print');
INSERT INTO lines SELECT id FROM numbers;
"""


@pytest.fixture
def client(settings: Settings, workers: Workers) -> Iterator[TestClient]:
    app = application(settings, workers, COMMAND, INSPECT)
    with TestClient(app, base_url="http://127.0.0.1/api/v1", client=("127.0.0.1", 5000)) as client:
        assert client.post("/pipelines", json={"name": "shop"}).status_code == 201
        body = {"program": PROGRAM, "put_in_force": True}
        response = client.post("/pipelines/shop/versions", json=body)
        assert response.status_code == 201, response.text
        yield client
        client.post("/pipelines/shop/run/stop")
        until(lambda: client.get("/pipelines/shop/run").json()["pid"] == 0)


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def run(client: TestClient) -> dict[str, Any]:
    result: dict[str, Any] = client.get("/pipelines/shop/run").json()
    return result


def test_a_tap_of_a_run_is_opened_once_and_closed(client: TestClient) -> None:
    tap = "/pipelines/shop/run/tap"
    nodes = client.get("/pipelines/shop/versions/1/graph").json()["nodes"]
    source, sink = (next(node["id"] for node in nodes if node["role"] == role) for role in ("source", "sink"))
    assert client.post(tap, json={"node": sink}).status_code == 404
    client.post("/pipelines/shop/run/start", json={})
    until(lambda: run(client)["state"] == "running")
    assert client.get(tap).status_code == 404
    assert client.post(tap, json={"node": source, "input": 0}).status_code == 422
    opened = client.post(tap, json={"node": sink, "rows": 5})
    assert (opened.status_code, opened.json()["state"], opened.json()["of"]) == (202, "running", 5)
    assert client.post(tap, json={"node": sink}).status_code == 409
    assert client.delete(tap).json()["state"] == "done"
    client.post("/pipelines/shop/run/stop")
    until(lambda: run(client)["pid"] == 0)
    assert client.post(tap, json={"node": sink}).status_code == 409


def test_start_follow_and_stop(client: TestClient) -> None:
    assert (run(client)["state"], run(client)["number"]) == ("none", 0)
    key = {"Idempotency-Key": "one"}
    first = client.post("/pipelines/shop/run/start", json={"settings": {"trigger": "2s"}}, headers=key)
    assert first.status_code == 200, first.text
    again = client.post("/pipelines/shop/run/start", json={"settings": {"trigger": "2s"}}, headers=key)
    assert again.json() == first.json()
    until(lambda: client.get("/pipelines/shop").json()["rows_per_second"] is not None)
    assert (run(client)["number"], run(client)["settings"]["trigger"]) == (1, "2s")
    listed = client.get("/pipelines").json()["items"][0]
    assert (listed["state"], listed["version"], listed["lag"]) == ("running", 1, 3)
    points = client.get("/pipelines/shop/run/history", params={"hours": 1}).json()["points"]
    assert [point["batch"] for point in points] == list(range(len(points)))
    assert points[0]["operators"] == [
        {"uid": "join-1", "rowsIn": 10, "rowsOut": 5, "stateRows": 7, "stateBytes": 70},
    ]
    logs = client.get("/pipelines/shop/run/logs", params={"tail": 5}).json()
    assert logs["lines"] == ["it starts, password=******"]
    assert client.delete("/pipelines/shop", headers={"If-Match": "*"}).status_code == 409
    stopped = client.post("/pipelines/shop/run/stop")
    assert stopped.status_code == 200
    until(lambda: run(client)["state"] == "stopped")


@pytest.mark.wide
def test_an_upgrade(client: TestClient) -> None:
    body = {"program": PROGRAM.replace("SELECT id", "SELECT id + 1"), "put_in_force": False}
    assert client.post("/pipelines/shop/versions", json=body).status_code == 201
    client.post("/pipelines/shop/run/start", json={})
    until(lambda: client.get("/pipelines/shop").json()["rows_per_second"] is not None)
    assert client.get("/pipelines/shop/upgrade").json()["state"] == "none"
    assert client.post("/pipelines/shop/upgrade/rollback", json={}).status_code == 409
    moved = client.post("/pipelines/shop/upgrade/migrate", json={"version": 2, "partial": True})
    assert (moved.status_code, moved.json()["from"], moved.json()["to"]) == (200, 1, 2), moved.text
    seen: list[list[str]] = []
    until(lambda: steps_until_done(client, seen))
    assert seen[-1] == ["done"] * 4
    assert sorted(seen, key=lambda states: states.count("done")) == seen, "it only goes on"
    upgrade = client.get("/pipelines/shop/upgrade").json()
    assert [step["name"] for step in upgrade["steps"]] == ["stop", "read-state", "write-state", "run"]
    assert upgrade["steps"][1]["text"] == "the state of join-1 is read"
    assert (upgrade["done"], upgrade["of"], upgrade["can_roll_back"]) == (4, 4, True)
    assert client.get("/pipelines/shop").json()["in_force"] == 2
    assert client.post("/pipelines/shop/upgrade/rollback", json={}).status_code == 200
    until(lambda: client.get("/pipelines/shop/upgrade").json()["state"] == "rolled-back")
    assert client.get("/pipelines/shop").json()["in_force"] == 1
    back = client.get("/pipelines/shop/upgrade").json()["steps"]
    assert [(step["name"], step["state"]) for step in back] == [("stop", "done"), ("back", "done"), ("run", "done")]


def steps_until_done(client: TestClient, seen: list[list[str]]) -> bool:
    """Return True if an upgrade is done; records the states of its steps when they change."""
    upgrade = client.get("/pipelines/shop/upgrade").json()
    states = [step["state"] for step in upgrade["steps"]]
    if seen[-1:] != [states]:
        seen.append(states)
    return bool(upgrade["state"] == "done")


@pytest.mark.wide
def test_an_upgrade_that_is_refused_says_why(client: TestClient) -> None:
    body = {"program": PROGRAM.replace("SELECT id", "SELECT id + 1"), "put_in_force": False}
    assert client.post("/pipelines/shop/versions", json=body).status_code == 201
    client.post("/pipelines/shop/run/start", json={"settings": {"conf": {"fake.upgrade": "refuse"}}})
    until(lambda: client.get("/pipelines/shop").json()["rows_per_second"] is not None)
    client.post("/pipelines/shop/upgrade/migrate", json={"version": 2})
    until(lambda: client.get("/pipelines/shop/upgrade").json()["state"] == "refused")
    until(lambda: client.get("/pipelines/shop").json()["state"] == "running")
    upgrade = client.get("/pipelines/shop/upgrade").json()
    assert (upgrade["message"], upgrade["remedy"]) == ("the plan does not fit the checkpoint", "mend it")
    assert [step["state"] for step in upgrade["steps"]] == ["done", "failed", "waiting"]
    assert not upgrade["can_roll_back"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "changes",
    [
        {"trigger": "soon"},
        {"conf": {"--x": "y"}},
        {"master": "--deploy"},
        {"every": "0 s"},
        {"checkpoint": "/elsewhere"},
        {"launcher": "sh"},
    ],
    ids=json.dumps,
)
def test_settings_that_are_refused(client: TestClient, changes: dict[str, Any]) -> None:
    assert client.post("/pipelines/shop/run/start", json={"settings": changes}).status_code == 422
    assert run(client)["number"] == 0


@pytest.mark.wide
def test_options_of_a_start_apply_once(client: TestClient) -> None:
    start = {"settings": {"conf": {"fake.do": "clock"}, "every": "1 h"}}
    client.post("/pipelines/shop/run/start", json=start)
    until(lambda: run(client)["state"] == "failed")
    assert run(client)["message"].startswith("the clock has jumped")
    assert client.post("/pipelines/shop/run/start", json={"allow_clock_jump": True}).status_code == 200
    until(lambda: run(client)["state"] == "finished")
    client.post("/pipelines/shop/run/start", json={})
    until(lambda: run(client)["number"] == 3 and run(client)["state"] == "failed")


@pytest.mark.wide
def test_a_start_with_another_generation_of_the_checkpoint(client: TestClient, settings: Settings) -> None:
    client.post("/pipelines/shop/run/start", json={"adopt_generation": 9, "allow_clock_jump": True})
    until(lambda: run(client)["state"] == "failed")
    refused = run(client)
    assert (refused["wanted"], refused["message"]) == (False, "the generation cannot count")
    assert refused["remedy"] == "name one that is there"
    start = {"adopt_generation": 2, "allow_clock_jump": True, "settings": {"conf": {"fake.do": "clock"}}}
    assert client.post("/pipelines/shop/run/start", json=start).status_code == 200
    until(lambda: run(client)["state"] == "finished")
    assert run(client)["number"] == 3, "a process has the generation count, another one runs"
    assert generation_of(settings.home / "checkpoints" / "1") == 2


@pytest.mark.wide
def test_a_start_from_an_earlier_micro_batch(client: TestClient, settings: Settings) -> None:
    """A refused rewind starts nothing; one that succeeds is undone by a rollback."""
    finish = {"settings": {"conf": {"fake.do": "finish"}}}
    client.post("/pipelines/shop/run/start", json=finish)
    until(lambda: run(client)["state"] == "finished")
    checkpoint = settings.home / "checkpoints" / "1"
    client.post("/pipelines/shop/run/start", json={"rewind_to": "9"})
    until(lambda: run(client)["state"] == "failed")
    assert (run(client)["wanted"], run(client)["remedy"]) == (False, "choose one of these")
    assert generation_of(checkpoint) == 1
    assert client.post("/pipelines/shop/upgrade/rewind/check", json={"to": "9"}).status_code == 422
    assert client.post("/pipelines/shop/upgrade/rewind/check", json={"to": "1/57"}).json() == {"generation": 2}
    assert generation_of(checkpoint) == 1
    assert client.post("/pipelines/shop/run/start", json={"rewind_to": "1/57"}).status_code == 200
    until(lambda: run(client)["state"] == "finished")
    assert (generation_of(checkpoint), run(client)["number"]) == (2, 4)
    upgrade = client.get("/pipelines/shop/upgrade").json()
    assert (upgrade["state"], upgrade["steps"], upgrade["can_roll_back"]) == ("rewound", [], True)
    client.post("/pipelines/shop/upgrade/rollback").raise_for_status()
    until(lambda: client.get("/pipelines/shop/upgrade").json()["state"] == "rolled-back")
    assert generation_of(checkpoint) == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "options", [{"allow_clock_jump": True}, {"adopt_generation": 2}, {"rewind_to": "5"}], ids=json.dumps
)
def test_options_of_a_start_while_it_runs_or_is_upgraded(client: TestClient, options: dict[str, Any]) -> None:
    client.post("/pipelines/shop/run/start", json={})
    until(lambda: run(client)["pid"] != 0)
    refused = client.post("/pipelines/shop/run/start", json=options)
    assert (refused.status_code, refused.json()["remedy"]) == (409, "stop it first")
    client.post("/pipelines/shop/upgrade/migrate", json={"version": 1})
    refused = client.post("/pipelines/shop/run/start", json=options)
    assert refused.status_code == 409


@pytest.mark.parametrize(
    "options",
    [{"adopt_generation": 0}, {"allow_clock_jump": "always"}, {"adopt_generation": 1, "rewind_to": "5"}],
    ids=json.dumps,
)
def test_options_of_a_start_that_are_refused(client: TestClient, options: dict[str, Any]) -> None:
    assert client.post("/pipelines/shop/run/start", json=options).status_code == 422


def test_missing_runs_and_figures(client: TestClient) -> None:
    assert client.get("/pipelines/none/run").status_code == 404
    assert client.get("/pipelines/none/run/progress").status_code == 404
    assert client.get("/pipelines/shop/state").status_code == 404
    assert client.post("/pipelines/shop/run/start", json={"version": 9}).status_code == 409


def test_points_are_picked_evenly() -> None:
    points = [{"batch": number} for number in range(1501)]
    assert len(thinned(points, 600)) <= 600
    assert thinned(points, 600)[0] == {"batch": 0}
    assert thinned(points[:5], 600) == points[:5]
    assert thinned([], 600) == []


def test_metrics_are_served_for_prometheus(client: TestClient) -> None:
    client.post("/pipelines/shop/run/start", json={})
    until(lambda: client.get("/pipelines/shop").json()["rows_per_second"] is not None)
    response = client.get("http://127.0.0.1/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=")
    assert 'compiled_plan_pipeline_state{plan="shop",state="running"} 1.0' in response.text
    assert client.get("/metrics").text.splitlines()[0] == response.text.splitlines()[0]


def settings_of(client: TestClient, **settings: Any) -> int:
    return client.post("/pipelines/shop/run/start", json={"settings": settings}).status_code


def test_triggers(client: TestClient) -> None:
    for trigger in ("2s", "real-time", "real-time=2 min"):
        assert settings_of(client, trigger=trigger) == 200, trigger
    for trigger in ("real-time=", "real-time=soon", "real-time=0s", "realtime"):
        assert settings_of(client, trigger=trigger) == 422, trigger


def events(client: TestClient, **headers: str) -> list[tuple[int, dict[str, Any]]]:
    """The events of half a second: their ids and data."""
    answer = client.get("/pipelines/shop/run/progress", params={"seconds": 0.5}, headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream"), answer.text
    first, *events = answer.text.strip().split("\n\n")
    assert first == "retry: 2000"
    lines = [dict(line.split(": ", 1) for line in event.split("\n")) for event in events if event[0] != ":"]
    return [(int(line["id"]), json.loads(line["data"])) for line in lines]


@pytest.mark.wide
def test_events_resume_after_the_last_event_id(client: TestClient) -> None:
    assert events(client) == []
    client.post("/pipelines/shop/run/start", json={})
    until(lambda: client.get("/pipelines/shop").json()["rows_per_second"] is not None)
    live = events(client)
    assert len(live) >= 2
    assert [data["event"] for _, data in live] == ["batch"] * len(live)
    everything = events(client, **{"Last-Event-ID": "0"})
    numbers = [number for number, _ in everything]
    assert [data["batch"] for _, data in everything] == list(range(len(everything)))
    assert all(event in everything for event in live)
    seen = numbers[1]
    after = events(client, **{"Last-Event-ID": str(seen)})
    assert [number for number, _ in after][: len(numbers) - 2] == numbers[2:], "none twice, none left out"
    for odd in ("x", "-1", "1.5", ""):
        assert events(client, **{"Last-Event-ID": odd}), odd


@pytest.mark.wide
def test_state_queries_need_a_checkpoint(client: TestClient) -> None:
    assert client.get("/pipelines/shop/state").status_code == 404
    client.post("/pipelines/shop/run/start", json={"settings": {"conf": {"fake.do": "finish"}}})
    until(lambda: run(client)["state"] == "finished")
    assert client.get("/pipelines/shop/state").json() == {"version": 1, "state": {"operators": []}}
    for odd in ({"operator": "--checkpoint"}, {"key": "-x"}, {"what_if": "\0"}, {"key": ["a=1"] * 101}):
        assert client.get("/pipelines/shop/state", params=odd).status_code == 422, odd
