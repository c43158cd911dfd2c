"""`export-state`: the report, refusals, and the savepoint."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from compiled_plan import schemas
from tests.plans.execution.state.flink.test_exports_savepoints import imported
from tests.support.commands import called

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

UID = "group-aggregate-source_t-3ca78a4a78"
exporting = partial(called, "export_state")


@pytest.fixture(scope="module")
def checkpoint(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint with two groups, and no position."""
    program = "stream-exec-group-aggregate_1/group-aggregate-simple"
    return imported(spark, program, tmp_path_factory.mktemp("job"))[1]


@pytest.mark.wide
@pytest.mark.spark
def test_a_dry_run_reports_each_operator_and_source(checkpoint: Path, shared_session: None) -> None:
    done = exporting(checkpoint, "--flink", "--dry-run", "--json", "--start", "source_t=earliest")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schemas.load(schemas.EXPORT)).validate(report)
    (operator,), (source,) = report["operators"], report["sources"]
    assert (operator["uid"], operator["outcome"], operator["keys"]) == (UID, "exported", 2)
    assert operator["flinkUid"].endswith("_group-aggregate")
    assert (source["table"], source["outcome"]) == ("source_t", "starts empty")


@pytest.mark.wide
@pytest.mark.spark
def test_a_source_without_a_position_is_refused(checkpoint: Path, shared_session: None, tmp_path: Path) -> None:
    done = exporting(checkpoint, "--flink", "--to", tmp_path / "to")
    assert done.returncode == 1
    assert "source source_t: the position of the connector 'filesystem' is not written to savepoints" in done.stderr
    assert "--start source_t=earliest" in done.stderr
    assert not (tmp_path / "to").exists()


@pytest.mark.wide
@pytest.mark.spark
def test_a_savepoint_is_written(checkpoint: Path, shared_session: None, tmp_path: Path) -> None:
    arguments = ("--flink", "--to", tmp_path / "to", "--start", "source_t=earliest")
    done = exporting(checkpoint, *arguments)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "to").iterdir())) == 2
    assert "the folder for the savepoint is not empty" in exporting(checkpoint, *arguments).stderr


@pytest.mark.wide
@pytest.mark.spark
def test_an_unknown_operator_is_refused(checkpoint: Path, shared_session: None) -> None:
    done = exporting(checkpoint, "--flink", "--dry-run", "--reset", "nobody")
    assert done.returncode == 1
    assert "--reset nobody: no operator of the checkpoint has state and this uid" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "x"), "--flink is missing"),
        (("--flink",), "--to DIR is missing, or --dry-run"),
        (("--flink", "--dry-run", "--max-parallelism", "0"), "is not between 1 and 32768"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str) -> None:
    done = exporting("nowhere", *arguments)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
