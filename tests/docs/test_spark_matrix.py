"""The record of `make spark-matrix`, which docs/reference/spark.md shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion
from tests import spark_matrix
from tests.older_spark import AREAS
from tools.reference import spark

OLDEST = SPARK_VERSIONS[-1]


def test_the_record_has_every_version_and_area() -> None:
    record = json.loads(spark_matrix.RECORD.read_text(encoding="utf-8"))
    expected = {version.tested: [*AREAS] for version in SPARK_VERSIONS}
    assert {release: [*areas] for release, areas in record.items()} == expected, "run `make spark-matrix`"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[SparkVersion, tuple[str, ...]]]:
    """Runs of tests in a matrix with a record of its own; those of formats fail."""
    runs = list[tuple[SparkVersion, tuple[str, ...]]]()

    def run_tests(version: SparkVersion, *arguments: str) -> Mapping[str, int]:
        runs.append((version, arguments))
        return {"passed": 2, "skipped": 0, "failed": int("tests/plans/execution/formats" in arguments)}

    (tmp_path / "record.json").write_text("{}")
    monkeypatch.setattr(spark_matrix, "RECORD", tmp_path / "record.json")
    monkeypatch.setattr(spark_matrix, "run_tests", run_tests)
    return runs


def test_named_areas_of_named_versions_run_and_the_others_keep_their_outcomes(
    runs: list[tuple[SparkVersion, tuple[str, ...]]],
) -> None:
    assert spark_matrix.main(str(OLDEST), "functions") == 0
    assert runs == [(OLDEST, AREAS["functions"].paths)]
    assert spark_matrix.main(str(OLDEST), "formats", "moves") == 1
    assert [arguments[:2] for _, arguments in runs[1:]] == [("-m", "wide"), AREAS["formats"].paths]
    rows = spark.matrix().splitlines()
    cells = {row.split(" | ")[0]: row.split(" | ")[1:] for row in rows}
    assert cells["| functions"] == ["not run", "not run", "2 passed |"]
    assert cells["| formats"][-1] == "2 passed, 1 failed |"


def test_outcomes_of_another_release_do_not_count(runs: list[tuple[SparkVersion, tuple[str, ...]]]) -> None:
    areas = {area: {"passed": 1, "skipped": 0, "failed": 0} for area in AREAS}
    spark_matrix.RECORD.write_text(json.dumps({f"{OLDEST}.999": areas}))
    assert "passed" not in spark.matrix()


def test_all_areas_run_on_all_versions_by_default(runs: list[tuple[SparkVersion, tuple[str, ...]]]) -> None:
    assert spark_matrix.main() == 1
    assert [version for version, _ in runs] == [version for version in SPARK_VERSIONS for _ in AREAS]
