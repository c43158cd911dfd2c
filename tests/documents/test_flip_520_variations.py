"""FLIP-520 one step beyond its examples: names, fields, common types, rows and objects of other classes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from compiled_plan import DataTypes, Row, TableEnvironment, call, col, lit, object_of
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.functions import DataTypeHint, ScalarFunction, function_hint
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import parse_type

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


class Account:
    """A class with getters and setters, and a constructor without arguments."""

    def __init__(self) -> None:
        self._owner, self._cents = "", 0

    def get_owner(self) -> str:
        return self._owner

    def set_owner(self, value: str) -> None:
        self._owner = value.strip()

    @property
    def cents(self) -> int:
        return self._cents

    @cents.setter
    def cents(self, value: int) -> None:
        self._cents = value


USER, CAT = f"{__name__}.User", f"{__name__}.Cat"
#: Names that the document allows: "We are not enforcing that the name is a valid class name."
NAMES = [
    "User",
    "a b",
    "1a",
    "my-class",
    "com.example.User$Inner",
    "it's",
    "über.Klasse",
    "a..b",
    "com.class.New",
    "<T>",
]


def quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


def schema(query: str) -> str:
    return str(TableEnvironment().sql_query(query).get_schema().get_column_data_types()[0])


def refusal(query: str, *set_up: str) -> str:
    env = TableEnvironment()
    for statement in set_up:
        env.execute_sql(statement)
    with pytest.raises(CompiledPlanError) as caught:
        env.execute_sql(f"EXPLAIN {query}") if set_up else env.sql_query(query)
    return str(caught.value)


# --- SQL Data Type


@pytest.mark.parametrize("name", NAMES)
def test_sql_data_type_any_name(name: str) -> None:
    """In a table, a cast, a value and a hint; the plan survives a round trip."""
    type_ = f"STRUCTURED<{quoted(name)}, a INT>"

    @function_hint(input=[type_], output=type_)
    class Same(ScalarFunction):
        def eval(self, row: Row) -> Row:
            return row

    env = TableEnvironment()
    env.create_temporary_function("same", Same)
    env.execute_sql(f"CREATE TABLE o (a {type_}, b {type_}) WITH ('connector' = 'blackhole')")
    query = f"SELECT same(CAST(ROW(1) AS {type_})), OBJECT_OF({quoted(name)}, 'a', 1)"
    text = env.compile_plan_sql(f"INSERT INTO o {query}").to_json()
    assert CompiledPlan.from_json(text).to_json() == text
    structured = DataTypes.STRUCTURED(name, DataTypes.FIELD("a", "INT"))
    assert str(structured) == str(parse_type(str(structured))) == f"STRUCTURED<{quoted(name)}, `a` INT>"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT CAST(ROW(1, 2) AS STRUCTURED<'x.Y', a INT, a INT>)", "field 'a' is declared twice"),
        ("SELECT CAST(ROW(ROW(1, 2)) AS ROW<r ROW<a INT, a INT>>)", "field 'a' is declared twice"),
        ("SELECT OBJECT_OF('x.Y', 'a', 1, 'a', 2)", "names the field a twice"),
    ],
)
def test_sql_data_type_fields(query: str, message: str) -> None:
    assert message in refusal(query)


@pytest.mark.parametrize("type_", ["STRUCTURED<'x.Y', a INT, a INT>", "ROW<a INT, a INT>"])
def test_sql_data_type_fields_in_tables_hints_and_data_types(type_: str) -> None:
    @function_hint(input=[type_], output="INT")
    class Hinted(ScalarFunction):
        def eval(self, row: Row) -> int: ...

    class Annotated_(ScalarFunction):
        @DataTypeHint(type_)
        def eval(self, number: int) -> Row: ...

    env = TableEnvironment()
    for refused in (
        lambda: env.create_temporary_function("f", Hinted),
        lambda: env.create_temporary_function("f", Annotated_),
        lambda: DataTypes.of(type_),
        lambda: parse_type(type_),
        lambda: env.execute_sql(f"CREATE TABLE t (a {type_}) WITH ('connector' = 'blackhole')"),
    ):
        with pytest.raises(CompiledPlanError, match="twice"):
            refused()


def test_a_structured_type_without_fields() -> None:
    type_ = "STRUCTURED<'x.Y'>"
    assert [str(parse_type(text)) for text in (type_, "STRUCTURED<'x.Y', >")] == [
        type_,
        type_,
    ]  # Flink writes the latter
    assert str(DataTypes.STRUCTURED("x.Y")) == type_
    env = TableEnvironment()
    env.execute_sql(f"CREATE TABLE o (a {type_}, b STRUCTURED<'x.Z', c {type_}>) WITH ('connector' = 'blackhole')")
    query = "SELECT OBJECT_OF('x.Y'), OBJECT_OF('x.Z', 'c', OBJECT_OF('x.Y'))"
    text = env.compile_plan_sql(f"INSERT INTO o {query}").to_json()
    assert CompiledPlan.from_json(text).to_json() == text


# --- Handling Structured Types in SQL

BOB, ALICE = (f"OBJECT_OF('x.A', 'name', '{name}', 'age', {age})" for name, age in (("Bob", 1), ("Alice", 2)))
NULLS = "OBJECT_OF('x.A', 'name', CAST(NULL AS STRING), 'age', CAST(NULL AS INT))"
MEETINGS = {
    "UNION": "SELECT {0} UNION ALL SELECT {1}",
    "CASE": "SELECT CASE WHEN RAND() > 2 THEN {0} ELSE {1} END",
    "COALESCE": "SELECT COALESCE({0}, {1})",
    "ARRAY": "SELECT ARRAY[{0}, {1}]",
    "MAP": "SELECT MAP['a', {0}, 'b', {1}]",
    "VALUES": "SELECT * FROM (VALUES ({0}), ({1})) AS t(a)",
    "nested": "SELECT OBJECT_OF('x.O', 'n', {0}) UNION ALL SELECT OBJECT_OF('x.O', 'n', {1})",
}


@pytest.mark.parametrize("query", MEETINGS.values(), ids=MEETINGS)
def test_handling_objects_whose_texts_differ_in_length_meet(query: str) -> None:
    """Like rows; nullable fields make those of the result nullable. Objects of other classes have no common type."""
    assert "'x.A', `name` VARCHAR(5) NOT NULL, `age` INT NOT NULL>" in schema(query.format(BOB, ALICE))
    assert "'x.A', `name` VARCHAR(2147483647), `age` INT>" in schema(query.format(BOB, NULLS))
    for old, new in (("x.A", "x.B"), ("'name'", "'nam'")):
        refusal(query.format(BOB, ALICE.replace(old, new)))


@pytest.mark.wide
def test_handling_in_a_run(spark: SparkSession) -> None:
    """Objects with names that are no classes; a class with getters and setters, in and out of a function."""

    class Deposit(ScalarFunction):
        def eval(self, account: Account, cents: int) -> Account:
            assert isinstance(account, Account)
            account.cents += cents
            return account

    env = TableEnvironment()
    env.create_temporary_function("deposit", Deposit)
    name = f"{__name__}.Account"
    calls = [
        f"OBJECT_OF('{name}', 'cents', 1, 'owner', ' Al ')",
        f"deposit(OBJECT_OF('{name}', 'cents', 1, 'owner', ' Bo '), 2)",
    ]
    meeting = ", ".join(
        MEETINGS[key].format(BOB, ALICE).removeprefix("SELECT ") for key in ("CASE", "COALESCE", "ARRAY", "MAP")
    )
    (row,) = env.execute_sql(f"SELECT {', '.join(calls)}, {meeting}, OBJECT_OF('a b', 'x', 1)").collect()
    bob, alice = ("Bob", 1), ("Alice", 2)
    assert [(type(item), item.get_owner(), item.cents) for item in row[:2]] == [(Account, "Al", 1), (Account, "Bo", 3)]
    assert tuple(row[2:]) == (alice, bob, [bob, alice], {"a": bob, "b": alice}, (1,))
    account = Account()
    account.set_owner("Cy")
    (changed_account,) = (
        env.from_values([(account,)], ["a"])
        .select(call("deposit", col("a"), lit(5).cast("BIGINT")))
        .execute()
        .collect()
    )
    assert (type(changed_account[0]), changed_account[0].get_owner(), changed_account[0].cents) == (Account, "Cy", 5)
    (new_account,) = env.sql_query("SELECT 'Di' AS owner, CAST(7 AS BIGINT) AS cents").execute().collect(Account)
    assert (type(new_account), new_account.get_owner(), new_account.cents) == (Account, "Di", 7)
    both = env.execute_sql(MEETINGS["UNION"].format(BOB, ALICE)).collect()
    assert sorted(both) == [(alice,), (bob,)]


# --- rows, and objects of other classes

SINK = f"CREATE TABLE users (u STRUCTURED<'{USER}', name STRING, age BIGINT>) WITH ('connector' = 'blackhole')"


@pytest.mark.parametrize(
    "value",
    [
        f"OBJECT_OF('{CAT}', 'name', 'Tom', 'age', CAST(1 AS BIGINT))",
        f"OBJECT_OF('{USER}', 'label', 'Tom', 'age', CAST(1 AS BIGINT))",
        "ROW('Bob', CAST(1 AS BIGINT))",
        "('Bob', CAST(1 AS BIGINT))",
        "CAST(ROW('Bob', 1) AS ROW<name STRING, age BIGINT>)",
    ],
)
def test_combining_another_class_needs_a_cast_in_a_call(value: str) -> None:
    """A column takes it, as in Flink; an argument needs the CAST that the document writes."""

    class Name(ScalarFunction):
        def eval(self, user: User) -> str: ...

    env = TableEnvironment()
    env.create_temporary_function("name_of", Name)
    with pytest.raises(CompiledPlanError, match="invalid function call"):
        env.sql_query(f"SELECT name_of({value})")
    env.execute_sql(SINK)
    cast = f"CAST({value} AS STRUCTURED<'{USER}', name STRING, age BIGINT>)"
    query = f"SELECT {cast} FROM (VALUES (1)) AS v(x) WHERE name_of({cast}) <> ''"
    for text in (query, f"SELECT {value}"):
        plan = env.compile_plan_sql(f"INSERT INTO users {text}")
        assert json.loads(plan.to_json())["nodes"]


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("OBJECT_OF('x.Cat', 'name', 'Tom', 'age', 1)", True),  # INT into BIGINT
        ("OBJECT_OF('x.Cat', 'age', 'Tom', 'name', CAST(NULL AS INT))", True),  # by place, not by name
        (f"OBJECT_OF('{USER}', 'name', 'Tom')", False),
        (f"OBJECT_OF('{USER}', 'name', 'Tom', 'age', 1, 'more', 1)", False),
        (f"OBJECT_OF('{USER}', 'name', 1, 'age', 1)", False),
    ],
)
def test_combining_columns_of_another_class(value: str, fits: bool) -> None:
    """Flink 2.3's answers, also for collections."""
    env = TableEnvironment()
    env.execute_sql(SINK)
    env.execute_sql(SINK.replace("users (u STRUCTURED", "many (u ARRAY<STRUCTURED").replace("BIGINT>)", "BIGINT>>)"))
    for insert in (f"INSERT INTO users SELECT {value}", f"INSERT INTO many SELECT ARRAY[{value}]"):
        if fits:
            assert json.loads(env.compile_plan_sql(insert).to_json())["nodes"]
        else:
            with pytest.raises(CompiledPlanError, match="incompatible types for sink column 'u'"):
                env.compile_plan_sql(insert)


def test_combining_another_class_in_python() -> None:
    class Name(ScalarFunction):
        def eval(self, user: User) -> str: ...

    env = TableEnvironment()
    env.execute_sql(SINK)
    cats = env.from_values([object_of(Cat, "Tom", 1)]).alias("c")
    with pytest.raises(CompiledPlanError, match="invalid function call"):
        cats.select(call(Name, col("c")))
    assert json.loads(cats.insert_into("users").compile_plan().to_json())["nodes"]
