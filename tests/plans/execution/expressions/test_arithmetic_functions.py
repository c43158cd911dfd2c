"""RAND and RAND_INTEGER with a seed: Flink 2.3.0's sequence for one task, whatever the micro-batches and restarts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Flink's results for five rows.
RAND_7 = [0.7306990420600421, 0.7491696031336331, 0.34830970303125697, 0.8972771427421047, 0.7081771577767972]
RAND_INTEGER_7_100 = [36, 64, 85, 44, 80]
#: RAND(n) of the rows 1 to 5.
RAND_OF_ROW = [0.7308781907032909, 0.7311469360199058, 0.731057369148862, 0.7306094602878371, 0.730519863614471]


def program(folder: Path, select: str, columns: str) -> CompiledPlan:
    return TableEnvironment().compile_script(
        f"""CREATE TABLE t (n INT) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json');
        CREATE TABLE o ({columns}) WITH ('connector' = 'filesystem', 'path' = '{folder}-out', 'format' = 'json');
        INSERT INTO o {select};"""
    )


def add(folder: Path, name: str, *numbers: int) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(json.dumps({"n": number}) + "\n" for number in numbers))


def out(folder: Path) -> list[dict[str, Any]]:
    files = Path(f"{folder}-out").glob("part-*")
    return sorted((json.loads(line) for file in files for line in file.read_text().splitlines()), key=lambda r: r["n"])


CALLS = """SELECT n, RAND(7), RAND(7), RAND_INTEGER(7, 100), RAND(n), RAND_INTEGER(7, n),
  CAST(RAND(CAST(NULL AS INT)) IS NULL AS STRING) FROM t"""
COLUMNS = "n INT, a DOUBLE, b DOUBLE, c INT, d DOUBLE, e INT, f STRING"


@pytest.mark.wide
def test_the_sequence_continues_over_micro_batches_and_restarts(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"), max_files_per_batch=1)
    add(folder, "1.json", 1)
    add(folder, "2.json", 2, 3)
    plan = program(folder, CALLS, COLUMNS)
    Run(spark, plan, options).execute()
    add(folder, "3.json", 4, 5)
    Run(spark, plan, options).execute()
    rows = out(folder)
    assert [row["n"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["a"] for row in rows] == [row["b"] for row in rows] == RAND_7
    assert [row["c"] for row in rows] == RAND_INTEGER_7_100
    assert [row["d"] for row in rows] == RAND_OF_ROW
    assert [row["e"] for row in rows] == [0, 1, 0, 0, 0]
    assert {row["f"] for row in rows} == {"TRUE"}


@pytest.mark.wide
@pytest.mark.parametrize(
    ("select", "wanted"),
    [
        ("SELECT n, RAND(7) FROM t WHERE n > 2", dict(zip((3, 4, 5), RAND_7, strict=False))),
        # The condition's own sequence counts all rows: only the third has less than a half.
        ("SELECT n, RAND(7) FROM t WHERE RAND(7) < 0.5", {3: RAND_7[0]}),
        ("SELECT n, a FROM (SELECT n, RAND(7) AS a FROM t) WHERE a < 0.74", {1: RAND_7[0], 3: RAND_7[2], 5: RAND_7[4]}),
    ],
)
def test_rand_in_filters_and_behind_them(
    spark: SparkSession, tmp_path: Path, select: str, wanted: dict[int, float]
) -> None:
    add(tmp_path / "in", "rows.json", 1, 2, 3, 4, 5)
    plan = program(tmp_path / "in", select, "n INT, a DOUBLE")
    Run(spark, plan, RunOptions()).execute()
    assert {row["n"]: row["a"] for row in out(tmp_path / "in")} == pytest.approx(wanted)


def test_rand_is_refused_where_rows_are_not_counted(spark: SparkSession, tmp_path: Path) -> None:
    add(tmp_path / "in", "rows.json", 1)
    plan = program(tmp_path / "in", "SELECT a.n FROM t a JOIN t b ON a.n = b.n AND a.n + b.n > RAND(7)", "n INT")
    with pytest.raises(UnsupportedError, match="RAND with a seed cannot run here"):
        Run(spark, plan, RunOptions()).execute()
