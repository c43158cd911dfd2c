"""Stages hosted by `flatMapGroupsWithState`, whose timeouts serve as operator timers."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.plans.execution.kernel.figures import figures, some
from tests.plans.execution.kernel.test_kernel_stage import (
    TRANSFORM,
    check_chain,
    check_expiry,
    check_state_over_restarts,
)

GROUPS = "flatMapGroupsWithState"


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    jvm: Any = spark._jvm
    jvm.org.compiledplan.kernel.host.input.OrderNumber.register(spark._jsparkSession)
    return spark


@pytest.mark.wide
def test_state_survives_batches_and_restarts(session: SparkSession, tmp_path: Path) -> None:
    check_state_over_restarts(session, tmp_path, GROUPS)


def test_state_expires_by_timeouts(session: SparkSession, tmp_path: Path) -> None:
    check_expiry(session, tmp_path, GROUPS)


@pytest.mark.wide
def test_rows_for_later_stages_pass_and_stages_chain(session: SparkSession, tmp_path: Path) -> None:
    check_chain(session, tmp_path, GROUPS)


@pytest.mark.deep
def test_combined_and_gathered_rows_give_the_default_hosts_results(session: SparkSession, tmp_path: Path) -> None:
    random = Random(20_261_125)
    batches = [some(random, keys, rows) for keys, rows in [(3, 40), (1, 1), (200, 60), (5, 200)]]
    groups = figures(session, tmp_path / "groups", GROUPS, batches, folds=True, operators=2)
    default = figures(session, tmp_path / "default", TRANSFORM, batches, folds=True, operators=2)
    assert (groups.results, groups.shuffled) == (default.results, default.shuffled)
    assert "Gather" in groups.plan
    assert "Sort" not in groups.plan
