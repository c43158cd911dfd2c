"""One run whose state all tests of this folder read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.execution.spark.java import settings
from tests.plans.execution.state.checkpoint.places import Place
from tests.plans.execution.state.reading.programs import ROWS, SINKS, STATEMENTS, TABLES, Looked, opened
from tests.support.once import once

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def looked(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Looked:
    """The state of all kinds of operators."""

    def checkpointed() -> str:
        place = Place(spark, tmp_path_factory.mktemp("looked"))
        place.add(ROWS)
        with settings(spark, {"spark.sql.shuffle.partitions": "1"}):
            place.run(place.compiled(TABLES + SINKS, STATEMENTS))
        return str(place.folder)

    place = Place(spark, Path(once(tmp_path_factory, "looked", checkpointed)))
    return opened(place, place.compiled(TABLES + SINKS, STATEMENTS))
