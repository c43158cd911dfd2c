"""Errors are raised at the call: they name operation, expression, available columns and the nearest one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compiled_plan import Over, Session, Slide, TableEnvironment, Tumble, call, call_sql, col, lit
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from tests.support.table_api import environment

CASES: dict[str, tuple[Callable[[TableEnvironment], object], tuple[str, ...]]] = {
    "unknown column": (
        lambda env: env.from_path("Bid").select(col("prise")),
        ("there is no column 'prise'", "select(), in col('prise')", "did you mean 'price'?", "bidtime, price, item"),
    ),
    "unknown attribute": (
        lambda env: env.from_path("Bid").prise,
        ("the table has no column 'prise'", "did you mean 'price'?", "bidtime, price, item"),
    ),
    "unknown column inside": (
        lambda env: env.from_path("Bid").where((col("prise") * 2 > 3) & (col("item") == "x")),
        ("there is no column 'prise'", "where(), in col('prise')"),
    ),
    "unknown name of a list": (
        lambda env: env.from_path("T").fillna(1, ["x"]),
        ("there is no column 'x'", "fillna()", "the columns are: a, b, c"),
    ),
    "unknown dropped column": (
        lambda env: env.from_path("T").drop_columns("aa"),
        ("there is no column 'aa'", "drop_columns()", "a, b, c"),
    ),
    "unknown function": (
        lambda env: env.from_path("T").select(call("UPER", col("c"))),
        ("UPER", "select(), in call('UPER', col('c'))", "UPPER"),
    ),
    "unknown table": (
        lambda env: env.from_path("Bids"),
        ("table or view 'Bids' not found", "from_path()", "did you mean 'Bid'?"),
    ),
    "unknown sink": (
        lambda env: env.from_path("T").insert_into("Bids"),
        ("`Bids` not found", "insert_into()", "did you mean 'Bid'?"),
    ),
    "no name": (lambda env: env.from_path("a b"), ("'a b' is no name of a table", "from_path()", "`backticks`")),
    "sink of another schema": (
        lambda env: env.from_path("T").select("c", "a", "b").insert_into("T"),
        ("column types of query result and sink", "query schema: [c: STRING, a: INT, b: INT]", "insert_into()"),
    ),
    "types": (
        lambda env: env.from_path("T").select(col("c") * 2),
        ("select(), in col('c') * 2", "VARCHAR"),
    ),
    "a bare null": (
        lambda env: env.from_path("T").select(lit(None)),
        ("illegal use of NULL", "select(), in lit(None)", 'null_of("INT")'),
    ),
    "an alias inside": (
        lambda env: env.from_path("T").select(col("a").alias("x") + 1),
        ("an alias names a whole column", "select(), in col('a').alias('x')"),
    ),
    "a direction inside": (
        lambda env: env.from_path("T").select(col("a").desc),
        ("a direction cannot stand inside an expression", "select(), in col('a').desc"),
    ),
    "no condition": (
        lambda env: env.from_path("T").where(col("a")),
        ("where() must be a condition, not INT", "where(), in col('a')"),
    ),
    "a text for a condition": (
        lambda env: env.from_path("T").where("a > 1"),  # type: ignore[arg-type]
        ("where() takes a condition, not the text 'a > 1'", 'call_sql("a > 1")'),
    ),
    "in an expression of sql": (
        lambda env: env.from_path("T").where(call_sql("a > 1 AND aa = 2")),
        ("column 'aa' not found", "where(), in call_sql('a > 1 AND aa = 2')"),
    ),
    "an expression of sql": (lambda env: call_sql("a >"), ("SQL parse failed", "a >")),
    "no number of rows": (
        lambda env: env.from_path("T").limit("3"),  # type: ignore[arg-type]
        ("limit() takes a number of rows, not '3'",),
    ),
    "not grouped": (
        lambda env: env.from_path("T").group_by("a").select("a", col("b") + 1),
        ("expression 'b' is not being grouped", "select(), in col('b')", "add b to group_by(...)"),
    ),
    "aggregate in where": (
        lambda env: env.from_path("T").where(col("a").sum > 3),
        ("aggregate expression is illegal in where()", "where(), in col('a').sum"),
    ),
    "ambiguous": (
        lambda env: env.from_path("T").join(env.from_path("T")).select(col("a")),
        ("column 'a' is ambiguous: 2 columns have that name", "table.a"),
    ),
    "ambiguous attribute": (
        lambda env: env.from_path("T").join(env.from_path("T")).a,
        ("column 'a' is ambiguous", "the tables that were joined"),
    ),
    "set operation of other columns": (
        lambda env: env.from_path("T").union(env.from_path("Bid")),
        ("column count mismatch in UNION", "union()"),
    ),
    "a plain timestamp": (
        lambda env: (
            env.from_path("Bid")
            .select(col("bidtime").cast("TIMESTAMP(3)").alias("ts"))
            .window(Tumble.over(lit(10).minutes).on("ts"))
        ),
        ("requires a time attribute", "window()", "WATERMARK"),
    ),
    "no time": (
        lambda env: env.from_path("Bid").window(Tumble.over(lit(10).minutes)),
        ("the window has no time", 'on(col("ts"))'),
    ),
    "half a window": (
        lambda env: env.from_path("Bid").window(Slide.over(lit(10).minutes)),  # type: ignore[call-overload]
        ("window() takes a window", ".every(lit(5).minutes)"),
    ),
    "no interval": (
        lambda env: env.from_path("Bid").window(Tumble.over(lit(10)).on("bidtime")),
        ("TUMBLE needs an interval here, not INT", "window(), in lit(10)"),
    ),
    "a window of rows": (
        lambda env: env.from_path("Bid").window(Tumble.over(lit(10).rows).on("bidtime")),
        ("a window of a number of rows is not supported", "over_window("),
    ),
    "partitions of a group window": (
        lambda env: (
            env.from_path("Bid")
            .group_window(Session.with_gap(lit(1).minutes).partition_by("item").on("bidtime").alias("w"))
            .group_by(col("w"))
        ),
        ("a window with an alias cannot have partitions",),
    ),
    "group window without its alias": (
        lambda env: (
            env.from_path("Bid").group_window(Tumble.over(lit(1).hours).on("bidtime").alias("w")).group_by("item")
        ),
        ("the window 'w' is not among the grouping fields",),
    ),
    "start of no window": (
        lambda env: env.from_path("Bid").select(col("w").start),
        ("'w' is no window of this table", "select(), in col('w').start"),
    ),
    "over window without a name": (
        lambda env: env.from_path("Bid").over_window(Over.order_by("bidtime")).select(col("price").sum.over("w")),
        ("the window has no name", "over_window()"),
    ),
    "over an unknown window": (
        lambda env: env.from_path("Bid").select(col("price").sum.over("w")),
        ("no window is named 'w'", "select(), in over('w')", "table.over_window("),
    ),
    "no list": (
        lambda env: env.from_path("T").deduplicate(col("a"), col("b"), True),  # type: ignore[arg-type]
        ("deduplicate() takes a list of fields", "write [col('a')]"),
    ),
    "top of nothing": (
        lambda env: env.from_path("T").topn(0, [col("a")], [col("b")]),
        ("topn() takes a number of rows, not 0",),
    ),
    "a mapping that is none": (
        lambda env: env.from_path("T").to_changelog(op_mapping=["INSERT"]),  # type: ignore[arg-type]
        ("op_mapping is a dict of texts, not ['INSERT']", "to_changelog()"),
    ),
    "too many codes": (
        lambda env: env.from_path("T").from_changelog("c", {"c": "INSERT"}, "ts", "x", "y"),
        ("from_changelog() takes 4 arguments", "op, op_mapping, on_time, uid"),
    ),
    "a code twice": (
        lambda env: env.from_path("T").from_changelog("c", op="c"),
        ("the argument 'op' of FROM_CHANGELOG is there twice", "from_changelog()"),
    ),
    "a code that is no column": (
        lambda env: env.from_path("T").from_changelog("nope"),
        ("the table has no column 'nope'", "from_changelog()"),
    ),
    "thresholds": (lambda env: env.from_path("T").dropna(-2), ("dropna() takes a number of values, not -2",)),
    "fill with nothing": (lambda env: env.from_path("T").fillna({"a": None}), ("fillna() cannot fill with None",)),
    "fill what cannot be": (
        lambda env: env.from_path("T").fillna(b"x"),
        ("no column can hold b'x'", "fillna()", "a INT, b INT, c STRING"),
    ),
    "unknown hint": (
        lambda env: env.from_path("T").hint("STATE_TTT", {"T": "1 d"}),
        ("no hint is named 'STATE_TTT'", "hint()", "did you mean 'STATE_TTL'?"),
    ),
    "hint of another table": (
        lambda env: env.from_path("T").hint("STATE_TTL", {"U": "1 d"}).group_by("a").select("a", col("b").sum),
        ("hint STATE_TTL names 'U'",),
    ),
    "hint of no duration": (
        lambda env: env.from_path("T").hint("STATE_TTL", {"T": "1 x"}),
        ("1 x", "hint()"),
    ),
    "twice the same column": (
        lambda env: env.from_path("T").add_columns(lit(1).alias("a")),
        ("two columns would be named 'a'", "add_or_replace_columns"),
    ),
    "renamed without alias": (
        lambda env: env.from_path("T").rename_columns(col("a")),
        ("rename_columns() takes columns with aliases",),
    ),
    "too many names": (lambda env: env.from_path("T").alias("a", "b", "c", "d"), ("alias() gives 4 names",)),
    "no columns": (lambda env: env.from_path("T").select(), ("select() has no columns",)),
    "no expression": (
        lambda env: env.from_path("T").select(5),  # type: ignore[arg-type]
        ("5 is no expression", 'col("name")'),
    ),
    "no table": (
        lambda env: env.from_path("T").join("people", col("a") == 1),  # type: ignore[arg-type]
        ("join() takes a Table, not 'people'",),
    ),
    "table of another environment": (
        lambda env: env.from_path("T").union(environment().from_path("T")),
        ("one TableEnvironment alone",),
    ),
    "no table function": (
        lambda env: env.from_path("T").join_lateral(col("a")),
        ("join_lateral() takes the call of a table function, not col('a')",),
    ),
    "no query": (lambda env: env.sql_query("DROP TABLE T"), ("sql_query() takes one query",)),
    "a wrong query": (lambda env: env.sql_query("SELECT x FROM T"), ("column 'x' not found", "line 1, column 8", "^")),
    "time travel of a constant": (
        lambda env: env.from_path("orders").join(
            env.from_path("currency_rates").as_of(lit("2024").cast("TIMESTAMP(3)")), col("price") > 1
        ),
        ("join()",),
    ),
    "empty set": (lambda env: env.create_statement_set().compile_plan(), ("there is nothing to compile",)),
}


@pytest.mark.parametrize("name", CASES)
def test_an_error_at_the_call(name: str) -> None:
    make, parts = CASES[name]
    with pytest.raises((ProgramError, UnsupportedError)) as caught:
        make(environment())
    text = str(caught.value)
    for part in parts:
        assert part in text, text
    assert "#" not in text, "the keys of tables are nobody's business"


def test_a_missing_column_is_also_an_attribute_error() -> None:
    table = environment().from_path("T")
    assert not hasattr(table, "prise")
    assert hasattr(table, "a")
    assert {"a", "b", "c", "select"} <= set(dir(table))


def test_a_table_is_immutable_and_has_no_rows() -> None:
    table = environment().from_path("T")
    with pytest.raises(AttributeError, match="cannot be changed"):
        table.a = 1  # type: ignore[assignment]
    with pytest.raises(TypeError, match="cannot be iterated over"):
        list(table)
    assert table.select("a").columns == ["a"]
    assert table.columns == ["a", "b", "c"]


def test_a_table_prints_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    environment().from_path("currency_rates").print_schema()
    assert capsys.readouterr().out.splitlines() == [
        "(",
        "  `currency` STRING NOT NULL,",
        "  `conversion_rate` DECIMAL(32, 2),",
        "  `update_time` TIMESTAMP(3) *ROWTIME*,",
        "  WATERMARK FOR `update_time`: TIMESTAMP(3) AS `update_time`,",
        "  CONSTRAINT `PK_currency` PRIMARY KEY (`currency`) NOT ENFORCED",
        ")",
    ]
