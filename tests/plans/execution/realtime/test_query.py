"""Runs in real-time mode, as commands: their tables equal those of micro-batches, also after kills and switches."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.support.commands import ROOT, process
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Short batches: Spark's minimum is 5 s.
SHORT = ("--conf", "spark.sql.streaming.realTimeMode.minBatchDuration=1000", "--conf", "spark.sql.shuffle.partitions=2")
REAL_TIME = ("--trigger", "real-time=2s", *SHORT)
_LINE = re.compile(r"([+-][IUD])\[(.*)]")


def program(folder: Path, orders: int, rate: int) -> str:
    """A left join, a retracting aggregate behind it, and a second sink of filtered rows."""
    sequence = "'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end'"
    return f"""
CREATE TABLE orders (id BIGINT, customer INT) WITH ('connector' = 'datagen', 'rows-per-second' = '{rate}',
  {sequence} = '{orders}', 'fields.customer.min' = '0', 'fields.customer.max' = '4');
CREATE TABLE payments (id BIGINT, paid INT) WITH ('connector' = 'datagen', 'rows-per-second' = '{rate - rate // 4}',
  {sequence} = '{orders * 3 // 4}', 'fields.paid.min' = '1', 'fields.paid.max' = '9');
CREATE TABLE totals (customer INT, n BIGINT, paid INT) WITH ('connector' = 'print');
CREATE TABLE pairs (id BIGINT, paid INT, seen TIMESTAMP_LTZ(3)) WITH ('connector' = 'filesystem',
  'path' = '{folder}', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals SELECT customer, COUNT(*), SUM(paid)
  FROM (SELECT o.customer, p.paid FROM orders o LEFT JOIN payments p ON o.id = p.id) GROUP BY customer;
INSERT INTO pairs SELECT o.id, p.paid, CURRENT_TIMESTAMP FROM orders o JOIN payments p ON o.id = p.id;
END;"""


def planned(place: Path, folder: Path, orders: int = 200, rate: int = 100) -> Path:
    place.write_text(TableEnvironment().compile_script(program(folder, orders, rate)).to_json())
    return place


def table(lines: Iterable[str]) -> Counter[str]:
    """The rows that remain after a changelog."""
    result: Counter[str] = Counter()
    for line in lines:
        match = _LINE.fullmatch(line)
        assert match is not None, line
        result[match[2]] += 1 if match[1][1] in "I" or match[1] == "+U" else -1
    assert all(count >= 0 for count in result.values()), result
    return +result


def last(lines: Iterable[str]) -> dict[str, str]:
    """The last row of each customer: the view of a reader of a changelog with repetitions."""
    result = {}
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is not None and match[1] in ("+I", "+U"):
            result[match[2].partition(",")[0]] = match[2]
    return result


def pairs(folder: Path) -> list[tuple[int, int]]:
    rows = [json.loads(line) for file in folder.glob("part-*") for line in file.read_text().splitlines()]
    return sorted((row["id"], row["paid"]) for row in rows)


def times(folder: Path) -> set[str]:
    return {json.loads(line)["seen"] for file in folder.glob("part-*") for line in file.read_text().splitlines()}


@pytest.fixture(scope="module")
def expected(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Counter[str], list[tuple[int, int]]]:
    """Results of micro-batches."""
    place, lines = tmp_path_factory.mktemp("batches"), list[str]()
    plan = CompiledPlan.from_json(planned(place / "plan.json", place / "out", rate=1000).read_text())
    Run(spark, plan, RunOptions(), lines.append).execute()
    return table(lines), pairs(place / "out")


#: Bytes of key states that a task buffers: so few that all but the last are written and read again.
NONE_KEPT = ("--conf", "spark.compiledPlan.keptBytes=1")


@pytest.mark.wide
@pytest.mark.spark
@pytest.mark.parametrize(
    ("options", "most"),
    [((), 300), pytest.param(NONE_KEPT, 10_000, marks=pytest.mark.deep)],
    ids=["kept", "pushed-out"],
)
def test_the_tables_are_those_of_micro_batches(
    expected: tuple[Counter[str], list[tuple[int, int]]], tmp_path: Path, options: tuple[str, ...], most: int
) -> None:
    """The aggregate's changelogs have less than `most` bytes on average: a key is written once for many rows."""
    plan, checkpoint = planned(tmp_path / "plan.json", tmp_path / "out"), tmp_path / "checkpoint"
    said = process("execute_plan", plan, "--checkpoint", checkpoint, *REAL_TIME, *options)
    assert said.returncode == 0, said.stderr
    assert table(said.stdout.splitlines()) == expected[0]
    assert pairs(tmp_path / "out") == expected[1]
    assert len(times(tmp_path / "out")) > len(expected[1]) // 3, "the clock is that of rows"
    assert "finished after" in said.stderr
    assert "350 rows in" in said.stderr
    # Spark numbers operators from the last one on: the aggregate is 0.
    changelogs = [file.stat().st_size for file in (checkpoint / "generations/1/state/0").glob("**/*.changelog")]
    assert 0 < sum(changelogs) < most * len(changelogs)


@pytest.mark.deep
@pytest.mark.spark
def test_a_hot_key_is_not_written_with_each_of_its_rows(tmp_path: Path) -> None:
    rows = 1200
    plan, checkpoint = tmp_path / "plan.json", tmp_path / "checkpoint"
    plan.write_text(
        TableEnvironment()
        .compile_script(
            f"""
CREATE TABLE orders (id BIGINT, customer INT) WITH ('connector' = 'datagen', 'rows-per-second' = '{rows // 2}',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '{rows}', 'fields.customer.min' = '0',
  'fields.customer.max' = '4');
CREATE TABLE counts (customer INT, n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO counts SELECT customer, COUNT(*) FROM orders GROUP BY customer;"""
        )
        .to_json()
    )
    said = process("execute_plan", plan, "--checkpoint", checkpoint, *REAL_TIME)
    assert said.returncode == 0, said.stderr
    written = sum(file.stat().st_size for file in checkpoint.glob("**/state/**/*.changelog"))
    assert 0 < written < 4 * rows, "some bytes for each row would be several times that"


class Command:
    """A run in a process that is ended from outside."""

    def __init__(self, plan: Path, checkpoint: Path, *options: str) -> None:
        line = [sys.executable, "-m", "compiled_plan.cli.execute_plan", plan, "--checkpoint", checkpoint, *options]
        self.out = checkpoint.with_suffix(f".{time.time_ns()}.out")
        with self.out.open("w") as out:
            self.process = subprocess.Popen(list(map(str, line)), stdout=out, stderr=out, cwd=ROOT)

    def lines(self) -> list[str]:
        return [line for line in self.out.read_text().splitlines() if _LINE.fullmatch(line)]

    def ended(self, number: signal.Signals, after: int) -> list[str]:
        """The lines of data up to a signal, which is sent after so many of them."""
        until = time.monotonic() + 90
        while len(self.lines()) < after and self.process.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        assert self.process.poll() is None, self.out.read_text()
        self.process.send_signal(number)
        self.process.wait(60)
        return self.lines()


@pytest.mark.deep
@pytest.mark.spark
def test_a_checkpoint_goes_on_in_either_mode(
    expected: tuple[Counter[str], list[tuple[int, int]]], tmp_path: Path
) -> None:
    plan, checkpoint = planned(tmp_path / "plan.json", tmp_path / "out", rate=20), tmp_path / "checkpoint"
    shown = Command(plan, checkpoint, *REAL_TIME).ended(signal.SIGINT, 80)
    shown += Command(plan, checkpoint, *SHORT, "--trigger", "500ms").ended(signal.SIGINT, 20)
    said = process("execute_plan", plan, "--checkpoint", checkpoint, *REAL_TIME)
    assert said.returncode == 0, said.stderr
    assert last(shown + said.stdout.splitlines()) == last(f"+I[{row}]" for row in expected[0])
    assert pairs(tmp_path / "out") == expected[1]


@pytest.mark.deep
@pytest.mark.spark
def test_killed_runs_lose_no_row_and_leave_none_twice_in_files(
    expected: tuple[Counter[str], list[tuple[int, int]]], tmp_path: Path
) -> None:
    plan, checkpoint = planned(tmp_path / "plan.json", tmp_path / "out", rate=40), tmp_path / "checkpoint"
    shown = []
    for after in (40, 90):
        shown += Command(plan, checkpoint, *REAL_TIME).ended(signal.SIGKILL, after)
    said = process("execute_plan", plan, "--checkpoint", checkpoint, *REAL_TIME)
    assert said.returncode == 0, said.stderr
    assert last(shown + said.stdout.splitlines()) == last(f"+I[{row}]" for row in expected[0])
    assert pairs(tmp_path / "out") == expected[1]


def newest(log: Path) -> int:
    """The number of the last entry of a log of Spark's."""
    return max((int(file.name) for file in log.iterdir() if file.name.isdigit()), default=-1)


@pytest.mark.deep
@pytest.mark.spark
@pytest.mark.parametrize(("trigger", "after"), [("200ms", 1), ("real-time=2s", 120)])
def test_a_batch_that_was_begun_in_either_mode_is_finished_first(
    expected: tuple[Counter[str], list[tuple[int, int]]], tmp_path: Path, trigger: str, after: int
) -> None:
    plan, checkpoint = planned(tmp_path / "plan.json", tmp_path / "out", rate=40), tmp_path / "checkpoint"
    shown = Command(plan, checkpoint, *SHORT, "--trigger", trigger).ended(signal.SIGKILL, after)
    folder = checkpoint / "generations/1"
    done = newest(folder / "commits")
    if newest(folder / "offsets") == done:
        # Killed between two batches: as if just before.
        for name in (str(done), f".{done}.crc"):
            (folder / "commits" / name).unlink(missing_ok=True)
    said = process("execute_plan", plan, "--checkpoint", checkpoint, *REAL_TIME)
    assert said.returncode == 0, said.stderr
    assert last(shown + said.stdout.splitlines()) == last(f"+I[{row}]" for row in expected[0])
    assert pairs(tmp_path / "out") == expected[1]


#: `execute-plan` on a machine whose clock is ahead by the milliseconds in a file.
_AHEAD = """
import sys
from dataclasses import replace
from pathlib import Path
from compiled_plan.cli.execute_plan import main
from compiled_plan.plans.execution.state.checkpoint import clock
real, ahead = clock.reading, Path(sys.argv.pop(1))
def reading():
    now = real()
    return replace(now, wall=now.wall + int(ahead.read_text()))
clock.reading = reading
main()
"""


@pytest.mark.deep
@pytest.mark.spark
@pytest.mark.parametrize(("jump", "way"), [(86_400_000, "1 d ahead"), (-3_600_000, "1 h back")])
def test_a_clock_that_jumps_ends_the_run_before_its_checkpoint(
    expected: tuple[Counter[str], list[tuple[int, int]]], tmp_path: Path, jump: int, way: str
) -> None:
    ahead, plan, checkpoint = tmp_path / "ahead", tmp_path / "plan.json", tmp_path / "checkpoint"
    script = "SET 'table.exec.state.ttl' = '12 h';" + program(tmp_path / "out", 200, 20)
    plan.write_text(TableEnvironment().compile_script(script).to_json())
    ahead.write_text("0")
    line = [sys.executable, "-c", _AHEAD, ahead, plan, "--checkpoint", checkpoint, *REAL_TIME]
    with (tmp_path / "log").open("w") as log:
        run = subprocess.Popen(list(map(str, line)), stdout=log, stderr=log, cwd=ROOT)
    commits = checkpoint / "generations/1/commits"
    wait_until(lambda: run.poll() is not None or (commits.exists() and newest(commits) > 0), "a second batch")
    done = newest(commits)
    (tmp_path / "jump").write_text(str(jump))
    (tmp_path / "jump").replace(ahead)
    assert run.wait(60) == 1, (tmp_path / "log").read_text()
    assert f"{way} in the run" in (tmp_path / "log").read_text()
    assert newest(commits) <= done + 1, "a batch that ended in the second of the jump"
    shown = (tmp_path / "log").read_text().splitlines()
    said = process("execute_plan", plan, "--checkpoint", checkpoint, *REAL_TIME)
    assert said.returncode == 0, said.stderr
    assert last([line for line in shown if _LINE.fullmatch(line)] + said.stdout.splitlines()) == last(
        f"+I[{row}]" for row in expected[0]
    )
    assert pairs(tmp_path / "out") == expected[1]


@pytest.mark.deep
@pytest.mark.spark
def test_too_few_slots_are_refused_with_the_figures_and_leave_nothing(tmp_path: Path) -> None:
    plan = planned(tmp_path / "plan.json", tmp_path / "out")
    said = process("execute_plan", plan, *REAL_TIME, "--master", "local[3]", "--checkpoint", tmp_path / "checkpoint")
    assert said.returncode == 1
    assert "1 for ticks" in said.stderr
    assert "there are 3" in said.stderr
    assert not (tmp_path / "checkpoint").exists()
    assert not (tmp_path / "out").exists()
