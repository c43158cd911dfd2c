"""Expressions of the Table API have the plans of the equivalent SQL."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Callable
from decimal import Decimal

import pytest

from compiled_plan import (
    Expression,
    Table,
    and_,
    array,
    atan2,
    call,
    call_sql,
    case,
    coalesce,
    col,
    concat,
    concat_ws,
    convert_tz,
    date_format,
    greatest,
    if_then_else,
    json_array,
    json_array_agg,
    json_object,
    json_object_agg,
    json_string,
    lit,
    local_timestamp,
    log,
    map_,
    negative,
    not_,
    null_of,
    or_,
    rand,
    row,
    temporal_overlaps,
    timestamp_diff,
    to_timestamp_ltz,
)
from compiled_plan.plans.errors import NestingError, ProgramError
from tests.support.table_api import assert_same, environment, source
from tests.support.tiers import but_wide

COLUMNS = """id INT, n BIGINT, x DOUBLE, d DECIMAL(10, 2), s STRING, u STRING, b BOOLEAN, ts TIMESTAMP(3), day_ DATE,
items ARRAY<STRING>, pairs MAP<STRING, INT>, r ROW<f INT, g STRING>"""
DECLARED = source("V", COLUMNS)

CASES: list[tuple[Expression, str]] = [
    # operators
    (col("id") + 1, "id + 1"),
    (1 + col("id"), "1 + id"),
    ((col("id") - 2) * col("n") / 3, "(id - 2) * n / 3"),
    (10 - col("id"), "10 - id"),
    (2 * col("id") % 7, "2 * id % 7"),
    (100 / col("x"), "100 / x"),
    (-col("id"), "-id"),
    (col("x") ** 2, "POWER(x, 2)"),
    (col("s") + "!", "s || '!'"),
    ("<" + col("s") + ">", "'<' || s || '>'"),
    (col("id") == 5, "id = 5"),
    (col("id") != 5, "id <> 5"),
    (lit(5) < col("id"), "5 < id"),
    (col("id").is_greater_or_equal(5), "id >= 5"),
    (col("id").is_distinct_from(col("n")), "id IS DISTINCT FROM n"),
    ((col("id") > 5) & (col("n") < 3) | ~(col("s") == "a"), "(id > 5 AND n < 3) OR NOT s = 'a'"),
    (and_(col("id") > 1, col("id") > 2, col("n") > 3), "id > 1 AND id > 2 AND n > 3"),
    (or_(col("b"), not_(col("id") > 2)), "b OR NOT id > 2"),
    (col("id").is_null, "id IS NULL"),
    (col("id").is_not_null(), "id IS NOT NULL"),
    (col("b").is_true, "b IS TRUE"),
    (col("b").is_not_false, "b IS NOT FALSE"),
    (col("id").between(1, col("n")), "id BETWEEN 1 AND n"),
    (col("id").not_between(1, 3), "id NOT BETWEEN 1 AND 3"),
    (col("id").in_(1, 2, 3), "id IN (1, 2, 3)"),
    (col("s").in_(["a", "b"]), "s IN ('a', 'b')"),
    (~col("id").in_(1, 2, 3), "id NOT IN (1, 2, 3)"),
    (col("s").like("a%"), "s LIKE 'a%'"),
    (~col("s").like("a!%", "!"), "s NOT LIKE 'a!%' ESCAPE '!'"),
    (col("s").similar("a+"), "s SIMILAR TO 'a+'"),
    # literals
    (lit(1), "1"),
    (lit(-1), "-1"),
    (lit(3_000_000_000), "3000000000"),
    (lit(0.5), "5E-1"),
    (lit(Decimal("12.50")), "12.50"),
    (lit("it's"), "'it''s'"),
    (lit(True), "TRUE"),
    (lit(b"\x01\xab"), "x'01ab'"),
    (lit(datetime.date(2024, 2, 29)), "DATE '2024-02-29'"),
    (lit(datetime.time(1, 2, 3)), "TIME '01:02:03'"),
    (lit(datetime.datetime(2024, 2, 29, 1, 2, 3)), "TIMESTAMP '2024-02-29 01:02:03'"),
    (lit(datetime.datetime(2024, 2, 29, 1, 2, 3, 500_000)), "TIMESTAMP '2024-02-29 01:02:03.500000'"),
    (
        lit(datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.UTC)),
        "TO_TIMESTAMP_LTZ(1000, 3)",
    ),
    (lit([1, 2]), "ARRAY[1, 2]"),
    (lit({"k": 1}), "MAP['k', 1]"),
    (lit(1, "BIGINT"), "CAST(1 AS BIGINT)"),
    (null_of("INT"), "CAST(NULL AS INT)"),
    # types
    (col("s").cast("INT"), "CAST(s AS INT)"),
    (col("s").try_cast("DECIMAL(10, 2)"), "TRY_CAST(s AS DECIMAL(10, 2))"),
    (col("id").cast("STRING").char_length, "CHAR_LENGTH(CAST(id AS STRING))"),
    # conditions
    (if_then_else(col("id") > 1, "a", col("s")), "CASE WHEN id > 1 THEN 'a' ELSE s END"),
    ((col("id") > 1).then(1, 2), "CASE WHEN id > 1 THEN 1 ELSE 2 END"),
    (
        case((col("id") > 2, "c"), (col("id") > 1, "b"), otherwise="a"),
        "CASE WHEN id > 2 THEN 'c' WHEN id > 1 THEN 'b' ELSE 'a' END",
    ),
    (coalesce(col("s"), col("u"), "x"), "COALESCE(s, u, 'x')"),
    (col("id").if_null(0), "IFNULL(id, 0)"),
    (col("id").null_if(0), "NULLIF(id, 0)"),
    (greatest(col("id"), 3), "GREATEST(id, 3)"),
    # numbers
    (col("id").abs, "ABS(id)"),
    (col("d").round(1), "ROUND(d, 1)"),
    (col("x").floor(), "FLOOR(x)"),
    (col("x").log(2), "LOG(2, x)"),
    (col("x").sqrt(), "SQRT(x)"),
    # texts
    (col("s").upper_case, "UPPER(s)"),
    (col("s").lower_case(), "LOWER(s)"),
    (col("s").substring(2, 3), "SUBSTRING(s, 2, 3)"),
    (col("s").trim(), "TRIM(s)"),
    (col("s").trim_leading("x"), "TRIM(LEADING 'x' FROM s)"),
    (col("s").replace("a", "b"), "REPLACE(s, 'a', 'b')"),
    (col("s").lpad(5, "0"), "LPAD(s, 5, '0')"),
    (col("s").position(col("u")), "POSITION(s IN u)"),
    (col("s").overlay("xx", 2), "OVERLAY(s PLACING 'xx' FROM 2)"),
    (col("s").regexp_extract("(a)(b)", 2), "REGEXP_EXTRACT(s, '(a)(b)', 2)"),
    (col("s").split_index(",", 1), "SPLIT_INDEX(s, ',', 1)"),
    (col("s").md5, "MD5(s)"),
    (col("s").sha2(256), "SHA2(s, 256)"),
    (concat(col("s"), "-", col("u")), "CONCAT(s, '-', u)"),
    (concat_ws("-", col("s"), col("u")), "CONCAT_WS('-', s, u)"),
    (col("s").json_value("$.a"), "JSON_VALUE(s, '$.a')"),
    (col("s").json_value("$.a", "INT"), "JSON_VALUE(s, '$.a' RETURNING INT)"),
    (col("s").json_exists("$.a"), "JSON_EXISTS(s, '$.a')"),
    (col("s").is_json(), "s IS JSON"),
    # times
    (col("ts") + lit(10).minutes, "ts + INTERVAL '10' MINUTE"),
    (col("ts") - lit(1).day, "ts - INTERVAL '1' DAY"),
    (col("day_") + lit(2).months, "day_ + INTERVAL '2' MONTH"),
    (col("ts") + col("id").hours, "ts + INTERVAL id HOUR"),
    (col("ts") + datetime.timedelta(days=1, hours=2), "ts + INTERVAL '1 02:00:00.000' DAY TO SECOND(3)"),
    (col("ts").extract("HOUR"), "EXTRACT(HOUR FROM ts)"),
    (col("ts").floor("HOUR"), "FLOOR(ts TO HOUR)"),
    (col("ts").date_format("yyyy"), "DATE_FORMAT(ts, 'yyyy')"),
    (col("s").to_date, "CAST(s AS DATE)"),
    (col("ts").timestamp_add("DAY", 3), "TIMESTAMPADD(DAY, 3, ts)"),
    (timestamp_diff("DAY", col("ts"), col("ts")), "TIMESTAMPDIFF(DAY, ts, ts)"),
    (to_timestamp_ltz(col("n")), "TO_TIMESTAMP_LTZ(n, 3)"),
    (local_timestamp(), "LOCALTIMESTAMP"),
    # collections
    (col("items").at(1), "items[1]"),
    (col("items")[1], "items[1]"),
    (col("pairs").at("k"), "pairs['k']"),
    (col("r").get("f"), "V.r.f"),
    (col("r").get(1), "V.r.g"),
    (col("items").cardinality, "CARDINALITY(items)"),
    (col("items").array_contains("a"), "ARRAY_CONTAINS(items, 'a')"),
    (array(1, 2, col("id")), "ARRAY[1, 2, id]"),
    (map_("a", 1, "b", col("id")), "MAP['a', 1, 'b', id]"),
    (row(col("id"), "x"), "ROW(id, 'x')"),
    # calls
    (call("UPPER", col("s")), "UPPER(s)"),
    (call("upper", "s"), "UPPER('s')"),
    (rand(3), "RAND(3)"),
    (negative(col("id")), "-id"),
    (atan2(col("x"), 2), "ATAN2(x, 2)"),
    (log(col("x"), 2), "LOG(2, x)"),
    (date_format(col("ts"), "yyyy"), "DATE_FORMAT(ts, 'yyyy')"),
    (convert_tz(col("s"), "UTC", "Asia/Tokyo"), "CONVERT_TZ(s, 'UTC', 'Asia/Tokyo')"),
    (
        temporal_overlaps(col("ts"), lit(1).hours, col("ts"), lit(2).hours),
        "(ts, INTERVAL '1' HOUR) OVERLAPS (ts, INTERVAL '2' HOUR)",
    ),
    (json_object("a", col("id"), "b", 2), "JSON_OBJECT(KEY 'a' VALUE id, KEY 'b' VALUE 2)"),
    (json_object("a", col("id"), absent_on_null=True), "JSON_OBJECT(KEY 'a' VALUE id ABSENT ON NULL)"),
    (json_array(1, col("s")), "JSON_ARRAY(1, s)"),
    (json_string(col("r")), "JSON_STRING(r)"),
    (lit("%s").printf(col("id")), "PRINTF('%s', id)"),
    (col("id").elt("a", "b"), "ELT(id, 'a', 'b')"),
    (call_sql("UPPER(s) || '!'"), "UPPER(s) || '!'"),
    (call_sql("id > 3 OR b") & col("b"), "(id > 3 OR b) AND b"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("expression", "sql"), CASES, ids=lambda value: str(value) if isinstance(value, str) else "")
def test_an_expression_has_the_plan_of_its_sql(expression: Expression, sql: str) -> None:
    env = environment(DECLARED)
    assert_same(env, env.from_path("V").select(expression.alias("v")), f"SELECT {sql} AS v FROM V", DECLARED)


AGGREGATES: list[tuple[Expression, str]] = [
    (col("x").sum(), "SUM(x)"),
    (col("n").count, "COUNT(n)"),
    (col("n").sum.distinct, "SUM(DISTINCT n)"),
    (col("x").stddev_pop, "STDDEV_POP(x)"),
    (col("x").var_samp, "VAR_SAMP(x)"),
    (col("s").list_agg("-"), "LISTAGG(s, '-')"),
    (col("s").first_value, "FIRST_VALUE(s)"),
    (col("n").max.filter(col("b")), "MAX(n) FILTER (WHERE b)"),
    ((col("n").max - col("n").min).cast("STRING"), "CAST(MAX(n) - MIN(n) AS STRING)"),
    (call("COUNT", col("n")), "COUNT(n)"),
    (json_object_agg(col("s"), col("n")), "JSON_OBJECTAGG(KEY s VALUE n)"),
    (json_array_agg(col("s")), "JSON_ARRAYAGG(s)"),
    (col("items").array_agg, "ARRAY_AGG(items)"),
]


@pytest.mark.parametrize(("expression", "sql"), AGGREGATES, ids=lambda value: value if isinstance(value, str) else "")
def test_an_aggregate_has_the_plan_of_its_sql(expression: Expression, sql: str) -> None:
    env = environment(DECLARED)
    table = env.from_path("V").group_by("id").select("id", expression.alias("v"))
    assert_same(env, table, f"SELECT id, {sql} AS v FROM V GROUP BY id", DECLARED)


# --- as values


def test_an_expression_shows_its_python_text() -> None:
    expression = ((col("a") + 1) * 2 > lit(3.5)) & ~col("s").upper_case.like("A%")
    assert repr(expression) == "(((col('a') + 1) * 2) > lit(3.5)) & ~col('s').upper_case.like('A%')"


def test_an_expression_is_neither_true_nor_a_function_nor_changeable() -> None:
    with pytest.raises(TypeError, match=r"col\('a'\) > 1 is an expression, which is neither true nor false"):
        bool(col("a") > 1)
    with pytest.raises(TypeError, match="cannot be called"):
        col("a")()
    with pytest.raises(AttributeError, match="cannot be changed"):
        col("a").name = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="cannot be iterated"):
        list(col("a"))  # type: ignore[call-overload]


def test_long_and_deep_expressions() -> None:
    env = environment()
    table = env.from_path("T")
    either = or_(*(col("a") == number for number in range(2000)))
    assert len(repr(either)) < 500
    assert len(table.where(either).explain().splitlines()) == 2
    deep = _sum(500)
    assert len(table.select(deep).explain().splitlines()) == 2


@pytest.mark.parametrize("operation", but_wide(["select", "where", "join", "group_by"], lambda name: name == "where"))
def test_expressions_of_more_levels_than_the_limit(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = environment().from_path("T")
    renamed = table.select(col("a").alias("z"))
    operations: dict[str, Callable[[Expression], Table]] = {
        "select": table.select,
        "where": lambda deep: table.where(deep == 1),
        "join": lambda deep: table.join(renamed, col("z") == deep),
        "group_by": lambda deep: table.group_by(deep).select(deep.max),
    }
    run = operations[operation]
    assert run(_sum(2_000)).explain()
    monkeypatch.setattr("compiled_plan.plans.deep._FRAMES", 2_000)
    with pytest.raises(NestingError, match=r"(?s)more than some 10,000 levels deep.*at: \w+\(\).*add_columns") as fault:
        run(_sum(2_000)).explain()
    assert f"at: {operation}()" in str(fault.value) or operation == "group_by"


@pytest.mark.deep
def test_expressions_of_as_many_levels_as_the_limit() -> None:
    table = environment().from_path("T")
    deep = _sum(10_000)
    assert len(table.where(deep > 1).select(deep).explain().splitlines()) == 2


def _sum(parts: int) -> Expression:
    total = col("a")
    for _ in range(parts):
        total = total + 1
    return total


def test_copies_are_the_same() -> None:
    table = environment().from_path("T")
    assert copy.deepcopy([table])[0] is table is copy.copy(table)
    expression = col("a")
    assert copy.deepcopy([expression])[0] is expression is copy.copy(expression)


def test_an_expression_can_be_used_again() -> None:
    env = environment()
    price = col("a") * 2
    table = env.from_path("T").select(price.alias("x"), (price + price).alias("y"), (price > 3).alias("z"))
    assert_same(env, table, "SELECT a * 2 AS x, a * 2 + a * 2 AS y, a * 2 > 3 AS z FROM T")
    assert repr(price) == "col('a') * 2"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lit(object()), "a value of type object cannot be written into an expression"),
        (lambda: lit(float("nan")), "nan is no SQL literal"),
        (lambda: col(""), "names no column"),
        (lambda: col("a") == None, "write col('a').is_null"),  # noqa: E711
        (lambda: col("a").distinct, "is no aggregate, so .distinct cannot follow it"),
        (lambda: col("a").in_(), None),
        (lambda: col("a").in_([]), "has no values"),
        (lambda: map_("a"), "keys and values in turn"),
        (lambda: col("a").cast("INTT"), "did you mean 'INT'"),
        (lambda: col("a").cast(5), "5 is no data type"),
        (lambda: lit(1.5).minutes, "give a whole number"),
        (lambda: (col("a") + 1).start, "is no window"),
    ],
)
def test_invalid_expressions_are_refused_at_the_call(make: object, message: str | None) -> None:
    assert callable(make)
    if message is None:
        with pytest.raises(TypeError):
            make()
        return
    with pytest.raises(ProgramError) as caught:
        make()
    assert message in str(caught.value)
