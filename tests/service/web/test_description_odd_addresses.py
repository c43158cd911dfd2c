"""Odd values in the paths, queries and headers of all routes: an answer of the service, never an internal error."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, cast
from urllib.parse import quote_from_bytes

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.support.tables import failures

pytestmark = pytest.mark.attack

_ODD = (
    *(b"", b"\0", b"\x01", b"\x7f", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r\n", b"%", b"%00"),
    *(text.encode() for text in ("\u2028", "\ufeff", "\U0001f600", "²", "\u0661", "e\u0301")),
    *(b"..", b"/", b"../../etc/passwd", b"'", b'"', b"\\", b"*", b"a,b", b"true", b"null", b"[]", b"{}", b"a" * 20_000),
    *(b"-1", b"0", b"1.5", b"0x10", b"1_0", b" 1", b"1e400", b"NaN", b"Infinity", b"9" * 400, b"9" * 5_000),
    *(b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809"),
    *(b"2026-01-01T00:00:00Z", b"9999-12-31T23:59:59+23:59", b"0001-01-01T00:00:00+14:00"),
)
#: Values of the other parameters, which lead further into a route.
_GOOD = {"name": b"orders", "seconds": b"0"}


def requests(app: FastAPI) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Method, path with query, and headers of requests in which one parameter is odd."""
    for path, operations in app.openapi()["paths"].items():
        for method, operation in operations.items():
            parameters = operation.get("parameters", [])
            for odd_one in parameters:
                for odd in _ODD:
                    yield _request(method, path, parameters, odd_one, odd)


def _request(
    method: str, path: str, parameters: list[dict[str, Any]], odd_one: dict[str, Any], odd: bytes
) -> tuple[str, str, dict[str, str]]:
    query, headers = [], {}
    for parameter in parameters:
        name, place = parameter["name"], parameter["in"]
        value = quote_from_bytes(odd if parameter is odd_one else _GOOD.get(name, b"1"), safe="")
        if place == "path":
            path = path.replace(f"{{{name}}}", value)
        elif place == "query" and (parameter is odd_one or name in _GOOD):
            query.append(f"{name}={value}")
        elif parameter is odd_one:
            headers[name] = odd.decode("latin-1") if odd.isascii() else value
    return method, f"{path}?{'&'.join(query)}", headers


def _check(client: TestClient, all_requests: list[tuple[str, str, dict[str, str]]]) -> None:
    def check(method: str, address: str, headers: dict[str, str]) -> None:
        body = {} if method == "get" else {"json": {}}
        status = client.request(method, f"http://127.0.0.1{address}", headers=headers, **body).status_code
        assert status < 500, status

    assert failures(check, all_requests) == {}


@pytest.mark.wide
def test_odd_addresses(client: TestClient, orders: str) -> None:
    reading = [request for request in requests(cast(FastAPI, client.app)) if request[0] == "get"]
    _check(client, Random(1).sample(reading, 120))


@pytest.mark.deep
def test_all_odd_addresses(client: TestClient, orders: str) -> None:
    _check(client, [*requests(cast(FastAPI, client.app))])
