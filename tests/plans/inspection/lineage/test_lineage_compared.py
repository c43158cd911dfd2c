"""Changes of programs: those without effect on state compare equal, the others are named by operator and property."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan
from tests.support.lineages import changes

FILES = "'connector' = 'filesystem', 'path' = '/data/{}', 'format' = 'json'"
SINK = "CREATE TABLE {} ({}) WITH ('connector' = 'filesystem', 'path' = '/out/{}', 'format' = 'debezium-json');\n"
ORDERS = (
    "CREATE TABLE orders (id INT, a STRING, b STRING, v INT, w INT, d DOUBLE, l TIMESTAMP_LTZ(3), t TIMESTAMP(3), "
    "u TIMESTAMP(3), tags ARRAY<STRING>, codes ARRAY<STRING>, r ROW<x INT, y INT>, c AS v + w, p AS PROCTIME(), "
    f"WATERMARK FOR t AS t - INTERVAL '5' SECOND) WITH ({FILES.format('orders')});\n"
)
ITEMS = f"CREATE TABLE items (id INT, name STRING, v INT, w INT) WITH ({FILES.format('items')});\n"
SINKS = SINK.format("s1", "k STRING, n BIGINT", "s1") + SINK.format("s2", "k STRING, n BIGINT", "s2")
TABLES = ORDERS + ITEMS + SINKS


def compiled(text: str, tables: str = TABLES) -> CompiledPlan:
    statements = text if text.lstrip().startswith(("INSERT", "SET", "CREATE", "EXECUTE")) else f"INSERT INTO s1 {text}"
    plan = TableEnvironment().compile_script(f"{tables}{statements};")
    return plan.with_nodes([node.model_copy(update={"uid": None}) for node in plan.nodes])


SUM = "SELECT a, SUM(v) FROM orders GROUP BY a"
LEAST = "SELECT a, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS q FROM orders) WHERE q <= {}"
TUMBLE = (
    "SELECT {key}, SUM(v) FROM TUMBLE(TABLE orders, DESCRIPTOR({time}), {size}) "
    "GROUP BY {key}, window_start, window_end"
)
CHAIN = "SELECT a, MAX(n) FROM (SELECT a, b, COUNT(*) AS n FROM orders GROUP BY a, b) GROUP BY a"
MINI_BATCH = (
    "SET 'table.exec.mini-batch.enabled' = 'true'; SET 'table.exec.mini-batch.allow-latency' = '1 s'; "
    "SET 'table.exec.mini-batch.size' = '10'; "
)
SET = "EXECUTE STATEMENT SET BEGIN INSERT INTO s1 {}; INSERT INTO s2 {}; END"

HARMLESS = {
    "alias": (SUM, "SELECT o.a AS x, SUM(o.v) AS y FROM orders AS o GROUP BY o.a"),
    "comment and layout": (SUM, "SELECT a, /* all of it */ SUM(v)\nFROM orders GROUP BY a -- by a"),
    "more columns read": (
        SUM,
        "SELECT a, n FROM (SELECT a, SUM(v) AS n FROM (SELECT w, b, a, v FROM orders) GROUP BY a)",
    ),
    "view": (
        SUM,
        "CREATE VIEW pairs AS SELECT v AS amount, a AS who FROM orders; "
        "INSERT INTO s1 SELECT who, SUM(amount) FROM pairs GROUP BY who",
    ),
    "with": (SUM, "WITH q AS (SELECT v, a FROM orders) SELECT a, SUM(v) FROM q GROUP BY a"),
    "subquery": (SUM, "SELECT a, SUM(v) FROM (SELECT a, v FROM (SELECT * FROM orders)) GROUP BY a"),
    "conjuncts in another order": (
        "SELECT a, SUM(v) FROM orders WHERE v > 1 AND b = 'x' GROUP BY a",
        "SELECT a, SUM(v) FROM (SELECT * FROM orders WHERE 'x' = b) WHERE 1 < v GROUP BY a",
    ),
    "computed column spelt out": (
        "SELECT a, SUM(c) FROM orders GROUP BY a",
        "SELECT a, SUM(v + w) FROM orders GROUP BY a",
    ),
    "TTL": (SUM, "SET 'table.exec.state.ttl' = '1 h'; INSERT INTO s1 " + SUM),
    "hint": (SUM, "SELECT /*+ STATE_TTL('orders' = '1 d') */ a, SUM(v) FROM orders GROUP BY a"),
    "two phases": (SUM, MINI_BATCH + "INSERT INTO s1 " + SUM),
    "two phases and a split distinct": (
        "SELECT a, COUNT(DISTINCT v) FROM orders GROUP BY a",
        MINI_BATCH + "SET 'table.optimizer.distinct-agg.split.enabled' = 'true'; "
        "INSERT INTO s1 SELECT a, COUNT(DISTINCT v) FROM orders GROUP BY a",
    ),
    "two phases over updates": (CHAIN, MINI_BATCH + "INSERT INTO s1 " + CHAIN),
    "order of statements": (
        SET.format(SUM, SUM.replace("v", "w")),
        f"EXECUTE STATEMENT SET BEGIN INSERT INTO s2 {SUM.replace('v', 'w')}; INSERT INTO s1 {SUM}; END",
    ),
    "a statement that only appends": (
        SUM,
        SINK.format("rows_", "k STRING, n BIGINT", "rows") + SET.format(SUM, "SELECT a, CAST(v AS BIGINT) FROM orders"),
    ),
    "a sink's columns by name": (SUM, "INSERT INTO s1 (n, k) SELECT SUM(v), a FROM orders GROUP BY a"),
    "operands of an inner join's condition": (
        "SELECT o.a, i.v FROM orders AS o JOIN items AS i ON o.id = i.id",
        "SELECT o.a, i.v FROM orders AS o JOIN items AS i ON i.id = o.id",
    ),
    "a nested column by another way": (
        "SELECT a, SUM(r.x) FROM orders GROUP BY a",
        "SELECT a, SUM(q.x) FROM (SELECT a, r AS q FROM orders) GROUP BY a",
    ),
    "a union's inputs in another order": (
        "SELECT k, SUM(n) FROM (SELECT a AS k, v AS n FROM orders UNION ALL SELECT name, v FROM items) GROUP BY k",
        "SELECT k, SUM(n) FROM (SELECT name AS k, v AS n FROM items UNION ALL SELECT a, v FROM orders) GROUP BY k",
    ),
    "what a sink that only appends gets": (
        "SELECT a, CAST(v AS BIGINT) FROM orders WHERE v > 1",
        "SELECT b, CAST(w AS BIGINT) FROM orders WHERE w > 2",
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_changes_compare_equal(name: str) -> None:
    differences = changes(*map(compiled, HARMLESS[name]))
    assert differences.texts == []
    assert all(left.identity == right.identity for left, right in differences.pairs)


JOIN = "SELECT o.a, i.v FROM orders AS o {} JOIN items AS i ON o.id = i.id{}"
OVER = "SELECT a, SUM(v) OVER (PARTITION BY {} ORDER BY {} {}) FROM orders"
ROWS = "ROWS BETWEEN {} PRECEDING AND CURRENT ROW"
HARMFUL = {
    "literal": (
        "SELECT a, SUM(v + 1) FROM orders GROUP BY a",
        "SELECT a, SUM(v + 2) FROM orders GROUP BY a",
        "aggregates: SUM((orders.v + 1)) -> SUM((orders.v + 2))",
    ),
    "distinct": (
        "SELECT a, COUNT(v) FROM orders GROUP BY a",
        "SELECT a, COUNT(DISTINCT v) FROM orders GROUP BY a",
        "aggregates: COUNT(orders.v) -> COUNT(DISTINCT orders.v)",
    ),
    "filter of a call": (
        "SELECT a, COUNT(v) FILTER (WHERE w > 1) FROM orders GROUP BY a",
        "SELECT a, COUNT(v) FILTER (WHERE w > 2) FROM orders GROUP BY a",
        "(orders.w > 1)",
    ),
    "filter": (SUM, SUM.replace("GROUP", "WHERE w > 0 GROUP"), "filter: none -> (orders.w > 0)"),
    "filter removed": (SUM.replace("GROUP", "WHERE w > 0 GROUP"), SUM, "filter: (orders.w > 0) -> none"),
    "having": (SUM, SUM + " HAVING SUM(v) > 1", "s1: filter: none -> (SUM(orders.v) BY orders.a > 1)"),
    "order of keys": (
        "SELECT a, SUM(v) FROM orders GROUP BY a, b",
        "SELECT a, SUM(v) FROM orders GROUP BY b, a",
        "",
    ),
    "key": (SUM, "SELECT b, SUM(v) FROM orders GROUP BY b", "key: orders.a -> orders.b"),
    "expression of a key": (
        "SELECT UPPER(a), SUM(v) FROM orders GROUP BY UPPER(a)",
        "SELECT LOWER(a), SUM(v) FROM orders GROUP BY LOWER(a)",
        "key: UPPER(orders.a) -> LOWER(orders.a)",
    ),
    "computed column": (
        "SELECT a, SUM(v) FROM orders GROUP BY a",
        "SELECT a, SUM(c) FROM orders GROUP BY a",
        "aggregates: SUM(orders.v) -> SUM((orders.v + orders.w))",
    ),
    "nested column": (
        "SELECT a, SUM(r.x) FROM orders GROUP BY a",
        "SELECT a, SUM(r.y) FROM orders GROUP BY a",
        "aggregates: SUM(orders.r.x) -> SUM(orders.r.y)",
    ),
    "unnested array": (
        "SELECT g, COUNT(*) FROM orders CROSS JOIN UNNEST(tags) AS e (g) GROUP BY g",
        "SELECT g, COUNT(*) FROM orders CROSS JOIN UNNEST(codes) AS e (g) GROUP BY g",
        "gone group-aggregate",
    ),
    "unnest added": (
        "SELECT a, COUNT(*) FROM orders GROUP BY a",
        "SELECT a, COUNT(*) FROM orders CROSS JOIN UNNEST(tags) AS e (g) GROUP BY a",
        "rows: orders -> orders inner with UNNEST_ROWS(orders.tags)",
    ),
    "join added": (
        "SELECT a, COUNT(*) FROM orders GROUP BY a",
        "SELECT o.a, COUNT(*) FROM orders AS o JOIN items AS i ON o.id = i.id GROUP BY o.a",
        "gone group-aggregate",
    ),
    "join type": (JOIN.format("", ""), JOIN.format("LEFT", ""), "join type: INNER -> LEFT"),
    "join condition": (
        JOIN.format("", " AND o.v > i.v"),
        JOIN.format("", " AND o.v > i.w"),
        "condition: (orders.v > items.v) -> (orders.v > items.w)",
    ),
    "join key": (
        JOIN.format("", ""),
        JOIN.format("", "").replace("o.id = i.id", "o.v = i.id"),
        "left key: orders.id -> orders.v",
    ),
    "side of a join of a table with itself": (
        "SELECT x.a, SUM(x.v) FROM orders AS x JOIN orders AS y ON x.id = y.w GROUP BY x.a",
        "SELECT x.a, SUM(y.v) FROM orders AS x JOIN orders AS y ON x.id = y.w GROUP BY x.a",
        "SUM(left orders.v",
    ),
    "direction": (
        LEAST.format("a", "v", 1),
        LEAST.format("a", "v DESC", 1),
        "order: orders.v ASC NULLS FIRST -> orders.v DESC NULLS LAST",
    ),
    "place of nulls": (
        LEAST.format("a", "v", 1),
        LEAST.format("a", "v NULLS LAST", 1),
        "order: orders.v ASC NULLS FIRST -> orders.v ASC NULLS LAST",
    ),
    "order column": (LEAST.format("a", "v", 2), LEAST.format("a", "w", 2), "order: orders.v"),
    "partition": (LEAST.format("a", "v", 2), LEAST.format("b", "v", 2), "key: orders.a -> orders.b"),
    "n": (LEAST.format("a", "v", 2), LEAST.format("a", "v", 3), "ranks: 1 to 2 -> 1 to 3"),
    "first to last": (
        LEAST.format("a", "p", 1),
        LEAST.format("a", "p DESC", 1),
        "keeps: the first row -> the last row",
    ),
    "by arrival to by time": (LEAST.format("a", "p", 1), LEAST.format("a", "t", 1), "order: arrival -> orders.t"),
    "partition of OVER": (OVER.format("a", "p", ""), OVER.format("b", "p", ""), "key: orders.a -> orders.b"),
    "frame": (
        OVER.format("a", "p", ROWS.format(1)),
        OVER.format("a", "p", ROWS.format(2)),
        "frame: ROWS BETWEEN 1 PRECEDING AND CURRENT ROW -> ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
    ),
    "rows to range": (
        OVER.format("a", "t", "ROWS UNBOUNDED PRECEDING"),
        OVER.format("a", "t", "RANGE UNBOUNDED PRECEDING"),
        "frame: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    ),
    "window's length": (
        TUMBLE.format(key="a", time="t", size="INTERVAL '1' HOUR"),
        TUMBLE.format(key="a", time="t", size="INTERVAL '2' HOUR"),
        "window: TUMBLE(PT1H) of orders.t -> TUMBLE(PT2H) of orders.t",
    ),
    "window's offset": (
        TUMBLE.format(key="a", time="t", size="INTERVAL '1' HOUR"),
        TUMBLE.format(key="a", time="t", size="INTERVAL '1' HOUR, INTERVAL '5' MINUTE"),
        "window: TUMBLE(PT1H) of orders.t -> TUMBLE(PT1H, offset PT5M) of orders.t",
    ),
    "window's clock": (
        TUMBLE.format(key="a", time="t", size="INTERVAL '1' HOUR"),
        TUMBLE.format(key="a", time="p", size="INTERVAL '1' HOUR"),
        "window: TUMBLE(PT1H) of orders.t -> TUMBLE(PT1H) of processing time",
    ),
    "tumbling to hopping": (
        TUMBLE.format(key="a", time="t", size="INTERVAL '1' HOUR"),
        TUMBLE.format(key="a", time="t", size="INTERVAL '10' MINUTE, INTERVAL '1' HOUR").replace("TUMBLE", "HOP"),
        "window: TUMBLE(PT1H) of orders.t -> HOP(PT1H, PT10M) of orders.t",
    ),
    "union's branch added": (
        SUM,
        "SELECT a, SUM(v) FROM (SELECT a, v FROM orders UNION ALL SELECT name, v FROM items) GROUP BY a",
        "rows: orders -> ",
    ),
    "filter of one branch": (
        "SELECT k, SUM(n) FROM (SELECT a AS k, v AS n FROM orders UNION ALL SELECT name, v FROM items) GROUP BY k",
        "SELECT k, SUM(n) FROM (SELECT a AS k, v AS n FROM orders WHERE w > 1 UNION ALL SELECT name, v FROM items) "
        "GROUP BY k",
        "orders: (orders.w > 1)",
    ),
    "constant rows": (
        "SELECT k, SUM(n) FROM (VALUES ('a', 1), ('b', 2)) AS q (k, n) GROUP BY k",
        "SELECT k, SUM(n) FROM (VALUES ('a', 1), ('b', 3)) AS q (k, n) GROUP BY k",
        "constant rows: rows",
    ),
    "grouping sets": (
        "SELECT a, SUM(v) FROM orders GROUP BY GROUPING SETS ((a), ())",
        "SELECT a, SUM(v) FROM orders GROUP BY GROUPING SETS ((a), (a, b))",
        "key: ",
    ),
    "a function": (
        "SELECT a, MIN(v) FROM orders GROUP BY a",
        "SELECT a, MAX(v) FROM orders GROUP BY a",
        "aggregates: MIN(orders.v) -> MAX(orders.v)",
    ),
    "a sink's columns": (
        SUM,
        "SELECT b, n FROM (SELECT a, 'x' AS b, SUM(v) AS n FROM orders GROUP BY a)",
        "s1: columns: k = orders.a -> k = 'x'",
    ),
    "another sink": (
        "INSERT INTO s1 " + SUM,
        "INSERT INTO s2 " + SUM,
        "s2: table: s1 (/out/s1) -> s2 (/out/s2)",
    ),
    "a cast": (
        "SELECT a, SUM(v) FROM orders GROUP BY a",
        "SELECT a, SUM(CAST(v AS BIGINT)) FROM orders GROUP BY a",
        "aggregates: SUM(orders.v) -> SUM(CAST(orders.v AS BIGINT))",
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", HARMFUL)
def test_state_changes_are_named(name: str) -> None:
    old, new, said = HARMFUL[name]
    texts = changes(compiled(old), compiled(new)).texts
    assert any(said in text for text in texts), texts


def table_of(
    name: str = "orders", path: str = "/data/orders", columns: str = "a STRING, v INT", more: str = "'format' = 'json'"
) -> str:
    return f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{path}', {more});\n"


DECLARED = {
    "another path": (table_of(path="/data/others"), "orders: path: '/data/orders' -> '/data/others'"),
    "another format": (table_of(more="'format' = 'csv'"), "orders: format: 'json' -> 'csv'"),
    "another option of the format": (
        table_of(more="'format' = 'json', 'json.ignore-parse-errors' = 'true'"),
        "orders: json.ignore-parse-errors: none -> 'true'",
    ),
    "another type": (table_of(columns="a STRING, v BIGINT"), "argument types: INT -> BIGINT"),
    "another name": (table_of(name="purchases"), ""),
    "monitoring": (table_of(more="'format' = 'json', 'source.monitor-interval' = '1 s'"), ""),
    "a path's spelling": (table_of(path="file:///data/orders/"), ""),
    "a further column": (table_of(columns="a STRING, z INT, v INT"), ""),
    "NOT NULL": (table_of(columns="a STRING NOT NULL, v INT NOT NULL"), ""),
    "a comment": (table_of(columns="a STRING COMMENT 'who', v INT"), ""),
}


@pytest.mark.parametrize("name", DECLARED)
def test_another_declaration(name: str) -> None:
    tables, said = DECLARED[name]
    table = "purchases" if name == "another name" else "orders"
    old = compiled(SUM, table_of() + SINKS)
    texts = changes(old, compiled(SUM.replace("orders", table), tables + SINKS)).texts
    assert any(said in text for text in texts) if said else texts == [], texts


def test_two_tables_that_swap_their_names_stay_what_they_are() -> None:
    def tables(left: str, right: str) -> str:
        return table_of("l", left) + table_of("r", right) + SINKS

    old = compiled("SELECT a, SUM(v) FROM l GROUP BY a", tables("/x", "/y"))
    assert changes(old, compiled("SELECT a, SUM(v) FROM r GROUP BY a", tables("/y", "/x"))).texts == []
    assert changes(old, compiled("SELECT a, SUM(v) FROM l GROUP BY a", tables("/y", "/x"))).texts != []


def test_columns_of_csv_are_found_by_position_or_header() -> None:
    csv = "'format' = 'csv'"
    old = compiled(SUM, table_of(more=csv) + SINKS)
    columns = "a STRING, z INT, v INT"
    assert changes(old, compiled(SUM, table_of(columns=columns, more=csv) + SINKS)).texts != []
    csv += ", 'csv.header' = 'true'"
    old = compiled(SUM, table_of(more=csv) + SINKS)
    assert changes(old, compiled(SUM, table_of(columns=columns, more=csv) + SINKS)).texts == []


def test_equal_operators_are_told_apart_by_what_is_above_and_below_them() -> None:
    """In s2, chains that differ in the filter of their first operator match their second operators."""
    inner = "SELECT k, MAX(n) FROM (SELECT a AS k, b, SUM(v) AS n FROM orders WHERE w > {} GROUP BY a, b) GROUP BY k"
    old = compiled(SET.format(inner.format(1), inner.format(2)))
    swapped = f"EXECUTE STATEMENT SET BEGIN INSERT INTO s2 {inner.format(2)}; INSERT INTO s1 {inner.format(1)}; END"
    differences = changes(old, compiled(swapped))
    assert differences.texts == []
    assert all(left.identity == right.identity for left, right in differences.pairs)
    assert len({left.identity for left, _ in differences.pairs}) == len(differences.pairs)


def test_a_watermark_and_metadata_count() -> None:
    def tables(delay: int, key: str) -> str:
        columns = f"a STRING, v INT, t TIMESTAMP(3), m STRING METADATA FROM '{key}', "
        columns += f"WATERMARK FOR t AS t - INTERVAL '{delay}' SECOND"
        return table_of(columns=columns) + SINKS

    query = TUMBLE.format(key="m", time="t", size="INTERVAL '1' HOUR")
    old = compiled(query, tables(5, "file.name"))
    assert any("watermark" in text for text in changes(old, compiled(query, tables(6, "file.name"))).texts)
    assert any(
        "key: orders[file.name] -> orders[file.path]" in text
        for text in changes(old, compiled(query, tables(5, "file.path"))).texts
    )
