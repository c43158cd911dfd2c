"""Functions that are declared as in PyFlink: their types, calls and references in plans."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from compiled_plan import DataTypes, Table, TableEnvironment, col
from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.functions.declared import Declared
from compiled_plan.plans.functions.loading import _LIVE
from compiled_plan.plans.rex.python import PythonFunction, python_function_from_json
from compiled_plan.plans.types.mutable_row import MutableRow as Row
from compiled_plan.pyflink.udf import (
    AggregateFunction,
    AsyncScalarFunction,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunctionWrapper,
    udaf,
    udf,
    udtaf,
    udtf,
)

ROW = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.STRING()), DataTypes.FIELD("b", DataTypes.BIGINT())])


@udf(result_type=DataTypes.BIGINT())
def add(left: Any, right: Any) -> Any:
    return left + right


@udf(result_type="BIGINT", func_type="pandas")
def vectorized(left: Any) -> Any:
    return left + 1


class Twice(ScalarFunction):
    def eval(self, number: Any) -> Any:
        return 2 * number


class Asked(AsyncScalarFunction):
    async def eval(self, number: Any) -> Any:
        return number


class Words(TableFunction[Any]):
    def eval(self, text: Any) -> Iterator[Any]:
        yield from text.split()


class Total(AggregateFunction[Any, Any]):
    def create_accumulator(self) -> Any:
        return Row(0)

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0]

    def get_result_type(self) -> Any:
        return "BIGINT"

    def get_accumulator_type(self) -> Any:
        return "ROW<total BIGINT>"


class Retracting(Total):
    def retract(self, accumulator: Any, value: Any) -> None:
        accumulator[0] -= value


class Both(TableAggregateFunction[Any, Any]):
    def create_accumulator(self) -> Any:
        return [0, 0]

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator[:] = sorted([*accumulator, value])[-2:]

    def emit_value(self, accumulator: Any) -> Iterator[Any]:
        yield from map(Row, accumulator)


twice = udf(Twice(), result_type="BIGINT")
awaited = udf(Asked(), result_type="BIGINT")
words = udtf(Words(), result_types=DataTypes.STRING())
pairs = udtf(lambda text: [(text, 1)], result_types=[DataTypes.STRING(), "INT"])
total, retracting = udaf(Total()), udaf(Retracting())
mean = udaf(lambda values: values.mean(), result_type="DOUBLE", func_type="pandas")
both = udtaf(
    Both(), result_type=DataTypes.ROW([DataTypes.FIELD("x", DataTypes.BIGINT())]), accumulator_type="ARRAY<BIGINT>"
)
partial = udf(functools.partial(lambda step, number: number + step, 5), result_type="BIGINT")


def environment() -> TableEnvironment:
    env = TableEnvironment()
    env.execute_sql(
        "CREATE TABLE t (k STRING, v BIGINT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
        "WITH ('connector' = 'datagen')"
    )
    for name, function in {"add": add, "total": total, "mean": mean, "words": words, "retracting": retracting}.items():
        env.create_temporary_function(name, function)
    return env


def references(env: TableEnvironment, table: Table) -> list[PythonFunction]:
    """The functions in a table's plan."""
    functions: list[PythonFunction] = []

    def search(value: Any) -> None:
        if isinstance(value, dict):
            if "python" in value:
                functions.append(python_function_from_json(value["python"]))
            value = list(value.values())
        for item in value if isinstance(value, list) else ():
            search(item)

    columns = ", ".join(f"c{at} {type_}" for at, type_ in enumerate(table._rows.rel.row_type.types))
    env.execute_sql(f"CREATE TABLE o ({columns}) WITH ('connector' = 'blackhole')")
    search(json.loads(table.insert_into("o").compile_plan().as_json_string()))
    return functions


@udf(result_type=ROW)
def mapped(row: Any) -> Any:
    return Row(row.k, row.v)


#: Use -> types of the columns, functions in the plan.
USES: dict[str, tuple[Callable[[Table], Table], str, str]] = {
    "decorated": (lambda t: t.select(add(col("v"), 1)), "BIGINT", "add"),
    "pandas": (lambda t: t.select(vectorized(col("v"))), "BIGINT", "vectorized"),
    "object": (lambda t: t.select(twice(col("v"))), "BIGINT", "twice"),
    "asynchronous": (lambda t: t.select(awaited(col("v"))), "BIGINT", "awaited"),
    "partial": (lambda t: t.select(partial(col("v"))), "BIGINT", "partial"),
    "lateral": (lambda t: t.join_lateral(words(col("s")).alias("w")).select(col("w")), "STRING", "words"),
    "flat map": (lambda t: t.flat_map(pairs(col("s")).alias("w", "n")), "STRING, INT", "pairs"),
    "map": (lambda t: t.map(mapped), "STRING, BIGINT", "mapped mapped"),
    "map with names": (
        lambda t: t.map(udf(lambda row: row, result_type=ROW).alias("x", "y")).select("y"),
        "BIGINT",
        "",
    ),
    "aggregate": (lambda t: t.group_by("k").aggregate(total(col("v")).alias("x")).select("x"), "BIGINT", "total"),
    "all": (lambda t: t.aggregate(mean(col("v")).alias("x")).select("x"), "DOUBLE", "mean"),
    "flat": (lambda t: t.group_by("k").flat_aggregate(both(col("v"))).select("k", "x"), "STRING, BIGINT", "both"),
    "flat all": (lambda t: t.flat_aggregate(both(col("v")).alias("y")).select("y"), "BIGINT", "both"),
}


