"""The table of Spark's versions, and what is refused by it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from compiled_plan.plans.connectors.jars import KAFKA, OF_SPARK, for_spark
from compiled_plan.plans.connectors.lakes import LAKES
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.spark_versions import (
    SPARK_VERSIONS,
    SparkVersion,
    check_real_time,
    release,
    runs_plans,
    spark_version,
)

ROOT = Path(__file__).parents[2]
GATE = ROOT / "kernel/src/main/java/org/compiledplan/kernel/host/versions"


def test_a_version_of_each_release() -> None:
    assert [str(spark_version(version.tested)) for version in SPARK_VERSIONS] == [*map(str, SPARK_VERSIONS)]
    assert release("4.3.0-SNAPSHOT") == (4, 3)
    assert [runs_plans(text) for text in ("4.0.1", "4.1.0", "4.3.9", "5.0.0")] == [False, True, True, False]


def test_the_package_requires_the_versions_of_the_table() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ranges = [text for text in project["dependencies"] if text.startswith("pyspark")]
    oldest, newest = SPARK_VERSIONS[-1].number, SPARK_VERSIONS[0].number
    assert ranges == [f"pyspark>={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}"]


def test_development_uses_the_newest_version() -> None:
    pins = re.findall(r"^pyspark==(\S+)", (ROOT / "requirements/dev.txt").read_text(), re.MULTILINE)
    assert pins == [SPARK_VERSIONS[0].tested]


def test_the_gate_has_a_class_for_each_declared_difference() -> None:
    classes = {path.stem for path in GATE.glob("*.java")}
    since = {version.number for version in SPARK_VERSIONS}
    assert {(int(name[-2]), int(name[-1])) for name in classes if name[-2:].isdecimal()} <= since
    for version in SPARK_VERSIONS:
        assert version.checkpoint_files.rpartition(".")[2] in classes | {"FencedFiles"}
    first = min(version.number for version in SPARK_VERSIONS if version.real_time)
    assert f"RealTimeStages{first[0]}{first[1]}" in classes
    first = min(version.number for version in SPARK_VERSIONS if version.names_sources)
    assert f"SourceNaming{first[0]}{first[1]}" in classes


def test_a_version_that_runs_no_plans_is_refused() -> None:
    with pytest.raises(ExecutionError, match=r"plans do not run on Spark 4\.0\.1") as refused:
        spark_version("4.0.1")
    assert 'install one of Spark 4.1, 4.2, 4.3: pip install "pyspark~=4.3.0"' in str(refused.value)


@pytest.mark.parametrize("version", [version for version in SPARK_VERSIONS if not version.real_time], ids=str)
def test_real_time_mode_names_the_version_that_has_it(version: SparkVersion) -> None:
    with pytest.raises(
        UnsupportedError, match=re.escape(f"Spark {version.tested} has none for plans; Spark 4.3 has it")
    ):
        check_real_time(version.tested)
    check_real_time(SPARK_VERSIONS[0].tested)


def test_the_kafka_connector_fits_the_version() -> None:
    assert [for_spark(package, "4.3") for package in KAFKA] == [*KAFKA]
    older = [package for package in (for_spark(package, "4.1") for package in KAFKA) if package is not None]
    assert [package.holds for package in older] == [package.holds for package in KAFKA]
    assert [package.coordinates.rpartition(":")[2] for package in older[2:]] == ["4.1.1", "4.1.1"]
    assert OF_SPARK.keys() <= set(map(str, SPARK_VERSIONS))


def test_a_table_format_fits_the_versions_of_its_artifacts() -> None:
    for lake in LAKES.values():
        assert lake.versions, "no version of Spark is left for it"
        for version in lake.versions:
            release = lake.release(version)
            assert release is not None and re.search(rf"[-_]{version}_2\.13:", release[-1].coordinates)
