"""The Spark session of tests, and the engines on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.embedded import session
from compiled_plan.plans.execution.testing.engine import SPARK, WATCHED, Engine, Engines
from compiled_plan.plans.execution.testing.on_spark import SparkEngine
from compiled_plan.plans.execution.testing.quick import QuickEngine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SETTINGS = {"spark.driver.memory": "1g"}


def engines_of(spark: SparkSession, functions_from: Sequence[str] = ()) -> Engines:
    """The engines on a session.

    Args:
        spark: the session.
        functions_from: modules, folders and jars from which plans may import functions.
    """

    def create(name: str, clock: int) -> Engine:
        if name == SPARK:
            return SparkEngine(spark, clock, functions_from)
        return QuickEngine(spark, clock, functions_from, watched=name == WATCHED)

    return create


def process_engines() -> Engines:
    """The engines on the session of this process, see `embedded.session`."""
    return engines_of(session())


@contextmanager
def own_engines(conf: Mapping[str, str] | None = None) -> Iterator[Engines]:
    """The engines on a session of their own, which ends with this context. Raises as `own_session` does."""
    with own_session(conf) as spark:
        yield engines_of(spark)


@contextmanager
def own_session(conf: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A session for tests, which ends with this context.

    Raises:
        ExecutionError: Spark did not start.
    """
    from compiled_plan.plans.execution.session.spark_session import spark_session

    with spark_session("local[1]", {**_SETTINGS, **(conf or {})}, verbose=False) as spark:
        yield spark
