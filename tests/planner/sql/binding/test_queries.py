"""SELECT and its clauses, as trees."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.planner.algebra.nodes import Aggregate, Project, SetOp, Values
from compiled_plan.planner.algebra.rex import Subquery
from compiled_plan.planner.algebra.traverse import expressions
from compiled_plan.planner.sql.binding.core import Bound
from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.rex import type_of, walk

Bind = Callable[[str], Bound]
Tree = Callable[[str], str]
Refused = Callable[[str], CompiledPlanError]

TREES = {
    "where": (
        "SELECT a FROM t WHERE n > 1",
        """
        Project(a=$0)
          Filter(>($2, 1))
            Scan(t)
        """,
    ),
    "no from": (
        "SELECT 1",
        """
        Project(EXPR$0=1)
          Values((0))
        """,
    ),
    "group": (
        "SELECT b, SUM(n + 1) FILTER (WHERE a > 1), COUNT(DISTINCT a) FROM t GROUP BY b",
        """
        Aggregate(group=[0], EXPR$1=SUM($1) FILTER $2, EXPR$2=COUNT(DISTINCT $3))
          Project(b=$1, $f1=+($2, 1), $f2=IS TRUE(>($0, 1)), a=$0)
            Scan(t)
        """,
    ),
    "group by expression": (
        "SELECT a + 1, a + 1 + 2, COUNT(*) FROM t GROUP BY a + 1",
        """
        Project(EXPR$0=$0, EXPR$1=+($0, 2), EXPR$2=$1)
          Aggregate(group=[0], EXPR$2=COUNT())
            Project(EXPR$0=+($0, 1))
              Scan(t)
        """,
    ),
    "having without select": (
        "SELECT b FROM t GROUP BY b HAVING COUNT(*) > 3",
        """
        Project(b=$0)
          Filter(>($1, 3))
            Aggregate(group=[0], agg#0=COUNT())
              Project(b=$1)
                Scan(t)
        """,
    ),
    "same aggregate once": (
        "SELECT SUM(n), SUM(n) + 1 FROM t",
        """
        Project(EXPR$0=$0, EXPR$1=+($0, 1))
          Aggregate(group=[], EXPR$0=SUM($0))
            Project(n=$2)
              Scan(t)
        """,
    ),
    "count of values of which one can be NULL": (
        "SELECT COUNT(1, a), COUNT(n, 2) FROM t",
        """
        Aggregate(group=[], EXPR$0=COUNT($0), EXPR$1=COUNT())
          Project(a=$0)
            Scan(t)
        """,
    ),
    "grouping sets": (
        "SELECT a, b, GROUPING(a), COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a, b), ())",
        """
        Aggregate(group=[0, 1], sets=[[0], [0, 1], []], EXPR$2=GROUPING($0), EXPR$3=COUNT())
          Project(a=$0, b=$1)
            Scan(t)
        """,
    ),
    "rollup and a key": (
        "SELECT n, COUNT(*) FROM t GROUP BY n, ROLLUP (a, b)",
        """
        Project(n=$0, EXPR$1=$3)
          Aggregate(group=[0, 1, 2], sets=[[0, 1, 2], [0, 1], [0]], EXPR$1=COUNT())
            Project(n=$2, a=$0, b=$1)
              Scan(t)
        """,
    ),
    "cube": (
        "SELECT COUNT(*) FROM t GROUP BY CUBE (a, b)",
        """
        Project(EXPR$0=$2)
          Aggregate(group=[0, 1], sets=[[0, 1], [0], [1], []], EXPR$0=COUNT())
            Project(a=$0, b=$1)
              Scan(t)
        """,
    ),
    "a set written twice": (
        "SELECT a, b, COUNT(*) FROM t GROUP BY GROUPING SETS ((a), (a, b), (a))",
        """
        SetOp(UNION ALL)
          Aggregate(group=[0, 1], sets=[[0], [0, 1]], EXPR$2=COUNT())
            Project(a=$0, b=$1) #1
              Scan(t)
          Aggregate(group=[0, 1], sets=[[0]], EXPR$2=COUNT())
            Again #1
        """,
    ),
    "group by distinct": (
        "SELECT a, COUNT(*) FROM t GROUP BY DISTINCT GROUPING SETS ((a), (a))",
        """
        Aggregate(group=[0], EXPR$1=COUNT())
          Project(a=$0)
            Scan(t)
        """,
    ),
    "grouping of a plain group is 0": (
        "SELECT a, GROUPING(a) FROM t GROUP BY a",
        """
        Project(a=$0, EXPR$1=0)
          Aggregate(group=[0])
            Project(a=$0)
              Scan(t)
        """,
    ),
    "distinct": (
        "SELECT DISTINCT a FROM t",
        """
        Aggregate(group=[0])
          Project(a=$0)
            Scan(t)
        """,
    ),
    "names of the select list inside sort keys": (
        "SELECT a AS b, b AS a FROM t ORDER BY CASE WHEN b = 0 THEN a END, b + 1 LIMIT 3",
        """
        Project(b=$0, a=$1)
          Sort($2 ASC NULLS FIRST, $3 ASC NULLS FIRST, fetch=3)
            Project(b=$0, a=$1, EXPR$2=CASE(=($0, 0), $1, None), EXPR$3=+($0, 1))
              Scan(t)
        """,
    ),
    "order by alias, ordinal and hidden column": (
        "SELECT a AS b, b AS a FROM t ORDER BY a DESC, 1, n LIMIT 3 OFFSET 1",
        """
        Project(b=$0, a=$1)
          Sort($1 DESC NULLS LAST, $0 ASC NULLS FIRST, $2 ASC NULLS FIRST, offset=1, fetch=3)
            Project(b=$0, a=$1, n=$2)
              Scan(t)
        """,
    ),
    "order by aggregate": (
        "SELECT b FROM t GROUP BY b ORDER BY COUNT(*) DESC NULLS FIRST FETCH FIRST 2 ROWS ONLY",
        """
        Project(b=$0)
          Sort($1 DESC NULLS FIRST, fetch=2)
            Project(b=$0, EXPR$1=$1)
              Aggregate(group=[0], agg#0=COUNT())
                Project(b=$1)
                  Scan(t)
        """,
    ),
    "distinct with order over selected": (
        "SELECT DISTINCT a FROM t ORDER BY a + 1 LIMIT 2",
        """
        Project(a=$0)
          Sort($1 ASC NULLS FIRST, fetch=2)
            Aggregate(group=[0, 1])
              Project(a=$0, EXPR$1=+($0, 1))
                Scan(t)
        """,
    ),
    "union widens": (
        "SELECT a FROM t UNION ALL SELECT e FROM u UNION ALL SELECT e FROM u",
        """
        SetOp(UNION ALL)
          Project(a=CAST($0 AS BIGINT))
            Project(a=$0)
              Scan(t)
          Project(e=$2)
            Scan(u)
          Project(e=$2)
            Scan(u)
        """,
    ),
    "order over union": (
        "SELECT a AS x FROM t UNION SELECT a FROM u ORDER BY x LIMIT 1",
        """
        Sort($0 ASC NULLS FIRST, fetch=1)
          SetOp(UNION)
            Project(x=$0)
              Scan(t)
            Project(a=$0)
              Scan(u)
        """,
    ),
    "using": (
        "SELECT * FROM u JOIN w USING (a)",
        """
        Project(a=$0, d=$1, e=$2, x=$3, y=$4)
          Join(INNER, =($0, $5))
            Scan(u)
            Scan(w)
        """,
    ),
    "natural full": (
        "SELECT a FROM u NATURAL FULL JOIN w",
        """
        Project(a=COALESCE($0, $5))
          Join(FULL, =($0, $5))
            Scan(u)
            Scan(w)
        """,
    ),
    "comma and where": (
        "SELECT e FROM u, w WHERE u.a = w.a",
        """
        Project(e=$2)
          Filter(=($0, $5))
            Join(INNER, True)
              Scan(u)
              Scan(w)
        """,
    ),
    "in": (
        "SELECT a FROM t WHERE a IN (SELECT a FROM u WHERE u.d = t.b)",
        """
        Project(a=$0)
          Filter(IN($0, $cor0))
            {$cor0
              Project(a=$0)
                Filter(=($1, $cor0.1))
                  Scan(u)
            }
            Scan(t)
        """,
    ),
    "all is not any": (
        "SELECT a FROM t WHERE a > ALL (SELECT a FROM u)",
        """
        Project(a=$0)
          Filter(NOT(SOME($0, $cor0)))
            {$cor0
              Project(a=$0)
                Scan(u)
            }
            Scan(t)
        """,
    ),
    "scalar over groups": (
        "SELECT b, (SELECT MAX(e) FROM u WHERE u.d = t.b) FROM t GROUP BY b",
        """
        Project(b=$0, EXPR$1=SCALAR($cor0))
          {$cor0
            Aggregate(group=[], EXPR$0=MAX($0))
              Project(e=$2)
                Filter(=($1, $cor0.0))
                  Scan(u)
          }
          Aggregate(group=[0])
            Project(b=$1)
              Scan(t)
        """,
    ),
    "over": (
        "SELECT SUM(id) OVER w, ROW_NUMBER() OVER (w) FROM clicks WINDOW w AS (PARTITION BY id ORDER BY ts)",
        """
        Project(EXPR$0=SUM($0) OVER (PARTITION BY [$0] ORDER BY [$1] RANGE UNBOUNDED_PRECEDING CURRENT_ROW), \
EXPR$1=ROW_NUMBER() OVER (PARTITION BY [$0] ORDER BY [$1] ROWS UNBOUNDED_PRECEDING CURRENT_ROW))
          WatermarkAssigner(ts, -($1, '5000'))
            Project(id=$0, ts=$1, p=PROCTIME())
              Scan(clicks)
        """,
    ),
    "qualify": (
        "SELECT a FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY b ORDER BY n) = 1",
        """
        Project(a=$0)
          Filter(=($1, 1))
            Project(a=$0, QualifyExpression=ROW_NUMBER() OVER (PARTITION BY [$1] ORDER BY [$2] \
ROWS UNBOUNDED_PRECEDING CURRENT_ROW))
              Scan(t)
        """,
    ),
    "aggregate inside over": (
        "SELECT b, SUM(SUM(n)) OVER (ORDER BY b) FROM t GROUP BY b",
        """
        Project(b=$0, EXPR$1=SUM($1) OVER (PARTITION BY [] ORDER BY [$0] RANGE UNBOUNDED_PRECEDING CURRENT_ROW))
          Aggregate(group=[0], agg#0=SUM($1))
            Project(b=$1, n=$2)
              Scan(t)
        """,
    ),
    "unnest": (
        "SELECT id, sku FROM nest CROSS JOIN UNNEST(rows_) AS q(sku, n)",
        """
        Project(id=$0, sku=$3)
          Correlate(INNER, $cor0)
            Scan(nest)
            TableFunctionScan(UNNEST_ROWS($cor0.1))
        """,
    ),
    "unnest left on": (
        "SELECT a, v FROM t LEFT JOIN UNNEST(arr) AS q(v) ON q.v > 3",
        """
        Project(a=$0, v=$6)
          Correlate(LEFT, $cor0)
            Scan(t)
            Filter(>($0, 3))
              TableFunctionScan(UNNEST_ROWS($cor0.4))
        """,
    ),
    "lateral": (
        "SELECT t.a, q.c FROM t LEFT JOIN LATERAL (SELECT COUNT(*) AS c FROM u WHERE u.a = t.a) AS q ON q.c > t.n",
        """
        Project(a=$0, c=$6)
          Correlate(LEFT, $cor0)
            Scan(t)
            Filter(>($0, $cor0.2))
              Aggregate(group=[], c=COUNT())
                Filter(=($0, $cor0.0))
                  Scan(u)
        """,
    ),
    "uncorrelated lateral is a join": (
        "SELECT t.a FROM t, LATERAL (SELECT d FROM u) AS q",
        """
        Project(a=$0)
          Join(INNER, True)
            Scan(t)
            Project(d=$1)
              Scan(u)
        """,
    ),
    "a query read twice is one": (
        "WITH q AS (SELECT a, COUNT(*) AS c FROM t GROUP BY a) SELECT x.a FROM q x JOIN q y ON x.c = y.a",
        """
        Project(a=$0)
          Join(INNER, =($1, CAST($2 AS BIGINT)))
            Aggregate(group=[0], c=COUNT()) #1
              Project(a=$0)
                Scan(t)
            Again #1
        """,
    ),
    "watermark and computed": (
        "SELECT p FROM clicks",
        """
        Project(p=$2)
          WatermarkAssigner(ts, -($1, '5000'))
            Project(id=$0, ts=$1, p=PROCTIME())
              Scan(clicks)
        """,
    ),
}


@pytest.mark.parametrize("name", list(TREES))
def test_trees(tree: Tree, name: str) -> None:
    query, expected = TREES[name]
    assert tree(query) == dedent(expected).strip()


def test_with_recursive_reads_tables_of_its_names(tree: Tree, refused: Refused) -> None:
    plain = "WITH x AS (SELECT a FROM t) SELECT a FROM x"
    assert tree(plain.replace("WITH", "WITH RECURSIVE")) == tree(plain)
    assert tree("WITH RECURSIVE t AS (SELECT a FROM t) SELECT a FROM t") == tree(plain)
    union = "WITH RECURSIVE x AS (SELECT a FROM t UNION ALL SELECT a + 1 FROM x WHERE a < 3) SELECT a FROM x"
    assert "the recursive query 'x' is not supported" in refused(union).message


def test_keys_left_out_by_a_grouping_set_are_nullable(bind: Bind) -> None:
    rel = bind("SELECT n, n + 1, COALESCE(n, 0), COUNT(*) FROM t GROUP BY ROLLUP (n)").rel
    assert [str(type_) for type_ in rel.row_type.types] == ["INT", "INT", "INT NOT NULL", "BIGINT NOT NULL"]
    grouped = bind("SELECT n, n + 1 FROM t GROUP BY n").rel
    assert [str(type_) for type_ in grouped.row_type.types] == ["INT NOT NULL", "INT NOT NULL"]


def test_sum_is_nullable_without_group_by(bind: Bind) -> None:
    assert bind("SELECT SUM(n) FROM t").types[0].nullable
    assert not bind("SELECT SUM(n) FROM t GROUP BY a").types[0].nullable
    assert bind("SELECT SUM(n) FILTER (WHERE a > 1) FROM t GROUP BY a").types[0].nullable


def test_outer_joins_make_columns_nullable(bind: Bind) -> None:
    assert bind("SELECT n FROM u LEFT JOIN t ON u.a = t.a").types[0].nullable
    assert not bind("SELECT n FROM u RIGHT JOIN t ON u.a = t.a").types[0].nullable


def test_values_take_the_common_type(bind: Bind) -> None:
    rel = bind("VALUES (1, 'a'), (2.5, 'bcd')").rel
    assert isinstance(rel, Values)
    assert [str(type_) for type_ in rel.row_type.types] == ["DECIMAL(11, 1) NOT NULL", "VARCHAR(3) NOT NULL"]
    assert [[str(type_of(cell)) for cell in row] for row in rel.rows] == [
        ["DECIMAL(11, 1) NOT NULL", "VARCHAR(3) NOT NULL"]
    ] * 2


def test_values_with_a_query_inside_are_a_union(bind: Bind) -> None:
    rel = bind("VALUES ((SELECT MAX(a) FROM t)), (1)").rel
    assert isinstance(rel, SetOp)
    assert all(isinstance(source, Project) for source in rel.sources)


def test_in_is_nullable_as_its_sides_are(bind: Bind) -> None:
    def in_type(query: str) -> bool:
        parts = [part for rex in expressions(bind(query).rel) for part in walk(rex)]
        return next(part for part in parts if isinstance(part, Subquery)).type.nullable

    assert in_type("SELECT n IN (SELECT a FROM u) FROM t")
    assert not in_type("SELECT n IN (SELECT n FROM t) FROM t")
    assert not in_type("SELECT EXISTS (SELECT a FROM u) FROM t")


def test_distinct_over_group_by_is_two_aggregates(bind: Bind) -> None:
    rel = bind("SELECT DISTINCT COUNT(*) FROM t GROUP BY a").rel
    assert isinstance(rel, Aggregate) and not rel.calls


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT a FROM t WHERE SUM(a) > 1", "aggregate expression is illegal in WHERE clause"),
        ("SELECT SUM(COUNT(*)) FROM t", "cannot be nested"),
        ("SELECT +b FROM t", "cannot apply + to arguments of type +(<VARCHAR(2147483647)>)"),
        ("SELECT a, b FROM t GROUP BY a", "expression 'b' is not being grouped"),
        ("SELECT * FROM u GROUP BY a", "expression 'd' is not being grouped"),
        ("SELECT a, COUNT(*) FROM t GROUP BY 1", "expression 'a' is not being grouped"),
        ("SELECT a AS z, COUNT(*) FROM u GROUP BY z", "column 'z' not found"),
        ("SELECT a, COUNT(*) AS c FROM t GROUP BY a HAVING c > 1", "column 'c' not found"),
        ("SELECT a, (SELECT MAX(e) FROM u WHERE d = b) FROM t GROUP BY a", "expression 'b' is not being grouped"),
        ("SELECT GROUPING(a) FROM t", "GROUPING needs a GROUP BY"),
        ("SELECT GROUPING(b) FROM t GROUP BY a", "is no grouping expression"),
        ("SELECT a FROM t WHERE a", "WHERE clause must be a condition"),
        ("SELECT a FROM t ORDER BY m LIMIT 1", "has no order"),
        ("SELECT a FROM t ORDER BY 2 LIMIT 1", "ordinal 2 is out of range"),
        ("SELECT DISTINCT a FROM t ORDER BY b LIMIT 1", "ORDER BY must use selected expressions"),
        ("SELECT a FROM t UNION ALL SELECT a, e FROM u", "column count mismatch in UNION ALL"),
        ("SELECT a FROM t INTERSECT SELECT arr FROM t", "type mismatch in column 1 of INTERSECT"),
        ("VALUES (1, 2), (3)", "VALUES rows differ in width"),
        ("VALUES (1), (NULL)", "illegal use of NULL"),
        ("SELECT a FROM t WHERE a IN (SELECT a, d FROM u)", "compared with a query of 2 column(s)"),
        ("SELECT (SELECT a, d FROM u) FROM t", "must have one column"),
        ("SELECT ROW_NUMBER() FROM t", "ROW_NUMBER needs OVER"),
        ("SELECT ROW_NUMBER() OVER () FROM t", "needs ORDER BY"),
        ("SELECT a FROM t WHERE ROW_NUMBER() OVER (ORDER BY a) = 1", "is illegal in WHERE clause"),
        ("SELECT SUM(a) OVER nope FROM t", "no window is named 'nope'"),
        ("SELECT ABS(DISTINCT a) FROM t", "ABS is no aggregate"),
        ("SELECT MAX(*) FROM t", "argument of COUNT"),
        ("SELECT * FROM t JOIN u USING (zz)", "column 'zz' not found on the left side"),
        ("SELECT * FROM t RIGHT JOIN UNNEST(arr) AS q(v) ON TRUE", "cannot have a right side that depends"),
        ("SELECT * FROM UNNEST(1) AS q(v)", "UNNEST needs an ARRAY, MAP or MULTISET"),
        ("WITH q(x) AS (SELECT a, b FROM t) SELECT x FROM q", "number of columns must match"),
    ],
)
def test_queries_that_flink_refuses_are_refused(bind: Bind, query: str, message: str) -> None:
    with pytest.raises(CompiledPlanError) as caught:
        bind(query)
    assert message in caught.value.message
    assert caught.value.where.startswith("line ")


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("SELECT ARRAY(SELECT a FROM u) FROM t", "ARRAY(query)"),
        ("SELECT COUNT(a, b) FROM t", "COUNT of several columns"),
        ("SELECT COUNT(DISTINCT a, b) FROM t", "COUNT of several columns"),
        ("SELECT GROUP_ID() FROM t GROUP BY GROUPING SETS ((a), (a))", "GROUP_ID of a grouping set"),
    ],
)
def test_unsupported_clauses_are_refused_by_name(bind: Bind, query: str, what: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        bind(query)
    assert what in caught.value.message
    assert caught.value.where.startswith("line 1")


@pytest.mark.parametrize(
    ("call", "advised"),
    [
        ("COUNT(a, b)", "SELECT {} FROM t"),
        ("COUNT(a, b) OVER (ORDER BY p)", "SELECT {} OVER (ORDER BY p) FROM t"),
        ("COUNT(DISTINCT a, b)", "SELECT COUNT(*) FROM ({})"),
    ],
)
def test_the_remedy_for_a_count_of_several_columns_compiles(call: str, advised: str) -> None:
    env = TableEnvironment()
    env.execute_sql("CREATE TABLE t (a INT, b INT, p AS PROCTIME()) WITH ('connector' = 'datagen')")
    with pytest.raises(UnsupportedError) as caught:
        env.explain_sql(f"SELECT {call} FROM t")
    assert "Aggregate" in env.explain_sql(advised.format(caught.value.remedy.partition(": ")[2]))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT PERCENTILE(a, 1.5) FROM t",
        "SELECT PERCENTILE(a, n) FROM t",
        "SELECT PERCENTILE(a, ARRAY[0.5, 2.0]) FROM t",
        "SELECT LISTAGG(b, b) FROM t",
    ],
)
def test_constants_of_aggregates_are_literals_in_range(refused: Refused, query: str) -> None:
    assert "must be" in str(refused(query))


def test_constants_of_aggregates_that_fit(bind: Bind) -> None:
    bound = bind("SELECT PERCENTILE(a, ARRAY[0.0, 1]), PERCENTILE(a, 0.5, n), LISTAGG(b, ';') FROM t")
    assert [str(type_) for type_ in bound.rel.row_type.types] == ["ARRAY<DOUBLE>", "DOUBLE", "VARCHAR(2147483647)"]
