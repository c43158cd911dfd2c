"""Spark's settings from outside the product: they are respected, or added to, whatever their origin."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution import embedded
from compiled_plan.plans.execution.kernel import kernel_jar
from compiled_plan.plans.execution.session import configured as outside
from compiled_plan.plans.execution.session import lean_start
from compiled_plan.plans.execution.session.settings import FIXED, add_kernel, uses_local_files, wanted_settings
from compiled_plan.plans.execution.session.spark_session import spark_session

JAVA = Path("/usr/lib/jvm/none")


@pytest.fixture(autouse=True)
def defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a folder of Spark's configuration."""
    for name in ("PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT", "PYSPARK_PYTHON", "MASTER", "HADOOP_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    return tmp_path / "spark-defaults.conf"


def wanted(tmp_path: Path, master: str = "", **chosen: str) -> dict[str, str]:
    settings = {name.replace("_", "."): value for name, value in chosen.items()}
    return wanted_settings(master, settings, outside.configured_settings(), tmp_path / "warehouse")


def test_settings_of_the_file_and_of_the_environment(defaults: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    defaults.write_text("# a comment\nspark.master  yarn\nspark.jars=a.jar,\\\n   b.jar\nspark.driver.memory 3g\n")
    assert outside.configured_settings() == {
        "spark.master": "yarn",
        "spark.jars": "a.jar,b.jar",
        "spark.driver.memory": "3g",
    }
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars 'c d.jar' -c spark.x=1=2 --driver-memory 5g pyspark-shell")
    assert outside.configured_settings() == {
        "spark.master": "yarn",
        "spark.jars": "c d.jar",
        "spark.driver.memory": "5g",
        "spark.x": "1=2",
    }
    chosen = defaults.with_name("chosen.conf")
    chosen.write_text("spark.y=2\n")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--properties-file {chosen} pyspark-shell")
    assert outside.configured_settings() == {"spark.y": "2"}, "it replaces the file of the folder"


@pytest.mark.parametrize(
    ("variables", "settings", "origin"),
    [
        ({"SPARK_REMOTE": "sc://host"}, {}, "SPARK_REMOTE=sc://host"),
        ({"SPARK_CONNECT_MODE_ENABLED": "1"}, {}, "SPARK_CONNECT_MODE_ENABLED=1"),
        ({"SPARK_API_MODE": "connect"}, {}, "spark.api.mode=connect"),
        ({}, {"spark.api.mode": "Connect"}, "spark.api.mode=Connect"),
        ({}, {"spark.remote": "local"}, "spark.remote=local"),
    ],
)
def test_spark_connect_is_refused_before_java_starts(
    variables: dict[str, str], settings: dict[str, str], origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with (
        pytest.raises(ExecutionError, match=f"Spark Connect, which {origin} turns on") as refused,
        spark_session(conf=settings),
    ):
        pass
    assert "name the cluster as the master" in str(refused.value)
    if variables:
        with pytest.raises(ExecutionError, match="Spark Connect"):
            embedded.session()


def test_settings_of_classic_spark_start_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_API_MODE", "connect")
    settings = {"spark.api.mode": "classic", "spark.master": "local"}
    assert outside.check_classic(settings) is None


def test_the_products_values_yield(defaults: Path, tmp_path: Path) -> None:
    defaults.write_text(
        "spark.driver.memory 8g\nspark.ui.enabled true\nspark.sql.shuffle.partitions 7\nspark.master local[3]\n"
        "spark.app.name mine\nspark.sql.warehouse.dir /warehouse\nspark.executor.memory 2g\n"
        "spark.executorEnv.PYTHONSAFEPATH 0\nspark.sql.caseSensitive false\n"
    )
    settings = wanted(tmp_path, spark_ui_enabled="false")
    assert settings["spark.driver.memory"] == "8g" and settings["spark.sql.shuffle.partitions"] == "7"
    assert settings["spark.master"] == "local[3]" and settings["spark.app.name"] == "mine"
    assert settings["spark.sql.warehouse.dir"] == "/warehouse" and settings["spark.executorEnv.PYTHONSAFEPATH"] == "0"
    assert settings["spark.ui.enabled"] == "false", "those of the command come first"
    assert "spark.executor.memory" not in settings, "Spark reads it from the file"
    assert settings.items() >= FIXED.items()
    assert wanted(tmp_path, "local[2]")["spark.master"] == "local[2]"


@pytest.mark.parametrize(
    ("master", "loopback"),
    [
        ("local[4]", True),
        ("local-cluster[1,1,1024]", True),
        ("spark://127.0.0.1:7077", True),
        ("spark://h:7077", False),
    ],
)
def test_executors_elsewhere_reach_the_driver(master: str, loopback: bool, tmp_path: Path) -> None:
    assert ("spark.driver.host" in wanted(tmp_path, master)) == loopback


@pytest.mark.parametrize("master", ["local[1]", "yarn"])
def test_the_kernel_is_added(master: str, defaults: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_gateway", None)
    defaults.write_text(
        "spark.jars /a.jar\nspark.driver.extraClassPath /b.jar\nspark.driver.defaultJavaOptions -Dx=1\n"
    )
    settings = wanted(tmp_path, master)
    lean = add_kernel(settings, JAVA)
    jar = kernel_jar()
    paths, jars = settings["spark.driver.extraClassPath"], settings["spark.jars"]
    assert (paths, jars) == ((f"/b.jar:{jar}", "/a.jar") if lean else ("/b.jar", f"/a.jar,{jar.as_uri()}"))
    assert lean == (master == "local[1]")
    assert "-Dx=1" in settings["spark.driver.defaultJavaOptions"]


def test_a_kernel_that_the_operator_gives_is_not_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_gateway", None)
    settings = wanted(tmp_path, "yarn", spark_jars=f"a.jar,local:///opt/{kernel_jar().name}")
    add_kernel(settings, JAVA)
    assert settings["spark.jars"] == f"a.jar,local:///opt/{kernel_jar().name}"


def test_lists_of_spark_submit_are_added_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    known = {"spark.jars": "a.jar,b.jar", "spark.files": "a.txt", "spark.master": "yarn"}
    settings = wanted_settings("", {"spark.jars": "b.jar,c.jar", "spark.files": "b.txt"}, known, tmp_path)
    assert settings["spark.jars"] == "a.jar,b.jar,c.jar" and settings["spark.files"] == "a.txt,b.txt"
    assert settings["spark.master"] == "yarn"


def test_arguments_of_the_environment_keep_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"spark.jars": "a.jar,kernel.jar", "spark.driver.extraClassPath": "k"}
    assert outside.submit_arguments(settings) == "pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars a.jar --packages g:a:1 pyspark-shell")
    assert shlex.split(outside.submit_arguments(settings)) == [
        *("--jars", "a.jar", "--packages", "g:a:1", "--jars", "a.jar,kernel.jar", "--driver-class-path", "k"),
        "pyspark-shell",
    ]


def test_files_of_packages_reach_the_executors(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_ensure_initialized", lambda conf=None: None)
    monkeypatch.setattr(SparkContext, "_gateway", Mock())
    monkeypatch.setattr(lean_start, "settings_of_java", lambda: {"spark.jars": "kernel.jar,/ivy/hadoop-aws.jar"})
    effective = lean_start.start_java({"spark.jars": "kernel.jar", "spark.x": "1"}, quickly=False)
    assert effective == {"spark.jars": "kernel.jar,/ivy/hadoop-aws.jar", "spark.x": "1"}


def test_the_python_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's order: the setting, the environment, then this process's own."""
    assert outside.python_of_workers({}) == sys.executable
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/python")
    assert outside.python_of_workers({}) == "/opt/python"
    assert outside.python_of_workers({"spark.pyspark.python": "environment/bin/python"}) == "environment/bin/python"
    with lean_start.python_workers("environment/bin/python"):
        assert (os.environ["PYSPARK_PYTHON"], os.environ["PYTHONSAFEPATH"]) == ("environment/bin/python", "1")
    assert os.environ["PYSPARK_PYTHON"] == "/opt/python"


def test_paths_without_a_scheme_belong_to_the_configured_file_system(
    defaults: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARK_CONF_DIR")
    assert uses_local_files("local[1]", {})
    assert not uses_local_files("", {"spark.master": "yarn"})
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.hadoop.fs.defaultFS=hdfs://h pyspark-shell")
    assert not uses_local_files("local[1]", {})


#: Prints what the executors get, and the warning.
SESSION = """
from compiled_plan.plans.execution.session.spark_session import spark_session

with spark_session("local-cluster[1,1,1024]", {}, verbose=False) as spark:
    jars = spark.sparkContext._jsc.sc().listJars()
    print(sorted(jars.apply(at).rpartition("/")[2] for at in range(jars.size())))
    print(spark.conf.get("spark.sql.session.timeZone"), spark.conf.get("spark.driver.memory"))
"""


@pytest.mark.wide
@pytest.mark.spark
def test_executors_get_the_operators_jars_and_the_kernel(defaults: Path, tmp_path: Path) -> None:
    defaults.touch()
    for name in ("one", "two"):
        subprocess.run(["jar", "cf", str(tmp_path / f"{name}.jar"), "-C", str(tmp_path), defaults.name], check=True)
    defaults.write_text(f"spark.jars {tmp_path}/one.jar\nspark.sql.session.timeZone Europe/Berlin\n")
    arguments = f"--driver-memory 900m --conf spark.jars={tmp_path}/one.jar,{tmp_path}/two.jar pyspark-shell"
    variables = {**os.environ, "PYSPARK_SUBMIT_ARGS": arguments}
    done = subprocess.run(
        [sys.executable, "-c", SESSION], env=variables, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.splitlines() == [str(sorted([kernel_jar().name, "one.jar", "two.jar"])), "UTC 900m"], done.stderr
    assert "warning: spark.sql.session.timeZone=Europe/Berlin is not used: plans run with UTC" in done.stderr
