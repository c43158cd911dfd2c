"""FLIP-65, "Resolution Process" and "FunctionHint": the signature named in a plan is the one that runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import numpy
import pytest

from compiled_plan import Row, TableEnvironment, call, col, lit, object_of
from compiled_plan.plans.errors import CompiledPlanError, PlanError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.functions import (
    ANY,
    AggregateFunction,
    DataTypeHint,
    ScalarFunction,
    TableFunction,
    function_hint,
)
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass
class User:
    name: str
    age: int


@dataclass
class Cat:
    name: str
    age: int


@dataclass
class Renamed:
    label: str
    age: int


class Kind(ScalarFunction):
    """Classes with equal field types, and rows."""

    def eval(self, one: User) -> str:
        assert isinstance(one, User)
        return f"user {one.name}"

    def eval_cat(self, one: Cat) -> str:
        assert isinstance(one, Cat)
        return f"cat {one.name}"

    @function_hint(input=["ROW<name STRING, age BIGINT>"])
    def eval_row(self, one: Row) -> str:
        assert isinstance(one, Row)
        return f"row {one.name}"

    def eval_cats(self, many: list[Cat]) -> str:
        return f"{len(many)} {type(many[0]).__name__}"

    def eval_users(self, many: list[User]) -> str:
        return f"{len(many)} {type(many[0]).__name__}"


class Nullable(ScalarFunction):
    def eval(self, number: int) -> str:
        return "not null"

    def eval_nullable(self, number: int | None) -> str:
        return "nullable"


class Width(ScalarFunction):
    """The nearest wider number, not the first one; the type itself before ANY."""

    def eval(self, number: float) -> str:
        return "double"

    def eval_small(self, number: numpy.int32) -> str:
        return "int"

    def eval_big(self, number: int) -> str:
        return "bigint"

    def eval_text(self, text: str) -> str:
        return "text"

    @function_hint(input=[DataTypeHint(input_group=ANY)])
    def eval_other(self, value: Any) -> str:
        return "any"


class Several(ScalarFunction):
    """A fixed-width number before any number."""

    def eval(self, *numbers: int) -> str:
        return f"{len(numbers)} of any number"

    def eval_two(self, one: int, two: int) -> str:
        return "two"


@function_hint(input=["STRING", "INT"], is_varargs=True, output="STRING")
class Fixed(ScalarFunction):
    def eval(self, name: str, *numbers: int) -> str:
        return f"{name}{list(numbers)}"


class FixedFirst(ScalarFunction):
    def eval(self, name: str, *numbers: Annotated[Decimal, DataTypeHint("DECIMAL(5, 1)")] | None) -> str:
        return f"{name}{[None if item is None else str(item) for item in numbers]}"


@function_hint(is_varargs=False)
class OneOnly(ScalarFunction):
    def eval(self, *numbers: int) -> str:
        return f"{len(numbers)}"


T = TypeVar("T")
S = TypeVar("S")


@dataclass
class Pair(Generic[T]):
    left: T
    right: list[T]


class Swap(ScalarFunction):
    def eval(self, pair: Pair[int]) -> Pair[str]:
        assert isinstance(pair, Pair)
        return Pair(str(pair.right[0]), [str(pair.left)])

    def eval_text(self, pair: Pair[str]) -> str:
        return pair.left + "".join(pair.right)


class Repeat(TableFunction[T], Generic[S, T]):
    def eval(self, value: S, times: int) -> Iterator[T]:
        for _ in range(times):
            yield value  # type: ignore[misc]


class RepeatText(Repeat[str, str]): ...


class Collected(AggregateFunction[list[T], list[T]], Generic[T]):
    def create_accumulator(self) -> list[T]:
        return []

    def accumulate(self, accumulator: list[T], value: T) -> None:
        accumulator.append(value)

    def retract(self, accumulator: list[T], value: T) -> None:
        accumulator.remove(value)

    def get_value(self, accumulator: list[T]) -> list[T]:
        return accumulator


class CollectedInts(Collected[int]): ...


class IsStatic(ScalarFunction):
    @staticmethod
    def eval(number: int) -> str:
        return f"static {number}"


class Number(ScalarFunction):
    def eval(self, number: int) -> int:
        return number


class OfClass(ScalarFunction):
    NAME = "class"

    @classmethod
    def eval(cls, number: int) -> str:
        return f"{cls.NAME} {number}"


def environment() -> TableEnvironment:
    env = TableEnvironment()
    functions = (
        Kind,
        Nullable,
        Width,
        Several,
        Fixed,
        FixedFirst,
        OneOnly,
        Swap,
        RepeatText,
        CollectedInts,
        IsStatic,
        Number,
        OfClass,
    )
    for class_ in functions:
        env.create_temporary_function(class_.__name__, class_)
    return env


def of(class_: type, *values: str) -> str:
    names = ("name", "age") if class_ in (User, Cat) else ("left", "right")
    fields = ", ".join(f"'{name}', {value}" for name, value in zip(names, values, strict=True))
    return f"OBJECT_OF('{class_.__module__}.{class_.__qualname__}', {fields})"


BOB, TOM = of(User, "'Bob'", "1"), of(Cat, "'Tom'", "1")
NUMBERS, TEXTS = of(Pair, "1", "ARRAY[2]"), of(Pair, "'a'", "ARRAY['b', 'c']")


@pytest.mark.wide
def test_resolution_process_the_signature_of_the_plan_runs(spark: SparkSession) -> None:
    env = environment()
    calls = {
        f"kind({BOB})": "user Bob",
        f"kind({TOM})": "cat Tom",
        "kind(CAST(ROW('Al', 1) AS ROW<a STRING, b BIGINT>))": "row Al",
        f"kind(ARRAY[{TOM}])": "1 Cat",
        f"kind(ARRAY[{BOB}])": "1 User",
        "nullable(x)": "nullable",
        "nullable(CAST(1 AS BIGINT))": "not null",
        "nullable(NULL)": "nullable",
        "nullable(1)": "not null",
        "width(1)": "int",
        "width(CAST(1 AS SMALLINT))": "int",
        "width(x)": "bigint",
        "width(CAST(1 AS FLOAT))": "double",
        "width('a')": "text",
        "width(DATE '2020-01-01')": "any",
        "several()": "0 of any number",
        "several(x)": "1 of any number",
        "several(x, x)": "two",
        "several(x, 1, x)": "3 of any number",
        "fixed('a')": "a[]",
        "fixed('b', 1)": "b[1]",
        "fixed('c', 1, CAST(NULL AS INT), 3)": "c[1, None, 3]",
        "fixedfirst('d')": "d[]",
        "fixedfirst('e', 1.25)": "e['1.3']",
        "fixedfirst('f', CAST(NULL AS DECIMAL(5, 1)), 2)": "f[None, '2.0']",
        "oneonly(x)": "1",
        f"swap({NUMBERS}).`left`": "2",
        f"swap({TEXTS})": "abc",
        "isstatic(x)": "static 5",
        "ofclass(x)": "class 5",
    }
    rows = "(VALUES (CAST(5 AS BIGINT)), (CAST(NULL AS BIGINT))) AS v(x)"
    result = list(env.execute_sql(f"SELECT x, {', '.join(calls)} FROM {rows}").collect())
    first = next(row for row in result if row[0] == 5)
    assert dict(zip(calls, first[1:], strict=True)) == calls


@pytest.mark.wide
def test_new_extraction_generic_bases(spark: SparkSession) -> None:
    env = environment()
    query = "SELECT w FROM (VALUES (1)) AS v(x), LATERAL TABLE(repeattext('a', 2)) AS r(w)"
    assert [tuple(row) for row in env.execute_sql(query).collect()] == [("a",), ("a",)]
    last = list(env.execute_sql("SELECT collectedints(x) FROM (VALUES (1), (2)) AS v(x)").collect())[-1]
    assert sorted(last[0]) == [1, 2]


@pytest.mark.wide
def test_resolution_process_in_python(spark: SparkSession) -> None:
    env = environment()
    table = env.from_values([object_of(Cat, "Tom", 3)]).alias("o")
    result = table.select(
        call(Kind, col("o")), call("kind", object_of(User, "Bob", 4)), call(Nullable, lit(1))
    ).execute()
    assert [tuple(row) for row in result.collect()] == [("cat Tom", "user Bob", "not null")]


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT kind({TOM.replace('Cat', 'Dog')})",
        f"SELECT kind(OBJECT_OF('{User.__module__}.User', 'label', 'Bob', 'age', 1))",
        f"SELECT swap({NUMBERS.replace('2', 'DATE 2020')})".replace("2020", "'2020-01-01'"),
        "SELECT swap(CAST(ROW(1, ARRAY[1]) AS ROW<`left` BIGINT, `right` ARRAY<BIGINT>>))",
        "SELECT oneonly(x, x) FROM (VALUES (1)) AS v(x)",
        "SELECT oneonly()",
        "SELECT fixed()",
        "SELECT fixed('a', 'b')",
    ],
)
def test_resolution_process_refusals(query: str) -> None:
    """Objects of another class or with other field names, rows for objects; too many and too few arguments."""
    with pytest.raises(CompiledPlanError, match=r"invalid function call(.|\n)*supported signatures"):
        environment().sql_query(query)


def test_resolution_process_a_function_that_changed(spark: SparkSession) -> None:
    """The plan names another result, or a removed signature."""
    env = environment()
    env.execute_sql("CREATE TABLE t (x BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
    env.execute_sql("CREATE TABLE o (x STRING) WITH ('connector' = 'blackhole')")
    text = env.compile_plan_sql("INSERT INTO o SELECT isstatic(x) FROM t").to_json()
    for class_name, message in (
        ("FixedFirst", "invalid function call"),
        ("Number", "it gives BIGINT.* plan says VARCHAR"),
    ):
        plan = CompiledPlan.from_json(text.replace("IsStatic", class_name))
        with pytest.raises(PlanError, match=rf"has changed since the plan was compiled: {message}"):
            Run(spark, plan, RunOptions())
