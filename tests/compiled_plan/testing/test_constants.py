from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.testing.constants import constants_of

DECLARED = """
CREATE TABLE t (k STRING, v INT, d DATE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
CREATE TABLE s (k STRING, v INT) WITH ('connector' = 'print');
"""


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("SELECT k, v FROM t WHERE v > 70", [70]),
        ("SELECT k, v FROM t WHERE v IN (3, 7, 11)", [3, 7, 11]),
        ("SELECT k, v FROM t WHERE v BETWEEN 10 AND 20", [10, 20]),
        ("SELECT k, v FROM t WHERE v NOT IN (3, 7) AND k NOT IN ('x', 'y')", [3, 7, "x", "y"]),
        ("SELECT TRIM(LEADING 'z' FROM k), v FROM t", ["z"]),
        (
            "SELECT k, n FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(B.v, 1) * 5 AS n AFTER MATCH "
            "SKIP TO LAST B PATTERN (A B{2,9} C) WITHIN INTERVAL '1' HOUR DEFINE B AS B.v > 40, C AS C.k = 'c')",
            [5, 40, "c"],
        ),
    ],
)
def test_constants_of_a_query(query: str, values: list[object]) -> None:
    plan = TableEnvironment().compile_script(f"{DECLARED}INSERT INTO s {query};")
    assert {constant.value for constant in constants_of(plan)} == set(values)
