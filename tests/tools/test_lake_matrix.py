"""The table of `make lake-matrix`: releases by version of Spark, declared ones and those on trial."""

from __future__ import annotations

import pytest

from compiled_plan.plans.connectors.lakes import DELTA, ICEBERG, Lake
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, spark_version
from tools import lake_matrix


def test_the_declared_release_has_the_pattern_of_those_on_trial() -> None:
    for lake in (DELTA, ICEBERG):
        for version in lake.versions:
            declared = (lake.release(version) or ())[-1].coordinates
            assert lake_matrix.tried(lake, version, declared.rpartition(":")[2]) == declared


def test_the_table_has_releases_and_outcomes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = list[tuple[str, str, str]]()

    def outcome(python: str, lake: Lake, packages: str) -> tuple[bool, str]:
        runs.append((python, lake.name, packages))
        return lake is DELTA, "1 passed"

    monkeypatch.setattr(lake_matrix, "outcome", outcome)
    older = spark_version("4.1")
    assert lake_matrix.main("env", "delta=9.9") == 0
    packages = [f"io.delta:delta-spark_{version}_2.13:9.9" for version in SPARK_VERSIONS]
    assert [run[1:] for run in runs] == [("delta", name) for name in packages]
    assert (runs[0][0], runs[-1][0]) == ("env/bin/python", f"env-spark{older}/bin/python")
    capsys.readouterr()
    assert lake_matrix.main("env") == 1, "Iceberg's tests fail"
    lines = capsys.readouterr().out.splitlines()
    assert "| Apache Iceberg | 4.3 | none yet |  |" in lines
    assert f"| Apache Iceberg | 4.1 | {ICEBERG.packages[-1].coordinates.rpartition(':')[2]} | 1 passed |" in lines
