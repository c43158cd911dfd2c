"""`kill -9` of a run into Kafka, a database and a folder, of its executors, of the broker and of the database."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.plans.execution.connectors.killed import (
    BROKER,
    DATABASE,
    DRIVER,
    EXECUTOR,
    KilledTransactions,
    Servers,
)
from tests.plans.execution.kills import killed
from tests.support.topics import Topics
from tools.services import kafka as broker
from tools.services import postgres as database
from tools.services.server import running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Total number of kills; those of executors take longer, as their processes do.
KILLS = int(os.environ.get("KAFKA_KILLS", "100"))
SEED = int(os.environ["KAFKA_SEED"]) if "KAFKA_SEED" in os.environ else None


@pytest.fixture
def servers(spark: SparkSession, kafka_jars: None, tmp_path: Path) -> Iterator[Servers]:
    with (
        running(broker.SERVICE, tmp_path / "kafka") as kafka,
        running(database.SERVICE, tmp_path / "postgres") as postgres,
    ):
        yield Servers(Topics(spark, kafka), kafka, postgres)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("victims", "master", "share"),
    [((DRIVER, DRIVER, BROKER, DATABASE), "local[2]", 0.8), ((EXECUTOR,), "local-cluster[2,1,1024]", 0.2)],
)
def test_a_hundred_kills(servers: Servers, tmp_path: Path, victims: tuple[str, ...], master: str, share: float) -> None:
    started = time.monotonic()
    summary = killed(tmp_path, round(KILLS * share), partial(KilledTransactions, servers, victims, master), SEED)
    print(summary.text, f"{time.monotonic() - started:.0f} s")
