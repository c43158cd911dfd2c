"""What all tests share: one small Spark session, started by the first test that asks for it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from plans.plan import CompiledPlan

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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests that use Spark, so that `pytest -m 'not spark'` is the quick half; deep ones are asked for by name."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")
    if "deep" not in config.option.markexpr:
        deep = [item for item in items if item.get_closest_marker("deep")]
        config.hook.pytest_deselected(items=deep)
        items[:] = [item for item in items if not item.get_closest_marker("deep")]


@pytest.fixture(scope="session", autouse=True)
def plans_keep_the_rules() -> Iterator[None]:
    """Every plan that any test compiles is one that can be read: its nodes keep their rules."""
    planning: Any = import_module("planner.physical.plan")
    from plans.reading import graph_findings

    numbered = planning._numbered

    def checked(*args: Any) -> CompiledPlan:
        found = numbered(*args)
        faults = [(finding.pointer, finding.message) for finding in graph_findings(found.nodes, found.edges)]
        assert faults == [], "the planner made a plan that breaks a rule"
        return found

    planning._numbered = checked
    yield
    planning._numbered = numbered


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One session for all tests, with the product's own settings: two cores, two partitions, the kernel on board."""
    from plans.execution.session import spark_session

    conf = {"spark.driver.memory": "3g", "spark.sql.shuffle.partitions": "2"}
    with spark_session("local[2]", conf) as session:
        yield session


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
