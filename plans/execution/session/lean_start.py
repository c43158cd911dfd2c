"""A fast start of Spark on one machine: a lean call of Java, and a session without unused parts.

Source: Spark's `bin/spark-class`.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.execution.session.configured import (
    ARGUMENTS,
    JARS,
    is_submitted,
    joined,
    settings_of_java,
    submit_arguments,
)
from compiled_plan.plans.execution.session.java_options import DRIVER_JAVA
from compiled_plan.plans.execution.session.stopping import TEMPORARY, end_java
from compiled_plan.plans.execution.spark.java import java_class, remove_at_exit
from compiled_plan.plans.text.masking import masked

if TYPE_CHECKING:
    import pyspark
    from pyspark.sql import SparkSession
else:
    pyspark = deferred("pyspark")

#: Spark's script starts a short-lived Java that prints the command line of the real one.
_ASKING = {"SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


_SESSION_START = "org.compiledplan.kernel.host.spark.SessionStart"
#: Python's variable that keeps the working folder off the path of `python -m`; its children inherit it.
SAFE_PATH = "PYTHONSAFEPATH"


def start_java(settings: Mapping[str, str], *, quickly: bool) -> dict[str, str]:
    """Start Java unless it runs, with a folder of its own for temporary files.

    It leaves signals to this process, which gets those to its group, too.

    PySpark passes all settings on the command line, which every user of the machine can see. Secret settings are sent
    once Java runs: Spark has them before its context is created.

    Args:
        settings: all settings of the session.
        quickly: speed up the call of Java.

    Returns:
        The settings for Spark's context: with the files that Java has found for `spark.jars.packages`.
    """
    if pyspark.SparkContext._gateway is None and not is_submitted():
        folder = unused_folder("compiled-plan-java-")
        settings = {**settings, DRIVER_JAVA: f'"-Djava.io.tmpdir={folder}" {settings.get(DRIVER_JAVA, "")}'.strip()}
        shown = masked(settings)
        conf = pyspark.SparkConf().setAll([(name, value) for name, value in settings.items() if shown[name] == value])
        asking = _unset(_ASKING) if quickly else {}
        with environment({ARGUMENTS: submit_arguments(settings), **asking}), _ended_if_interrupted(folder):
            Path(folder).mkdir(mode=0o700)
            pyspark.SparkContext._ensure_initialized(conf=conf)
            setattr(pyspark.SparkContext._gateway, TEMPORARY, folder)
            remove_at_exit(pyspark.SparkContext._jvm, folder)
            java_class(pyspark.SparkContext._jvm, _SESSION_START).leaveSignals()
    pyspark.SparkContext._ensure_initialized()
    jars = joined(settings_of_java().get(JARS), settings.get(JARS))
    return {**settings, JARS: jars} if jars else dict(settings)


def unused_folder(prefix: str) -> str:
    """The name of a new temporary folder: whoever makes it knows it before, so that no signal leaves it behind."""
    return str(Path(gettempdir(), f"{prefix}{token_hex(6)}"))


@contextmanager
def _ended_if_interrupted(folder: str) -> Iterator[None]:
    """End the Java that PySpark starts in this context if the context ends early.

    PySpark forgets it then, and removes the folder into which it writes its address: it would wait forever.

    Args:
        folder: its temporary files.
    """
    processes: list[subprocess.Popen[Any]] = []

    class Recorded(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            processes.append(self)

    gateway: Any = pyspark.java_gateway
    before, gateway.Popen = gateway.Popen, Recorded
    try:
        yield
    except BaseException:
        end_java(processes, folder)
        raise
    finally:
        gateway.Popen = before


@contextmanager
def python_workers(python: str) -> Iterator[None]:
    """Start Spark in this context with a Python for its workers, which search no working folder for modules."""
    with environment({"PYSPARK_PYTHON": python, **_unset({SAFE_PATH: "1"})}):
        yield


def lean_session(settings: Mapping[str, str], builder: SparkSession.Builder, *, open_to_users: bool) -> SparkSession:
    """Create a session in a Java that has the kernel on its class path.

    Args:
        settings: all settings of the session.
        builder: the builder of the session, with these settings.
        open_to_users: True if programs get the session, which may call any function of Spark's; otherwise the functions
            of its machine learning, whose registration takes half a second, are omitted.
    """
    conf = pyspark.SparkConf().setAll(list(settings.items()))
    start = java_class(pyspark.SparkContext._jvm, _SESSION_START)
    start.prepare(open_to_users)
    pyspark.SparkContext.getOrCreate(conf)
    before = None if open_to_users else start.withoutMachineLearning()
    try:
        session = builder.getOrCreate()
    finally:
        if before is not None:
            start.restore(before)
    start.prepareQueries()
    return session


def _unset(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment variables that the user does not set."""
    return {name: value for name, value in variables.items() if name not in os.environ}


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables in this context, and restore them afterwards."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
