from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.plan import CompiledPlan

DDL = """
CREATE TABLE t (a INT, b VARCHAR(3), c STRING) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');
CREATE TABLE u (x STRING, y BIGINT) WITH ('connector' = 'filesystem', 'path' = '/u', 'format' = 'json');
CREATE TABLE sink (v STRING) WITH ('connector' = 'print');
CREATE TABLE numbers (v INT) WITH ('connector' = 'print');
"""


def compiled(statement: str) -> CompiledPlan:
    environment = TableEnvironment()
    environment.execute_sql(DDL)
    return environment.compile_plan_sql(statement)


def descriptions(statement: str, kind: str) -> list[str]:
    return [node.description for node in compiled(statement).nodes if node.kind == kind]


def test_projections_and_filters_in_a_row_are_one_calc() -> None:
    query = "SELECT d FROM (SELECT UPPER(c) AS d, a FROM t WHERE a > 1) WHERE d <> 'X'"
    (calc,) = descriptions(f"INSERT INTO sink {query}", "calc")
    assert calc == "Calc(select=[UPPER(c) AS d], where=[((a > 1) AND (UPPER(c) <> 'X'))])"


def test_a_query_that_only_renames_has_no_calc() -> None:
    assert descriptions("INSERT INTO sink SELECT x AS v FROM u", "calc") == []


def test_texts_of_different_lengths_are_join_keys() -> None:
    exchanges = descriptions("INSERT INTO sink SELECT c FROM t JOIN u ON t.b = u.x", "exchange")
    assert all("hash" in text for text in exchanges)


def test_numbers_of_different_types_are_made_join_keys_below_the_join() -> None:
    calcs = descriptions("INSERT INTO sink SELECT c FROM t JOIN u ON t.a = u.y", "calc")
    assert calcs[0] == "Calc(select=[c, CAST(a AS BIGINT) AS a0])"


def test_random_values_are_computed_once() -> None:
    query = "SELECT r + r FROM (SELECT RAND_INTEGER(5) AS r FROM t)"
    assert len(descriptions(f"INSERT INTO numbers {query}", "calc")) == 2


def test_expressions_do_not_grow_without_bound() -> None:
    query = "SELECT a FROM t"
    for _ in range(25):
        query = f"SELECT a + a AS a FROM ({query}) AS q"
    plan = compiled(f"INSERT INTO numbers {query}")
    assert len(plan.to_json()) < 2_000_000


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("a IS NULL OR c LIKE 'x%'", "(a IS NULL OR (c LIKE 'x%'))"),
        ("CAST(a AS STRING) = c", "(CAST(a AS VARCHAR(2147483647)) = c)"),
        ("COALESCE(c, b) = 'it''s'", "(COALESCE(c, b) = 'it's')"),
    ],
)
def test_conditions_in_words(condition: str, text: str) -> None:
    (calc,) = descriptions(f"INSERT INTO sink SELECT c FROM t WHERE {condition}", "calc")
    assert f"where=[{text}]" in calc


def doubled(times: int, source: str = "SELECT a AS v FROM t") -> str:
    """A query of this many levels, each of which reads the column below twice."""
    for _ in range(times):
        source = f"SELECT v + v AS v FROM ({source})"
    return source


def test_few_levels_that_double_their_input_are_one_calc() -> None:
    assert len(descriptions(f"INSERT INTO numbers {doubled(3)}", "calc")) == 1


RELATED = "SELECT CAST(y AS INT) AS v FROM u WHERE y = a"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "query",
    [
        pytest.param(doubled(25), id="columns"),
        pytest.param(f"SELECT v FROM ({doubled(25)}) WHERE v > 5", id="filter"),
        pytest.param(f"SELECT l.v FROM ({doubled(25)}) l JOIN u ON l.v = u.y AND l.v > 5", id="join"),
        pytest.param(f"SELECT v FROM ({doubled(25)}) GROUP BY v HAVING v > 5", id="having"),
        pytest.param(f"SELECT a FROM t WHERE a IN ({doubled(25)})", id="in"),
        pytest.param(f"SELECT v FROM ({doubled(25)}) UNION SELECT a FROM t", id="union"),
        pytest.param(f"SELECT a FROM t WHERE EXISTS ({doubled(25, RELATED)})", id="exists"),
        pytest.param(f"SELECT l.v FROM t, LATERAL ({doubled(25, RELATED)}) l WHERE l.v > 1", id="lateral"),
    ],
)
def test_many_levels_that_double_their_input_do_not_grow_beyond_use(query: str) -> None:
    assert len(compiled(f"INSERT INTO numbers {query}").to_json()) < 1_000_000


def test_a_correlated_query_that_grows_beyond_use_is_refused() -> None:
    query = f"SELECT a FROM t WHERE a IN ({doubled(25, 'SELECT CAST(y AS INT) + a AS v FROM u')})"
    with pytest.raises(UnsupportedError, match="correlated subquery"):
        compiled(f"INSERT INTO numbers {query}")
