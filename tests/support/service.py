"""What tests of the service share."""

from __future__ import annotations

import psycopg
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tools.services.server import Server


def database_in(server: Server, name: str) -> str:
    """The URL of a new, empty database of a PostgreSQL."""
    address, _, user = server.address.removeprefix("jdbc:").partition("?")
    with psycopg.connect(f"{address}?{user}", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
    return f"{address.rpartition('/')[0]}/{name}?{user}"


def client_of(app: FastAPI, address: str = "127.0.0.1", host: str = "127.0.0.1") -> TestClient:
    """A client of a service.

    Args:
        app: the service.
        address: the client's.
        host: the name under which it asks.
    """
    return TestClient(app, base_url=f"http://{host}/api/v1", client=(address, 5000), raise_server_exceptions=False)
