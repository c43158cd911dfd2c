"""Permissions on runs, and details of runs that nobody sees."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from compiled_plan.service.access.roles import Role
from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Limits, Settings
from compiled_plan.service.workers.pool import Workers
from tests.service.access.conftest import Make, bearer
from tests.support.fake_runs import COMMAND, INSPECT
from tests.support.service import client_of
from tests.support.waiting import wait_until

PROGRAM = """
CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '5');
CREATE TABLE lines (id INT) WITH ('connector' = 'jdbc', 'table-name' = 'lines', 'username' = 'jane',
  'password' = 'geheim', 'url' = 'jdbc:postgresql://127.0.0.1:1/shop?sslpassword=in-url');
INSERT INTO lines SELECT id FROM numbers;
"""
CHANGES = ("run/start", "run/stop", "upgrade/migrate", "upgrade/rollback")
LOOKS = ("run", "run/history", "run/logs", "upgrade", "state", "run/progress?seconds=0")


@pytest.fixture
def app(settings: Settings, workers: Workers) -> FastAPI:
    return application(settings, workers, COMMAND, INSPECT)


@pytest.fixture
def operator(client: TestClient, make: Make) -> Iterator[dict[str, str]]:
    """The header of an operator; a pipeline exists, which is stopped at the end."""
    headers = bearer(make()[1])
    assert client.post("pipelines", json={"name": "shop"}, headers=headers).status_code == 201
    response = client.post("pipelines/shop/versions", json={"program": PROGRAM}, headers=headers)
    assert response.status_code == 201, response.text
    yield headers
    client.post("pipelines/shop/run/stop", headers=headers)
    wait_until(lambda: run(client, headers)["pid"] == 0, "a stop")


def run(client: TestClient, headers: dict[str, str]) -> dict[str, Any]:
    result: dict[str, Any] = client.get("pipelines/shop/run", headers=headers).json()
    return result


def start(client: TestClient, headers: dict[str, str], **conf: str) -> None:
    answer = client.post("pipelines/shop/run/start", json={"settings": {"conf": conf}}, headers=headers)
    assert answer.status_code == 200, answer.text


def test_permissions_of_each_role_on_runs(client: TestClient, make: Make, operator: dict[str, str]) -> None:
    for role in (Role.VIEWER, Role.EDITOR):
        headers = bearer(make(role)[1])
        for path in CHANGES:
            body = {"version": 1} if path.endswith("migrate") else {}
            answer = client.post(f"pipelines/shop/{path}", json=body, headers=headers)
            assert (answer.status_code, "role operator" in answer.text) == (403, True), (role, path)
        checked = client.post("pipelines/shop/upgrade/check", json={"version": 9}, headers=headers)
        assert checked.status_code == (403 if role is Role.VIEWER else 404)
        for path in LOOKS:
            assert client.get(f"pipelines/shop/{path}", headers=headers).status_code in (200, 404), (role, path)
    for path in LOOKS:
        assert client.get(f"pipelines/shop/{path}").status_code == 401, path
    assert run(client, operator)["number"] == 0


@pytest.mark.usefixtures("operator")
@pytest.mark.parametrize("path", ["preview", "tests/a", "pipelines/shop/run/tap"])
def test_only_editors_see_rows(client: TestClient, make: Make, path: str) -> None:
    body = {"node": 1, "program": "", "tests": "", "table": "t"}
    for role in (Role.VIEWER, Role.EDITOR):
        headers = bearer(make(role)[1])
        refused = [
            client.post(path.removesuffix("/a"), json=body, headers=headers).status_code == 403,
            client.get(path, headers=headers).status_code == 403,
            client.delete(path, headers=headers).status_code == 403,
        ]
        assert refused == [role is Role.VIEWER] * 3


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_cross_site_requests_cannot_start_or_stop_runs(
    headers: dict[str, str], client: TestClient, make: Make, operator: dict[str, str]
) -> None:
    secret = make()[1]
    with_cookie = client.post("session", json={"token": secret}).json()["csrf_token"]
    for path in CHANGES:
        for who in (operator, {"x-csrf-token": with_cookie}):
            answer = client.post(f"pipelines/shop/{path}", json={"version": 1}, headers={**who, **headers})
            assert answer.status_code == 403, path
        # A form on another site would send the cookie alone.
        assert client.post(f"pipelines/shop/{path}", json={"version": 1}).status_code == 403, path
    client.cookies.clear()
    assert run(client, operator)["number"] == 0


@pytest.mark.wide
def test_secrets_that_a_run_prints_are_not_shown(
    client: TestClient, operator: dict[str, str], settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    conf = {"fake.says": "secrets", "spark.hadoop.fs.s3a.secret.key": "of-spark", "fake.do": "crash"}
    start(client, operator, **conf)
    wait_until(lambda: run(client, operator)["state"] == "waiting", "a failure")
    lines = client.get("pipelines/shop/run/logs", headers=operator).json()["lines"]
    assert lines[:2] == ["it starts, password=******", "it connects with ****** and ****** and ******"]
    printed = next(settings.home.glob("runs/*/1/output/current")).read_text()
    assert "with geheim and in-url and of-spark" in printed, "the run did print it"
    everything = [
        client.get(f"pipelines{path}", headers=operator).text
        for path in ("", "/shop", *(f"/shop/{view}" for view in LOOKS), "/shop/versions/1", "/shop/versions/1/plan")
    ]
    everything += [caplog.text, client.get("metrics", headers=operator).text]
    for secret in ("geheim", "in-url", "of-spark"):
        assert not [text for text in everything if secret in text], secret
    run_state = run(client, operator)
    assert "the database does not answer with ****** and" in run_state["message"]
    assert run_state["settings"]["conf"]["spark.hadoop.fs.s3a.secret.key"] == "******"


@pytest.mark.wide
def test_masked_settings_keep_their_stored_values(
    client: TestClient, operator: dict[str, str], settings: Settings
) -> None:
    start(client, operator, **{"spark.hadoop.fs.s3a.secret.key": "of-spark", "fake.do": "finish"})
    wait_until(lambda: run(client, operator)["state"] == "finished", "the end")
    shown = run(client, operator)["settings"]
    assert client.post("pipelines/shop/run/start", json={"settings": shown}, headers=operator).status_code == 200
    wait_until(lambda: run(client, operator)["number"] == 2, "a start")
    assert "of-spark" in next(settings.home.glob("runs/*/2/spark.conf")).read_text()
    masked = {"settings": {"conf": {"spark.ssl.keyPassword": "******"}}}
    answer = client.post("pipelines/shop/run/start", json=masked, headers=operator)
    assert (answer.status_code, answer.json()["where"]) == (422, "conf")


@pytest.mark.wide
@pytest.mark.parametrize("name", ["../1", "..%2f..%2fservice.db", "%2e%2e", "shop%00", ".locks", "1"])
def test_paths_cannot_leave_their_folder(client: TestClient, operator: dict[str, str], name: str) -> None:
    for path in ("run", "run/logs", "run/history", "state", "upgrade"):
        answer = client.get(f"pipelines/{name}/{path}", headers=operator)
        assert answer.status_code in (404, 422), (path, answer.text)
    for number in ("../1", "-1", "0", "1/../../x", "1e3"):
        answer = client.get("pipelines/shop/run/logs", params={"run": number}, headers=operator)
        assert answer.status_code == 422, number
    assert client.get("pipelines/shop/run/logs", params={"run": 99}, headers=operator).json()["lines"] == []


def test_settings_cannot_inject_options(client: TestClient, operator: dict[str, str], tmp_path: Path) -> None:
    odd: list[dict[str, Any]] = [
        {"checkpoint": str(tmp_path)},
        {"master": "--conf"},
        {"conf": {"--progress-file": "/tmp/x"}},
        {"conf": {"a b": "c"}},
        {"trigger": "2s --rollback"},
        {"stop_within": "--prune"},
        {"launcher": "/bin/sh"},
        {"max_files_per_batch": "1 --rollback"},
    ]
    for settings in odd:
        answer = client.post("pipelines/shop/run/start", json={"settings": settings}, headers=operator)
        assert answer.status_code == 422, settings
    for option in ("reset", "warm_up"):
        body = {"version": 1, option: ["--rollback"]}
        assert client.post("pipelines/shop/upgrade/migrate", json=body, headers=operator).status_code == 422
    assert run(client, operator)["number"] == 0


def test_versions_that_are_no_longer_allowed_do_not_start(
    settings: Settings, workers: Workers, make: Make, tmp_path: Path
) -> None:
    wide = settings.model_copy(update={"data": (str(tmp_path / "data"),)})
    program = f"""
    CREATE TABLE a (id INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/data/a', 'format' = 'json');
    CREATE TABLE b (id INT) WITH ('connector' = 'print'); INSERT INTO b SELECT id FROM a;
    """
    headers = bearer(make()[1])
    with client_of(application(wide, workers, COMMAND)) as client:
        client.post("pipelines", json={"name": "shop"}, headers=headers)
        response = client.post("pipelines/shop/versions", json={"program": program}, headers=headers)
        assert response.status_code == 201, response.text
    with client_of(application(settings, workers, COMMAND)) as client:
        client.post("pipelines/shop/run/start", json={}, headers=headers)
        wait_until(lambda: run(client, headers)["state"] == "failed", "a refusal")
        run_state = run(client, headers)
        assert (run_state["number"], run_state["wanted"]) == (0, False)
        assert "not in an allowed folder" in run_state["message"] and "--data" in run_state["remedy"]


def test_size_and_rate_limits_apply_to_runs(settings: Settings, workers: Workers, make: Make) -> None:
    headers = bearer(make()[1])
    limits = Limits(request_bytes=1000, requests_per_minute=6)
    with client_of(application(settings.model_copy(update={"limits": limits}), workers, COMMAND)) as client:
        large = {"settings": {"conf": {"a": "x" * 2000}}}
        assert client.post("pipelines/shop/run/start", json=large, headers=headers).status_code == 413
        assert client.post("pipelines/shop/upgrade/migrate", json=large, headers=headers).status_code == 413
        codes = [client.get("pipelines/shop/run/logs", headers=headers).status_code for _ in range(9)]
    assert (codes[0], codes[-1]) == (404, 429)
