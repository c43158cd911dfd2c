"""FLIP-155, "Introduce a few convenient operations in Table API": every example has the plan of the document's SQL.

Where the document's SQL contradicts its text (`rownum = 3` for the first three, a threshold that keeps what the
text drops, weights that do not add up), the text holds; each such test says so.
"""

from __future__ import annotations

import itertools

import pytest

from compiled_plan import Cumulate, Row, Session, Slide, Tumble, col, lit
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError
from tests.support.table_api import assert_same, environment


@pytest.fixture
def env() -> TableEnvironment:
    return environment()


# --- deduplicate


@pytest.mark.parametrize(("keep_first", "direction"), [(True, "ASC"), (False, "DESC")])
def test_deduplicate(env: TableEnvironment, keep_first: bool, direction: str) -> None:
    table = env.from_path("events").select(col("a"), col("b"), col("c"), col("proctime"))
    result = table.deduplicate([table.a, table.b], table.proctime, keep_first)
    assert result.columns == ["a", "b", "c", "proctime"]
    assert_same(
        env,
        result.select(col("a"), col("b"), col("c")),
        f"""SELECT a, b, c FROM (
              SELECT a, b, c, ROW_NUMBER() OVER (PARTITION BY a, b ORDER BY proctime {direction}) AS rownum
              FROM events) WHERE rownum = 1""",
    )


def test_deduplicate_by_event_time(env: TableEnvironment) -> None:
    table = env.from_path("orders")
    assert_same(
        env,
        table.deduplicate([col("order_id")], col("order_time"), True).select("order_id", "price"),
        """SELECT order_id, price FROM (
             SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY order_time ASC) AS rownum FROM orders)
           WHERE rownum = 1""",
    )


# --- topn


def test_topn(env: TableEnvironment) -> None:
    """The document's `rownum = 3` is the third row alone; its text says n elements."""
    table = env.from_path("events").select(*"abcde")
    result = table.topn(3, [table.a, table.b], [table.c, table.d.desc])
    assert result.columns == list("abcde")
    assert_same(
        env,
        result,
        """SELECT a, b, c, d, e FROM (
             SELECT a, b, c, d, e, ROW_NUMBER() OVER (PARTITION BY a, b ORDER BY c ASC, d DESC) AS rownum
             FROM events) WHERE rownum <= 3""",
    )


# --- asof


def test_asof_example_1_event_time_temporal_join(env: TableEnvironment) -> None:
    left_table, right_table = env.from_path("orders"), env.from_path("currency_rates")
    joined = left_table.join(
        right_table.as_of(left_table.order_time), left_table.currency == right_table.currency
    ).select(
        left_table.order_id, left_table.price, left_table.currency, right_table.conversion_rate, left_table.order_time
    )
    assert_same(
        env,
        joined,
        """SELECT order_id, price, orders.currency, conversion_rate, order_time
           FROM orders JOIN currency_rates FOR SYSTEM_TIME AS OF orders.order_time
           ON orders.currency = currency_rates.currency""",
    )


def test_asof_example_2_processing_time_temporal_join() -> None:
    dim = (
        "CREATE TABLE rates (currency STRING, conversion_rate DECIMAL(32, 2)) WITH ("
        "'connector' = 'jdbc', 'url' = 'jdbc:mysql://localhost/x', 'table-name' = 'rates');"
    )
    env = environment(dim)
    left_table, right_table = env.from_path("orders"), env.from_path("rates")
    joined = left_table.join(
        right_table.as_of(left_table.proctime), left_table.currency == right_table.currency
    ).select(
        left_table.order_id, left_table.price, left_table.currency, right_table.conversion_rate, left_table.order_time
    )
    assert_same(
        env,
        joined,
        """SELECT order_id, price, orders.currency, conversion_rate, order_time
           FROM orders JOIN rates FOR SYSTEM_TIME AS OF orders.proctime
           ON orders.currency = rates.currency""",
        dim,
    )


def test_asof_of_a_left_join_and_by_plain_names(env: TableEnvironment) -> None:
    orders, rates = env.from_path("orders"), env.from_path("currency_rates").rename_columns(col("currency").alias("k"))
    joined = orders.left_outer_join(rates.as_of(col("order_time")), col("currency") == col("k"))
    assert_same(
        env,
        joined.select("order_id", "conversion_rate"),
        """SELECT order_id, conversion_rate FROM orders LEFT JOIN rates FOR SYSTEM_TIME AS OF orders.order_time
           ON orders.currency = rates.k""",
        "CREATE VIEW rates AS SELECT currency AS k, conversion_rate, update_time FROM currency_rates;",
    )


