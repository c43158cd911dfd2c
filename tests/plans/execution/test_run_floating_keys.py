"""DOUBLE and FLOAT as keys: by their bits, in every operator, with a real Flink's results for these rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.wide

ROWS = "1,0.0,0.0\n2,-0.0,-0.0\n3,NaN,NaN\n4,NaN,NaN\n5,1.5,1.5\n6,-0.0,-0.0\n"
QUERIES = {
    "grouped": "SELECT CAST(d AS STRING), CAST(f AS STRING), COUNT(*) FROM t GROUP BY d, f",
    "distinct_rows": "SELECT DISTINCT CAST(f AS STRING), '', CAST(0 AS BIGINT) FROM (SELECT DISTINCT f FROM t)",
    "joined": "SELECT '', '', CAST(a.v * 10 + b.v AS BIGINT) FROM t AS a JOIN t AS b ON a.d = b.f",
    "nested": "SELECT '', '', COUNT(*) FROM t GROUP BY ARRAY[d]",
    "counted": "SELECT '', '', COUNT(DISTINCT d) FROM t",
    "ranked": """SELECT CAST(d AS STRING), '', n FROM (
        SELECT d, ROW_NUMBER() OVER (PARTITION BY d ORDER BY v) AS n FROM t) WHERE n <= 2""",
}
EXPECTED = {
    "grouped": {("0.0", "0.0", 1), ("-0.0", "-0.0", 2), ("NaN", "NaN", 2), ("1.5", "1.5", 1)},
    "distinct_rows": {("0.0", "", 0), ("-0.0", "", 0), ("NaN", "", 0), ("1.5", "", 0)},
    "joined": {("", "", n) for n in (11, 22, 26, 62, 66, 33, 34, 43, 44, 55)},
    "nested": {("", "", 1): 2, ("", "", 2): 2},
    "counted": {("", "", 4)},
    "ranked": {("0.0", "", 1), ("-0.0", "", 1), ("-0.0", "", 2), ("NaN", "", 1), ("NaN", "", 2), ("1.5", "", 1)},
}


def test_keys_are_equal_where_their_bits_are(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "1.csv").write_text(ROWS)
    script = f"""CREATE TABLE t (v INT, d DOUBLE, f FLOAT) WITH
        ('connector' = 'filesystem', 'path' = '{tmp_path / "t"}', 'format' = 'csv');\n"""
    for name in QUERIES:
        script += f"""CREATE TABLE {name} (d STRING, f STRING, n BIGINT) WITH
            ('connector' = 'filesystem', 'path' = '{tmp_path / name}', 'format' = 'debezium-json');\n"""
    inserts = "".join(f"INSERT INTO {name} {query};\n" for name, query in QUERIES.items())
    plan = TableEnvironment().compile_script(f"{script}EXECUTE STATEMENT SET BEGIN\n{inserts}END;")
    Run(spark, plan, RunOptions(checkpoint=str(tmp_path / "checkpoint"))).execute()
    assert {name: added_up(tmp_path / name) for name in QUERIES} == {
        name: Counter(rows) for name, rows in EXPECTED.items()
    }


def added_up(folder: Path) -> Counter[tuple[str, str, int]]:
    """The rows of a changelog table."""
    table: Counter[tuple[str, str, int]] = Counter()
    for file in folder.glob("part-*"):
        for line in file.read_text().splitlines():
            change = json.loads(line)
            row = change["after"] if change["op"] == "c" else change["before"]
            table[row["d"], row["f"], row["n"]] += 1 if change["op"] == "c" else -1
    return +table
