"""Plans with watermarks: late rows, open and closed windows, several sources, TTLs beside event time."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.batches.progress import BatchProgress
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.support.files import put, table
from tests.support.running import Running
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, object]


def counting(folder: Path, **options: str) -> CompiledPlan:
    """The number of clicks per minute; a click may be ten seconds late."""
    return TableEnvironment().compile_script(
        table(
            folder, "clicks", "page STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND", **options
        )
        + table(folder, "counts", "ws TIMESTAMP(3), n BIGINT")
        + "INSERT INTO counts SELECT window_start, COUNT(*) FROM "
        + "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;"
    )


def click(seconds: int, page: str = "a") -> Row:
    return {"page": page, "ts": f"2024-05-01 10:{seconds // 60:02}:{seconds % 60:02}.000"}


def counts(folder: Path) -> list[tuple[str, int]]:
    files = sorted((folder / "counts").glob("part-*"))
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return sorted((str(row["ws"])[14:19], row["n"]) for row in rows)


# The click at second 5 arrives when the watermark is at 1:10 and its window has fired.
CLICKS = [click(10), click(50), click(30), click(65), click(80), click(5), click(75), click(130)]
EXPECTED = [("00:00", 3), ("01:00", 3), ("02:00", 1)]


@pytest.mark.wide
@pytest.mark.parametrize("rows_a_file", [2, pytest.param(len(CLICKS), marks=pytest.mark.deep)])
def test_late_rows_are_the_same_in_any_batches(spark: SparkSession, tmp_path: Path, rows_a_file: int) -> None:
    for start in range(0, len(CLICKS), rows_a_file):
        put(tmp_path / "clicks", f"{start}.json", *CLICKS[start : start + rows_a_file])
        time.sleep(0.01)  # files are read in the order of their times
    Run(spark, counting(tmp_path), RunOptions(max_files_per_batch=1)).execute()
    assert counts(tmp_path) == EXPECTED


def test_rows_of_files_of_one_micro_batch_are_not_late_by_each_other(spark: SparkSession, tmp_path: Path) -> None:
    """A task reads large files first, whatever their times."""
    for hour in range(4):
        put(
            tmp_path / "clicks",
            f"{hour}.json",
            *[click(300 * hour + second) for second in range(0, 60 * (hour + 1), 3)],
        )
    Run(spark, counting(tmp_path), RunOptions()).execute()
    expected = sorted((f"{5 * hour + minute:02}:00", 20) for hour in range(4) for minute in range(hour + 1))
    assert counts(tmp_path) == expected


@pytest.mark.wide
def test_windows_stay_open_until_the_input_ends(spark: SparkSession, tmp_path: Path) -> None:
    plan, checkpoint = counting(tmp_path), str(tmp_path / "checkpoint")
    put(tmp_path / "clicks", "1.json", *CLICKS[:3])
    Run(spark, plan, RunOptions(checkpoint=checkpoint, available_now=True)).execute()
    assert counts(tmp_path) == []
    put(tmp_path / "clicks", "2.json", *CLICKS[3:])
    Run(spark, plan, RunOptions(checkpoint=checkpoint)).execute()
    assert counts(tmp_path) == EXPECTED
    with pytest.raises(CheckpointError, match="has ended"):
        Run(spark, plan, RunOptions(checkpoint=checkpoint))


@pytest.mark.wide
@pytest.mark.parametrize("trigger", ["50 ms", pytest.param("", marks=pytest.mark.deep)])
def test_files_that_come_meanwhile_do_not_keep_the_input_from_ending(
    spark: SparkSession, tmp_path: Path, trigger: str
) -> None:
    put(tmp_path / "clicks", "1.json", *CLICKS[:4])
    time.sleep(0.01)
    put(tmp_path / "clicks", "2.json", *CLICKS[4:])

    def one_more(progress: BatchProgress) -> None:
        put(tmp_path / "clicks", f"more-{progress.batch}.json", click(131))

    options = RunOptions(max_files_per_batch=1, trigger=trigger)
    Run(spark, counting(tmp_path), options, report=one_more).execute()
    assert counts(tmp_path) == EXPECTED


@pytest.mark.wide
@pytest.mark.parametrize(
    ("batches", "fails_in"),
    [([CLICKS], 1), pytest.param([CLICKS[:3], CLICKS[3:]], 2, marks=pytest.mark.deep)],
)
def test_a_crash_while_windows_are_closed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: list[list[Row]], fails_in: int
) -> None:
    for at, rows in enumerate(batches):
        put(tmp_path / "clicks", f"{at}.json", *rows)
        time.sleep(0.01)
    plan, options = counting(tmp_path), RunOptions(checkpoint=str(tmp_path / "checkpoint"), max_files_per_batch=1)
    with monkeypatch.context() as patched:
        fails(spark, plan, options, patched, fails_in)
    Run(spark, plan, options).execute()
    assert counts(tmp_path) == EXPECTED


@pytest.mark.wide
@pytest.mark.parametrize("fails_in", [2, pytest.param(3, marks=pytest.mark.deep)])
def test_open_windows_close_without_more_rows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_in: int
) -> None:
    plan, checkpoint = counting(tmp_path), str(tmp_path / "checkpoint")
    put(tmp_path / "clicks", "1.json", *CLICKS[:3])
    Run(spark, plan, RunOptions(checkpoint=checkpoint, available_now=True)).execute()
    with monkeypatch.context() as patched:
        fails(spark, plan, RunOptions(checkpoint=checkpoint), patched, fails_in)
    Run(spark, plan, RunOptions(checkpoint=checkpoint)).execute()
    assert counts(tmp_path) == [("00:00", 3)]


def fails(
    spark: SparkSession, plan: CompiledPlan, options: RunOptions, patched: pytest.MonkeyPatch, fails_in: int
) -> None:
    """A run that crashes when a micro-batch is written, before it is committed."""
    run = Run(spark, plan, options)
    sink = type(run._sinks[run.prepared.sinks[0].id])
    before = sink.write

    def write(self: object, frame: object, batch: int) -> None:
        before(self, frame, batch)  # type: ignore[arg-type]
        if batch == fails_in:
            raise OSError("disk is full")

    patched.setattr(sink, "write", write)
    with pytest.raises(Exception, match="disk is full"):
        run.execute()


@pytest.mark.wide
def test_a_continuous_run_fires_windows_by_watermark(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "clicks", "1.json", *CLICKS)
    run = Run(spark, counting(tmp_path, **{"source.monitor-interval": "1 s"}), RunOptions(trigger="100 ms"))
    with Running(run):
        wait_until(lambda: len(counts(tmp_path)) == 2)
    assert counts(tmp_path) == EXPECTED[:2]


@pytest.mark.wide
def test_processing_time_state_beside_windows(spark: SparkSession, tmp_path: Path) -> None:
    plan = TableEnvironment().compile_script(
        "SET 'table.exec.state.ttl' = '300 ms';\n"
        + table(
            tmp_path,
            "clicks",
            "page STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND",
            **{"source.monitor-interval": "1 s"},
        )
        + table(tmp_path, "counts", "ws TIMESTAMP(3), n BIGINT")
        + "CREATE TABLE pages (page STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
        + "EXECUTE STATEMENT SET BEGIN\n"
        + "INSERT INTO pages SELECT page, COUNT(*) FROM clicks GROUP BY page;\n"
        + "INSERT INTO counts SELECT window_start, COUNT(*) FROM "
        + "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;\n"
        + "END;"
    )
    reports: list[BatchProgress] = []
    put(tmp_path / "clicks", "0.json", *(click(at, f"page {at}") for at in range(50)))
    run = Run(spark, plan, RunOptions(trigger="50 ms"), report=reports.append)

    def entries() -> int:
        states = {state.uid: state.state_rows for state in reports[-1].operators} if reports else {"": 99}
        return next(rows for uid, rows in states.items() if not uid.startswith("global"))

    numbers = iter(range(1, 10_000))

    def shrunk() -> bool:
        put(tmp_path / "clicks", f"{next(numbers)}.json", click(55, "other"))
        time.sleep(0.2)
        return entries() <= 1

    with Running(run):
        wait_until(lambda: entries() > 10)
        wait_until(shrunk)


@pytest.mark.wide
def test_watermarks_that_nothing_waits_for_cost_no_batches(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "clicks", "1.json", *CLICKS)
    columns = "page STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND"
    plan = TableEnvironment().compile_script(
        table(tmp_path, "clicks", columns)
        + table(tmp_path, "pages", "page STRING, n BIGINT", "debezium-json")
        + "INSERT INTO pages SELECT page, COUNT(*) FROM clicks GROUP BY page;"
    )
    assert Run(spark, plan, RunOptions()).execute().batches == 1


@pytest.mark.wide
def test_windows_of_the_clock_fire_though_no_more_rows_come(spark: SparkSession, tmp_path: Path) -> None:
    plan = TableEnvironment().compile_script(
        table(tmp_path, "clicks", "page STRING, seen AS PROCTIME()", **{"source.monitor-interval": "1 s"})
        + table(tmp_path, "counts", "ws TIMESTAMP(3), n BIGINT")
        + "INSERT INTO counts SELECT window_start, COUNT(*) FROM "
        + "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(seen), INTERVAL '1' SECOND)) GROUP BY window_start, window_end;"
    )
    put(tmp_path / "clicks", "1.json", {"page": "a"}, {"page": "b"})
    with Running(Run(spark, plan, RunOptions(trigger="100 ms"))):
        wait_until(lambda: [count for _, count in counts(tmp_path)] == [2])


@pytest.mark.wide
def test_the_current_watermark_is_that_of_the_rows_before(spark: SparkSession, tmp_path: Path) -> None:
    """Also of earlier micro-batches, and the same for two sinks that compute a batch one after the other."""
    names = [f"{at}.json" for at in range(4)]
    for at, (name, seconds) in enumerate(zip(names, ([20, 40], [25, 31], [70, 50], [59]), strict=True)):
        put(tmp_path / "clicks", name, *(click(second) for second in seconds))
        os.utime(tmp_path / "clicks" / name, (at, at))
    plan = TableEnvironment().compile_script(
        table(tmp_path, "clicks", "page STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND")
        + table(tmp_path, "marks", "ts TIMESTAMP(3), mark TIMESTAMP(3)")
        + table(tmp_path, "late", "ts TIMESTAMP(3)")
        + "EXECUTE STATEMENT SET BEGIN INSERT INTO marks SELECT ts, CURRENT_WATERMARK(ts) FROM clicks;"
        + "INSERT INTO late SELECT ts FROM clicks WHERE ts <= CURRENT_WATERMARK(ts); END;"
    )
    Run(spark, plan, RunOptions(max_files_per_batch=1)).execute()

    def seconds(name: str, *columns: str) -> list[tuple[str | None, ...]]:
        files = sorted((tmp_path / name).glob("part-*"))
        rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        return sorted(tuple(row[column] and row[column][14:19] for column in columns) for row in rows)

    marks = {"00:20": None, "00:40": "00:10", "00:25": "00:30", "00:31": "00:30", "01:10": "00:30"}
    marks |= {"00:50": "01:00", "00:59": "01:00"}
    assert seconds("marks", "ts", "mark") == sorted(marks.items())
    assert seconds("late", "ts") == [("00:25",), ("00:50",), ("00:59",)]


def test_the_current_watermark_behind_state_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "clicks", "0.json", click(1))
    put(tmp_path / "pages", "0.json", {"page": "a"})
    plan = TableEnvironment().compile_script(
        table(tmp_path, "clicks", "page STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND")
        + table(tmp_path, "pages", "page STRING")
        + table(tmp_path, "marks", "mark TIMESTAMP(3)", "debezium-json")
        + "INSERT INTO marks SELECT CURRENT_WATERMARK(c.ts) FROM clicks AS c JOIN pages AS p ON c.page = p.page;"
    )
    with pytest.raises(UnsupportedError, match="CURRENT_WATERMARK behind a join"):
        Run(spark, plan, RunOptions()).execute()


@pytest.mark.wide
def test_a_watermark_that_was_pushed_into_files_is_one_for_all_of_them(spark: SparkSession, tmp_path: Path) -> None:
    data = counting(tmp_path).to_dict()
    scan, assigner = data["nodes"][:2]
    assert assigner["type"] == "stream-exec-watermark-assigner_1"
    ability = {
        "type": "WatermarkPushDown",
        "watermarkExpr": assigner["watermarkExpr"],
        "idleTimeoutMillis": -1,
        "producedType": assigner["outputType"],
    }
    scan["scanTableSource"].setdefault("abilities", []).append(ability)
    scan["outputType"] = assigner["outputType"]
    data["nodes"].remove(assigner)
    data["edges"] = [edge for edge in data["edges"] if edge["source"] != scan["id"]]
    for edge in data["edges"]:
        edge["source"] = scan["id"] if edge["source"] == assigner["id"] else edge["source"]
    put(tmp_path / "clicks", "1.json", *CLICKS)
    Run(spark, CompiledPlan.from_dict(data), RunOptions()).execute()
    assert counts(tmp_path) == EXPECTED
