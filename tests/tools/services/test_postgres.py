"""The PostgreSQL of tests: its data survives a kill."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest

from tools.services.postgres import SERVICE, psql
from tools.services.server import Server, ServiceError, listens

pytestmark = pytest.mark.slow


@pytest.mark.wide
def test_a_killed_server_starts_again_on_its_port_and_data(tmp_path: Path) -> None:
    server = Server(SERVICE, tmp_path / "server").start()
    try:
        psql(server.port, "CREATE TABLE t (a INT, b TEXT); INSERT INTO t VALUES (1, NULL), (2, 'x')")
        port, process = server.port, server.process
        server.kill()
        assert process is not None and process.returncode == -signal.SIGKILL
        assert server.start().port == port
        assert psql(port, "SELECT * FROM t ORDER BY a") == [["1", ""], ["2", "x"]]
        with pytest.raises(ServiceError, match='relation "nowhere" does not exist'):
            psql(port, "SELECT * FROM nowhere")
    finally:
        server.stop()
    assert not listens(server.port)


@pytest.mark.wide
def test_a_server_that_fails_to_start_is_reported_with_its_output(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = Server(SERVICE, tmp_path / "server", taken.getsockname()[1])
        with pytest.raises(ServiceError, match=r"(?s)postgres ended; .*Address already in use"):
            server.start()
