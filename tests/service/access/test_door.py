from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from compiled_plan.service.access.roles import Role
from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Limits, Settings
from compiled_plan.service.web.depends import role_of
from compiled_plan.service.workers.pool import Workers
from tests.service.access.conftest import Make, bearer
from tests.support.service import client_of

#: Routes that are no GET but change nothing, or only end the caller's own session.
_JOB = "/pipelines/{name}/state/job"
HARMLESS = {
    ("POST", "/pipelines/{name}/versions/{number}/ttl/check"),
    ("DELETE", "/session"),
    ("POST", _JOB),
    ("DELETE", _JOB),
}
OPEN = {("GET", "/health"), ("POST", "/session")}


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Method and path of every route of the API, from its description."""
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            yield method.upper(), path.removeprefix("/api/v1")


def filled(path: str) -> str:
    return path.replace("{name}", "orders").replace("{number}", "1").replace("{id}", "1").lstrip("/")


def test_every_route_but_two_needs_a_token(app: FastAPI, client: TestClient) -> None:
    guarded = set(routes(app)) - OPEN
    assert len(guarded) > 15
    for method, path in guarded:
        answer = client.request(method, filled(path), json={})
        assert (answer.status_code, answer.headers.get("www-authenticate")) == (401, "Bearer"), (method, path)


def test_a_viewer_changes_nothing(app: FastAPI, client: TestClient, make: Make) -> None:
    _, secret = make(Role.VIEWER)
    for method, path in set(routes(app)) - OPEN - HARMLESS:
        if method != "GET":
            answer = client.request(method, filled(path), json={}, headers=bearer(secret))
            assert answer.status_code in (403, 422), (method, path)
    assert client.post("pipelines", json={"name": "a"}, headers=bearer(secret)).status_code == 403
    assert client.get("pipelines", headers=bearer(secret)).status_code == 200


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("method", "path", "needed"),
    [
        ("POST", "pipelines", Role.EDITOR),
        ("PATCH", "pipelines/orders", Role.EDITOR),
        ("PUT", "pipelines/orders/in-force", Role.EDITOR),
        ("POST", "pipelines/orders/versions", Role.EDITOR),
        ("POST", "pipelines/orders/versions/1/ttl", Role.EDITOR),
        ("POST", "compile", Role.EDITOR),
        ("POST", "validate", Role.EDITOR),
        ("DELETE", "pipelines/orders", Role.OPERATOR),
        ("GET", "tokens", Role.OPERATOR),
        ("POST", "tokens", Role.OPERATOR),
        ("DELETE", "tokens/1", Role.OPERATOR),
        ("GET", "pipelines", Role.VIEWER),
        ("GET", "me", Role.VIEWER),
    ],
)
def test_permissions_of_each_role(method: str, path: str, needed: Role, client: TestClient, make: Make) -> None:
    bodies = {
        "pipelines": {"name": "orders"},
        "pipelines/orders/in-force": {"version": 1},
        "pipelines/orders/versions": {"program": "SELECT 1"},
        "pipelines/orders/versions/1/ttl": {"edits": [{"node": 1, "state": 0, "ttl": "1 d"}]},
        "compile": {"program": "SELECT 1"},
        "validate": {"plan": {}},
        "tokens": {"name": "x", "role": "viewer"},
    }
    for role in Role:
        _, secret = make(role)
        headers = bearer(secret) | {"If-Match": "*"}
        answer = client.request(method, path, json=bodies.get(path, {}), headers=headers)
        assert (answer.status_code == 403) is not role.may(needed), (role, answer.text)
        if answer.status_code == 403:
            assert f"role {needed.value}" in answer.json()["detail"]


def test_invalid_tokens_are_refused(client: TestClient, make: Make) -> None:
    id_, secret = make()
    _, ended = make(days=-1)
    forged_secret = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    forged = [
        forged_secret,
        secret + "x",
        secret[:20],
        "plansvc_",
        "' OR 1=1 --",
        "first",
        "x" * 10_000,
        ended,
        f"{secret} {secret}",
    ]
    for token in forged:
        assert client.get("me", headers=bearer(token)).status_code == 401, token
    for header in (f"Basic {secret}", secret, "Bearer", f"Bearer{secret}"):
        assert client.get("me", headers={"Authorization": header}).status_code == 401, header
    assert client.get("me", params={"token": secret}).status_code == 401
    assert client.get("me", headers=bearer(secret)).json()["token"] == id_


def test_a_revoked_token_is_refused_at_once(client: TestClient, make: Make) -> None:
    (_, operator), (id_, secret) = make(), make(Role.EDITOR)
    assert client.get("me", headers=bearer(secret)).status_code == 200
    assert client.delete(f"tokens/{id_}", headers=bearer(operator)).status_code == 204
    assert client.get("me", headers=bearer(secret)).status_code == 401


def test_tokens_and_passwords_are_in_no_log_and_no_answer(
    client: TestClient, make: Make, caplog: pytest.LogCaptureFixture, settings: Settings
) -> None:
    caplog.set_level(logging.DEBUG)
    _, secret = make()
    bad = "CREATE TABLE a (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x://u:geheim@h', 'password' = 'geheim');"
    for body in (
        {"program": bad},
        {"program": bad + "INSERT"},
        {"program": bad[:-4]},
        {"plan": {"options": {"password": "geheim"}}},
    ):
        answer = client.post("compile", json=body, headers=bearer(secret))
        assert (answer.status_code, "geheim" in answer.text) == (422, False), answer.text
    client.post("session", json={"token": secret + "x"})
    assert "geheim" not in caplog.text
    assert secret not in caplog.text
    stored = b"".join(file.read_bytes() for file in settings.home.iterdir())
    assert secret.encode() not in stored


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://127.0.0.1"}, 201),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 201),
    ],
)
@pytest.mark.parametrize("tokens", [True, pytest.param(False, marks=pytest.mark.wide)])
def test_cross_site_requests_are_refused(
    headers: dict[str, str], status: int, tokens: bool, settings: Settings, workers: Workers, make: Make
) -> None:
    settings = settings.model_copy(update={"tokens": tokens})
    credentials = bearer(make()[1]) if tokens else {}
    with client_of(application(settings, workers)) as client:
        assert client.post("pipelines", json={"name": "a"}, headers=credentials | headers).status_code == status


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1:8787", 200), ("localhost", 200), ("[::1]:8787", 200), ("evil.example", 421), ("", 421)],
)
def test_foreign_host_names_are_refused(host: str, status: int, client: TestClient) -> None:
    assert client.get("health", headers={"Host": host}).status_code == status


def test_the_public_host_name_is_accepted(settings: Settings, workers: Workers) -> None:
    known = settings.model_copy(update={"host": "0.0.0.0", "public_address": "https://plans.example.com"})
    with client_of(application(known, workers)) as client:
        assert client.get("health", headers={"Host": "plans.example.com"}).status_code == 200
        assert client.get("health", headers={"Host": "other.example.com"}).status_code == 421
        assert "strict-transport-security" in client.get("health").headers


def test_without_tokens_only_local_clients_are_served(settings: Settings, workers: Workers) -> None:
    app = application(settings.model_copy(update={"tokens": False}), workers)
    with client_of(app) as client:
        assert client.get("me").json()["name"] == "local"
        assert client.post("session", json={"token": "x"}).status_code == 409
    with client_of(app, address="10.0.0.7") as client:
        assert client.get("me").status_code == 403


def test_every_answer_has_security_headers(client: TestClient) -> None:
    for path in ("health", "nothing", "me"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers


def limited(settings: Settings, workers: Workers, **limits: float) -> TestClient:
    changed = settings.model_copy(update={"limits": Limits(**limits)})  # type: ignore[arg-type]
    return client_of(application(changed, workers))


def test_the_size_of_a_request_is_limited(settings: Settings, workers: Workers, make: Make) -> None:
    headers = bearer(make()[1]) | {"Content-Type": "application/json"}
    with limited(settings, workers, request_bytes=1000) as client:
        said = client.post("pipelines", content=b" " * 1001, headers=headers)
        unsaid = client.post("pipelines", content=iter([b" " * 600] * 3), headers=headers)
        fits = client.post("pipelines", json={"name": "a"}, headers=headers)
    assert [answer.status_code for answer in (said, unsaid, fits)] == [413, 413, 201]
    assert "1000 bytes" in unsaid.json()["detail"]


def test_deeply_nested_json_is_refused(client: TestClient, make: Make) -> None:
    headers = bearer(make()[1]) | {"Content-Type": "application/json"}
    for path in ("compile", "validate", "pipelines"):
        for body in (b"[" * 100_000, b'{"plan": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}"):
            answer = client.post(path, content=body, headers=headers)
            assert (answer.status_code // 100, answer.headers["content-type"]) == (4, "application/problem+json"), path


def test_the_size_of_a_program_is_limited(settings: Settings, workers: Workers, make: Make) -> None:
    with limited(settings, workers, program_bytes=100) as client:
        answer = client.post("compile", json={"program": "-" * 101}, headers=bearer(make()[1]))
    assert (answer.status_code, answer.json()["where"]) == (422, "program")


def test_the_rate_of_a_client_is_limited(settings: Settings, workers: Workers, make: Make) -> None:
    headers = bearer(make()[1])
    with limited(settings, workers, requests_per_minute=5) as client:
        answers = [client.get("me", headers=headers) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert int(answers[-1].headers["retry-after"]) > 0


@pytest.mark.attack
def test_wrong_tokens_do_not_lock_out_other_clients(settings: Settings, workers: Workers, make: Make) -> None:
    good = make()[1]
    with limited(settings, workers, failed_logins_per_minute=4) as client:
        wrong = [client.get("me", headers=bearer(f"x{n}")).status_code for n in range(2)]
        wrong += [client.post("session", json={"token": f"y{n}"}).status_code for n in range(2)]
        assert wrong == [401] * 4
        for _ in range(30):
            late = client.get("me", headers=bearer("z")), client.post("session", json={"token": "z"})
            assert [answer.status_code for answer in late] == [429] * 2
            assert int(late[0].headers["retry-after"]) > 0
        assert client.get("me", headers=bearer(good)).status_code == 200
        assert client.post("session", json={"token": good}).status_code == 200
        assert client.get("me").status_code == 200
        assert client.get("health").status_code == 200


@pytest.mark.attack
def test_the_rate_limit_is_per_token(settings: Settings, workers: Workers, make: Make) -> None:
    first, second = make()[1], make()[1]
    with limited(settings, workers, requests_per_minute=5) as client:
        assert [client.get("me", headers=bearer(first)).status_code for _ in range(6)][-1] == 429
        assert client.get("me", headers=bearer(second)).status_code == 200
        assert client.get("health").status_code == 200


@pytest.mark.attack
def test_the_size_of_a_sign_in_is_limited(client: TestClient) -> None:
    headers = {"Content-Type": "application/json"}
    for body in (b'{"token": "' + b"x" * 5_000 + b'"}', iter([b"[" * 3_000] * 2)):
        assert client.post("session", content=body, headers=headers).status_code == 413
    assert client.get("me", headers={"Content-Length": "9" * 5_000}).status_code == 400


def test_every_route_declares_its_role(app: FastAPI) -> None:
    """A route without a role would answer a viewer whatever it does."""
    from compiled_plan.service.app import ROUTERS

    checks = 0
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute)
            path = route.path
            if any((method, path) in OPEN for method in route.methods):
                continue
            assert role_of(route) is not None, path
            checks += 1
    assert checks > 15


def test_files_outside_of_the_page_are_not_served(client: TestClient, settings: Settings) -> None:
    for path in ("../service.db", "..%2fservice.db", "%2e%2e/%2e%2e/etc/passwd", "....//etc/passwd"):
        answer = client.get(f"http://127.0.0.1/{path}")
        assert (answer.status_code, b"SQLite" in answer.content) == (404, False), path


def test_tables_in_files_stay_in_their_folders(client: TestClient, make: Make, tmp_path: Path) -> None:
    script = (
        "CREATE TABLE a (id INT) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'json');"
        "CREATE TABLE b (id INT) WITH ('connector' = 'print'); INSERT INTO b SELECT id FROM a;"
    )
    headers, home = bearer(make()[1]), tmp_path / "home"
    statuses = {
        place: client.post("compile", json={"program": script.format(place)}, headers=headers).status_code
        for place in ("/etc/a", f"{home}/data/a", f"{home}/data/../a", f"{home}/runs", f"{home}/service.db", "s3://b/a")
    }
    assert list(statuses.values()) == [422, 200, 422, 422, 422, 422]