# --- window

#: All columns of a windowed Bid but window_time: a sink takes one event time.
ONE_TIME = "bidtime, price, item, bidder, window_start, window_end"


def test_window_example_1_tumble(env: TableEnvironment) -> None:
    assert_same(
        env,
        env.from_path("Bid").window(Tumble.over(lit(10).minutes).on(col("bidtime"))).drop_columns("window_time"),
        f"SELECT {ONE_TIME} FROM TABLE(TUMBLE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))",
    )


def test_window_example_2_slide(env: TableEnvironment) -> None:
    assert_same(
        env,
        env.from_path("Bid")
        .window(Slide.over(lit(10).minutes).every(lit(5).minutes).on(col("bidtime")))
        .drop_columns("window_time"),
        f"""SELECT {ONE_TIME}
            FROM TABLE(HOP(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES))""",
    )


def test_window_example_3_session(env: TableEnvironment) -> None:
    window = Session.with_gap(lit(10).minutes).partition_by(col("bidder")).on(col("bidtime"))
    assert_same(
        env,
        env.from_path("Bid").window(window).drop_columns("window_time"),
        f"""SELECT {ONE_TIME}
            FROM TABLE(SESSION(TABLE Bid PARTITION BY bidder, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))""",
    )


def test_window_example_4_cumulate(env: TableEnvironment) -> None:
    assert_same(
        env,
        env.from_path("Bid")
        .window(Cumulate.over(lit(10).minutes).step(lit(2).minutes).on(col("bidtime")))
        .drop_columns("window_time"),
        f"""SELECT {ONE_TIME}
            FROM TABLE(CUMULATE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '2' MINUTES, INTERVAL '10' MINUTES))""",
    )


def test_window_example_5_aggregation(env: TableEnvironment) -> None:
    windowed = env.from_path("Bid").window(Tumble.over(lit(10).minutes).on(col("bidtime")))
    assert_same(
        env,
        windowed.group_by(col("window_start"), col("window_end")).select(
            col("window_start"), col("window_end"), col("price").sum
        ),
        """SELECT window_start, window_end, SUM(price)
           FROM TABLE(TUMBLE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))
           GROUP BY window_start, window_end""",
    )


def test_window_example_6_join(env: TableEnvironment) -> None:
    """Both sides have window_start and window_end, qualified by table."""
    left, right = (
        env.from_path(name).window(Tumble.over(lit(10).minutes).on(col("rowtime")))
        for name in ("left_table", "right_table")
    )
    joined = left.join(
        right,
        left.col("window_start")
        .is_equal(right.col("window_start"))
        .and_(left.col("window_end").is_equal(right.col("window_end"))),
    )
    views = "".join(
        f"""CREATE TEMPORARY VIEW `{name}` AS SELECT * FROM TABLE(
              TUMBLE(TABLE {name}_table, DESCRIPTOR(rowtime), INTERVAL '10' MINUTES));"""
        for name in ("left", "right")
    )
    assert joined.columns == [*left.columns, *right.columns]
    assert_same(
        env,
        joined.select(left.num, right.num, left.id, right.id, left.window_start, right.window_end),
        """SELECT `left`.num, `right`.num, `left`.id, `right`.id, `left`.window_start, `right`.window_end
           FROM `left` JOIN `right`
           ON `left`.window_start = `right`.window_start AND `left`.window_end = `right`.window_end""",
        views,
    )


@pytest.mark.parametrize("rank_column", [None, "rownum"])
def test_window_example_7_topn(env: TableEnvironment, rank_column: str | None) -> None:
    """The document's SELECT * includes the row number; `rank_column` requests it."""
    window_table = env.from_path("ranked").window(Tumble.over(lit(10).minutes).on(col("rowtime")))
    result = window_table.topn(
        3,
        [col("window_start"), col("window_end"), col("col1")],
        [col("col2"), col("col3").desc],
        rank_column=rank_column,
    )
    columns = "rowtime, col1, col2, col3, window_start, window_end"
    assert result.columns == [*window_table.columns, *([rank_column] if rank_column else [])]
    assert_same(
        env,
        result.drop_columns("window_time"),
        f"""SELECT {columns}{", rownum" if rank_column else ""} FROM (
              SELECT *, ROW_NUMBER() OVER (
                PARTITION BY window_start, window_end, col1 ORDER BY col2 ASC, col3 DESC) AS rownum FROM W)
            WHERE rownum <= 3""",
        """CREATE TEMPORARY VIEW W AS SELECT * FROM TABLE(
             TUMBLE(TABLE ranked, DESCRIPTOR(rowtime), INTERVAL '10' MINUTES));""",
    )


