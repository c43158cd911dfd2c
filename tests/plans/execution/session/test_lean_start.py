"""A short start: options that yield to the user's, and sessions without parts that no plan needs."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.execution.session import lean_start
from compiled_plan.plans.execution.session.java_options import DRIVER_JAVA, driver_java
from compiled_plan.plans.execution.spark.java import java_class
from tests.support.java_flags import java_flags

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OPTION = "SPARK_LAUNCHER_OPTS"
_EXTENSIONS = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
#: A program that uses the session has all functions of Spark.
_PROGRAM = """
from pyspark.ml.functions import array_to_vector
from compiled_plan.plans.execution.embedded import session
rows = session().sql("SELECT array(1.5D) AS a").select(array_to_vector("a").alias("v")).collect()
assert str(rows[0].v) == "[1.5]", rows
"""


def test_the_launch_variable_is_set_for_the_start_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(_OPTION, raising=False)
    with lean_start.environment(lean_start._unset(lean_start._ASKING)):
        assert "TieredStopAtLevel=1" in os.environ[_OPTION]
    assert _OPTION not in os.environ


def test_a_users_launch_variable_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_OPTION, "-Dmine=1")
    with lean_start.environment(lean_start._unset(lean_start._ASKING)):
        assert os.environ[_OPTION] == "-Dmine=1"
    assert os.environ[_OPTION] == "-Dmine=1"


@pytest.mark.slow
def test_java_accepts_the_options_and_later_ones_win() -> None:
    flags = java_flags(driver_java({DRIVER_JAVA: "-XX:Tier4InvocationThreshold=7"}, 2).split())
    assert flags["Tier4InvocationThreshold"] == "7"
    assert flags["Tier4BackEdgeThreshold"] == "200000"


def test_nothing_but_machine_learning_is_left_out(spark: SparkSession) -> None:
    jvm = spark._jvm
    thread, start = (
        java_class(jvm, "java.lang.Thread"),
        java_class(jvm, "org.compiledplan.kernel.host.spark.SessionStart"),
    )
    before = start.withoutMachineLearning()
    try:
        loader = thread.currentThread().getContextClassLoader()
        assert before.getResource(_EXTENSIONS) is not None
        assert not loader.getResources(_EXTENSIONS).hasMoreElements()
        for name in ("META-INF/services/org.apache.spark.sql.sources.DataSourceRegister", "META-INF/MANIFEST.MF"):
            resources, all_of_them = loader.getResources(name), before.getResources(name)
            while all_of_them.hasMoreElements():
                assert str(resources.nextElement()) == str(all_of_them.nextElement())
            assert not resources.hasMoreElements()
    finally:
        start.restore(before)
    assert thread.currentThread().getContextClassLoader() == before


@pytest.mark.deep
def test_a_program_has_all_functions_of_spark() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
