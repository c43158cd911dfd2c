"""Watermarks by partition on a real broker, with idle sources: closed windows and late rows."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.batches.progress import BatchProgress
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.support.files import lines as lines_of
from tests.support.files import put, table
from tests.support.running import Running
from tests.support.topics import Message, Topics
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

COLUMNS = "ts TIMESTAMP(3), n INT, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND"
WINDOWS = """
    CREATE TABLE o (w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'print');
    INSERT INTO o SELECT window_start, COUNT(*)
    FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND) GROUP BY window_start, window_end;
"""


@pytest.fixture(scope="module")
def topics(spark: SparkSession, kafka: Server) -> Topics:
    return Topics(spark, kafka)


def counting(topics: Topics, name: str, options: str = "") -> CompiledPlan:
    """The number of rows of a topic per ten seconds; a row may be a second late."""
    more = f", {options}" if options else ""
    return TableEnvironment().compile_script(f"""
        CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json',
        'scan.startup.mode' = 'earliest-offset', {topics.options}{more});
        {WINDOWS}
    """)


def at(*seconds: int, partition: int = 0) -> list[Message]:
    return [
        Message(f'{{"ts": "2024-01-01 00:{second // 60:02}:{second % 60:02}", "n": {second}}}', partition=partition)
        for second in seconds
    ]


def window(start: int, rows: int) -> str:
    return f"+I[2024-01-01T00:00{f':{start}' if start else ''}, {rows}]"


def read(spark: SparkSession, plan: CompiledPlan, checkpoint: Path) -> list[str]:
    """The output for all available rows."""
    lines: list[str] = []
    Run(spark, plan, RunOptions(checkpoint=str(checkpoint), available_now=True), lines.append).execute()
    return sorted(lines)


class Reading:
    """A run of a plan over a topic: `lines` is its output, `send` returns once its rows have been read."""

    def __init__(self, spark: SparkSession, topics: Topics, topic: str, plan: CompiledPlan, checkpoint: Path) -> None:
        self.topics, self.topic, self.rows = topics, topic, 0
        self.lines: list[str] = []
        run = Run(spark, plan, RunOptions(checkpoint=str(checkpoint)), self.lines.append, self._report)
        self.running = Running(run)

    def _report(self, progress: BatchProgress) -> None:
        self.rows += progress.rows_in

    def send(self, *messages: Message) -> None:
        wanted = self.rows + len(messages)
        self.topics.send(self.topic, messages)
        wait_until(lambda: self.rows >= wanted, "the end of a micro-batch")

    def __enter__(self) -> Reading:
        self.running.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        self.running.__exit__(*details)


@pytest.mark.deep
def test_the_current_watermark_is_that_of_all_partitions(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    """Of earlier rows in the row's partition and earlier micro-batches in the others; per row if the table says so."""
    topics.make("current", 2)
    options = f"'connector' = 'kafka', 'topic' = 'current', 'format' = 'json', {topics.options}"
    options += ", 'scan.startup.mode' = 'earliest-offset', 'scan.watermark.emit.strategy' = 'on-event'"
    plan = TableEnvironment().compile_script(f"""
        CREATE TABLE t ({COLUMNS}) WITH ({options});
        CREATE TABLE o (n INT, w TIMESTAMP(3)) WITH ('connector' = 'print');
        INSERT INTO o SELECT n, CURRENT_WATERMARK(ts) FROM t;
    """)

    def line(row: int, mark: str) -> str:
        return f"+I[{row}, {f'2024-01-01T00:00{mark}' if mark else 'null'}]"

    with Reading(spark, topics, "current", plan, tmp_path / "c") as reading:
        reading.send(*at(10, 30), *at(20, partition=1))
        assert sorted(reading.lines) == [line(10, ""), line(20, ""), line(30, "")]
        reading.send(*at(25, 35, 39, partition=1))
        assert reading.lines[3:] == [line(25, ":19"), line(35, ":24"), line(39, ":29")]
        reading.send(*at(40, 41))
        assert reading.lines[6:] == [line(40, ":29"), line(41, ":38")]


