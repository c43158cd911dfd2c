"""A fast start of Spark on one machine: a lean call of Java, and a session without unused parts.

Source: Spark's `bin/spark-class`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.text.masking import masked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark's script starts a short-lived Java that prints the command line of the real one.
_ASKING = {"SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def start_java(settings: Mapping[str, str], *, quickly: bool) -> None:
    """Start Java unless it runs.

    PySpark passes all settings on the command line, which every user of the machine can see. Secret settings are sent
    once Java runs: Spark has them before its context is created.

    Args:
        settings: all settings of the session.
        quickly: speed up the call of Java.
    """
    from pyspark import SparkConf, SparkContext

    shown = masked(settings)
    conf = SparkConf().setAll([(name, value) for name, value in settings.items() if shown[name] == value])
    with _quick_java_calls() if quickly else nullcontext():
        SparkContext._ensure_initialized(conf=conf)


def lean_session(settings: Mapping[str, str], builder: SparkSession.Builder, *, open_to_users: bool) -> SparkSession:
    """Create a session in a Java that has the kernel on its class path.

    Args:
        settings: all settings of the session.
        builder: the builder of the session, with these settings.
        open_to_users: True if programs get the session, which may call any function of Spark's; otherwise the functions
            of its machine learning, whose registration takes half a second, are omitted.
    """
    from pyspark import SparkConf, SparkContext

    conf = SparkConf().setAll(list(settings.items()))
    start = java_class(SparkContext._jvm, "org.compiledplan.kernel.host.SessionStart")
    start.prepare(open_to_users)
    SparkContext.getOrCreate(conf)
    before = None if open_to_users else start.withoutMachineLearning()
    try:
        session = builder.getOrCreate()
    finally:
        if before is not None:
            start.restore(before)
    start.prepareQueries()
    return session


@contextmanager
def _quick_java_calls() -> Iterator[None]:
    """Speed up calls of Java by environment variables, unless the user sets them."""
    variables = {name: value for name, value in _ASKING.items() if name not in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)
