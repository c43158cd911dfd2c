"""Iceberg's REST catalogs: names, schemas, tokens, and servers that misbehave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError
from tests.support.rest_catalogs import METADATA, RestCatalogServer


@pytest.fixture
def server() -> Iterator[RestCatalogServer]:
    server = RestCatalogServer()
    yield server
    server.close()


def shown(text: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in TableEnvironment().execute_sql(text).collect()]


def test_names_and_schemas(server: RestCatalogServer) -> None:
    text = server.catalog("'warehouse' = 'w 1'")
    assert shown(f"{text}SHOW DATABASES FROM lake") == [("other",), ("shop",)]
    assert shown(f"{text}USE lake.shop; SHOW TABLES") == [("orders",), ("returns",)]
    assert [row[:3] for row in shown(f"{text}DESCRIBE lake.shop.orders")] == [("id", "BIGINT", False)]
    assert [row[0] for row in shown(f"{text}DESCRIBE lake.`a.b`.t")] == ["id"]
    assert server.requests[0][0] == "/v1/config?warehouse=w+1"
    with pytest.raises(ProgramError, match=r"'lake.shop.ordrs' not found") as caught:
        shown(f"{text}DESCRIBE lake.shop.ordrs")
    assert caught.value.remedy == "did you mean 'orders'?"


def test_a_catalog_is_asked_for_named_tables_alone(server: RestCatalogServer) -> None:
    sink = "CREATE TABLE p (id BIGINT) WITH ('connector' = 'print');"
    TableEnvironment().execute_sql(f"{server.catalog()}{sink}")
    assert server.requests == []
    joined = "lake.shop.orders a JOIN lake.shop.orders b ON a.id = b.id"
    TableEnvironment().compile_script(f"{server.catalog()}{sink}INSERT INTO p SELECT a.id FROM {joined}")
    assert [path for path, _ in server.requests] == ["/v1/config", "/v1/main/namespaces/shop/tables/orders"]


def test_a_token_is_a_secret(server: RestCatalogServer, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = server.catalog("'token' = '${secret:lake_token}'")
    text = (
        f"{catalog}CREATE TABLE p (id BIGINT) WITH ('connector' = 'print');"
        "INSERT INTO p SELECT id FROM lake.shop.orders"
    )
    with pytest.raises(ProgramError, match="the secret lake_token is missing"):
        TableEnvironment().compile_script(text)
    monkeypatch.setenv("COMPILED_PLAN_SECRET_LAKE_TOKEN", "open-sesame")
    plan = TableEnvironment().compile_script(text)
    assert {token for _, token in server.requests} == {"Bearer open-sesame"}
    assert "open-sesame" not in plan.to_json()
    assert "${secret:lake_token}" in plan.to_json()


def test_a_credential_is_exchanged(server: RestCatalogServer) -> None:
    server.answers["/v1/oauth/tokens"] = (200, {"access_token": "fresh-token"})
    text = server.catalog("'credential' = 'me:hush-hush', 'scope' = 'PRINCIPAL_ROLE:ALL'")
    shown(f"{text}DESCRIBE lake.shop.orders")
    path, form = server.requests[0]
    assert path == "/v1/oauth/tokens"
    assert parse_qs(form) == {
        "grant_type": ["client_credentials"],
        "scope": ["PRINCIPAL_ROLE:ALL"],
        "client_id": ["me"],
        "client_secret": ["hush-hush"],
    }
    assert {token for _, token in server.requests[1:]} == {"Bearer fresh-token"}
    shown_text = "".join(str(row) for row in shown(f"{text}DESCRIBE CATALOG EXTENDED lake"))
    assert "hush" not in shown_text


def refused(server: RestCatalogServer, options: str = "") -> ProgramError:
    with pytest.raises(ProgramError, match=r"catalog 'lake' at http.*cannot be read") as caught:
        shown(f"{server.catalog(options)}DESCRIBE lake.shop.orders")
    assert "'uri'" in caught.value.remedy
    return caught.value


def test_refusals_name_the_reason(server: RestCatalogServer) -> None:
    server.answers["/v1/main/namespaces/shop/tables/orders"] = (403, {"error": {"message": "no rights"}})
    assert "status 403: no rights" in refused(server).message
    server.answers["/v1/main/namespaces/shop/tables/orders"] = (200, b"<html>")
    refused(server)
    server.answers["/v1/main/namespaces/shop/tables/orders"] = (200, ["no object"])
    refused(server)
    server.answers["/v1/main/namespaces/shop/tables/orders"] = (200, {"metadata": {}})
    refused(server)
    del server.answers["/v1/config"]
    assert "status 404" in refused(server).message


def test_a_redirect_does_not_get_the_token(server: RestCatalogServer) -> None:
    server.answers["/v1/config"] = (307, f"{server.uri}/v1/elsewhere")
    assert "status 307" in refused(server, "'token' = 'open-sesame'").message
    assert len(server.requests) == 1


def test_a_server_chooses_no_code(server: RestCatalogServer, tmp_path: Any) -> None:
    """Configuration that makes libraries load a class of the server's choice has no effect."""
    touched = tmp_path / "touched"
    command = {"type": "custom", "impl": "subprocess.Popen", "custom": {"args": ["touch", str(touched)]}}
    evil = {"auth": command, "py-io-impl": "subprocess.Popen", "prefix": "main"}
    server.answers["/v1/config"] = (200, {"defaults": {}, "overrides": evil})
    server.answers["/v1/main/namespaces/shop/tables/orders"] = (
        200,
        {"metadata": {**METADATA, "properties": evil}, "config": evil},
    )
    shown(f"{server.catalog()}DESCRIBE lake.shop.orders")
    assert not touched.exists()


def test_other_addresses_are_refused(tmp_path: Any) -> None:
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1/config").write_text("{}")
    text = f"CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-type' = 'rest', 'uri' = 'file://{tmp_path}');"
    with pytest.raises(ProgramError, match="file: is not http: or https:"):
        shown(f"{text}DESCRIBE lake.shop.orders")


def test_a_silent_port_is_an_error() -> None:
    text = "CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-type' = 'rest', 'uri' = 'http://127.0.0.1:9');"
    with pytest.raises(ProgramError, match=r"catalog 'lake' at http://127.0.0.1:9 cannot be read: .*refused"):
        shown(f"{text}DESCRIBE lake.shop.orders")
