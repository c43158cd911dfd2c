"""What all tests share: one small Spark session, started by the first test that asks for it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

# `ci` is quick and the same on every run; HYPOTHESIS_PROFILE=deep looks for rarer things.
settings.register_profile(
    "ci",
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_configure(config: pytest.Config) -> None:
    """Run the whole session in UTC, as the JVM below, before anything reads a clock."""
    os.environ["TZ"] = "UTC"
    time.tzset()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that use Spark, so that `pytest -m 'not spark'` is the quick half."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One session for all tests: two cores, two partitions, UTC, state on the heap, the kernel on board.

    Tests that need RocksDB (transformWithState does) ask for the fixture `rocksdb` beside it.
    """
    from pyspark.sql import SparkSession

    from plans.execution.kernel import kernel_jar, use_fit_java

    use_fit_java()
    # Workers run the Python of the tests, not the first python3 of the PATH; the option
    # spark.pyspark.python is for spark-submit alone.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = tmp_path_factory.mktemp("spark")
    options = {
        "spark.jars": kernel_jar().as_uri(),
        "spark.driver.memory": "2g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC -Dderby.system.home={folder}",
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        "spark.sql.streaming.forceDeleteTempCheckpointLocation": "true",
        "spark.sql.streaming.metricsEnabled": "false",
        "spark.sql.streaming.ui.enabled": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    for query in session.streams.active:
        query.stop()
    session.stop()


@pytest.fixture
def rocksdb(spark: SparkSession) -> Iterator[SparkSession]:
    """The session with RocksDB state, for the time of one test."""
    name = "spark.sql.streaming.stateStore.providerClass"
    before = spark.conf.get(name)
    spark.conf.set(name, ROCKSDB)
    yield spark
    spark.conf.set(name, before or "")


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parent.parent
