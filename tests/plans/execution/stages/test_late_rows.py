"""Tables for late rows, for each kind of operator, on the engine of tests; the main results stay the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.testing import ProgramTest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = """
CREATE TABLE a (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem', 'path' = 'a', 'format' = 'json'{option});
CREATE TABLE b (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem', 'path' = 'b', 'format' = 'json'{option});
CREATE TABLE late (v INT, ts TIMESTAMP(3), late_by BIGINT) WITH ('connector' = 'print');
CREATE TABLE o (k STRING, v INT) WITH ('connector' = 'print');
INSERT INTO o {query};
"""
OPTION = ", 'late.table' = 'late'"
TUMBLE = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
SESSION = "TABLE(SESSION(TABLE a PARTITION BY k, DESCRIPTOR(ts), INTERVAL '2' SECOND))"
SUM = "SELECT k, SUM(v) FROM {} GROUP BY k, window_start, window_end"
FIRST = "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS n FROM {}) WHERE n {}"
OVER = "SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts {}) FROM a"
WINDOW_KEYS = "window_start, window_end, k"
A_TUMBLE, B_TUMBLE = TUMBLE.format("a"), TUMBLE.format("b")

#: The late row, after one at :30.
LATE = "2024-01-01 00:00:06"
ROWS = [["a", 1, "2024-01-01 00:00:05"], ["a", 2, "2024-01-01 00:00:30"]]
BY_TIME, BY_WINDOW = [[7, LATE, 24_000]], [[7, LATE, None]]
ONE_EACH = [["a", 1], ["a", 2]]

QUERIES: Mapping[str, tuple[str, Sequence[Sequence[object]], Sequence[Sequence[object]]]] = {
    "tumble": (SUM.format(A_TUMBLE), ONE_EACH, BY_TIME),
    "hop": (
        SUM.format("TABLE(HOP(TABLE a, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '10' SECOND))"),
        ONE_EACH,
        BY_TIME,
    ),
    "session": (SUM.format(SESSION), ONE_EACH, BY_TIME),
    "session rows": (f"SELECT k, v FROM {SESSION}", ONE_EACH, BY_TIME),
    "group window": ("SELECT k, SUM(v) FROM a GROUP BY k, TUMBLE(ts, INTERVAL '10' SECOND)", ONE_EACH, BY_TIME),
    "calc between": (
        SUM.format("(SELECT k, v, ts, window_start, window_end FROM " + A_TUMBLE + " WHERE v > 0)"),
        ONE_EACH,
        BY_TIME,
    ),
    "window rank": (FIRST.format(WINDOW_KEYS, "v", A_TUMBLE, "<= 2"), ONE_EACH, BY_WINDOW),
    "window deduplication": (FIRST.format(WINDOW_KEYS, "ts", A_TUMBLE, "= 1"), ONE_EACH, BY_WINDOW),
    "unbounded over": (OVER.format(""), [["a", 1], ["a", 3]], BY_TIME),
    "bounded over": (OVER.format("ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"), [["a", 1], ["a", 3]], BY_TIME),
    "sort": ("SELECT k, v FROM a ORDER BY ts", ONE_EACH, BY_TIME),
    "first row": (FIRST.format("v", "ts", "a", "= 1"), ONE_EACH, BY_TIME),
    "pattern": (
        "SELECT k, v FROM a MATCH_RECOGNIZE ("
        "PARTITION BY k ORDER BY ts MEASURES X.v AS v PATTERN (X) DEFINE X AS TRUE)",
        ONE_EACH,
        BY_TIME,
    ),
}


def program(query: str, option: str = OPTION) -> str:
    return TABLES.format(query=query, option=option)


@pytest.mark.parametrize("name", QUERIES)
def test_rows_that_an_operator_drops(spark: SparkSession, name: str) -> None:
    query, results, late = QUERIES[name]
    for option in ("", OPTION):
        with ProgramTest(sql=program(query, option), engines=engines_of(spark), bounded=True) as test:
            test.rows(a=ROWS)
            test.late(a=[["a", 7, LATE]])
            test.end()
            test.expect(o=results, **({"late": late} if option else {}))


def test_stages_without_such_a_table_have_no_columns_for_it() -> None:
    def columns(option: str) -> list[list[str]]:
        prepared = prepare(TableEnvironment().compile_script(program(SUM.format(A_TUMBLE), option)))
        return [[port.column for port in prepared.layout.arriving(level)] for level in (1, 2)]

    assert columns("") == [["p5_0"], ["s7"]]
    assert columns(OPTION) == [["p5_0", "l5_0"], ["s7", "s8"]]


JOINED = "SELECT x.k, x.v + y.v FROM {} x JOIN {} y ON x.k = y.k AND {}"
NEAR = "x.ts BETWEEN y.ts - INTERVAL '5' SECOND AND y.ts + INTERVAL '5' SECOND"
SAME_WINDOW = "x.window_start = y.window_start AND x.window_end = y.window_end"


def test_rows_of_both_inputs_of_a_window_join(spark: SparkSession) -> None:
    query = JOINED.format(A_TUMBLE, B_TUMBLE, SAME_WINDOW)
    for option in ("", OPTION):
        with ProgramTest(sql=program(query, option), engines=engines_of(spark), bounded=True) as test:
            test.rows(a=ROWS, b=[["a", 5, "2024-01-01 00:00:05"], ["a", 5, "2024-01-01 00:00:30"]])
            test.late(a=[["a", 7, LATE]], b=[["b", 8, LATE]])
            test.end()
            late = {"late": [[7, LATE, None], [8, LATE, None]]} if option else {}
            test.expect(o=[["a", 6], ["a", 7]], **late)


def test_rows_of_an_interval_join_that_can_match_no_more(spark: SparkSession) -> None:
    """Both inputs read one source, so that a row's watermark is that of both."""
    query = JOINED.format("a", "a", NEAR)
    for option in ("", OPTION):
        with ProgramTest(sql=program(query, option), engines=engines_of(spark), bounded=True) as test:
            test.rows(a=ROWS)
            test.rows(a=[["a", 7, LATE]])
            test.end()
            test.expect(o=[["a", 2], ["a", 4]], **({"late": BY_TIME * 2} if option else {}))


def test_rows_of_a_union_and_two_tables(spark: SparkSession) -> None:
    """Two operators write into two tables, and the hint of one replaces the option."""
    text = program(SUM.format(A_TUMBLE)).replace("INSERT INTO o", "EXECUTE STATEMENT SET BEGIN INSERT INTO o")
    more = "CREATE TABLE more (k STRING, late_input INT, late_kind STRING) WITH ('connector' = 'print');"
    query = (
        "INSERT INTO o SELECT /*+ LATE_ROWS('ab' = 'more') */ k, MAX(v) OVER (PARTITION BY k ORDER BY ts) "
        "FROM (SELECT * FROM a UNION ALL SELECT * FROM b) AS ab; END;"
    )
    with ProgramTest(sql=more + text + query, engines=engines_of(spark), bounded=True) as test:
        test.rows(a=ROWS, b=[["c", 1, "2024-01-01 00:00:30"]])
        test.rows(a=[["a", 7, LATE]], b=[["b", 8, LATE]])
        test.end()
        test.expect(o=[["a", 1], ["a", 2], ["a", 1], ["a", 2], ["c", 1]])
        test.expect(late=BY_TIME, more=[["a", 0, "+I"], ["b", 0, "+I"]])
