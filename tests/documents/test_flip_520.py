"""Every example of FLIP-520, "Structured types", in Python; each test is named after its section."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan import DataTypes, Row, TableEnvironment, col, object_of
from compiled_plan.plans.errors import CompiledPlanError, DataError, ProgramError
from compiled_plan.plans.functions import DataTypeHint, ScalarFunction, function_hint
from compiled_plan.plans.types import StructuredType, parse_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

USER = "STRUCTURED<'com.example.User', `name` VARCHAR(2147483647), `age` INT>"
BOB = "OBJECT_OF('com.example.User', 'name', 'Bob', 'age', 42)"


class MyPojo:
    """A plain class with fields and a constructor instead of a dataclass, as in the document."""

    name: str
    score: int

    def __init__(self, name: str, score: int) -> None:
        self.name, self.score = name, score

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MyPojo) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass
class User:
    name: str
    age: int


USER_NAME = f"{User.__module__}.User"


class PojoScalarFunction(ScalarFunction):
    def eval(self, name: str, score: int) -> MyPojo:
        return MyPojo(name, score)


@pytest.fixture
def env(spark: SparkSession) -> TableEnvironment:
    return TableEnvironment()


def type_of(query: str, environment: TableEnvironment | None = None) -> str:
    """The type of the only column of a query."""
    table = (environment or TableEnvironment()).sql_query(query)
    return str(table.get_schema().get_column_data_types()[0])


def refusal(query: str) -> str:
    with pytest.raises(CompiledPlanError) as caught:
        TableEnvironment().sql_query(query)
    assert "line 1, column" in caught.value.where
    return f"{caught.value.message} {caught.value.remedy}"


# --- Motivation


@pytest.mark.wide
def test_motivation_a_function_returns_objects(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    env.create_temporary_function("PojoScalarFunction", PojoScalarFunction)
    env.execute_sql("SELECT PojoScalarFunction('Bob', 42)").print()
    assert "(name=Bob, score=42)" in capsys.readouterr().out
    rows = list(env.execute_sql("SELECT PojoScalarFunction('Bob', 42)").collect())
    assert rows == [(MyPojo("Bob", 42),)]


@function_hint(input=[DataTypeHint(USER)], output=USER)
class Older(ScalarFunction):
    def eval(self, user: Row) -> Row:
        return Row(user.name, user.age + 1)


@pytest.mark.wide
def test_motivation_structured_types_in_hints(env: TableEnvironment) -> None:
    env.create_temporary_function("older", Older)
    (row,) = env.execute_sql(f"SELECT older(CAST({BOB} AS {USER}))").collect()
    assert row == (("Bob", 43),)


# --- Public Interfaces


def test_public_interfaces_sql_data_type() -> None:
    actual = type_of("SELECT CAST(NULL AS STRUCTURED<'com.example.User', name STRING 'who', age INT NOT NULL 'years'>)")
    assert actual == "STRUCTURED<'com.example.User', `name` VARCHAR(2147483647) 'who', `age` INT NOT NULL 'years'>"
    assert str(parse_type(actual)) == actual


def test_public_interfaces_data_types_structured() -> None:
    by_name = DataTypes.STRUCTURED(
        "com.example.User", DataTypes.FIELD("name", DataTypes.STRING()), DataTypes.FIELD("age", DataTypes.INT())
    )
    assert str(by_name) == USER
    of_class = DataTypes.STRUCTURED(User, DataTypes.FIELD("name", "STRING"), DataTypes.FIELD("age", "INT"))
    assert isinstance(of_class.logical_type, StructuredType)
    assert of_class.logical_type.class_name == USER_NAME
    assert of_class.conversion_class is User


@pytest.mark.parametrize("name", ["", " "])
def test_public_interfaces_a_class_name_is_not_blank(name: str) -> None:
    with pytest.raises(ProgramError, match="invalid class name"):
        DataTypes.STRUCTURED(name, DataTypes.FIELD("a", "INT"))
    assert "invalid class name" in refusal(f"SELECT OBJECT_OF('{name}', 'a', 1)")
    assert "invalid class name" in refusal(f"SELECT CAST(ROW(1) AS STRUCTURED<'{name}', a INT>)")


# --- Proposed Changes, SQL Data Type

TABLE = """CREATE TABLE MyTable (
  uid BIGINT,
  `user` STRUCTURED<'com.example.User', name STRING, age INT NOT NULL>
) WITH ('connector' = 'blackhole')"""


def test_sql_data_type_in_a_table() -> None:
    env = TableEnvironment()
    env.execute_sql(TABLE)
    plan = env.compile_plan_sql(f"INSERT INTO MyTable SELECT 1, {BOB}")
    table = plan.sinks[0].to_dict()["dynamicTableSink"]["table"]["resolvedTable"]
    assert table["schema"]["columns"][1] == {
        "name": "user",
        "dataType": "STRUCTURED<'com.example.User', `name` VARCHAR(2147483647), `age` INT NOT NULL>",
    }


def test_sql_data_type_casts_a_row() -> None:
    env = TableEnvironment()
    env.execute_sql(TABLE.replace("INT NOT NULL", "INT"))
    cast = "CAST(('Bob', 42) AS STRUCTURED<'com.example.User', name STRING, age INT>)"
    plan = env.compile_plan_sql(f"INSERT INTO MyTable SELECT CAST(1 AS BIGINT), {cast}")
    projected = json.loads(plan.to_json())["nodes"][1]["projection"][1]
    assert projected["internalName"] == "$CAST$1"
    assert projected["type"] == f"{USER} NOT NULL"
    assert projected["operands"][0]["type"] == "ROW<`EXPR$0` CHAR(3) NOT NULL, `EXPR$1` INT NOT NULL> NOT NULL"


@pytest.mark.wide
def test_sql_data_type_in_a_run(env: TableEnvironment) -> None:
    casts = f"CAST({BOB} AS ROW<n STRING, a INT>), CAST(('Al', 1) AS {USER}), CAST({BOB} AS STRING), {BOB}.age"
    (row,) = env.execute_sql(f"SELECT {casts}").collect()
    assert row == (("Bob", 42), ("Al", 1), "(name=Bob, age=42)", 42)
    assert row[0].field_names == ("n", "a")


@pytest.mark.wide
def test_sql_data_type_in_a_file(env: TableEnvironment, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "rows.json").write_text('{"uid": 1, "u": {"name": "Bob", "age": 42}}\n{"uid": 2}\n')
    env.execute_sql(
        f"CREATE TABLE people (uid BIGINT, u {USER}) "
        f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/in', 'format' = 'json')"
    )
    rows = list(env.execute_sql("SELECT uid, u, OBJECT_UPDATE(u, 'age', u.age + 1) FROM people").collect())
    assert rows == [(1, ("Bob", 42), ("Bob", 43)), (2, None, None)]


# --- Proposed Changes, Handling Structured Types in SQL


def test_handling_object_of(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    env.execute_sql(f"SELECT {BOB}").print()
    assert "|             (name=Bob, age=42) |" in capsys.readouterr().out


@pytest.mark.wide
def test_handling_object_update(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    env.execute_sql(f"SELECT OBJECT_UPDATE({BOB}, 'name', 'Alice')").print()
    assert "|           (name=Alice, age=42) |" in capsys.readouterr().out


@pytest.mark.wide
def test_handling_values_equal(env: TableEnvironment) -> None:
    query = f"SELECT {BOB} = {BOB}, {BOB} <> {BOB}, {BOB} IN ({BOB}), {BOB} IS NULL"
    assert list(env.execute_sql(query).collect()) == [(True, False, True, False)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("OBJECT_OF('U', 'a' || 'b', 1)", "text literals"),
        ("OBJECT_OF('U', CAST(NULL AS STRING), 1)", "text literals"),
        ("OBJECT_OF('U', 'a')", "a value for every field"),
        ("OBJECT_OF('U', 'a', 1, 'a', 2)", "names the field a twice"),
        ("OBJECT_OF('U', 'a', NULL)", "NULL"),
        ("OBJECT_OF(CAST(NULL AS STRING), 'a', 1)", "OBJECT_OF"),
        (f"OBJECT_UPDATE({BOB}, 'nam', 'x')", "has no field nam it has name, age"),
        (f"OBJECT_UPDATE({BOB}, 'name', 'x', 'name', 'y')", "names the field name twice"),
        (f"OBJECT_UPDATE({BOB}, 'name')", "a value for every field"),
        ("OBJECT_UPDATE(ROW('a', 1), 'EXPR$0', 42)", "needs a structured value"),
        (f"{BOB} = OBJECT_OF('com.example.Other', 'name', 'Bob', 'age', 42)", "cannot apply ="),
        (f"{BOB} < {BOB}", "cannot apply <"),
        ("CAST(1 AS STRUCTURED<'U', a INT>)", "cannot cast INT"),
        ("CAST(ROW(1, 2) AS STRUCTURED<'U', a INT>)", "cannot cast ROW"),
        ("CAST(ROW(1, 2) AS STRUCTURED<'U', a INT, a INT>)", "declared twice"),
    ],
)
def test_handling_refusals(call: str, message: str) -> None:
    assert message in refusal(f"SELECT {call}")


def test_handling_types_that_differ_do_not_meet() -> None:
    second = "OBJECT_OF('com.example.User', 'name', 'Al', 'age', CAST(1 AS BIGINT))"
    assert "type mismatch in column 1 of UNION ALL" in refusal(f"SELECT {BOB} UNION ALL SELECT {second}")
    assert "illegal mixing of types in CASE" in refusal(f"SELECT CASE WHEN TRUE THEN {BOB} ELSE {second} END")


def test_handling_nulls() -> None:
    assert type_of(f"SELECT OBJECT_UPDATE({BOB})") == type_of(f"SELECT {BOB}")
    changed = type_of(f"SELECT OBJECT_UPDATE({BOB}, 'name', CAST(NULL AS STRING))")
    assert changed == "STRUCTURED<'com.example.User', `name` VARCHAR(2147483647), `age` INT NOT NULL>"


# --- Proposed Changes, Table API


@pytest.mark.wide
def test_table_api(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    objects = env.from_values([object_of(MyPojo, "Bob", 42)]).alias("obj")
    objects.execute().print()
    assert "(name=Bob, score=42)" in capsys.readouterr().out
    objects.select(col("obj").object_update("name", "Alice")).execute().print()
    assert "(name=Alice, score=42)" in capsys.readouterr().out


def test_table_api_compiles_to_the_plan_of_sql() -> None:
    env = TableEnvironment()
    env.execute_sql(f"CREATE TABLE s (u {USER}) WITH ('connector' = 'blackhole')")
    env.execute_sql(f"CREATE TABLE t (u {USER}) WITH ('connector' = 'datagen')")
    of_class = USER.replace("com.example.User", USER_NAME)
    env.execute_sql(f"CREATE TABLE users (u {of_class}) WITH ('connector' = 'blackhole')")
    by_sql = env.compile_plan_sql("INSERT INTO s SELECT OBJECT_UPDATE(u, 'name', 'Al', 'age', u.age + 1) FROM t")
    table = env.from_path("t").select(col("u").object_update("name", "Al", "age", col("u").get("age") + 1))
    assert table.insert_into("s").compile_plan().to_json() == by_sql.to_json()
    by_sql = env.compile_plan_sql(f"INSERT INTO users SELECT OBJECT_OF('{USER_NAME}', 'name', 'Al', 'age', 1) FROM t")
    for expression in (
        object_of(USER_NAME, "name", "Al", "age", 1),
        object_of(User, "name", "Al", "age", 1),
        object_of(User, "Al", 1),
        object_of(User, name="Al", age=1),
    ):
        assert env.from_path("t").select(expression).insert_into("users").compile_plan().to_json() == by_sql.to_json()


@pytest.mark.wide
def test_table_api_object_of_a_data_type(env: TableEnvironment) -> None:
    type_ = DataTypes.STRUCTURED(User, DataTypes.FIELD("name", "STRING"), DataTypes.FIELD("age", "BIGINT"))
    table = env.from_values([object_of(type_, "age", 42, "name", "Bob"), object_of(type_, "name", "Al")], ["u"])
    assert str(table.get_schema().get_column_data_types()[0]).startswith(str(type_))
    assert list(table.execute().collect()) == [(User("Bob", 42),), (User("Al", None),)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("U", "a"), "no value"),
        (("U", 1, 2), "is no name"),
        ((User, "Bob"), "2 field"),
        ((User, "nam", "Bob", "age", 1), "has no field nam"),
        ((int, 1), "cannot be inferred"),
        ((5, "a", 1), "object_of"),
    ],
)
def test_table_api_refusals(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        object_of(*arguments)  # type: ignore[arg-type]
    assert message in caught.value.message


def test_table_api_an_update_names_the_fields_that_there_are() -> None:
    objects = TableEnvironment().from_values([object_of(User, "Bob", 42)]).alias("obj")
    with pytest.raises(ProgramError) as caught:
        objects.select(col("obj").object_update("nam", "Alice"))
    assert "has no field nam" in caught.value.message and "name, age" in caught.value.remedy


# --- Examples, Using TYPEOF in SQL


@pytest.mark.wide
def test_typeof_whether_or_not_there_is_a_class(env: TableEnvironment) -> None:
    names = ["com.example.User", USER_NAME]
    calls = ", ".join(f"TYPEOF(OBJECT_OF('{name}', 'name', 'Bob', 'age', 42))" for name in names)
    (row,) = env.execute_sql(f"SELECT {calls}").collect()
    assert list(row) == [f"STRUCTURED<'{name}', `name` CHAR(3) NOT NULL, `age` INT NOT NULL>" for name in names]


# --- Examples, Combining SQL and Table API


@pytest.mark.wide
def test_combining_a_name_without_class_comes_out_as_a_row(env: TableEnvironment) -> None:
    (row,) = env.sql_query(f"SELECT {BOB}").execute().collect()
    assert type(row[0]) is Row
    assert row[0].as_dict() == {"name": "Bob", "age": 42}


def test_combining_a_name_with_class_comes_out_as_that_class(env: TableEnvironment) -> None:
    query = f"SELECT OBJECT_OF('{USER_NAME}', 'age', 42, 'name', 'Bob')"
    assert list(env.sql_query(query).execute().collect()) == [(User("Bob", 42),)]


def test_combining_a_class_that_does_not_fit_is_refused(env: TableEnvironment) -> None:
    result = env.sql_query(f"SELECT OBJECT_OF('{USER_NAME}', 'first', 'Bob')").execute()
    with pytest.raises(DataError, match=r"cannot be made from the fields first"):
        list(result.collect())


@pytest.mark.wide
def test_combining_no_class_but_the_programs_own(env: TableEnvironment) -> None:
    names = ["subprocess.Popen", "pathlib.Path", "pandas.DataFrame", "compiled_plan.plans.errors.PlanError"]
    calls = ", ".join(f"OBJECT_OF('{name}', 'args', 'ls')" for name in names)
    (row,) = env.sql_query(f"SELECT {calls}").execute().collect()
    assert [type(value) for value in row] == [Row] * len(names)
