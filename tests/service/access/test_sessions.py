from __future__ import annotations

from datetime import timedelta

from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import update

from compiled_plan.service.access.roles import Role
from compiled_plan.service.access.sessions import COOKIE
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.tables import BrowserSession
from tests.service.access.conftest import Make, bearer


def signed_in(client: TestClient, secret: str) -> str:
    answer = client.post("session", json={"token": secret})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/" in cookie
    guard: str = answer.json()["csrf_token"]
    return guard


def test_a_session_reads_with_its_cookie_and_writes_with_its_csrf_guard(client: TestClient, make: Make) -> None:
    guard = signed_in(client, make(Role.EDITOR)[1])
    assert client.get("me").json() | {"token": 0} == {
        "name": "jane",
        "role": "editor",
        "token": 0,
        "session": True,
        "csrf_token": guard,
    }
    assert client.post("pipelines", json={"name": "a"}).status_code == 403
    assert client.post("pipelines", json={"name": "a"}, headers={"x-csrf-token": "0" * 64}).status_code == 403
    assert client.post("pipelines", json={"name": "a"}, headers={"x-csrf-token": guard}).status_code == 201


def test_the_csrf_guard_belongs_to_one_session(client: TestClient, make: Make) -> None:
    first = signed_in(client, make()[1])
    assert signed_in(client, make()[1]) != first
    assert client.post("pipelines", json={"name": "a"}, headers={"x-csrf-token": first}).status_code == 403


def test_a_session_expires_or_is_closed(client: TestClient, make: Make, app: FastAPI) -> None:
    guard = signed_in(client, make()[1])
    cookie = client.cookies[COOKIE]
    assert client.delete("session", headers={"x-csrf-token": guard}).status_code == 204
    assert client.get("me", headers={"Cookie": f"{COOKIE}={cookie}"}).status_code == 401
    signed_in(client, make()[1])
    with app.state.parts.database.write() as session:
        session.execute(update(BrowserSession).values(expires_at=pipelines.now() - timedelta(seconds=1)))
    assert client.get("me").status_code == 401


def test_a_session_ends_with_its_token(client: TestClient, make: Make) -> None:
    id_, secret = make(Role.VIEWER)
    signed_in(client, secret)
    assert client.delete(f"tokens/{id_}", headers=bearer(make()[1])).status_code == 204
    assert client.get("me").status_code == 401


def test_invalid_cookies_are_refused(client: TestClient) -> None:
    for cookie in (f"{COOKIE}=x", f"{COOKIE}=", "a=b", f'{COOKIE}="', "=;=", f"{COOKIE}=\xff"):
        assert client.get("me", headers={"Cookie": cookie.encode("latin-1")}).status_code == 401, cookie
