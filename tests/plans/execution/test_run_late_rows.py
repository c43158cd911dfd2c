"""Tables for late rows in runs: written once, as many as are counted, and added or removed at a restart."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.batches.progress import BatchProgress
from compiled_plan.plans.execution.files.sink import FileSink
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.support.files import lines, put, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KEYS = ("a", "b", "c")
COLUMNS = "k STRING, v INT, note STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
TUMBLE = "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
QUERIES = {
    "sums": f"SELECT k, SUM(v) FROM {TUMBLE} GROUP BY k, window_start, window_end",
    "counts": f"SELECT CAST(NULL AS STRING), CAST(COUNT(*) AS INT) FROM {TUMBLE} GROUP BY window_start, window_end",
    "totals": "SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM clicks",
    "firsts": (
        "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY v ORDER BY ts) AS n FROM clicks) WHERE n = 1"
    ),
    "pairs": (
        "SELECT x.k, x.v + y.v FROM clicks x JOIN clicks y ON x.k = y.k "
        "AND x.ts BETWEEN y.ts - INTERVAL '2' SECOND AND y.ts + INTERVAL '2' SECOND"
    ),
    "versions": ("SELECT x.k, x.v + y.v FROM clicks x JOIN rates FOR SYSTEM_TIME AS OF x.ts AS y ON x.k = y.k"),
}
LATE = "note STRING, v INT, late_operator STRING, late_input INT, late_by BIGINT"


def program(folder: Path, late: str = "late", names: Sequence[str] = tuple(QUERIES)) -> CompiledPlan:
    options = {"late.table": late} if late else {}
    text = table(folder, "clicks", COLUMNS, **options)
    rates = "k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED"
    text += table(folder, "rates", rates)
    text += "".join(table(folder, name, "k STRING, v INT") for name in names)
    text += table(folder, late, LATE) if late else ""
    inserts = "".join(f"INSERT INTO {name} {QUERIES[name]};\n" for name in names)
    return TableEnvironment().compile_script(f"{text}EXECUTE STATEMENT SET BEGIN {inserts} END;")


def write_input(folder: Path, files: range) -> None:
    """Files of clicks, a minute each; some clicks of each are from the minute before."""
    for number in files:
        clicks = [click(number, at) for at in range(9)] + [click(number, at, late=True) for at in range(3)]
        put(folder / "clicks", f"{number}.json", *(clicks if number else clicks[:9]))
        time.sleep(0.01)
    put(folder / "rates", "0.json", *({"k": k, "v": 100, "ts": "2024-05-01 09:00:00.000"} for k in KEYS))


def click(minute: int, at: int, *, late: bool = False) -> dict[str, Any]:
    times = f"2024-05-01 10:{minute - late:02}:{6 * at:02}.000"
    note = f"{'late' if late else 'click'} {minute}.{at}"
    return {"k": KEYS[at % 3], "v": 100 * minute + at + 50 * late, "note": note, "ts": times}


class Counts:
    """The late rows of the operators of a run, by uid."""

    def __init__(self) -> None:
        self.late = Counter[str]()

    def __call__(self, progress: BatchProgress) -> None:
        for operator in progress.operators:
            outcomes = operator.rows_by_outcome
            self.late[operator.uid] = outcomes.get("late", 0) + outcomes.get("expired", 0)


def outputs(folder: Path, names: Sequence[str] = tuple(QUERIES)) -> dict[str, Counter[str]]:
    return {name: Counter(str(sorted(row.items(), key=str)) for row in lines(folder / name)) for name in names}


@pytest.mark.wide
def test_all_late_rows_are_in_the_table_and_results_are_the_same(spark: SparkSession, tmp_path: Path) -> None:
    results = []
    for name in ("late", ""):
        folder, counts = tmp_path / (name or "without"), Counts()
        write_input(folder, range(4))
        Run(spark, program(folder, name), RunOptions(max_files_per_batch=1), report=counts).execute()
        results.append((outputs(folder), +counts.late))
    assert results[0] == results[1]
    counted = results[0][1]
    rows = lines(tmp_path / "late/late")
    assert Counter(row["late_operator"] for row in rows) == counted
    assert len(counted) == 5, "each operator but the temporal join drops rows"
    assert {row["note"].partition(" ")[0] for row in rows} == {"late"}
    assert {row["late_by"] for row in rows} == {60_000 + 48_000 - 5_000 - 6_000 * at for at in range(3)}


def test_a_crash_before_the_commit_and_a_restart(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = program(tmp_path, names=("sums",))
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"), available_now=True, max_files_per_batch=1)
    write_input(tmp_path, range(2))
    write = FileSink.write

    def fail(self: FileSink, frame: DataFrame, batch: int) -> None:
        write(self, frame, batch)
        if lines(tmp_path / "late"):
            raise OSError("disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(FileSink, "write", fail)
        with pytest.raises(Exception, match="disk is full"):
            Run(spark, plan, options).execute()
    Run(spark, plan, options).execute()
    assert sorted(row["note"] for row in lines(tmp_path / "late")) == [f"late 1.{at}" for at in range(3)]
    write_input(tmp_path, range(2, 3))
    Run(spark, plan, options).execute()
    assert sorted(row["note"] for row in lines(tmp_path / "late")) == [
        f"late {n}.{at}" for n in (1, 2) for at in range(3)
    ]


def test_a_table_is_added_and_removed_at_a_restart(spark: SparkSession, tmp_path: Path) -> None:
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"), available_now=True, max_files_per_batch=1)
    for number, late in enumerate(("", "late", "")):
        write_input(tmp_path, range(number, number + 1))
        plan = program(tmp_path, late, names=("sums",))
        Run(spark, plan, options).execute()
    write_input(tmp_path, range(3, 4))
    Run(spark, plan, options).execute()
    assert sorted(row["note"] for row in lines(tmp_path / "late")) == [f"late 1.{at}" for at in range(3)]
    # A window for each of nine clicks a minute; the last two are open.
    assert len(lines(tmp_path / "sums")) == 4 * 9 - 2