@pytest.mark.parametrize("use", USES)
def test_a_function_is_called_in_an_expression(use: str) -> None:
    """The plan names it by its variable, which other processes import."""
    make, types, names = USES[use]
    env = environment()
    table = make(env.from_path("t"))
    assert (
        ", ".join(str(type_) for type_ in table._rows.rel.row_type.types).replace("VARCHAR(2147483647)", "STRING")
        == types
    )
    if names:
        functions = references(env, table)
        assert " ".join(function.class_ for function in functions) == names
        assert {(function.module, function.pickle) for function in functions} == {(__name__, "")}


def test_a_local_function_is_pickled_into_the_plan_and_refused_elsewhere() -> None:
    step = 3
    local = udf(lambda number: number + step, result_type="BIGINT", deterministic=False)
    env = environment()
    (reference,) = references(env, env.from_path("t").select(local(col("v"))))
    assert reference.pickle and reference.class_.startswith("<lambda>") and not reference.deterministic
    del _LIVE[reference.module, reference.class_]  # as in another process
    with pytest.raises(UnsupportedError, match="holds the code of the function") as refusal:
        PythonFunctions((reference.module,)).callables(reference, "node 1")
    assert "--allow-pickled-functions" in refusal.value.remedy
    read = PythonFunctions(allows_pickled=True).callables(reference, "node 1").function
    assert isinstance(read, Declared) and read is not local.function and read.eval(4) == 7
    older = python_function_from_json({**reference.to_dict(), "pickle": reference.pickle.replace("3.", "2.", 1)})
    with pytest.raises(CompiledPlanError, match="was pickled by Python 2"):
        PythonFunctions(allows_pickled=True).callables(older, "node 1")


def test_arguments_are_cast_to_declared_types() -> None:
    env = environment()
    env.create_temporary_function("typed", udf(lambda number: number, "BIGINT", "BIGINT"))
    assert "typed(CAST(CHAR_LENGTH(s) AS BIGINT))" in env.explain_sql("SELECT typed(CHAR_LENGTH(s)) FROM t")
    with pytest.raises(CompiledPlanError, match=r"invalid function call: typed\(VARCHAR"):
        env.sql_query("SELECT typed(s) FROM t")


def test_sql_names_a_declared_function_by_its_variable() -> None:
    env = environment()
    env.execute_sql(f"CREATE FUNCTION plus AS '{__name__}.add' LANGUAGE PYTHON")
    assert env.sql_query("SELECT plus(v, v) FROM t")._rows.rel.row_type.types == (DataTypes.BIGINT().logical_type,)
    with pytest.raises(CompiledPlanError, match="has no class 'nothing'"):
        env.execute_sql(f"CREATE FUNCTION nothing AS '{__name__}.nothing' LANGUAGE PYTHON")


@pytest.mark.parametrize("name", ["total", "mean", "retracting"])
def test_retraction_needs_the_method(name: str) -> None:
    """A function of pandas columns retracts by itself."""
    query = f"SELECT n, {name}(m) FROM (SELECT k, COUNT(*) AS n, MAX(v) AS m FROM t GROUP BY k) GROUP BY n"
    env = environment()
    if name == "total":
        with pytest.raises(CompiledPlanError, match="has no method `retract`"):
            env.sql_query(query).explain()
    else:
        assert f"{name}_RETRACT" in env.sql_query(query).explain()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: udf(Twice, result_type="INT"), "Twice is a class"),
        (lambda: udf(3, result_type="INT"), "3 is no function"),
        (lambda: udf(lambda a: a), "the result_type of udf() is missing"),
        (lambda: udf(lambda a: a, result_type="NUMBER"), "the result_type of udf()"),
        (lambda: udf(lambda a: a, result_type="INT", func_type="arrow"), "func_type is 'arrow'"),
        (lambda: udf(Asked(), result_type="INT", func_type="pandas"), "has no pandas form"),
        (lambda: udf(Twice(), result_type="INT", deterministic=False), "deterministic is False"),
        (lambda: udtf(Twice(), result_types="INT"), "Twice is no TableFunction"),
        (lambda: udaf(lambda a: a, result_type="INT"), "is no function"),
        (lambda: udtaf(Both(), accumulator_type="ARRAY<INT>"), "the result_type of udtaf() is missing"),
    ],
)
def test_a_wrong_declaration_is_refused(make: Callable[[], UserDefinedFunctionWrapper], message: str) -> None:
    with pytest.raises(CompiledPlanError) as fault:
        make()
    assert message in str(fault.value)


def test_a_function_without_a_registration_has_no_name() -> None:
    t_env = TableEnvironment()
    table = t_env.from_elements([(1,)], ["a"])
    assert table.select(udf(Twice(), result_type="INT")(col("a"))).get_schema().get_field_count() == 1
    assert t_env.list_user_defined_functions() == []
    t_env.create_temporary_system_function("twice", udf(lambda a: str(a), result_type="STRING"))
    types = t_env.sql_query(f"SELECT twice(a) FROM {table}").get_schema().get_field_data_types()
    assert (repr(types), t_env.list_user_defined_functions()) == ("[VarCharType(2147483647, true)]", ["twice"])
