"""The table of `make lake-matrix`: releases by version of Spark, declared ones and those on trial."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from compiled_plan.plans.connectors.lakes import DELTA, ICEBERG, Lake
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion
from tools import lake_matrix


def test_the_declared_release_has_the_pattern_of_those_on_trial() -> None:
    for lake in (DELTA, ICEBERG):
        for version in lake.versions:
            declared = (lake.release(version) or ())[-1].coordinates
            assert lake_matrix.tried(lake, version, declared.rpartition(":")[2]) == declared


def test_the_table_has_releases_and_outcomes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = list[tuple[SparkVersion, str, str]]()

    def outcome(version: SparkVersion, lake: Lake, packages: str) -> Mapping[str, int]:
        runs.append((version, lake.name, packages))
        return {"passed": 1, "failed": int(lake is not DELTA)}

    monkeypatch.setattr(lake_matrix, "outcome", outcome)
    assert lake_matrix.main("delta=9.9") == 0
    assert runs == [(version, "delta", f"io.delta:delta-spark_{version}_2.13:9.9") for version in SPARK_VERSIONS]
    capsys.readouterr()
    assert lake_matrix.main() == 1, "Iceberg's tests fail"
    lines = capsys.readouterr().out.splitlines()
    assert "| Apache Iceberg | 4.3 | none yet |  |" in lines
    assert (
        f"| Apache Iceberg | 4.1 | {ICEBERG.packages[-1].coordinates.rpartition(':')[2]} | 1 passed, 1 failed |"
        in lines
    )