@pytest.mark.wide
def test_a_partition_that_lags_keeps_windows_open(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    """Its rows are not late, in any micro-batch."""
    plan = counting(topics, topics.make("lags", 2))
    with Reading(spark, topics, "lags", plan, tmp_path / "c") as reading:
        reading.send(*at(1, 25), *at(3, partition=1))
        # The watermark of partition 0 is 24 s, and 2 s that of partition 1.
        reading.send(*at(5, partition=1), *at(27))
        assert reading.lines == []
        reading.send(*at(16, partition=1))
        wait_until(lambda: reading.lines == [window(0, 3)])
        # The row of second 4 is late, that of second 17 is not.
        reading.send(*at(4, 17, 40, partition=1))
        wait_until(lambda: reading.lines == [window(0, 3), window(10, 2)])


@pytest.mark.deep
def test_positions_of_partitions_survive_a_restart(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    plan = counting(topics, topics.make("known", 2))
    topics.send("known", at(1, 25) + at(3, partition=1))
    assert read(spark, plan, tmp_path / "c") == []
    topics.send("known", at(16, partition=1))
    # The watermark of partition 0, which delivers nothing in this run, is 24 s.
    assert read(spark, plan, tmp_path / "c") == [window(0, 2)]


@pytest.mark.wide
def test_an_idle_partition_is_left_out(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    """While no rows come at all; it becomes active again behind the watermark."""
    plan = counting(topics, topics.make("silent", 2), "'scan.watermark.idle-timeout' = '500 ms'")
    with Reading(spark, topics, "silent", plan, tmp_path / "c") as first:
        first.send(*at(1, 2, 25))
        wait_until(lambda: first.lines == [window(0, 2)])
        # Of a closed window, of a closed one that was empty, and of an open one.
        first.send(*at(5, 15, 22, partition=1))

        def closes() -> bool:
            topics.send("silent", at(38))
            return len(first.lines) > 1

        wait_until(closes)
        assert first.lines == [window(0, 2), window(20, 2)]


@pytest.mark.deep
def test_a_crash_in_a_micro_batch_without_rows(
    spark: SparkSession, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Timers that fired because of an idle partition fire once more, though that partition has rows now."""
    plan = counting(topics, topics.make("crash", 2), "'scan.watermark.idle-timeout' = '300 ms'")
    lines: list[str] = []
    run = Run(spark, plan, RunOptions(checkpoint=str(tmp_path / "c")), lines.append)
    sink = type(run._sinks[run.prepared.sinks[0].id])
    write = sink.write

    def fails(self: object, frame: object, batch: int) -> None:
        write(self, frame, batch)  # type: ignore[arg-type]
        if lines:
            raise OSError("disk is full")

    monkeypatch.setattr(sink, "write", fails)
    topics.send("crash", at(1, 2, 25))
    with pytest.raises(CompiledPlanError, match="disk is full"):
        run.execute()
    monkeypatch.undo()
    assert lines == [window(0, 2)]
    topics.send("crash", at(3, partition=1))
    with Reading(spark, topics, "crash", plan, tmp_path / "c") as again:
        wait_until(lambda: again.lines == lines)
        again.send(*at(40), *at(41, partition=1))
        wait_until(lambda: again.lines == [*lines, window(20, 1)])


@pytest.mark.deep
def test_if_all_partitions_are_idle_the_largest_watermark_counts(
    spark: SparkSession, topics: Topics, tmp_path: Path
) -> None:
    """Flink 2.3's results for the same messages, with its own connector."""
    plan = counting(topics, topics.make("quiet", 2), "'scan.watermark.idle-timeout' = '500 ms'")
    with Reading(spark, topics, "quiet", plan, tmp_path / "c") as reading:
        reading.send(*at(1, 25), *at(3, partition=1))
        wait_until(lambda: reading.lines == [window(0, 2)])
        reading.send(*at(5, 40, partition=1))
        wait_until(lambda: reading.lines == [window(0, 2), window(20, 1)])
        reading.send(*at(60))
        wait_until(lambda: reading.lines == [window(0, 2), window(20, 1), window(40, 1)])


class Crashing:
    """Let the sink of a run fail at a micro-batch, before or after the write."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, run: Run, at: int, after: bool) -> None:
        sink = type(run._sinks[run.prepared.sinks[0].id])
        write, calls = sink.write, iter(range(1000))

        def fails(self: object, frame: object, batch: int) -> None:
            if next(calls) != at:
                write(self, frame, batch)  # type: ignore[arg-type]
                return
            if after:
                write(self, frame, batch)  # type: ignore[arg-type]
            raise OSError("disk is full")

        monkeypatch.setattr(sink, "write", fails)


@pytest.mark.deep
@pytest.mark.parametrize("seed", [1, 2])
def test_interrupted_runs_give_the_results_of_one_run(
    spark: SparkSession, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Rows of three partitions, some of them late, in runs on one checkpoint; some runs fail and are restarted."""
    chance, now, parts = Random(seed), 30, []
    for _ in range(8):
        now += chance.randrange(5, 20)
        rows = [(now - chance.randrange(25), chance.randrange(3)) for _ in range(chance.randrange(1, 7))]
        parts.append([message for second, partition in rows for message in at(max(0, second), partition=partition)])
    crashes, windows = 0, {}
    for name in ("whole", "broken"):
        topic, folder = topics.make(f"{name}-{seed}", 3), tmp_path / name
        plan = TableEnvironment().compile_script(
            f"""CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json',
            'scan.startup.mode' = 'earliest-offset', {topics.options});"""
            + table(folder, "o", "w TIMESTAMP(3), n BIGINT")
            + WINDOWS[WINDOWS.index("INSERT") :]
        )
        options = RunOptions(checkpoint=str(folder / "c"), available_now=True)
        for part in parts:
            topics.send(topic, part)
            if name == "broken" and chance.random() < 0.7:
                run = Run(spark, plan, options)
                Crashing(monkeypatch, run, chance.randrange(2), chance.random() < 0.5)
                with suppress(CompiledPlanError):
                    run.execute()
                    crashes -= 1  # there was no such micro-batch
                crashes += 1
                monkeypatch.undo()
            Run(spark, plan, options).execute()
        windows[name] = sorted((row["w"], row["n"]) for row in lines_of(folder / "o"))
    assert windows["broken"] == windows["whole"]
    assert windows["whole"], "no window was closed"
    assert crashes > 0


@pytest.mark.deep
def test_a_topic_that_gets_more_partitions(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    """The new one holds the watermark until it delivers rows, which are not late."""
    plan = counting(topics, topics.make("wider", 1))
    with Reading(spark, topics, "wider", plan, tmp_path / "c") as reading:
        reading.send(*at(1, 25))
        wait_until(lambda: reading.lines == [window(0, 1)])
        topics.widen("wider", 2)
        reading.send(*at(26, partition=1))
        reading.send(*at(45))
        reading.send(*at(27, partition=1))
        assert reading.lines == [window(0, 1)]
        reading.send(*at(50, partition=1))
        wait_until(lambda: reading.lines == [window(0, 1), window(20, 3)])


@pytest.mark.deep
def test_positions_of_partitions_move_with_the_state(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    plan, options = (
        counting(topics, topics.make("moved", 2)),
        RunOptions(checkpoint=str(tmp_path / "c"), upgrade="migrate"),
    )
    topics.send("moved", at(1, 25) + at(3, partition=1))
    assert read(spark, plan, tmp_path / "c") == []
    topics.send("moved", at(16, partition=1))
    lines: list[str] = []
    # The watermark of partition 0 is 24 s, of which the new generation has read nothing itself.
    Run(spark, plan, replace(options, available_now=True), lines.append).execute()
    assert lines == [window(0, 2)]


@pytest.mark.deep
def test_a_partition_counts_as_idle_between_runs(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    plan = counting(topics, topics.make("between", 2), "'scan.watermark.idle-timeout' = '1 s'")
    topics.send("between", at(1, 25) + at(3, partition=1))
    assert read(spark, plan, tmp_path / "c") == []
    time.sleep(1)  # there is no condition: the clock itself has to advance
    topics.send("between", at(26))
    assert read(spark, plan, tmp_path / "c") == [window(0, 2)]


@pytest.mark.wide
@pytest.mark.parametrize("said", [pytest.param("", marks=pytest.mark.deep), "'scan.watermark.idle-timeout' = '300 ms'"])
def test_an_idle_filesystem_table_is_left_out(spark: SparkSession, tmp_path: Path, said: str) -> None:
    """By its option or the session's; otherwise its silence holds back the windows of the other table."""
    monitored = {"source.monitor-interval": "1 s"}
    option = dict([said.replace("'", "").split(" = ")]) if said else {}
    plan = TableEnvironment({} if said else {"table.exec.source.idle-timeout": "300 ms"}).compile_script(
        table(tmp_path, "t", COLUMNS, **monitored)
        + table(tmp_path, "silent", COLUMNS, **monitored, **option)
        + "CREATE TABLE o (w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'print');"
        + """EXECUTE STATEMENT SET BEGIN
        INSERT INTO o SELECT window_start, COUNT(*)
        FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND) GROUP BY window_start, window_end;
        INSERT INTO o SELECT window_end, COUNT(*)
        FROM TUMBLE(TABLE silent, DESCRIPTOR(ts), INTERVAL '10' SECOND) GROUP BY window_start, window_end;
        END;"""
    )
    put(tmp_path / "t", "1.json", *(json.loads(message.value or "") for message in at(1, 25)))
    put(tmp_path / "silent", "1.json", *(json.loads(message.value or "") for message in at(2)))
    lines: list[str] = []
    names = iter(range(2, 1000))

    def closed() -> bool:
        put(tmp_path / "t", f"{next(names)}.json", *(json.loads(message.value or "") for message in at(26)))
        return len(lines) > 1

    with Running(Run(spark, plan, RunOptions(), lines.append)):
        wait_until(closed)
    assert sorted(lines)[:2] == [window(0, 1), window(10, 1)]
