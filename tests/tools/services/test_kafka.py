"""The Kafka of tests: it listens again on its port and data after it was killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.services.kafka import SERVICE
from tools.services.server import Server, listens


@pytest.mark.deep
def test_a_killed_broker_starts_again_on_its_port_and_data(tmp_path: Path) -> None:
    server = Server(SERVICE, tmp_path / "server").start()
    try:
        port = server.port
        assert server.address == f"127.0.0.1:{port}"
        server.kill()
        assert not listens(port)
        assert server.start().port == port
        assert (tmp_path / "server" / "data" / "meta.properties").is_file()
    finally:
        server.stop()
    assert not listens(server.port)
