"""Success files of complete partitions."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast
from unittest.mock import MagicMock

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors import partition_commits as declared
from compiled_plan.plans.errors import CompiledPlanError, DataError, UnsupportedError
from compiled_plan.plans.execution.batches.progress import BatchProgress
from compiled_plan.plans.execution.files import partition_commits, sink
from compiled_plan.plans.execution.files.partition_commits import PartitionCommits
from compiled_plan.plans.execution.files.sink import FileSink
from compiled_plan.plans.execution.interfaces.connectors import SinkContext, TableSpec
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.types import RowType
from tests.support.running import Running
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

OWN = re.compile(r"part-run-(\d+)-\d+\.")
HOUR = 3_600_000
#: 2024-01-01 in UTC.
NEW_YEAR = 1_704_067_200_000


class Clock:
    now = 1000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def commits(spark: SparkSession, folder: Path, clock: Callable[[], int], **options: str) -> PartitionCommits:
    names = {"delay": declared.DELAY, "trigger": declared.TRIGGER, "zone": declared.ZONE, "pattern": declared.PATTERN}
    known = {**names, "form": declared.FORMATTER, "file": declared.FILE}
    named = {known[name]: value for name, value in options.items()}
    return PartitionCommits(spark, "c.d.t", str(folder), ("dt", "hour"), named, OWN, clock)


def marker_files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and "part-" not in path.name}


def test_a_partition_is_committed_after_its_delay_and_batch(spark: SparkSession, tmp_path: Path, clock: Clock) -> None:
    committer = commits(spark, tmp_path, clock, delay="1 s")
    committer.record(0, ["dt=a/hour=1"])
    committer.settle(0, None, ended=False)
    clock.now += 1000
    committer.settle(-1, None, ended=False)
    assert marker_files(tmp_path) == set()
    committer.record(1, ["dt=a/hour=2"])
    committer.settle(0, None, ended=False)
    assert marker_files(tmp_path) == {"dt=a/hour=1/_SUCCESS"}
    # Partitions written by the batch after the uncommitted one wait for it.
    clock.now += 1000
    committer.record(2, ["dt=a/hour=2"])
    committer.settle(1, None, ended=False)
    assert marker_files(tmp_path) == {"dt=a/hour=1/_SUCCESS"}
    committer.settle(2, None, ended=False)
    assert marker_files(tmp_path) == {"dt=a/hour=1/_SUCCESS", "dt=a/hour=2/_SUCCESS"}
    assert committer.pending == {}


def test_the_end_of_the_input_commits_all_partitions(spark: SparkSession, tmp_path: Path, clock: Clock) -> None:
    committer = commits(spark, tmp_path, clock, delay="1 d", trigger="partition-time", file="done")
    committer.record(0, ["dt=a/hour=1", "dt=b/hour=2"])
    committer.settle(0, None, ended=True)
    assert marker_files(tmp_path) == {"dt=a/hour=1/done", "dt=b/hour=2/done"}


def test_pending_partitions_are_recovered_from_the_files(spark: SparkSession, tmp_path: Path, clock: Clock) -> None:
    for name in ("a/hour=1/part-run-3-0.json", "a/hour=1/part-run-5-1.json", "b/hour=1/part-other-9-0.json"):
        (tmp_path / f"dt={name}").parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"dt={name}").write_text("{}")
    committer = commits(spark, tmp_path, clock)
    clock.now = 2**62
    committer.settle(4, None, ended=False)
    assert marker_files(tmp_path) == set()
    committer.settle(5, None, ended=False)
    assert marker_files(tmp_path) == {"dt=a/hour=1/_SUCCESS"}
    again = commits(spark, tmp_path, clock)
    again.settle(5, None, ended=False)
    assert again.pending == {}


def test_pending_partitions_are_read_before_the_first_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A listing in the run's thread fails if a micro-batch moves files meanwhile."""
    files = MagicMock(return_value=MagicMock(root=str(tmp_path), exists=lambda path: False, walk=lambda folder: []))
    for module in (partition_commits, sink):
        monkeypatch.setattr(module, "Files", files)
    session = cast("SparkSession", None)
    waiting = commits(session, tmp_path, lambda: 0)
    table = TableSpec("c.d.t", RowType(fields=()), {"path": str(tmp_path)})
    context = SinkContext(session, "run", print)
    FileSink(table, MagicMock(), MagicMock(), context, commits=waiting).look_ahead(0)
    files.return_value.walk = MagicMock(side_effect=FileNotFoundError)
    waiting.settle(-1, None, ended=False)
    waiting.record(0, ["dt=a/hour=1"])
    assert waiting.pending is not None and list(waiting.pending) == ["dt=a/hour=1"]


