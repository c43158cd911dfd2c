"""Fixtures for expressions, and for operators of the kernel without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from tests.support.kernel.harness import Harness

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    """A session with the settings that expressions need."""
    from compiled_plan.plans.execution.expressions import REQUIRED_CONF, register

    before = {name: spark.conf.get(name) for name in REQUIRED_CONF}
    register(spark)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value or "")


@pytest.fixture(scope="session")
def harness() -> Iterator[Harness]:
    """One JVM for all tests of operators."""
    running = Harness()
    yield running
    running.close()


@pytest.fixture
def mounted(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """The URI of a folder on a file system that Hadoop regards as remote."""
    conf = spark._jsc.hadoopConfiguration()
    # Hadoop caches file systems by name, so each has its own.
    name = uuid4().hex
    link = f"fs.viewfs.mounttable.{name}.link./data"
    conf.set(link, tmp_path.as_uri())
    yield f"viewfs://{name}/data"
    conf.unset(link)
