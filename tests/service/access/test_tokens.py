from __future__ import annotations

from fastapi.testclient import TestClient

from compiled_plan.service.access import tokens
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.serving import print_first_token
from compiled_plan.service.store.database import open_database
from tests.service.access.conftest import Make, bearer


def test_the_first_start_prints_a_token_once(settings: Settings, capsys) -> None:  # type: ignore[no-untyped-def]
    print_first_token(settings)
    first = capsys.readouterr().err
    print_first_token(settings)
    assert capsys.readouterr().err == ""
    secret = first.split()[-1]
    with open_database(settings).read() as session:
        token = tokens.find(session, secret)
    assert token is not None and token.role.value == "operator"


def test_without_tokens_none_is_printed(settings: Settings, capsys) -> None:  # type: ignore[no-untyped-def]
    print_first_token(settings.model_copy(update={"tokens": False}))
    assert capsys.readouterr().err == ""


def test_tokens_are_created_listed_and_shown_once(client: TestClient, make: Make) -> None:
    headers = bearer(make()[1])
    response = client.post("tokens", json={"name": "joe", "role": "viewer", "days": 1}, headers=headers)
    assert response.status_code == 201
    secret = response.json()["secret"]
    assert client.get("me", headers=bearer(secret)).json()["role"] == "viewer"
    listed = client.get("tokens", headers=headers)
    assert [item["name"] for item in listed.json()["items"]] == ["jane", "joe"]
    assert secret not in listed.text and tokens.hash_of(secret) not in listed.text
    page = client.get("tokens", params={"limit": 1}, headers=headers).json()
    rest = client.get("tokens", params={"cursor": page["cursor"]}, headers=headers).json()
    assert ([item["name"] for item in rest["items"]], rest["cursor"]) == (["joe"], "")
    assert client.delete("tokens/99", headers=headers).status_code == 404
