"""A session with the settings that expressions need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from plans.execution.expressions import REQUIRED_CONF, register


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    before = {name: spark.conf.get(name) for name in REQUIRED_CONF}
    register(spark)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value or "")
