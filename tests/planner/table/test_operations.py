"""Operations of the Table API have the plans of the equivalent SQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from compiled_plan import (
    CURRENT_ROW,
    UNBOUNDED_RANGE,
    UNBOUNDED_ROW,
    Over,
    Session,
    Slide,
    TableEnvironment,
    Tumble,
    call,
    col,
    lit,
    map_,
    range_,
    row_number,
    with_columns,
    without_columns,
)
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import identifier
from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.plans.errors import ProgramError
from compiled_plan.table import Table
from tests.support.table_api import assert_same, compiled, environment, same, source

Make = Callable[[TableEnvironment], Table]

ARRAYS = source("arrays", "id INT, items ARRAY<STRING>, pairs MAP<STRING, INT>, r ROW<x INT, y STRING>")

ONE_TABLE: dict[str, tuple[Make, str]] = {
    "select": (lambda env: t(env).select(col("a") + 1, col("b").alias("x"), "c"), "SELECT a + 1, b AS x, c FROM T"),
    "select all": (lambda env: t(env).select(col("*"), lit(1).alias("unit")), "SELECT *, 1 AS unit FROM T"),
    "some columns": (
        lambda env: env.from_path("events").select(with_columns(range_("b", 4), "a"), col("a").alias("x")),
        "SELECT b, c, d, a, a AS x FROM events",
    ),
    "other columns": (
        lambda env: env.from_path("events").select(without_columns(1, col("c"), "proctime")),
        "SELECT b, d, e FROM events",
    ),
    "where": (lambda env: t(env).where((col("a") > 5) & (col("c") == "x")), "SELECT * FROM T WHERE a > 5 AND c = 'x'"),
    "filter": (lambda env: t(env).filter(~(col("a") > 5)), "SELECT * FROM T WHERE NOT (a > 5)"),
    "changes as rows": (
        lambda env: t(env).group_by("a").select("a", col("b").count.alias("n")).to_changelog(),
        "SELECT * FROM TO_CHANGELOG((SELECT a, COUNT(b) AS n FROM T GROUP BY a))",
    ),
    "rows as changes": (
        lambda env: t(env).from_changelog("c", {"c, r": "INSERT", "d": "DELETE"}),
        "SELECT * FROM FROM_CHANGELOG(TABLE T, DESCRIPTOR(c), MAP['c, r', 'INSERT', 'd', 'DELETE'])",
    ),
    "changes as rows with their time": (
        lambda env: (
            env.from_path("Bid")
            .select("item", "bidtime")
            .to_changelog(op="code", on_time="bidtime", uid="x")
            .select("code", "rowtime")
        ),
        "SELECT code, rowtime FROM TO_CHANGELOG(input => (SELECT item, bidtime FROM Bid), op => DESCRIPTOR(code), "
        "on_time => DESCRIPTOR(bidtime), uid => 'x')",
    ),
    "rows as changes by expressions": (
        lambda env: t(env).from_changelog(
            named("op_mapping", map_("c", "INSERT")._node), named("op", ast.Descriptor((identifier("c"),)))
        ),
        "SELECT * FROM FROM_CHANGELOG(input => TABLE T, op => DESCRIPTOR(c), op_mapping => MAP['c', 'INSERT'])",
    ),
    "where twice": (
        lambda env: t(env).where(col("a") > 5).where(col("b") < 3),
        "SELECT * FROM T WHERE a > 5 AND b < 3",
    ),
    "where in a table": (
        lambda env: t(env).where(col("a").in_(env.from_path("people").select("age"))),
        "SELECT * FROM T WHERE a IN (SELECT age FROM people)",
    ),
    "alias": (lambda env: t(env).alias("x", "y").select("y", "x", "c"), "SELECT b AS y, a AS x, c FROM T"),
    "distinct": (lambda env: t(env).select("a", "b").distinct(), "SELECT DISTINCT a, b FROM T"),
    "group by": (
        lambda env: t(env).group_by("a").select("a", col("b").sum, col("b").count.distinct, col("c").max),
        "SELECT a, SUM(b), COUNT(DISTINCT b), MAX(c) FROM T GROUP BY a",
    ),
    "group by an expression": (
        lambda env: t(env).group_by((col("a") % 10).alias("k")).select("k", (col("b").sum + 1).alias("s")),
        "SELECT a % 10 AS k, SUM(b) + 1 AS s FROM T GROUP BY a % 10",
    ),
    "filtered aggregates": (
        lambda env: t(env).group_by("a").select("a", col("b").sum.filter(col("c") == "x")),
        "SELECT a, SUM(b) FILTER (WHERE c = 'x') FROM T GROUP BY a",
    ),
    "having": (
        lambda env: t(env).group_by("a").select("a", col("b").sum.alias("s")).where(col("s") > 3),
        "SELECT a, SUM(b) AS s FROM T GROUP BY a HAVING SUM(b) > 3",
    ),
    "aggregate of all": (lambda env: t(env).select(col("a").sum, col("b").avg), "SELECT SUM(a), AVG(b) FROM T"),
    "top 3": (lambda env: t(env).order_by(col("a").desc, "b").limit(3), "SELECT * FROM T ORDER BY a DESC, b LIMIT 3"),
    "order by what is not selected": (
        lambda env: t(env).order_by(col("a") + col("b")).fetch(3),
        "SELECT * FROM T ORDER BY a + b LIMIT 3",
    ),
    "offset and fetch": (
        lambda env: t(env).order_by("a").offset(2).fetch(3),
        "SELECT * FROM T ORDER BY a OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY",
    ),
    "limit with offset": (lambda env: t(env).order_by("a").limit(3, 2), "SELECT * FROM T ORDER BY a LIMIT 3 OFFSET 2"),
    "limit of what is selected": (
        lambda env: t(env).order_by("a").select("b").limit(3),
        "SELECT b FROM (SELECT * FROM T ORDER BY a LIMIT 3)",
    ),
    "selected of a limit": (
        lambda env: t(env).order_by("a").limit(3).select("b").where(col("b") > 1),
        "SELECT b FROM (SELECT * FROM T ORDER BY a LIMIT 3) WHERE b > 1",
    ),
    "limits one after another": (
        lambda env: t(env).order_by("a").limit(5).order_by("b").limit(3),
        "SELECT * FROM (SELECT * FROM T ORDER BY a LIMIT 5) ORDER BY b LIMIT 3",
    ),
    "order by time": (
        lambda env: env.from_path("Bid").order_by("bidtime").select("bidtime", "item"),
        "SELECT bidtime, item FROM Bid ORDER BY bidtime",
    ),
    "distinct of a window": (
        lambda env: (
            env.from_path("Bid").window(Tumble.over(lit(1).hours).on("bidtime")).select("window_end", "item").distinct()
        ),
        """SELECT DISTINCT window_end, item FROM TABLE(TUMBLE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '1' HOUR))""",
    ),
    "deduplication in a window": (
        lambda env: (
            env.from_path("Bid")
            .window(Tumble.over(lit(1).hours).on("bidtime"))
            .deduplicate(["window_start", "window_end", "item"], "bidtime", False)
            .select("window_end", "item", "price")
        ),
        """SELECT window_end, item, price FROM (
             SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY bidtime DESC) AS n
             FROM TABLE(TUMBLE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '1' HOUR))) WHERE n = 1""",
    ),
    "an interval join": (
        lambda env: interval_join(env.from_path("left_table"), env.from_path("right_table")),
        """SELECT l.num, r.id FROM left_table l JOIN right_table r ON l.id = r.id
           AND l.rowtime BETWEEN r.rowtime - INTERVAL '5' MINUTE AND r.rowtime""",
    ),
    "limit": (lambda env: t(env).limit(3), "SELECT * FROM T LIMIT 3"),
    "add columns": (
        lambda env: t(env).add_columns((col("a") + col("b")).alias("d"), lit("x").alias("e")),
        "SELECT a, b, c, a + b AS d, 'x' AS e FROM T",
    ),
    "add or replace columns": (
        lambda env: t(env).add_or_replace_columns((col("a") + 1).alias("a"), lit(1).alias("e")),
        "SELECT a + 1 AS a, b, c, 1 AS e FROM T",
    ),
    "rename columns": (
        lambda env: t(env).rename_columns(col("a").alias("x"), col("c").alias("z")),
        "SELECT a AS x, b, c AS z FROM T",
    ),
    "drop columns": (lambda env: t(env).drop_columns("b", col("c")), "SELECT a FROM T"),
    "map": (lambda env: t(env).map(call("UPPER", col("c"))), "SELECT UPPER(c) FROM T"),
    "map to a row": (
        lambda env: env.from_path("arrays").map(col("r")).select("y", "x"),
        "SELECT arrays.r.y, arrays.r.x FROM arrays",
    ),
    "unnest": (
        lambda env: env.from_path("arrays").join_lateral(call("UNNEST", col("items")).alias("i")).select("id", "i"),
        "SELECT id, i FROM arrays CROSS JOIN UNNEST(items) AS u(i)",
    ),
    "left unnest": (
        lambda env: (
            env.from_path("arrays")
            .left_outer_join_lateral(call("UNNEST", col("pairs")).alias("k", "v"))
            .select("id", "k", "v")
        ),
        "SELECT id, k, v FROM arrays LEFT JOIN UNNEST(pairs) AS u(k, v) ON TRUE",
    ),
    "flat map": (
        lambda env: env.from_path("arrays").flat_map(call("UNNEST", col("pairs")).alias("k", "v")),
        "SELECT k, v FROM arrays CROSS JOIN UNNEST(pairs) AS u(k, v)",
    ),
    "group window": (
        lambda env: (
            env.from_path("Bid")
            .group_window(Tumble.over(lit(10).minutes).on(col("bidtime")).alias("w"))
            .group_by(col("w"), col("item"))
            .select(col("item"), col("w").start, col("w").end, col("w").rowtime, col("price").max.alias("m"))
        ),
        """SELECT item, TUMBLE_START(bidtime, INTERVAL '10' MINUTE), TUMBLE_END(bidtime, INTERVAL '10' MINUTE),
                  TUMBLE_ROWTIME(bidtime, INTERVAL '10' MINUTE), MAX(price) AS m
           FROM Bid GROUP BY TUMBLE(bidtime, INTERVAL '10' MINUTE), item""",
    ),
    "group window that slides": (
        lambda env: (
            env.from_path("Bid")
            .window(Slide.over(lit(10).minutes).every(lit(5).minutes).on(col("bidtime")).alias("w"))
            .group_by(col("w"))
            .select(col("w").start, col("price").sum)
        ),
        """SELECT HOP_START(bidtime, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE), SUM(price)
           FROM Bid GROUP BY HOP(bidtime, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)""",
    ),
    "group window of a session": (
        lambda env: (
            env.from_path("Bid")
            .window(Session.with_gap(lit(10).minutes).on(col("bidtime")).alias("w"))
            .group_by(col("w"), col("item"))
            .select(col("item"), col("w").end, col("price").sum)
        ),
        """SELECT item, SESSION_END(bidtime, INTERVAL '10' MINUTE), SUM(price)
           FROM Bid GROUP BY SESSION(bidtime, INTERVAL '10' MINUTE), item""",
    ),
    "window with an offset": (
        lambda env: (
            env.from_path("Bid")
            .window(Tumble.over(lit(1).hours).on(col("bidtime")).offset(lit(10).minutes))
            .group_by("window_start", "window_end")
            .select("window_end", col("price").sum)
        ),
        """SELECT window_end, SUM(price)
           FROM TABLE(TUMBLE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '1' HOUR, INTERVAL '10' MINUTE))
           GROUP BY window_start, window_end""",
    ),
    "window of a timedelta": (
        lambda env: (
            env.from_path("Bid")
            .window(Tumble.over(timedelta(hours=1)).on(col("bidtime")))
            .group_by("window_start", "window_end")
            .select("window_end", col("price").sum)
        ),
        """SELECT window_end, SUM(price) FROM TABLE(TUMBLE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '1' HOUR))
           GROUP BY window_start, window_end""",
    ),
    "fields of a row": (
        lambda env: env.from_path("arrays").select(col("r").flatten(), col("id")),
        "SELECT arrays.r.*, id FROM arrays",
    ),
    "the row before": (
        lambda env: (
            env.from_path("Bid")
            .over_window(Over.partition_by("item").order_by("bidtime").alias("w"))
            .select("item", col("price").lag(1).over("w"))
        ),
        "SELECT item, LAG(price, 1) OVER (PARTITION BY item ORDER BY bidtime) FROM Bid",
    ),
    "over an interval": (
        lambda env: (
            env.from_path("Bid")
            .over_window(
                Over.partition_by(col("item")).order_by(col("bidtime")).preceding(lit(1).minutes).alias("w"),
            )
            .select("item", col("price").sum.over(col("w")), col("price").count.over("w"))
        ),
        """SELECT item, SUM(price) OVER w, COUNT(price) OVER w FROM Bid
           WINDOW w AS (PARTITION BY item ORDER BY bidtime
             RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND CURRENT ROW)""",
    ),
    "over rows": (
        lambda env: (
            env.from_path("Bid")
            .over_window(
                Over.partition_by("item").order_by("bidtime").preceding(lit(3).rows).following(CURRENT_ROW).alias("w")
            )
            .select("item", col("price").avg.over("w"))
        ),
        """SELECT item, AVG(price) OVER (PARTITION BY item ORDER BY bidtime ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)
           FROM Bid""",
    ),
    "over all before": (
        lambda env: (
            env.from_path("Bid")
            .over_window(Over.order_by("bidtime").preceding(UNBOUNDED_RANGE).alias("w"))
            .select("item", col("price").min.over("w"))
        ),
        """SELECT item, MIN(price) OVER (ORDER BY bidtime RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
           FROM Bid""",
    ),
    "over all rows before": (
        lambda env: (
            env.from_path("Bid")
            .over_window(Over.partition_by("item").order_by("bidtime").preceding(UNBOUNDED_ROW).alias("w"))
            .select("item", col("price").max.over("w"))
        ),
        """SELECT item, MAX(price) OVER (
             PARTITION BY item ORDER BY bidtime ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM Bid""",
    ),
    "rank by hand": (
        lambda env: (
            env.from_path("Bid")
            .over_window(Over.partition_by("item").order_by(col("price").desc).alias("w"))
            .select("item", "price", row_number().over("w").alias("n"))
            .where(col("n") <= 2)
        ),
        """SELECT * FROM (SELECT item, price, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price DESC) AS n FROM Bid)
           WHERE n <= 2""",
    ),
    "hint of a group": (
        lambda env: t(env).hint("STATE_TTL", {"T": "3 d"}).group_by("a").select("a", col("b").sum),
        "SELECT /*+ STATE_TTL('T' = '3 d') */ a, SUM(b) FROM T GROUP BY a",
    ),
    "two hints of options": (
        lambda env: hinted(env).hint("OPTIONS", {"json.ignore-parse-errors": "true"}).select("id"),
        "SELECT id FROM people /*+ OPTIONS('path' = '/elsewhere', 'json.ignore-parse-errors' = 'true') */",
    ),
    "a table with options in sql": (
        lambda env: env.sql_query(f"SELECT id FROM {hinted(env)}"),
        "SELECT id FROM people /*+ OPTIONS('path' = '/elsewhere') */",
    ),
    "sql query": (
        lambda env: env.sql_query("SELECT a, c FROM T WHERE b > 1").where(col("a") > 0),
        "SELECT a, c FROM T WHERE b > 1 AND a > 0",
    ),
    "a table in sql": (
        lambda env: env.sql_query(f"SELECT a, COUNT(*) AS n FROM {t(env).where(col('b') > 1)} GROUP BY a"),
        "SELECT a, COUNT(*) AS n FROM T WHERE b > 1 GROUP BY a",
    ),
    "values": (
        lambda env: env.sql_query("SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(x, y)").where(col("x") > 1),
        "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(x, y) WHERE x > 1",
    ),
}


def named(name: str, value: ast.Expression) -> Expression:
    return Expression(ast.NamedArgument(identifier(name), value))


def t(env: TableEnvironment) -> Table:
    return env.from_path("T")


def interval_join(left: Table, right: Table) -> Table:
    near = left.rowtime.between(right.rowtime - lit(5).minutes, right.rowtime)
    return left.join(right, (left.id == right.id) & near).select(left.num, right.id)


def hinted(env: TableEnvironment) -> Table:
    return env.from_path("people").hint("OPTIONS", {"path": "/elsewhere"})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ONE_TABLE)
def test_an_operation_has_the_plan_of_its_sql(name: str) -> None:
    make, query = ONE_TABLE[name]
    env = environment(ARRAYS)
    assert_same(env, make(env), query, ARRAYS)


def sides(env: TableEnvironment) -> tuple[Table, Table]:
    return env.from_path("T"), env.from_path("people")


@pytest.mark.parametrize(
    ("method", "word"),
    [
        ("join", "JOIN"),
        ("left_outer_join", "LEFT JOIN"),
        ("right_outer_join", "RIGHT JOIN"),
        ("full_outer_join", "FULL JOIN"),
    ],
)
def test_joins(method: str, word: str) -> None:
    env = environment()
    left, right = sides(env)
    joined = getattr(left, method)(right, (left.a == right.age) & (left.b > 2))
    assert joined.columns == [*left.columns, *right.columns]
    assert_same(
        env, joined.select(left.a, right.name, "b"), f"SELECT a, name, b FROM T {word} people ON a = age AND b > 2"
    )


def test_a_join_without_condition_is_a_cross_join() -> None:
    env = environment()
    left, right = sides(env)
    assert_same(
        env,
        left.join(right).where(left.a == right.age).select("a", "name"),
        "SELECT a, name FROM T, people WHERE a = age",
    )


def test_a_table_joined_with_itself() -> None:
    env = environment()
    left, right = env.from_path("T"), env.from_path("T")
    joined = left.join(right, left.a == right.b)
    assert_same(env, joined.select(left.a, right.a, right.c), "SELECT l.a, r.a, r.c FROM T l JOIN T r ON l.a = r.b")


def test_columns_of_a_table_resolve_after_further_operations() -> None:
    env = environment()
    left, right, more = env.from_path("T"), env.from_path("T"), env.from_path("people")
    joined = left.where(left.b > 1).join(right, left.a == right.b).where(right.c == "x").join(more, left.b == more.id)
    assert_same(
        env,
        joined.select(left.a, right.a, more.name),
        """SELECT l.a, r.a, name FROM T l JOIN T r ON l.a = r.b JOIN people ON l.b = id WHERE l.b > 1 AND r.c = 'x'""",
    )


def test_columns_of_tables_made_of_one_table() -> None:
    env = environment()
    table = env.from_path("T")
    few, many = table.where(table.a < 5), table.where(table.a > 5)
    joined = few.join(many, few.b == many.b)
    assert_same(
        env,
        joined.where(many.c == "x").select(few.a, many.a),
        """SELECT f.a, m.a FROM (SELECT * FROM T WHERE a < 5) f JOIN (SELECT * FROM T WHERE a > 5) m ON f.b = m.b
           WHERE m.c = 'x'""",
    )
    with pytest.raises(ProgramError, match="column 'a' is ambiguous"):
        joined.select(table.a)
    again = joined.join(env.from_path("people").alias("id", "a"), few.b == col("id"))
    assert again.columns == ["a", "b", "c", "a", "b", "c", "id", "a", "age"]


def test_the_hint_of_a_join() -> None:
    env = environment()
    left, right = sides(env)
    joined = left.hint("STATE_TTL", {"T": "1 d", "people": "2 d"}).join(right, left.a == right.age)
    assert_same(
        env,
        joined.select("a", "name"),
        "SELECT /*+ STATE_TTL('T' = '1 d', 'people' = '2 d') */ a, name FROM T JOIN people ON a = age",
    )


@pytest.mark.parametrize(
    ("method", "word"),
    [
        ("union", "UNION"),
        ("union_all", "UNION ALL"),
        ("intersect", "INTERSECT"),
        ("intersect_all", "INTERSECT ALL"),
        ("minus", "EXCEPT"),
        ("minus_all", "EXCEPT ALL"),
    ],
)
def test_set_operations(method: str, word: str) -> None:
    env = environment()
    left, right = sides(env)
    combined = getattr(left.select("a", "c"), method)(right.select("age", "name"))
    assert combined.columns == ["a", "c"]
    assert_same(env, combined, f"SELECT a, c FROM T {word} SELECT age, name FROM people")


def test_a_view_of_a_table_in_sql() -> None:
    env = environment()
    env.create_temporary_view("big", t(env).where(col("a") > 5))
    assert_same(env, env.from_path("big").select("b"), "SELECT b FROM T WHERE a > 5")
    assert env.list_tables().count("big") == 1
    assert env.drop_temporary_view("big")
    assert not env.drop_temporary_view("big")


def test_a_statement_set_is_that_of_sql() -> None:
    sinks = source("s1", "a INT") + source("s2", "c STRING")
    env, sql_env = environment(sinks), environment(sinks)
    shared = t(env).where(col("b") > 1)
    actual = (
        env.create_statement_set()
        .add_insert("s1", shared.select("a"))
        .add(shared.select("c").insert_into("s2"))
        .add_insert_sql("INSERT INTO s1 SELECT age FROM people")
    )
    same(
        compiled(actual),
        sql_env.compile_plan_sql(
            """EXECUTE STATEMENT SET BEGIN
                 INSERT INTO s1 SELECT a FROM T WHERE b > 1; INSERT INTO s2 SELECT c FROM T WHERE b > 1;
                 INSERT INTO s1 SELECT age FROM people; END"""
        ).to_json(),
    )


def test_columns_and_options_of_an_insert() -> None:
    sink = source("s", "a INT, b INT, c STRING")
    env, sql_env = environment(sink), environment(sink)
    mine = t(env).select("c", "a").insert_into("s", columns=["c", "a"], options={"path": "/elsewhere"})
    same(
        compiled(mine),
        sql_env.compile_plan_sql(
            "INSERT INTO s /*+ OPTIONS('path' = '/elsewhere') */ (c, a) SELECT c, a FROM T"
        ).to_json(),
    )


def test_a_conflict_of_an_insert() -> None:
    sink = "CREATE TABLE s (rate DECIMAL(32, 2), PRIMARY KEY (rate) NOT ENFORCED) WITH ('connector' = 'blackhole');"
    env, sql_env = environment(sink), environment(sink)
    rates = env.from_path("currency_rates").select("conversion_rate")
    for what in ("DEDUPLICATE", "NOTHING", "ERROR"):
        same(
            compiled(rates.insert_into("s", on_conflict=what)),  # type: ignore[arg-type]
            sql_env.compile_plan_sql(
                f"INSERT INTO s SELECT conversion_rate FROM currency_rates ON CONFLICT DO {what}"
            ).to_json(),
        )
    with pytest.raises(ProgramError, match="'PANIC' is nothing to do on a conflict"):
        rates.insert_into("s", on_conflict="PANIC")  # type: ignore[arg-type]


def test_the_configuration() -> None:
    env = environment()
    env.get_config().set("table.exec.state.ttl", "5 h")
    assert "ttl 5 h" in t(env).group_by("a").select("a", col("b").sum).explain()
