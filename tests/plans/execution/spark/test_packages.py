"""Libraries that a plan needs and the class path lacks."""

from __future__ import annotations

import hashlib
import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors.jars import ALL, FLINK, KAFKA, SAVEPOINT, Package, for_spark
from compiled_plan.plans.connectors.registry import connector_specs, format_specs
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.kernel import use_suitable_java
from compiled_plan.plans.execution.spark import packages
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.spark_versions import SPARK_VERSIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def program(*urls: str) -> CompiledPlan:
    """A program that reads database tables and writes to one."""
    text = "".join(
        f"CREATE TABLE t{at} (a INT) WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = 't');\n"
        for at, url in enumerate(urls)
    )
    reads = " UNION ALL ".join(f"SELECT a FROM t{at}" for at in range(1, len(urls)))
    plan = TableEnvironment().compile_script(f"{text}INSERT INTO t0 {reads or 'VALUES (1)'};")
    return CompiledPlan.from_json(plan.to_json())


def test_drivers_needed_by_table_urls() -> None:
    jars = packages.needed(program("jdbc:mysql://h/d", "jdbc:postgresql://h/d", "jdbc:derby:d", "jdbc:mysql://h/e"))
    assert sorted(package.coordinates.rpartition(":")[0] for package in jars) == [
        "com.mysql:mysql-connector-j",
        "org.postgresql:postgresql",
    ]
    assert set(jars.values()) == {"connector 'jdbc'"}


def test_libraries_needed_by_kafka() -> None:
    """Without the dependencies that Spark itself brings, such as Hadoop."""
    text = """
        CREATE TABLE k (a INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'x',
          'format' = 'json');
        CREATE TABLE o (a INT) WITH ('connector' = 'blackhole');
        INSERT INTO o SELECT a FROM k;
    """
    assert tuple(packages.needed(TableEnvironment().compile_script(text))) == KAFKA


def test_libraries_of_a_connector_are_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    present, added = KAFKA[1], list[str]()
    monkeypatch.setattr(packages, "has_class", lambda _, name: name == present.holds)
    monkeypatch.setattr(packages, "_add", lambda _, package, user: added.append(package.coordinates))
    users = {**dict.fromkeys(KAFKA, "connector 'kafka'"), FLINK[0]: "the Java function f"}
    packages.add_packages(cast(Any, None), users)
    names = [package.coordinates for package in KAFKA if package is not present]
    assert added == [*names, FLINK[0].coordinates]
    assert capsys.readouterr().err.splitlines() == [
        f"adding {', '.join(names)}, which connector 'kafka' needs",
        f"adding {FLINK[0].coordinates}, which the Java function f needs",
    ]


@pytest.fixture
def repository(spark: SparkSession, tmp_path: Path) -> Iterator[Path]:
    """A Maven repository in a folder, the only one that Spark's Ivy uses."""
    settings = tmp_path / "ivy.xml"
    pattern = f"{tmp_path}/m2/[organisation]/[module]/[revision]/[module]-[revision].[ext]"
    settings.write_text(
        f"<ivysettings><caches defaultCacheDir='{tmp_path}/cache'/><settings defaultResolver='folder'/><resolvers>"
        f"<filesystem name='folder' m2compatible='true'><artifact pattern='{pattern}'/><ivy pattern='{pattern}'/>"
        "</filesystem></resolvers></ivysettings>"
    )
    jvm: Any = spark._jvm
    properties = {"spark.jars.ivySettings": str(settings), "spark.jars.ivy": f"{tmp_path}/ivy"}
    for name, value in properties.items():
        jvm.java.lang.System.setProperty(name, value)
    yield tmp_path / "m2"
    for name in properties:
        jvm.java.lang.System.clearProperty(name)


def published(repository: Path, name: str, class_name: str) -> Path:
    """The jar of a library with one class, in the repository."""
    folder = repository / f"org/example/{name}/1"
    folder.mkdir(parents=True)
    (folder / f"{class_name}.java").write_text(f"public class {class_name} {{}}")
    subprocess.run([use_suitable_java() / "bin" / "javac", f"{class_name}.java"], cwd=folder, check=True)
    with zipfile.ZipFile(folder / f"{name}-1.jar", "w") as jar:
        jar.write(folder / f"{class_name}.class", f"{class_name}.class")
    (folder / f"{name}-1.pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
        f"<artifactId>{name}</artifactId><version>1</version></project>"
    )
    return folder / f"{name}-1.jar"


@pytest.mark.wide
def test_a_library_is_fetched_once_and_said(
    spark: SparkSession, repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sha256 = hashlib.sha256(published(repository, "probe", "PackagedProbe").read_bytes()).hexdigest()
    needs = {Package("org.example:probe:1", sha256, "PackagedProbe"): "connector 'probe'"}
    packages.add_packages(spark, needs)
    assert "adding org.example:probe:1, which connector 'probe' needs\n" in capfd.readouterr().err
    packages.add_packages(spark, needs)
    assert capfd.readouterr().err == ""

    jvm: Any = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    assert jvm.java.lang.Class.forName("PackagedProbe", False, loader).getName() == "PackagedProbe"


@pytest.mark.wide
def test_a_library_of_another_hash_is_not_loaded(spark: SparkSession, repository: Path) -> None:
    actual = hashlib.sha256(published(repository, "forged", "ForgedProbe").read_bytes()).hexdigest()
    needs = {Package("org.example:forged:1", "0" * 64, "ForgedProbe"): "connector 'probe'"}
    with pytest.raises(ExecutionError) as refusal:
        packages.add_packages(spark, needs)
    assert (
        f"org.example:forged:1, which connector 'probe' needs, has the wrong checksum: its SHA-256 is \
{actual}, expected {'0' * 64}"
        in str(refusal.value)
    )
    assert "remove it from Ivy" in str(refusal.value)
    assert not packages.has_class(spark, "ForgedProbe")


def test_only_libraries_with_a_hash_are_fetched() -> None:
    specs = [*connector_specs().values(), *format_specs().values()]
    declared = {package for spec in specs for package in spec.packages} | {*FLINK, *SAVEPOINT}
    releases = {for_spark(package, str(version)) for package in declared for version in SPARK_VERSIONS} - {None}
    assert declared | releases == set(ALL)
    assert all(re.fullmatch("[0-9a-f]{64}", package.sha256) for package in ALL)
    assert len({package.coordinates for package in ALL}) == len(ALL)


def test_an_unavailable_library(spark: SparkSession, repository: Path) -> None:
    needs = {Package("org.example:gone:2", "0" * 64, "org.example.Gone"): "format 'gone'"}
    with pytest.raises(ExecutionError) as error:
        packages.add_packages(spark, needs)
    said = str(error.value)
    assert "format 'gone' needs org.example:gone:2, and it cannot be fetched from Maven" in said
    assert "put https://repo1.maven.org/maven2/org/example/gone/2/gone-2.jar on this machine" in said
    assert "spark.jars.repositories" in said
