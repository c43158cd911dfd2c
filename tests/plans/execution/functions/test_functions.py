"""User functions in whole runs; expected values are computed by hand."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError, UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.functions import (
    DataTypeHint,
    FunctionContext,
    Row,
    ScalarFunction,
    TableFunction,
    function_hint,
)
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types.conversions import DataTypeConverter
from compiled_plan.plans.types.conversions.data_types import DataTypes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Shout(ScalarFunction):
    def eval(self, text: str, times: int = 1) -> str:
        return text.upper() + "!" * times


class Sum(ScalarFunction):
    def eval(self, *numbers: int | None) -> int:
        return sum(number or 0 for number in numbers)


class IsPositive(ScalarFunction):
    def eval(self, number: int) -> bool:
        if number == 13:
            raise ValueError("an unlucky number\nand a second line")
        return number > 0


class Words(TableFunction[str]):
    def eval(self, text: str) -> Iterator[str]:
        yield from text.split()


@function_hint(output="ROW<word STRING, length INT>")
class Lengths(TableFunction[Row]):
    def eval(self, text: str) -> None:
        for word in text.split():
            self.collect(Row(word, len(word)))


class Counted(ScalarFunction):
    """Number its calls from a start value; opened and closed with each task."""

    def __init__(self, start: int) -> None:
        self.start = start

    def open(self, context: FunctionContext) -> None:
        self.next = self.start

    def close(self) -> None:
        del self.next

    def eval(self, name: str) -> str:
        self.next += 1
        return f"{name}{self.next}"

    is_deterministic = False


@dataclass(frozen=True)
class Point:
    x: int
    y: float | None


class MakePoint(ScalarFunction):
    def eval(self, x: int, y: float | None) -> Point:
        return Point(x, y)


class Reach(ScalarFunction):
    def eval(self, point: Point) -> float:
        assert isinstance(point, Point)
        return point.x + (point.y or 0.0)


def run(
    spark: SparkSession, folder: Path, body: str, rows: list[dict[str, Any]], columns: str, **functions: Any
) -> Any:
    """The rows that `INSERT INTO out` `body` gives over the table `t`, as JSON objects in order."""
    (folder / "t").mkdir(parents=True)
    (folder / "t" / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    names, out = columns.split(" -> ")
    env = TableEnvironment()
    for name, function in functions.items():
        env.create_temporary_function(name, function)
    source, sink = (
        f"WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{folder}/{part}')" for part in ("t", "out")
    )
    env.execute_sql(f"CREATE TABLE t ({names}) {source}; CREATE TABLE o ({out}) {sink}")
    plan = CompiledPlan.from_json(env.compile_plan_sql(f"INSERT INTO o {body}").to_json())
    Run(spark, plan, RunOptions(), lambda line: None).execute()
    written_rows = [json.loads(line) for file in sorted((folder / "out").glob("part-*")) for line in file.open()]
    return [tuple(row.values()) for row in written_rows]


ROWS: list[dict[str, Any]] = [{"a": 1, "s": "hello big"}, {"a": 2, "s": None}, {"a": None, "s": "x"}]


def test_scalar_functions(spark: SparkSession, tmp_path: Path) -> None:
    """Defaults, names, varargs; a NULL for a parameter that is NOT NULL gives NULL, without a call."""
    result = run(
        spark,
        tmp_path,
        "SELECT SHOUT(s), shout(times => a, text => s), total(a, 10, a), total() FROM t",
        ROWS,
        "a INT, s STRING -> p STRING, q STRING, r BIGINT, z BIGINT",
        shout=Shout,
        total=Sum,
    )
    assert sorted(result, key=str) == [
        ("HELLO BIG!", "HELLO BIG!", 12, 0),
        ("X!", None, 10, 0),
        (None, None, 14, 0),
    ]


@pytest.mark.wide
def test_only_rows_that_pass_reach_a_function(spark: SparkSession, tmp_path: Path) -> None:
    """The function fails for 13: the plain part of the condition filters that row, with other inserts beside it."""
    rows = [{"a": 13, "s": "bad"}, {"a": 5, "s": "good"}, {"a": -5, "s": "low"}]
    result = run(
        spark,
        tmp_path,
        "SELECT shout(s), CAST(1 AS BIGINT) FROM t WHERE a < 10 AND positive(a)"
        " UNION ALL SELECT s, CAST(a AS BIGINT) FROM t WHERE a > 10",
        rows,
        "a INT, s STRING -> s STRING, c BIGINT",
        shout=Shout,
        positive=IsPositive,
    )
    assert sorted(result) == [("GOOD!", 1), ("bad", 13)]


@pytest.mark.wide
def test_a_branch_of_case_is_called_for_its_rows_alone(spark: SparkSession, tmp_path: Path) -> None:
    """The function fails for 13, which does not reach it; its own result leads to another call."""
    result = run(
        spark,
        tmp_path,
        "SELECT a, CASE WHEN a = 13 THEN 'unlucky' WHEN positive(a) THEN shout(s) ELSE shout('no') END,"
        " CASE WHEN a < 13 THEN positive(a) END FROM t",
        [{"a": 13, "s": "x"}, {"a": 5, "s": "good"}, {"a": -5, "s": "low"}, {"s": "none"}],
        "a INT, s STRING -> a INT, t STRING, p BOOLEAN",
        shout=Shout,
        positive=IsPositive,
    )
    expected = [(13, "unlucky", None), (5, "GOOD!", True), (-5, "NO!", False), (None, "NO!", None)]
    assert sorted(result, key=str) == sorted(expected, key=str)


@pytest.mark.wide
def test_table_functions(spark: SparkSession, tmp_path: Path) -> None:
    """Inner and left, over one column and several, with functions of functions below and above."""
    result = run(
        spark,
        tmp_path,
        "SELECT a, shout(w), n FROM t LEFT JOIN LATERAL TABLE(lengths(shout(s))) AS f(w, n) ON TRUE"
        " UNION ALL SELECT a, w, -1 FROM t, LATERAL TABLE(words(s)) AS f(w)",
        ROWS,
        "a INT, s STRING -> a INT, w STRING, n INT",
        shout=Shout,
        lengths=Lengths,
        words=Words,
    )
    assert sorted(result, key=str) == sorted(
        [
            (1, "HELLO!", 5),
            (1, "BIG!!", 4),
            (2, None, None),
            (None, "X!!", 2),
            (1, "hello", -1),
            (1, "big", -1),
            (None, "x", -1),
        ],
        key=str,
    )


def test_errors_of_functions(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(ExecutionError) as caught:
        run(spark, tmp_path, "SELECT positive(a) FROM t", [{"a": 13}], "a INT -> b BOOLEAN", positive=IsPositive)
    assert "user function failed: `positive`" in caught.value.message
    assert "IsPositive.eval) for arguments of types (INT" in caught.value.message or "(BIGINT" in caught.value.message
    assert caught.value.message.endswith("ValueError: an unlucky number")


class Round(ScalarFunction):
    def eval(
        self,
        number: Annotated[Decimal, DataTypeHint("DECIMAL(10, 2)")],
        day: dt.date,
        time: dt.time,
        stamp: dt.datetime,
        span: dt.timedelta,
        tags: list[str],
        points: dict[str, float],
        flag: bool,
        raw: bytes,
    ) -> Annotated[
        Row,
        DataTypeHint(
            "ROW<n DECIMAL(10, 2), d DATE, t TIME(3), s TIMESTAMP(6), i INTERVAL SECOND(3), l ARRAY<STRING>,"
            " m MAP<STRING, DOUBLE>, f BOOLEAN, r BYTES>"
        ),
    ]:
        assert isinstance(number, Decimal) and isinstance(time, dt.time) and isinstance(span, dt.timedelta)
        assert stamp.tzinfo is None and isinstance(points, dict)
        return Row(
            number * 2,
            day + dt.timedelta(days=1),
            time.replace(hour=1),
            stamp + span,
            span * 2,
            [*tags, "new"],
            points | {"z": 1.0},
            not flag,
            raw + b"!",
        )


def test_a_module_that_is_not_allowed(spark: SparkSession) -> None:
    env = TableEnvironment()
    env.create_temporary_function("shout", Shout)
    env.execute_sql(
        "CREATE TABLE t (s STRING) WITH ('connector' = 'datagen'); CREATE TABLE o (s STRING) WITH"
        " ('connector' = 'blackhole')"
    )
    text = env.compile_plan_sql("INSERT INTO o SELECT shout(s) FROM t").to_json()
    plan = CompiledPlan.from_json(text.replace(Shout.__module__, "os.path"))
    with pytest.raises(UnsupportedError, match=r"os\.path\.Shout.*not allowed(.|\n)*--functions-from os"):
        Run(spark, plan, RunOptions())
    with pytest.raises(CompiledPlanError, match=r"'os\.path' has no class 'Shout'"):
        Run(spark, plan, RunOptions(functions_from=("os",)))


class Fraction:
    """A value without an SQL type passes from function to function unchanged."""

    def __init__(self, up: int, down: int) -> None:
        self.up, self.down = up, down


Raw = Annotated[Fraction, DataTypeHint("RAW")]


class Divide(ScalarFunction):
    def eval(self, up: int, down: int) -> Raw:
        return Fraction(up, down)


class Percent(ScalarFunction):
    def eval(self, fraction: Raw) -> int:
        return 100 * fraction.up // fraction.down


class Cents(DataTypeConverter[Decimal, int]):
    def to_internal(self, external: int) -> Decimal:
        return Decimal(external).scaleb(-2)

    def to_external(self, internal: Decimal) -> int:
        return int(internal.scaleb(2))


MONEY = DataTypes.DECIMAL(10, 2).bridged_to(int, Cents())


@function_hint(input=[MONEY], output=MONEY)
class AddCent(ScalarFunction):
    def eval(self, cents: int) -> int:
        assert isinstance(cents, int)
        return cents + 1


class Overloaded(ScalarFunction):
    def eval(self, number: int) -> str:
        return f"number {number}"

    def eval_text(self, text: str) -> str:
        return f"text {text}"


@function_hint(input=DataTypeHint(input_group="ANY"), is_varargs=True, output="STRING")
class Show(ScalarFunction):
    def eval(self, *values: object) -> str:
        return "; ".join(f"{type(value).__name__} {value}" for value in values)


#: Expression, type and value for a row with `a` 3 and `s` "x"; `v` is the result of `Round`.
VALUES: list[tuple[str, str, Any]] = [
    ("pct(divide(a, 4))", "BIGINT", 75),
    ("CAST(cent(1.5) AS STRING)", "STRING", "1.51"),
    ("f(a)", "STRING", "number 3"),
    ("f(s)", "STRING", "text x"),
    ("display(a, s, 1.5, NULL)", "STRING", "int 3; str x; Decimal 1.5; NoneType None"),
    ("numbered(s)", "STRING", "x42"),
    ("reach(point(a, 0.5))", "DOUBLE", 3.5),
    ("reach(point(a, CAST(NULL AS DOUBLE)))", "DOUBLE", 3.0),
    (f"reach(OBJECT_OF('{Point.__module__}.Point', 'x', a, 'y', 2.5E0))", "DOUBLE", 5.5),
    ("CAST(v.n AS STRING)", "STRING", "24.70"),
    ("CAST(v.d AS STRING)", "STRING", "2024-02-29"),
    ("CAST(v.t AS STRING)", "STRING", "01:11:12.0"),
    ("CAST(v.s AS STRING)", "STRING", "2024-01-01 00:00:02.000000"),
    ("CAST(v.i AS STRING)", "STRING", "+0 00:00:03.000"),
    ("v.l", "ARRAY<STRING>", ["a", "new"]),
    ("v.m", "MAP<STRING, DOUBLE>", {"k": 2.0, "z": 1.0}),
    ("v.f", "BOOLEAN", False),
    ("CAST(v.r AS STRING)", "STRING", "ab!"),
]


@pytest.mark.wide
def test_every_kind_of_value(spark: SparkSession, tmp_path: Path) -> None:
    """Types of SQL, objects, structured types, RAW, converters and overloads."""
    columns = ", ".join(f"c{at} {type_}" for at, (_, type_, _) in enumerate(VALUES))
    (result,) = run(
        spark,
        tmp_path,
        f"SELECT {', '.join(text for text, _, _ in VALUES)} FROM (SELECT a, s, change(12.345, DATE '2024-02-28',"
        " TIME '10:11:12', TIMESTAMP '2024-01-01 00:00:00.5', INTERVAL '1.5' SECOND, ARRAY['a'], MAP['k', 2E0], TRUE,"
        " x'6162') AS v FROM t)",
        [{"a": 3, "s": "x"}],
        f"a INT NOT NULL, s STRING -> {columns}",
        pct=Percent,
        divide=Divide,
        cent=AddCent,
        f=Overloaded,
        display=Show,
        numbered=Counted(41),
        reach=Reach,
        point=MakePoint,
        change=Round,
    )
    assert [(text, value) for (text, _, _), value in zip(VALUES, result, strict=True)] == [
        (text, value) for text, _, value in VALUES
    ]


@pytest.mark.wide
def test_functions_in_joins(spark: SparkSession, tmp_path: Path) -> None:
    """A join key, and the rest of the condition, which is checked above the join."""
    result = run(
        spark,
        tmp_path,
        "SELECT l.a, r.a FROM t AS l JOIN t AS r ON shout(l.s) = shout(r.s) AND total(l.a, r.a) > 3",
        [{"a": 1, "s": "x"}, {"a": 2, "s": "X"}, {"a": 9, "s": "y"}],
        "a INT, s STRING -> a INT, b INT",
        shout=Shout,
        total=Sum,
    )
    assert sorted(result) == [(2, 2), (9, 9)]


@pytest.mark.wide
def test_functions_in_event_time(spark: SparkSession, tmp_path: Path) -> None:
    """Below a window and above it: rows keep their watermarks."""
    rows = [{"a": at, "s": "ab"[at % 2], "ts": f"2024-01-01 00:00:0{at}"} for at in range(6)]
    result = run(
        spark,
        tmp_path,
        "SELECT shout(k), n FROM (SELECT k, COUNT(*) AS n FROM TABLE(TUMBLE((SELECT shout(s) AS k, ts FROM t),"
        " DESCRIPTOR(ts), INTERVAL '4' SECOND)) GROUP BY k, window_start, window_end)",
        rows,
        "a INT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts -> k STRING, n BIGINT",
        shout=Shout,
    )
    assert sorted(result) == [("A!!", 1), ("A!!", 2), ("B!!", 1), ("B!!", 2)]
