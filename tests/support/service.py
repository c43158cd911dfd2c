"""What tests of the service share."""

from __future__ import annotations

import psycopg

from tools.services.server import Server


def database_in(server: Server, name: str) -> str:
    """The URL of a new, empty database of a PostgreSQL."""
    address, _, user = server.address.removeprefix("jdbc:").partition("?")
    with psycopg.connect(f"{address}?{user}", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
    return f"{address.rpartition('/')[0]}/{name}?{user}"