# --- hint and describe


def test_hint(env: TableEnvironment) -> None:
    """The document's table is Kafka's, which does not run here; the hint works for any connector."""
    table = env.from_path("people")
    assert_same(
        env,
        table.hint("OPTIONS", {"json.ignore-parse-errors": "true"}).select(col("id"), col("name")),
        "SELECT id, name FROM people /*+ OPTIONS('json.ignore-parse-errors' = 'true') */",
    )
    with pytest.raises(ProgramError, match="can only be applied to a table of the catalog"):
        table.select("id").hint("OPTIONS", {"json.ignore-parse-errors": "true"})


def test_describe(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    env.from_path("currency_rates").describe().print()
    expected = [
        ["name", "type", "null", "key", "extras", "watermark"],
        ["currency", "STRING", "FALSE", "PRI(currency)", "", ""],
        ["conversion_rate", "DECIMAL(32, 2)", "TRUE", "", "", ""],
        ["update_time", "TIMESTAMP(3) *ROWTIME*", "TRUE", "", "", "`update_time`"],
    ]
    lines = capsys.readouterr().out.splitlines()
    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[0] == "|"] == expected


# --- null data handling


def test_fillna_example_1_value_and_fields(env: TableEnvironment) -> None:
    table = env.from_path("T")
    assert_same(
        env,
        table.fillna(1, ["a", "b"]),
        """SELECT (CASE WHEN a IS NULL THEN 1 ELSE a END) AS a, (CASE WHEN b IS NULL THEN 1 ELSE b END) AS b, c
           FROM T""",
    )


def test_fillna_example_2_mapping(env: TableEnvironment) -> None:
    table = env.from_path("T")
    assert_same(
        env,
        table.fillna({"a": 1, "b": 3}),
        """SELECT (CASE WHEN a IS NULL THEN 1 ELSE a END) AS a, (CASE WHEN b IS NULL THEN 3 ELSE b END) AS b, c
           FROM T""",
    )


def test_fillna_of_a_value_alone_fills_the_columns_that_can_hold_it(env: TableEnvironment) -> None:
    table = env.from_path("T")
    assert_same(env, table.fillna("x"), "SELECT a, b, CASE WHEN c IS NULL THEN 'x' ELSE c END AS c FROM T")


def test_dropna_example_1(env: TableEnvironment) -> None:
    """The document's SQL keeps `cnt < 2`; its text drops rows with fewer values than the threshold."""
    count = " + ".join(f"(CASE WHEN {name} IS NOT NULL THEN 1 ELSE 0 END)" for name in "abc")
    assert_same(
        env,
        env.from_path("T").dropna(2),
        f"SELECT a, b, c FROM (SELECT a, b, c, {count} AS cnt FROM T) WHERE cnt >= 2",
    )


def test_dropna_example_2_fields(env: TableEnvironment) -> None:
    count = " + ".join(f"(CASE WHEN {name} IS NOT NULL THEN 1 ELSE 0 END)" for name in "ab")
    assert_same(
        env,
        env.from_path("T").dropna(1, ["a", "b"]),
        f"SELECT a, b, c FROM (SELECT a, b, c, {count} AS cnt FROM T) WHERE cnt >= 1",
    )


def test_dropna_minus_one_drops_rows_of_nulls_alone(env: TableEnvironment) -> None:
    table = env.from_path("T")
    one, minus_one = (table.dropna(thresh).explain() for thresh in (1, -1))
    assert one == minus_one


def test_replace(env: TableEnvironment) -> None:
    table = env.from_path("T")
    assert_same(
        env,
        table.replace({1: 3, 2: 4}, ["a", "b"]),
        """SELECT (CASE WHEN a = 1 THEN 3 WHEN a = 2 THEN 4 ELSE a END) AS a,
                  (CASE WHEN b = 1 THEN 3 WHEN b = 2 THEN 4 ELSE b END) AS b, c FROM T""",
    )


# --- sampling


def test_sample(env: TableEnvironment) -> None:
    assert_same(env, env.from_path("T").sample(0.1), "SELECT a, b, c FROM T WHERE RAND() < 0.1")


def test_sample_with_a_seed(env: TableEnvironment) -> None:
    """The document has no SQL for it; a repeatable sample is chosen by a hash of the row."""
    texts = "CONCAT_WS('|', '7', IFNULL(CAST(a AS STRING), ''), IFNULL(CAST(b AS STRING), ''), IFNULL(c, ''))"
    assert_same(
        env,
        env.from_path("T").sample(0.1, 7),
        f"SELECT a, b, c FROM T WHERE SUBSTRING(MD5({texts}), 1, 8) < '1999999a'",
    )


