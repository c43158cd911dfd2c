from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.testing.constants import constants_of

DECLARED = """
CREATE TABLE t (k STRING, v INT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
CREATE TABLE s (k STRING, v INT) WITH ('connector' = 'print');
"""


@pytest.mark.parametrize(
    ("query", "constants"),
    [
        ("SELECT k, v FROM t WHERE v > 70", {"v": [70]}),
        ("SELECT k, v FROM t WHERE v IN (3, 7, 11)", {"v": [3, 7, 11]}),
        ("SELECT k, v FROM t WHERE v BETWEEN 10 AND 20", {"v": [10, 20]}),
        ("SELECT k, v FROM t WHERE v NOT IN (3, 7) AND k NOT IN ('x', 'y')", {"v": [3, 7], "k": ["x", "y"]}),
        ("SELECT k, v FROM t WHERE v + w > 70", {"v w": [70]}),
        ("SELECT k, v FROM t WHERE v > 70 AND v < w", {"v w": [70]}),
        ("SELECT k, 8 FROM t", {}),
        ("SELECT k, CAST(8 AS INT) FROM (SELECT DISTINCT k, CAST(8 AS BIGINT) FROM t)", {}),
        ("SELECT TRIM(LEADING 'z' FROM k), v FROM t", {"k": ["z"]}),
        (
            "SELECT k, n FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(B.v, 1) * 5 AS n AFTER MATCH "
            "SKIP TO LAST B PATTERN (A B{2,9} C) WITHIN INTERVAL '1' HOUR DEFINE B AS B.v > 40, C AS C.k = 'c')",
            {"v": [5, 40], "k": ["c"]},
        ),
    ],
)
def test_constants_by_column(query: str, constants: dict[str, list[object]]) -> None:
    plan = TableEnvironment().compile_script(f"{DECLARED}INSERT INTO s {query};")
    by_column: dict[str, set[object]] = {}
    for constant in constants_of(plan):
        by_column.setdefault(" ".join(sorted(constant.columns)), set()).add(constant.literal.value)
    assert by_column == {columns: set(values) for columns, values in constants.items()}


@pytest.mark.parametrize(
    ("condition", "passing"),
    [("v > 3", {4}), ("v >= 3", {3, 4}), ("3 > v", {2}), ("3 >= v", {2, 3}), ("v = 3", {3}), ("v <> 3", {2, 4})],
)
def test_numbers_that_pass_a_comparison(condition: str, passing: set[int]) -> None:
    plan = TableEnvironment().compile_script(f"{DECLARED}INSERT INTO s SELECT k, v FROM t WHERE {condition};")
    (constant,) = constants_of(plan)
    assert constant.passes is not None and {value for value in (2, 3, 4) if constant.passes(value, 3)} == passing


def test_numbers_that_pass_the_bounds_of_a_range() -> None:
    plan = TableEnvironment().compile_script(f"{DECLARED}INSERT INTO s SELECT k, v FROM t WHERE v >= 10 AND v < 20;")
    tests = {constant.literal.value: constant.passes for constant in constants_of(plan)}
    passed = [value for value in (9, 10, 19, 20) if all(test and test(value, bound) for bound, test in tests.items())]
    assert passed == [10, 19]
