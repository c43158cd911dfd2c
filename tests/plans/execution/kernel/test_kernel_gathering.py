"""The rows of a key are gathered without a sort, and by one if they are too many."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import Row, SparkSession

from tests.plans.execution.kernel.figures import figures, some
from tests.plans.execution.kernel.test_kernel_stage import TRANSFORM

OPTION, KEPT = "spark.compiledPlan.gatherBytes", "spark.compiledPlan.keptBytes"


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    jvm: Any = spark._jvm
    jvm.org.compiledplan.kernel.host.input.OrderNumber.register(spark._jsparkSession)
    yield spark
    spark.conf.unset(OPTION)
    spark.conf.unset(KEPT)


def descents(rows: list[Row]) -> int:
    """Number of keys that follow a greater one, in the order of the state store: by length, then by bytes."""
    texts = [json.dumps([(row.o0 or row.o1).k], ensure_ascii=False).encode() for row in rows]
    keys = [(len(text), text) for text in texts]
    return sum(after < before for before, after in pairwise(keys))


@pytest.mark.wide
def test_rows_of_a_key_come_together(session: SparkSession, tmp_path: Path) -> None:
    random = Random(20_261_123)
    batches = [some(random, keys, rows) for keys, rows in [(3, 40), (1, 1), (700, 900), (5, 200)]]
    gathered = figures(session, tmp_path / "gathered", TRANSFORM, batches, folds=False, operators=2)
    assert "Gather" in gathered.plan
    assert "Sort" not in gathered.plan
    session.conf.set(OPTION, "2000")
    sorted_ = figures(session, tmp_path / "sorted", TRANSFORM, batches, folds=False, operators=2)
    assert sorted_.results == gathered.results
    # Keys in the order of their first rows; of two tasks with two operators each, in four sorted runs.
    assert descents(gathered.came[2]) > 100
    assert descents(sorted_.came[2]) < 4


@pytest.mark.parametrize("setting", ["abc", "-1", ""])
def test_an_invalid_number_of_bytes_is_refused_by_name(session: SparkSession, tmp_path: Path, setting: str) -> None:
    session.conf.set(KEPT, setting)
    with pytest.raises(IllegalArgumentException, match=f"keptBytes={setting}: a number of bytes is needed"):
        figures(session, tmp_path, TRANSFORM, [], folds=False, operators=2)
