"""The Kafka of tests: fetched by several processes at once, and restarted on its port and data after a kill."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compiled_plan.plans.connectors.jars import KAFKA, for_spark
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion
from tools.services.kafka import SERVICE, connector_jars
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


@pytest.mark.parametrize("version", SPARK_VERSIONS, ids=str)
def test_the_connector_fits_the_installed_spark(version: SparkVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.services.kafka.metadata.version", lambda _: version.tested)
    monkeypatch.setattr(
        "tools.services.kafka.fetched", lambda artifact: f"{artifact.group}:{artifact.name}:{artifact.version}"
    )
    connector = for_spark(KAFKA[-1], str(version))
    assert connector is not None
    assert connector.coordinates in map(str, connector_jars())


@pytest.mark.deep
def test_concurrent_fetches_both_get_the_jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program = "from tools.services.kafka import connector_jars as c; assert all(each.is_file() for each in c())"
    both = [subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) for _ in range(2)]
    said = [process.communicate()[1].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
