"""The kernel's operators without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from plans.execution.kernel import kernel_jar
from tests.plans.execution.kernel.harness import Harness


@pytest.fixture(scope="session")
def harness() -> Iterator[Harness]:
    """One JVM for all tests of operators."""
    spec = find_spec("pyspark")
    assert spec is not None and spec.origin is not None
    running = Harness(kernel_jar(), Path(spec.origin).parent / "jars")
    yield running
    running.close()