def test_a_sample_of_all_or_nothing(env: TableEnvironment) -> None:
    table = env.from_path("T")
    assert table.sample(1, 7).explain() == table.where(lit(True)).explain() == table.explain()
    assert table.sample(0, 7).explain() == table.where(lit(False)).explain()


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan"), "a"])
def test_sample_of_no_fraction(env: TableEnvironment, fraction: float) -> None:
    with pytest.raises(ProgramError, match=r"from 0\.0 to 1\.0"):
        env.from_path("T").sample(fraction)


def test_split() -> None:
    """The document calls its SQL logically equivalent; the parts are chosen by a hash of the row instead."""
    texts = "CONCAT_WS('|', '0', IFNULL(CAST(a AS STRING), ''), IFNULL(CAST(b AS STRING), ''), IFNULL(c, ''))"
    d = f"SUBSTRING(MD5({texts}), 1, 8)"
    # 1/6 and 1/2 of 16 ** 8
    conditions = [f"{d} < '2aaaaaab'", f"{d} >= '2aaaaaab' AND {d} < '80000000'", f"{d} >= '80000000'"]
    for place, condition in enumerate(conditions):
        env = environment()
        parts = env.from_path("T").split([0.1, 0.2, 0.3])
        assert len(parts) == len(conditions)
        assert_same(env, parts[place], f"SELECT a, b, c FROM T WHERE {condition}")


def test_split_is_repeatable_and_another_seed_splits_otherwise(env: TableEnvironment) -> None:
    table = env.from_path("T")
    texts = [[part.explain() for part in table.split([1, 1], seed)] for seed in (5, 5, 6)]
    assert texts[0] == texts[1]
    assert all(mine != theirs for mine, theirs in itertools.product(texts[0], texts[2]))


@pytest.mark.parametrize("weights", [[], [0, 0], [-1, 2], ["a"]])
def test_split_by_no_weights(env: TableEnvironment, weights: list[float]) -> None:
    with pytest.raises(ProgramError, match=r"split\(\)"):
        env.from_path("T").split(weights)


def test_describe_shows_nullability_of_what_is_inside() -> None:
    """As in Flink's DESCRIBE of the same table."""
    env = TableEnvironment()
    env.execute_sql(
        "CREATE TABLE n (r ROW<a INT NOT NULL, b ARRAY<STRING NOT NULL>> NOT NULL, m MAP<STRING NOT NULL, "
        "ROW<x DECIMAL(4,2) NOT NULL, y BYTES>>, ms MULTISET<INT NOT NULL>, a ARRAY<TIMESTAMP_LTZ(3) NOT NULL> "
        "NOT NULL) WITH ('connector' = 'print')"
    )
    table = env.sql_query("SELECT ROW(1, ARRAY['a']) AS r")
    columns = {row[0]: (row[1], row[2]) for row in env.execute_sql("DESCRIBE n").collect()}
    assert columns == {
        "r": ("ROW<`a` INT NOT NULL, `b` ARRAY<STRING NOT NULL>>", False),
        "m": ("MAP<STRING NOT NULL, ROW<`x` DECIMAL(4, 2) NOT NULL, `y` BYTES>>", True),
        "ms": ("MULTISET<INT NOT NULL>", True),
        "a": ("ARRAY<TIMESTAMP_LTZ(3) NOT NULL>", False),
    }
    (row,) = table.describe().collect()
    assert row[1] == "ROW<`EXPR$0` INT NOT NULL, `EXPR$1` ARRAY<CHAR(1) NOT NULL> NOT NULL>" and row[2] is False


def test_fillna_and_replace_of_rows_keep_the_names_of_fields() -> None:
    env = environment(
        "CREATE TABLE n (r ROW<`p q` INT, t STRING>, m MAP<STRING, INT>, a ARRAY<INT>) WITH "
        "('connector' = 'filesystem', 'path' = '/n', 'format' = 'json');"
    )
    table = env.from_path("n")
    schema = str(table.get_schema())
    assert str(table.fillna({"r": Row(1, "x"), "m": {"a": 1}, "a": [1]}).get_schema()) == schema
    assert str(table.replace({(1, "x"): (2, "y")}, ["r"]).get_schema()) == schema
    assert str(table.fillna([0]).get_schema()) == schema  # arrays only
    assert str(table.fillna((0, "")).select(col("r").get("p q").alias("x")).get_schema()) == "(\n  `x` INT\n)"
