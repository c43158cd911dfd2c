"""Whole runs: shared reads and state, several sinks in one commit, growing folders, ends."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.batches.following import Follower
from compiled_plan.plans.execution.batches.progress import BatchProgress
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.stages.build import StageBuilder
from compiled_plan.plans.execution.tables.sinks import Sinks
from compiled_plan.plans.plan import CompiledPlan
from tests.support.files import lines, put, table
from tests.support.waiting import SECONDS_TO_WAIT, wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def compiled(program: str) -> CompiledPlan:
    return TableEnvironment().compile_script(program)


def three_inserts(folder: Path) -> str:
    """One table in three inserts, two of them over one stateful view."""
    return (
        table(folder, "clicks", "page STRING, millis INT")
        + table(folder, "raw_out", "page STRING, millis INT")
        + table(folder, "busy_out", "page STRING, n BIGINT", "debezium-json")
        + table(folder, "quiet_out", "page STRING, n BIGINT", "debezium-json")
        + "CREATE VIEW counts AS SELECT page, COUNT(*) AS n FROM clicks GROUP BY page;\n"
        + "EXECUTE STATEMENT SET BEGIN\n"
        + "INSERT INTO raw_out SELECT page, millis FROM clicks;\n"
        + "INSERT INTO busy_out SELECT page, n FROM counts WHERE n > 1;\n"
        + "INSERT INTO quiet_out SELECT page, n FROM counts WHERE n <= 1;\n"
        + "END;"
    )


CLICKS: tuple[dict[str, object], ...] = (
    {"page": "a", "millis": 1},
    {"page": "b", "millis": 2},
    {"page": "a", "millis": 3},
)


@pytest.mark.wide
def test_a_statement_set_reads_and_keeps_everything_once(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "clicks", "1.json", *CLICKS)
    reports: list[BatchProgress] = []
    Run(spark, compiled(three_inserts(tmp_path)), RunOptions(), report=reports.append).execute()
    assert sum(report.rows_in for report in reports) == len(CLICKS), "the table is read once"
    (operator,) = reports[-1].operators
    assert (operator.rows_in, operator.state_rows) == (len(CLICKS), 2), "one copy of the view's state"
    assert len(lines(tmp_path / "raw_out")) == len(CLICKS)
    assert lines(tmp_path / "busy_out") == [{"before": None, "after": {"page": "a", "n": 2}, "op": "c"}]


@pytest.mark.deep
def test_a_table_in_five_joins_is_read_once(spark: SparkSession, tmp_path: Path) -> None:
    names = [f"side{number}" for number in range(5)]
    program = (
        table(tmp_path, "clicks", "page STRING, millis INT")
        + "".join(table(tmp_path, name, "page STRING, title STRING") for name in names)
        + "".join(table(tmp_path, f"out_{name}", "millis INT, title STRING") for name in names)
        + "EXECUTE STATEMENT SET BEGIN\n"
        + "".join(
            f"INSERT INTO out_{name} SELECT millis, title FROM clicks JOIN {name} ON clicks.page = {name}.page;\n"
            for name in names
        )
        + "END;"
    )
    put(tmp_path / "clicks", "1.json", *CLICKS)
    for name in names:
        put(tmp_path / name, "1.json", {"page": "a", "title": name})
    reports: list[BatchProgress] = []
    Run(spark, compiled(program), RunOptions(), report=reports.append).execute()
    assert sum(report.rows_in for report in reports) == len(CLICKS) + len(names), "each table is read once"
    assert len(reports[-1].operators) == len(names)
    clicked = [click for click in CLICKS if click["page"] == "a"]
    for name in names:
        assert sorted(line["millis"] for line in lines(tmp_path / f"out_{name}")) == [  # type: ignore[type-var]
            click["millis"] for click in clicked
        ]


@pytest.mark.wide
def test_rows_of_more_columns_than_spark_generates_code_for(spark: SparkSession, tmp_path: Path) -> None:
    """A program of many queries: together they have more columns than `spark.sql.codegen.maxFields`."""
    names = [f"c{at}" for at in range(110)]
    columns = ", ".join(f"{name} INT" for name in names)
    put(tmp_path / "wide", "1.json", {"k": 1} | dict.fromkeys(names, 1), {"k": 1} | dict.fromkeys(names, 2))
    sums = ", ".join(f"SUM({name})" for name in names)
    program = (
        table(tmp_path, "wide", f"k INT, {columns}")
        + table(tmp_path, "sums", f"k INT, {columns}", "debezium-json")
        + f"INSERT INTO sums SELECT k, {sums} FROM wide GROUP BY k;"
    )
    Run(spark, compiled(program), RunOptions()).execute()
    assert lines(tmp_path / "sums")[-1]["after"] == {"k": 1} | dict.fromkeys(names, 3)


@pytest.mark.deep
def test_a_view_in_eight_inserts_is_computed_once(spark: SparkSession, tmp_path: Path) -> None:
    program = (
        table(tmp_path, "clicks", "page STRING, millis INT")
        + "CREATE VIEW counts AS SELECT page, COUNT(*) AS n FROM clicks GROUP BY page;\n"
        + "".join(table(tmp_path, f"out{at}", "page STRING, n BIGINT", "debezium-json") for at in range(8))
        + "EXECUTE STATEMENT SET BEGIN\n"
        + "".join(f"INSERT INTO out{at} SELECT page, n + {at} FROM counts;\n" for at in range(8))
        + "END;"
    )
    put(tmp_path / "clicks", "1.json", *CLICKS)
    reports: list[BatchProgress] = []
    Run(spark, compiled(program), RunOptions(), report=reports.append).execute()
    assert sum(report.rows_in for report in reports) == len(CLICKS)
    (operator,) = reports[-1].operators
    pages = {click["page"] for click in CLICKS}
    assert (operator.rows_in, operator.state_rows) == (len(CLICKS), len(pages)), "one copy of the view's state"
    for at in range(8):
        counted = {line["after"]["page"]: line["after"]["n"] for line in lines(tmp_path / f"out{at}")}  # type: ignore[index]
        assert counted == {page: [c["page"] for c in CLICKS].count(page) + at for page in pages}


@pytest.mark.wide
def test_a_crash_between_two_sinks_duplicates_no_row(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "clicks", "1.json", *CLICKS)
    plan = compiled(three_inserts(tmp_path))
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"))
    run = Run(spark, plan, options)
    last = run._sinks[run.prepared.sinks[-1].id]
    monkeypatch.setattr(type(last), "write", failing_at(last, type(last).write))
    with pytest.raises(ExecutionError, match="disk is full"):
        run.execute()
    monkeypatch.undo()
    Run(spark, plan, options).execute()
    assert sorted(json.dumps(line) for line in lines(tmp_path / "raw_out")) == sorted(map(json.dumps, CLICKS))
    assert lines(tmp_path / "busy_out") == [{"before": None, "after": {"page": "a", "n": 2}, "op": "c"}]
    assert [line["op"] for line in lines(tmp_path / "quiet_out")].count("c") >= 1


def failing_at(sink: object, write: object) -> object:
    """A `write` that fails for one sink and is unchanged for the others."""

    def fails(self: object, frame: object, batch: int) -> None:
        if self is sink:
            raise OSError("disk is full")
        write(self, frame, batch)  # type: ignore[operator]

    return fails


def test_a_growing_folder_is_read_until_the_run_is_stopped(spark: SparkSession, tmp_path: Path) -> None:
    program = (
        table(tmp_path, "clicks", "page STRING, millis INT", **{"source.monitor-interval": "1 s"})
        + table(tmp_path, "raw_out", "page STRING, millis INT")
        + "INSERT INTO raw_out SELECT page, millis FROM clicks;"
    )
    put(tmp_path / "clicks", "1.json", CLICKS[0])
    run = Run(spark, compiled(program), RunOptions(trigger="100 ms"))
    assert not run.bounded
    thread = threading.Thread(target=run.execute)
    thread.start()
    try:
        wait_until(lambda: len(lines(tmp_path / "raw_out")) == 1)
        put(tmp_path / "clicks", "2.json", CLICKS[1])
        wait_until(lambda: len(lines(tmp_path / "raw_out")) == 2)
    finally:
        run.stop()
        thread.join(SECONDS_TO_WAIT)
    assert not thread.is_alive()
    assert lines(tmp_path / "raw_out") == list(CLICKS[:2])


@pytest.mark.wide
def test_a_bounded_run_with_a_trigger_ends_by_itself(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "clicks", "1.json", *CLICKS)
    result = Run(spark, compiled(three_inserts(tmp_path)), RunOptions(trigger="50 ms")).execute()
    assert (result.rows_in, result.stopped) == (len(CLICKS), False)


def test_a_run_fails_with_the_error_that_stopped_its_query(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing = threading.Event()

    def write_and_wait(self: Sinks, *arguments: object, **named: object) -> None:
        writing.set()
        wait_until(lambda: not spark.range(1).count())  # fails once the micro-batch is interrupted

    def fail_in_a_batch(self: Follower) -> None:
        if writing.is_set():
            raise OSError("disk is full")

    monkeypatch.setattr(Sinks, "write", write_and_wait)
    monkeypatch.setattr(Follower, "catch_up", fail_in_a_batch)
    put(tmp_path / "clicks", "1.json", *CLICKS)
    with pytest.raises(ExecutionError, match="disk is full"):
        Run(spark, compiled(three_inserts(tmp_path)), RunOptions()).execute()


def test_an_unknown_connector_is_refused_before_the_start(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "clicks", "1.json", *CLICKS)
    text = compiled(three_inserts(tmp_path)).to_json().replace('"filesystem"', '"carrier-pigeon"')
    with pytest.raises(UnsupportedError, match="carrier-pigeon"):
        Run(spark, CompiledPlan.from_json(text), RunOptions(checkpoint=str(tmp_path / "checkpoint")))
    assert not (tmp_path / "checkpoint").exists()


@pytest.mark.parametrize("existed", [False, True])
def test_a_plan_that_cannot_be_built_leaves_nothing_behind(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existed: bool
) -> None:
    checkpoint = tmp_path / "checkpoint"
    if existed:
        checkpoint.mkdir()
        (checkpoint / "mine.txt").write_text("kept")
    program = "INSERT INTO o SELECT a FROM (VALUES (1), (2)) AS t(a);"
    plan = compiled("CREATE TABLE o (a INT) WITH ('connector' = 'blackhole');" + program)

    def refuse(*_: object, **__: object) -> None:
        assert (checkpoint / "generations" / "1").is_dir()
        raise UnsupportedError("no")

    monkeypatch.setattr(StageBuilder, "build", refuse)
    with pytest.raises(UnsupportedError):
        Run(spark, plan, RunOptions(checkpoint=str(checkpoint))).execute()
    assert sorted(path.name for path in tmp_path.rglob("*")) == (["checkpoint", "mine.txt"] if existed else [])
