"""What expressions are computed in, and what runs the kernel's operators without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

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
