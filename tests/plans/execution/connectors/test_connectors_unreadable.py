"""Unreadable records and files that end the run: the table, the place, the text, and the options that help."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError, CompiledPlanError, DataError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.topics import Message, Topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

TABLE = "table default_catalog.default_database.s"
ASIDE = "'dead-letter.path' = 'FOLDER', which is no option of Flink's, to put it aside"
OPTIONS = "correct or remove the record, or set in the table's options "
IGNORING = " to pass over it (a field that cannot be read becomes NULL), or " + ASIDE


def fault(spark: SparkSession, columns: str, options: dict[str, str], checkpoint: Path | str = "") -> CompiledPlanError:
    """The error of a run that reads a table."""
    declared = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    plan = TableEnvironment().compile_script(
        f"CREATE TABLE s ({columns}) WITH ({declared});"
        f"CREATE TABLE t ({columns}) WITH ('connector' = 'blackhole'); INSERT INTO t SELECT * FROM s"
    )
    with pytest.raises(CompiledPlanError) as raised:
        Run(spark, plan, RunOptions(checkpoint=str(checkpoint))).execute()
    return raised.value


deep = partial(pytest.param, marks=pytest.mark.deep)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("format_", "text", "message", "line", "remedy"),
    [
        ("json", '{"id": 1}\nno\tJSON\n', "not JSON: ", 2, f"{OPTIONS}'json.ignore-parse-errors' = 'true'{IGNORING}"),
        deep("json", '{"id": "x"}\n', "column id: 'x' cannot be read as INT", 1, "'json.ignore-parse-errors'"),
        deep("csv", "1\n\n2,3\n", "column id: '' cannot be read", 2, "'csv.ignore-parse-errors'"),
        ("csv", "ID\n1\n", "the line is a header, with the names of columns", 1, "'csv.ignore-parse-errors' = 'true'"),
        deep("debezium-json", "{}\n", "a Debezium event", 1, "'debezium-json.ignore-parse-errors'"),
        ("raw", "12345\n", "5 bytes cannot be read as INT, which has 4", 1, f"{OPTIONS}{ASIDE}"),
    ],
)
def test_a_record_of_a_file(
    spark: SparkSession, tmp_path: Path, format_: str, text: str, message: str, line: int, remedy: str
) -> None:
    path = tmp_path / "a folder" / "1.txt"
    path.parent.mkdir()
    path.write_text(text)
    error = fault(spark, "id INT", {"connector": "filesystem", "path": str(path.parent), "format": format_})
    assert type(error) is DataError
    assert error.message.startswith(f"a record of {TABLE} cannot be read: ") and message in error.message
    record = text.splitlines()[line - 1].replace("\t", "\\t")
    assert error.message.endswith(f": '{record}'")
    assert error.where == f"'{path}', line {line}"
    assert remedy in error.remedy


def test_a_long_record_is_cut(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text("x" * 10_000)
    error = fault(spark, "id INT", {"connector": "filesystem", "path": str(tmp_path), "format": "json"})
    assert "..." in error.message and len(error.message) < 1000


@pytest.mark.wide
@pytest.mark.parametrize(
    ("format_", "text", "reason"),
    [
        ("csv", '"a\n', "a quote is not closed before its end"),
        ("avro", "text", "Not an Avro data file"),
        ("parquet", "text", "is not a Parquet file"),
        ("orc", "text", "Malformed ORC file"),
    ],
)
def test_a_file(spark: SparkSession, tmp_path: Path, format_: str, text: str, reason: str) -> None:
    path = tmp_path / "1.data"
    path.write_text(text)
    error = fault(spark, "id STRING", {"connector": "filesystem", "path": str(tmp_path), "format": format_})
    assert type(error) is DataError
    assert "cannot be read: " in error.message and reason in error.message
    assert error.where == f"'{path}'"
    assert error.remedy.startswith("correct the file, or remove it")


@pytest.mark.wide
@pytest.mark.parametrize(("slot", "prefix"), [("format", ""), ("value.format", "value.")])
def test_a_message(spark: SparkSession, kafka: Server, slot: str, prefix: str) -> None:
    topics = Topics(spark, kafka)
    topic = topics.make(f"unreadable-{slot}")
    topics.send(topic, [Message('{"id": 1}'), Message("no JSON")])
    bounds = {"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset"}
    broker = {"connector": "kafka", "topic": topic, "properties.bootstrap.servers": kafka.address}
    error = fault(spark, "id INT", {**broker, **bounds, slot: "json"})
    assert error.message.startswith(f"a record of {TABLE} cannot be read: not JSON: ")
    assert error.where == f"topic {topic}, partition 0, offset 1"
    assert f"'{prefix}json.ignore-parse-errors'" in error.remedy and ASIDE in error.remedy


def test_a_folder_that_is_not_there_is_named_in_full(spark: SparkSession) -> None:
    error = fault(spark, "id INT", {"connector": "filesystem", "path": "none", "format": "json"})
    assert f"'{Path('none').absolute()}' does not exist" in error.message


@pytest.mark.parametrize(("name", "reason"), [("file", "it is a file, and no folder"), ("file/below", "a part of its")])
def test_a_checkpoint_that_cannot_be_a_folder(spark: SparkSession, tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "in").mkdir()
    options = {"connector": "filesystem", "path": str(tmp_path / "in"), "format": "json"}
    error = fault(spark, "id INT", options, tmp_path / name)
    assert type(error) is CheckpointError
    assert error.message.startswith(f"cannot write the checkpoint: {reason}")
    assert error.where == f"'{tmp_path / name}'" and error.remedy
