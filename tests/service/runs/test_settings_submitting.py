"""Runs that spark-submit starts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.service.runs.settings import Files, RunSettings, submitted, submitting_environment


@pytest.fixture
def submit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a fake spark-submit."""
    file = tmp_path / "spark-submit"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return str(file)


def test_options_of_spark_come_before_the_command_and_its_own_after_it(submit: str, tmp_path: Path) -> None:
    settings = RunSettings(launcher="spark-submit", master="yarn", conf={"spark.a": "b c"}, trigger="2s")
    argv = settings.argv(
        ("execute-plan",), Files("plan.json", "conf"), "shop", tmp_path / "c", tmp_path / "p", ["--reset", "x"]
    )
    at = next(at for at, argument in enumerate(argv) if argument.endswith("cli/execute_plan.py"))
    assert argv[: at - 7] == [submit, "--master", "yarn"]
    assert argv[at - 7] == "--jars" and argv[at - 6].endswith(".jar")
    assert argv[at - 5 : at - 2] == ["--properties-file", "conf", "--load-spark-defaults"]
    rest = argv[at + 1 :]
    assert rest[-3:] == ["--reset", "x", "plan.json"] and "--master" not in rest and "--conf-file" not in rest
    assert rest[rest.index("--trigger") + 1] == "2s"


def test_the_python_of_the_workers_is_the_operators(submit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = f"spark.pyspark.driver.python={sys.executable}"
    workers = {"spark.pyspark.python": "environment/bin/python"}
    assert driver in submitted("yarn", workers, "conf")
    assert driver not in submitted("yarn", {**workers, "spark.pyspark.driver.python": "python3"}, "conf")
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    assert submitting_environment() == {"PYSPARK_PYTHON": sys.executable, "PYTHONSAFEPATH": "1"}
    monkeypatch.setenv("PYSPARK_PYTHON", "environment/bin/python")
    assert submitting_environment()["PYSPARK_PYTHON"] == "environment/bin/python"


def test_cluster_deploy_mode_is_refused(submit: str) -> None:
    with pytest.raises(UnsupportedError, match="deployMode=cluster"):
        submitted("yarn", {"spark.submit.deployMode": "cluster"}, "")
    assert submitted("", {"spark.submit.deployMode": "client"}, "")[1] == "--jars"


def test_a_missing_spark_submit_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(ExecutionError, match="not on the service's PATH"):
        submitted("", {}, "")
