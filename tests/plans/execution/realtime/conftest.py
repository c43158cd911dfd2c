"""Tests of real-time mode are skipped where Spark has none; `test_realtime_refusal.py` has its refusal there."""

from __future__ import annotations

from importlib import metadata

import pytest

from compiled_plan.plans.spark_versions import spark_version


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Skip before fixtures start a session."""
    version = spark_version(metadata.version("pyspark"))
    if not version.real_time:
        pytest.skip(f"Spark {version} has no real-time mode")