@pytest.mark.parametrize(
    ("options", "folder", "millis"),
    [
        ({"pattern": "$dt $hour:00:00"}, "dt=2024-01-01/hour=05", NEW_YEAR + 5 * HOUR),
        ({"pattern": "$dt $hour:00:00"}, "dt=2024-1-1/hour=5", NEW_YEAR + 5 * HOUR),
        ({"pattern": "$dt $hour", "form": "yyyyMMdd HH"}, "dt=20240101/hour=05", NEW_YEAR + 5 * HOUR),
        ({}, "dt=2024-01-01/hour=5", NEW_YEAR),
        ({}, "dt=2024-01-01 05%3A00%3A00/hour=x", NEW_YEAR + 5 * HOUR),
        ({"pattern": "$dt", "form": "yyyyMMdd"}, "dt=20240101/hour=5", NEW_YEAR),
        ({"pattern": "$dt $hour:00:00", "zone": "Asia/Shanghai"}, "dt=2024-01-01/hour=05", NEW_YEAR - 3 * HOUR),
    ],
)
def test_by_the_watermark_behind_the_time_of_the_partition(
    spark: SparkSession, tmp_path: Path, clock: Clock, options: dict[str, str], folder: str, millis: int
) -> None:
    committer = commits(spark, tmp_path, clock, trigger="partition-time", delay="1 h", **options)
    committer.check(ends=False, has_watermark=True)
    committer.record(0, [folder])
    committer.settle(0, None, ended=False)
    committer.settle(0, millis + HOUR, ended=False)
    assert marker_files(tmp_path) == set()
    committer.settle(0, millis + HOUR + 1, ended=False)
    assert marker_files(tmp_path) == {f"{folder}/_SUCCESS"}


def test_a_partition_without_a_valid_time_is_named(spark: SparkSession, tmp_path: Path, clock: Clock) -> None:
    committer = commits(spark, tmp_path, clock, trigger="partition-time")
    committer.record(0, ["dt=__DEFAULT_PARTITION__/hour=1"])
    with pytest.raises(DataError, match="the time of partition dt=__DEFAULT_PARTITION__/hour=1 cannot be read"):
        committer.settle(0, NEW_YEAR, ended=False)


@pytest.mark.parametrize("options", [{"zone": "Nowhere/Else"}, {"form": "yyyy-bb"}])
def test_zones_and_forms_that_java_does_not_know(
    spark: SparkSession, tmp_path: Path, clock: Clock, options: dict[str, str]
) -> None:
    with pytest.raises(UnsupportedError, match="is invalid") as error:
        commits(spark, tmp_path, clock, **options).check(ends=True, has_watermark=True)
    assert "c.d.t" in error.value.where


def test_without_a_watermark(spark: SparkSession, tmp_path: Path, clock: Clock) -> None:
    committer = commits(spark, tmp_path, clock, trigger="partition-time")
    committer.check(ends=True, has_watermark=False)
    with pytest.raises(UnsupportedError, match="needs a watermark") as error:
        committer.check(ends=False, has_watermark=False)
    assert "process-time" in error.value.remedy


def program(folder: Path, delay: str = "1 h", source: str = "", more: str = "") -> str:
    """The example of Flink's page, from files."""
    return f"""
        CREATE TABLE a (user_id STRING, order_amount DOUBLE, ts STRING) WITH (
          'connector' = 'filesystem', 'path' = '{folder}/in', 'format' = 'json' {source});
        CREATE TABLE t (user_id STRING, order_amount DOUBLE, dt STRING, `hour` STRING) PARTITIONED BY (dt, `hour`)
          WITH ('connector' = 'filesystem', 'path' = '{folder}/out', 'format' = 'parquet',
            'sink.partition-commit.delay' = '{delay}', 'sink.partition-commit.policy.kind' = 'success-file' {more});
        INSERT INTO t SELECT user_id, order_amount, SUBSTRING(ts, 1, 10), SUBSTRING(ts, 12, 2) FROM a;
    """


