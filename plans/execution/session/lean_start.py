"""The start of Spark on one machine, made short: how Java is asked for, what a session is made without.

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

#: Spark's script asks a Java of its own how to start Java; that one lives for a moment.
_ASKING = {"SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def start_java(settings: Mapping[str, str], *, quickly: bool) -> None:
    """Start Java, where none is there yet.

    PySpark puts all settings into its command, which every user of the machine can see. Those that are secret follow
    when Java is there: Spark has them before its context is made.

    Args:
        settings: of the session, all of them.
        quickly: whether Java is asked for in the short way.
    """
    from pyspark import SparkConf, SparkContext

    shown = masked(settings)
    conf = SparkConf().setAll([(name, value) for name, value in settings.items() if shown[name] == value])
    with _quick_java_calls() if quickly else nullcontext():
        SparkContext._ensure_initialized(conf=conf)


def lean_session(settings: Mapping[str, str], builder: SparkSession.Builder, *, open_to_users: bool) -> SparkSession:
    """Make a session in a Java that has the kernel on its class path.

    Args:
        settings: of the session, all of them.
        builder: of the session, with these settings.
        open_to_users: whether programs get the session, which may call any function of Spark's; else it does without
            those of its machine learning, whose registration takes half a second.
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
    """Java is asked for as this module does it, unless the user does it in a way of his own."""
    ours = {name: value for name, value in _ASKING.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)
