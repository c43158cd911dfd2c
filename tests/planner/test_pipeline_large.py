"""Generated programs of large size compile in time proportional to their size."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.inspection.check import check

pytestmark = pytest.mark.wide

TABLES = """
CREATE TABLE t (id BIGINT, x INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');
CREATE TABLE o (id BIGINT, s STRING) WITH ('connector' = 'print');
"""


def _where(condition: str) -> str:
    return f"{TABLES}INSERT INTO o SELECT id, s FROM t WHERE {condition};"


def _select(value: str) -> str:
    return f"{TABLES}INSERT INTO o SELECT id, {value} FROM t;"


def _branches(count: int) -> str:
    return " ".join(f"WHEN x = {at} THEN '{at}'" for at in range(count))


def _views(count: int) -> str:
    views = "".join(
        f"CREATE VIEW v{at} AS SELECT s, MAX(id) + {at} AS id FROM {f'v{at - 1}' if at else 't'} GROUP BY s;\n"
        for at in range(count)
    )
    return f"{TABLES}{views}INSERT INTO o SELECT id, s FROM v{count - 1};"


def _aggregates(count: int) -> str:
    columns = ", ".join(f"c{at} INT" for at in range(count))
    sums = ", ".join(f"SUM(c{at})" for at in range(count))
    return (
        f"CREATE TABLE w (id BIGINT, {columns}) WITH ('connector' = 'filesystem', 'path' = '/w', 'format' = 'json');\n"
        f"CREATE TABLE p (id BIGINT, {columns}) WITH ('connector' = 'print');\n"
        f"INSERT INTO p SELECT id, {sums} FROM w GROUP BY id;"
    )


def _sinks(count: int) -> str:
    tables = "".join(f"CREATE TABLE o{at} (x INT, n BIGINT) WITH ('connector' = 'print');\n" for at in range(count))
    inserts = "".join(
        f"INSERT INTO o{at} SELECT x, COUNT(*) FROM t WHERE id <> {at} GROUP BY x;\n" for at in range(count)
    )
    return f"{TABLES}{tables}BEGIN STATEMENT SET;\n{inserts}END;"


def _joins(count: int) -> str:
    joins = " ".join(f"JOIN t AS t{at} ON t.id = t{at}.id" for at in range(count))
    return f"{TABLES}INSERT INTO o SELECT t.id, t.s FROM t {joins};"


def _with(count: int) -> str:
    queries = ", ".join(f"c{at} AS (SELECT id + 1 AS id, s FROM {f'c{at - 1}' if at else 't'})" for at in range(count))
    return f"{TABLES}INSERT INTO o WITH {queries} SELECT id, s FROM c{count - 1};"


def _filtered_views(count: int) -> str:
    """Each view computes a column and filters on that of the view before."""
    views = "".join(
        f"CREATE VIEW v{at} AS SELECT id, x + {at} AS x, s FROM {f'v{at - 1}' if at else 't'} WHERE x > {at};\n"
        for at in range(count)
    )
    return f"{TABLES}{views}INSERT INTO o SELECT id, s FROM v{count - 1};"


def _doubled_views(count: int) -> str:
    """Inlined, the column would have 2 ** count terms."""
    views = "".join(
        f"CREATE VIEW v{at} AS SELECT id, x + x AS x, s FROM {f'v{at - 1}' if at else 't'};\n" for at in range(count)
    )
    return f"{TABLES}{views}INSERT INTO o SELECT id, s FROM v{count - 1} WHERE x > 1 AND id > 2;"


def _outer_joins(count: int) -> str:
    tables = "".join(
        f"CREATE TABLE t{at} (id BIGINT, v{at} STRING) "
        f"WITH ('connector' = 'filesystem', 'path' = '/t{at}', 'format' = 'json');\n"
        for at in range(count)
    )
    joins = " ".join(f"LEFT JOIN t{at} ON t.id = t{at}.id AND v{at} <> 'x'" for at in range(count))
    texts = " || ".join(f"v{at}" for at in range(count))
    return f"{TABLES}{tables}INSERT INTO o SELECT t.id, {texts} FROM t {joins};"


def _query(text: str) -> str:
    return f"{TABLES}INSERT INTO o {text};"


SHAPES: dict[str, tuple[Callable[[int], str], int]] = {
    "in-of-casts": (lambda n: _where(f"CAST(x AS STRING) IN {tuple(map(str, range(0, 2 * n, 2)))}"), 10_000),
    "in-of-numbers": (lambda n: _where(f"x IN {tuple(range(0, 2 * n, 2))}"), 10_000),
    "or": (lambda n: _where(" OR ".join(f"(x = {at} AND s = 'k{at}')" for at in range(n))), 3_000),
    "and": (lambda n: _where(" AND ".join(f"(x <> {at} OR s <> 'k{at}')" for at in range(n))), 1_500),
    "concatenation": (lambda n: _select(" || ".join(["s", "'a'"] * (n // 2))), 3_000),
    "sum": (lambda n: _select(f"CAST({' + '.join(['x'] * n)} AS STRING)"), 3_000),
    "parentheses": (lambda n: _select(f"CAST({'(' * n}x{' + 1)' * n} AS STRING)"), 2_000),
    "calls": (lambda n: _select(f"{'TRIM(' * n}s{')' * n}"), 2_000),
    "case": (lambda n: _select(f"CASE {_branches(n)} END"), 3_000),
    "nested-case": (
        lambda n: _select(f"{''.join(f'CASE WHEN x = {at} THEN s ELSE ' for at in range(n))}s{' || s END' * n}"),
        1_000,
    ),
    "nested-conditions": (lambda n: _where(f"{'(x > 1 OR (x < 9 AND ' * n} x = 3 {'))' * n}"), 1_000),
    "values": (lambda n: _query("VALUES " + ", ".join(f"({at}, 'a{at}')" for at in range(n))), 3_000),
    "unions": (lambda n: _query(" UNION ALL ".join(["SELECT id, s FROM t"] * n)), 3_000),
    "distinct-unions": (
        lambda n: _query(" UNION ".join(f"SELECT id, s FROM t WHERE x = {at}" for at in range(n))),
        200,
    ),
    "with": (_with, 300),
    "queries-in-parentheses": (lambda n: _query(f"{'(' * n}SELECT id, s FROM t{')' * n}"), 3_000),
    "subqueries": (lambda n: _query(f"SELECT id, s FROM {'(SELECT id, s FROM ' * n}t{')' * n}"), 2_000),
    "existence": (lambda n: _where(f"{'id IN (SELECT id FROM t WHERE ' * n}x > 3{')' * n}"), 200),
    "joins": (_joins, 200),
    "outer-joins": (_outer_joins, 100),
    "views": (_views, 300),
    "filtered-views": (_filtered_views, 200),
    "doubled-views": (_doubled_views, 100),
    "aggregates": (_aggregates, 1_000),
    "sinks": (_sinks, 100),
}


#: Expressions and queries that pass Python's recursion limit with a quarter of their size.
NESTED = ("concatenation", "sum", "parentheses", "calls", "nested-case", "nested-conditions", "subqueries", "existence")


@pytest.mark.parametrize(
    ("shape", "part"),
    [(shape, 4 if shape in NESTED else 10) for shape in SHAPES]
    + [pytest.param(shape, 1, marks=pytest.mark.deep) for shape in SHAPES],
)
def test_a_large_program_compiles_to_a_valid_plan(shape: str, part: int) -> None:
    program, size = SHAPES[shape]
    text = TableEnvironment().compile_script(program(size // part)).to_json()
    assert check(text) == ()


@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("shape", ["or", "and", "in-of-casts", "concatenation", "parentheses"])
def test_time_grows_as_the_program_does(shape: str, part: int) -> None:
    program, full_size = SHAPES[shape]
    size = full_size // part

    def seconds(count: int) -> float:
        text = program(count)
        start = time.process_time()
        TableEnvironment().compile_script(text)
        return time.process_time() - start

    seconds(100)
    small, large = (min(seconds(count) for _ in range(2)) for count in (size // 8, size))
    assert large < 24 * small  # 8 if linear, 64 if quadratic


def test_time_grows_as_the_plan_does_where_views_filter_what_they_compute() -> None:
    """The conditions together have quadratic length, in Flink's plan too; building them takes no longer than that."""

    def seconds(count: int) -> float:
        text = _filtered_views(count)
        start = time.process_time()
        TableEnvironment().compile_script(text)
        return time.process_time() - start

    seconds(10)
    small, large = min(seconds(20) for _ in range(2)), seconds(80)
    assert large < 32 * small  # 16 if quadratic, 64 if cubic
