"""Driver classes named by tables."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError

from compiled_plan.plans.execution.spark.java import java_array, java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EVIL = 'public class Evil { static { System.setProperty("compiledPlan.evil", "ran"); } }'


@pytest.mark.attack
def test_a_class_that_is_no_driver_is_not_even_initialised(spark: SparkSession, tmp_path: Path) -> None:
    jvm: Any = spark._jvm
    (tmp_path / "Evil.java").write_text(_EVIL)
    compiler = Path(jvm.java.lang.System.getProperty("java.home"), "bin", "javac")
    subprocess.run([compiler, "-d", tmp_path, tmp_path / "Evil.java"], check=True)
    urls = spark.sparkContext._gateway.new_array(jvm.java.net.URL, 1)  # type: ignore[union-attr]
    urls[0] = jvm.java.net.URL(f"file:{tmp_path}/")
    thread = jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    thread.setContextClassLoader(jvm.java.net.URLClassLoader(urls, before))
    try:
        request = json.dumps({"url": "jdbc:derby:memory:x", "driver": "Evil", "properties": {}})
        kernel: Any = java_class(jvm, "org.compiledplan.kernel.jdbc.Database")
        with pytest.raises(Py4JJavaError, match="the class Evil is no JDBC driver"):
            kernel.runFirst(request, java_array(jvm, "java.lang.String", ("SELECT 1",)))
    finally:
        thread.setContextClassLoader(before)
    assert jvm.java.lang.System.getProperty("compiledPlan.evil") is None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("jdbc:postgresql://u:p@ss@h:1/d?password=p", "jdbc:postgresql://h:1/d"),
        ("jdbc:postgresql://u:p/s?s@h/d", "jdbc:postgresql://h/d"),
        ("jdbc:oracle:thin:scott/ti@ger@//h:1521/x", "jdbc:oracle:thin://h:1521/x"),
        ("jdbc:oracle:thin:@h:1521:x", "jdbc:oracle:thin:h:1521:x"),
        ("jdbc:derby:d;password=p", "jdbc:derby:d"),
        ("jdbc:sqlite:/a/b.db", "jdbc:sqlite:/a/b.db"),
    ],
)
def test_no_password_of_a_url_is_shown(spark: SparkSession, url: str, shown: str) -> None:
    mapper: Any = spark._jvm.com.fasterxml.jackson.databind.ObjectMapper()  # type: ignore[union-attr]
    database_class = java_class(spark._jvm, "org.compiledplan.kernel.jdbc.Database")
    assert database_class(mapper.readTree(json.dumps({"url": url}))).toString() == shown
