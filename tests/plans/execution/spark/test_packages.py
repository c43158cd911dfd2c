"""Libraries that a plan needs and the class path lacks."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.plans.connectors.jars import KAFKA, Package
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.kernel import use_fit_java
from compiled_plan.plans.execution.spark import packages
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def program(*urls: str) -> CompiledPlan:
    """One that reads tables of databases and writes to one."""
    text = "".join(
        f"CREATE TABLE t{at} (a INT) WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = 't');\n"
        for at, url in enumerate(urls)
    )
    reads = " UNION ALL ".join(f"SELECT a FROM t{at}" for at in range(1, len(urls)))
    plan = TableEnvironment().compile_script(f"{text}INSERT INTO t0 {reads or 'VALUES (1)'};")
    return CompiledPlan.from_json(plan.to_json())


def test_what_is_needed_by_the_urls_of_tables() -> None:
    found = packages.needed(program("jdbc:mysql://h/d", "jdbc:postgresql://h/d", "jdbc:derby:d", "jdbc:mysql://h/e"))
    assert sorted(package.coordinates.rpartition(":")[0] for package in found) == [
        "com.mysql:mysql-connector-j",
        "org.postgresql:postgresql",
    ]
    assert set(found.values()) == {"connector 'jdbc'"}


def test_what_kafka_needs() -> None:
    """Without what Spark itself brings, such as Hadoop."""
    text = """
        CREATE TABLE k (a INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'x',
          'format' = 'json');
        CREATE TABLE o (a INT) WITH ('connector' = 'blackhole');
        INSERT INTO o SELECT a FROM k;
    """
    assert tuple(packages.needed(TableEnvironment().compile_script(text))) == KAFKA
    assert all(package.alone for package in KAFKA)


@pytest.fixture
def repository(spark: SparkSession, tmp_path: Path) -> Iterator[Path]:
    """A repository of Maven in a folder, the only one that Spark's Ivy asks."""
    settings = tmp_path / "ivy.xml"
    pattern = f"{tmp_path}/m2/[organisation]/[module]/[revision]/[module]-[revision].[ext]"
    settings.write_text(
        f"<ivysettings><caches defaultCacheDir='{tmp_path}/cache'/><settings defaultResolver='folder'/><resolvers>"
        f"<filesystem name='folder' m2compatible='true'><artifact pattern='{pattern}'/><ivy pattern='{pattern}'/>"
        "</filesystem></resolvers></ivysettings>"
    )
    jvm: Any = spark._jvm
    jvm.java.lang.System.setProperty("spark.jars.ivySettings", str(settings))
    yield tmp_path / "m2"
    jvm.java.lang.System.clearProperty("spark.jars.ivySettings")


def test_a_library_is_fetched_once_and_said(
    spark: SparkSession, repository: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = repository / "org/example/probe/1"
    folder.mkdir(parents=True)
    (folder / "PackagedProbe.java").write_text("public class PackagedProbe {}")
    subprocess.run([use_fit_java() / "bin" / "javac", "PackagedProbe.java"], cwd=folder, check=True)
    with zipfile.ZipFile(folder / "probe-1.jar", "w") as jar:
        jar.write(folder / "PackagedProbe.class", "PackagedProbe.class")
    (folder / "probe-1.pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
        "<artifactId>probe</artifactId><version>1</version></project>"
    )
    needs = {Package("org.example:probe:1", "PackagedProbe"): "connector 'probe'"}
    monkeypatch.setattr(packages, "needed", lambda plan: needs)
    plan = program("jdbc:derby:d")
    packages.provide(spark, plan)
    assert "adding org.example:probe:1, which connector 'probe' needs\n" in capfd.readouterr().err
    packages.provide(spark, plan)
    assert capfd.readouterr().err == ""

    jvm: Any = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    assert jvm.java.lang.Class.forName("PackagedProbe", False, loader).getName() == "PackagedProbe"


def test_a_library_that_cannot_be_had(spark: SparkSession, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs = {Package("org.example:gone:2", "org.example.Gone"): "format 'gone'"}
    monkeypatch.setattr(packages, "needed", lambda plan: needs)
    with pytest.raises(ExecutionError) as told:
        packages.provide(spark, program("jdbc:derby:d"))
    said = str(told.value)
    assert "format 'gone' needs org.example:gone:2, and it cannot be fetched from Maven" in said
    assert "put https://repo1.maven.org/maven2/org/example/gone/2/gone-2.jar on this machine" in said
    assert "spark.jars.repositories" in said
