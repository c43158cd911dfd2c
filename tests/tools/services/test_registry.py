"""The schema registry of tests: its schemas survive a kill."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tools.services.registry import SERVICE
from tools.services.server import Server, listens

SCHEMA = {"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}]}


def request(address: str, path: str, body: object = None) -> object:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
    with urllib.request.urlopen(urllib.request.Request(address + path, data, headers), timeout=30) as answer:
        return json.loads(answer.read())


@pytest.mark.wide
def test_a_killed_registry_starts_again_on_its_port_and_data(tmp_path: Path) -> None:
    server = Server(SERVICE, tmp_path / "server").start()
    try:
        port = server.port
        registered = request(server.address, "/subjects/t-value/versions", {"schema": json.dumps(SCHEMA)})
        assert isinstance(registered, dict)
        server.kill()
        assert server.start().port == port
        assert registered == request(server.address, "/subjects/t-value/versions", {"schema": json.dumps(SCHEMA)})
        assert request(server.address, "/subjects") == ["t-value"]
        assert request(server.address, "/subjects/t-value/versions") == [1]
        version = request(server.address, "/subjects/t-value/versions/latest")
        assert isinstance(version, dict) and (version["id"], version["version"]) == (registered["id"], 1)
        version = request(server.address, f"/schemas/ids/{registered['id']}")
        assert isinstance(version, dict) and json.loads(version["schema"]) == SCHEMA
        for path in ("/schemas/ids/77", "/subjects/t-value/versions/2", "/subjects/other/versions", "/nowhere"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                request(server.address, path)
    finally:
        server.stop()
    assert not listens(server.port)