@pytest.fixture
def orders(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "in").mkdir()
    times = ("2024-01-01 05:00:00", "2024-01-01 06:00:00")
    lines = (f'{{"user_id": "u", "order_amount": 1.5, "ts": "{time}"}}\n' for time in times)
    (tmp_path / "in/1.json").write_text("".join(lines))
    yield tmp_path


@pytest.mark.wide
def test_the_example_of_flinks_page(spark: SparkSession, orders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failing micro-batch leaves no success file; the next start writes it once all rows are written."""
    write = FileSink.write

    def failing(target: FileSink, frame: DataFrame, batch: int) -> None:
        write(target, frame, batch)
        raise RuntimeError("killed")

    plan = TableEnvironment().compile_script(program(orders))
    options = RunOptions(checkpoint=str(orders / "checkpoint"))
    monkeypatch.setattr(FileSink, "write", failing)
    with pytest.raises(CompiledPlanError, match="killed"):
        Run(spark, plan, options).execute()
    assert marker_files(orders / "out") == set()
    monkeypatch.setattr(FileSink, "write", write)
    Run(spark, plan, options).execute()
    assert marker_files(orders / "out") == {"dt=2024-01-01/hour=05/_SUCCESS", "dt=2024-01-01/hour=06/_SUCCESS"}
    assert spark.read.parquet(str(orders / "out")).count() == 2


def follow(run: Run, written: threading.Event, folder: Path, wanted: int) -> None:
    """Run until rows are written and this many partitions are committed, then stop; a failing run fails the test."""
    running = Running(run)
    with running:
        wait_until(lambda: running.future.done() or (written.is_set() and len(marker_files(folder)) >= wanted))


def run_of(spark: SparkSession, text: str) -> tuple[Run, threading.Event]:
    """A run of a program, and whether it has written something."""
    written = threading.Event()

    def report(progress: BatchProgress) -> None:
        if progress.rows_out:
            written.set()

    return Run(spark, TableEnvironment().compile_script(text), RunOptions(), report=report), written


MONITORED = ", 'source.monitor-interval' = '1 s'"


@pytest.mark.wide
@pytest.mark.parametrize(("delay", "wanted"), [("200 ms", 2), pytest.param("1 h", 0, marks=pytest.mark.wide)])
def test_a_continuous_run_commits_by_processing_time(
    spark: SparkSession, orders: Path, delay: str, wanted: int
) -> None:
    """The delay ends without further rows; a stopped run commits no remaining partitions."""
    more = ", 'sink.partition-commit.success-file.name' = 'ok'"
    follow(*run_of(spark, program(orders, delay, MONITORED, more)), orders / "out", wanted)
    assert [Path(file).name for file in marker_files(orders / "out")] == ["ok"] * wanted


@pytest.mark.deep
def test_a_continuous_run_commits_by_watermark(spark: SparkSession, orders: Path) -> None:
    (orders / "in/2.json").write_text('{"user_id": "u", "order_amount": 1.5, "ts": "2024-01-01 08:30:00"}\n')
    text = f"""
        CREATE TABLE a (ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
          'connector' = 'filesystem', 'path' = '{orders}/in', 'format' = 'json' {MONITORED});
        CREATE TABLE t (n BIGINT, dt STRING, `hour` STRING) PARTITIONED BY (dt, `hour`)
          WITH ('connector' = 'filesystem', 'path' = '{orders}/out', 'format' = 'json',
            'sink.partition-commit.delay' = '3 h', 'sink.partition-commit.policy.kind' = 'success-file',
            'sink.partition-commit.trigger' = 'partition-time',
            'partition.time-extractor.timestamp-pattern' = '$dt $hour:00:00');
        INSERT INTO t SELECT COUNT(*), DATE_FORMAT(window_start, 'yyyy-MM-dd'), DATE_FORMAT(window_start, 'HH')
          FROM TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '1' HOUR) GROUP BY window_start, window_end;
    """
    follow(*run_of(spark, text), orders / "out", 1)
    # The partition of six o'clock is complete at nine o'clock.
    assert marker_files(orders / "out") == {"dt=2024-01-01/hour=05/_SUCCESS"}
    assert {path.parent.name for path in (orders / "out").rglob("part-*")} == {"hour=05", "hour=06"}
