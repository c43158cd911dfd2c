"""Calls of user-defined functions in programs: names, statements, casts, plans. The expected plans are Flink 2.3's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, UnsupportedError
from compiled_plan.plans.functions import AggregateFunction, Row, ScalarFunction, TableFunction, function_hint
from compiled_plan.plans.plan import CompiledPlan

STRING = "VARCHAR(2147483647)"


class Plus(ScalarFunction):
    def eval(self, a: int | None, b: int | None) -> int | None: ...


class Shout(ScalarFunction):
    is_deterministic = False

    def eval(self, text: str | None) -> str | None: ...


class Strict(ScalarFunction):
    def eval(self, number: int, text: str = "x", flag: bool | None = None, share: float = 0.5) -> int:
        return number


@function_hint(output="ROW<word STRING, length INT>")
class Split(TableFunction[Row]):
    def eval(self, text: str | None) -> None: ...


class Words(TableFunction[str | None]):
    def eval(self, text: str | None) -> Iterator[str | None]: ...


class Mean(AggregateFunction[float | None, list[int]]):
    def create_accumulator(self) -> list[int]: ...
    def accumulate(self, accumulator: list[int], value: int | None, weight: int | None) -> None: ...
    def retract(self, accumulator: list[int], value: int | None, weight: int | None) -> None: ...
    def get_value(self, accumulator: list[int]) -> float | None: ...


def environment() -> TableEnvironment:
    env = TableEnvironment()
    for name, class_ in {"addup": Plus, "shout": Shout, "split_it": Split, "words": Words, "mean": Mean}.items():
        env.create_temporary_function(name, class_)
    env.create_temporary_system_function("strict", Strict)
    env.execute_sql("CREATE TABLE s (i INT, l BIGINT NOT NULL, t STRING, k STRING) WITH ('connector' = 'datagen')")
    return env


def nodes(env: TableEnvironment, query: str, columns: str) -> list[dict[str, Any]]:
    """The nodes of a plan; writing the parsed plan changes nothing, and its schema validates."""
    env.execute_sql(f"CREATE TABLE IF NOT EXISTS o ({columns}) WITH ('connector' = 'blackhole')")
    text = env.compile_plan_sql(f"INSERT INTO o {query}").to_json()
    assert CompiledPlan.from_json(text).to_json() == text
    result = json.loads(text)["nodes"]
    assert isinstance(result, list)
    return result


def calc(query: str, columns: str, env: TableEnvironment | None = None) -> dict[str, Any]:
    return next(node for node in nodes(env or environment(), query, columns) if "calc" in node["type"])


def without_python(value: Any) -> Any:
    """A plan's JSON as Flink writes it, without our fields that locate a Python class."""
    if isinstance(value, list):
        return [without_python(item) for item in value]
    if isinstance(value, dict):
        return {key: without_python(item) for key, item in value.items() if key != "python"}
    return value


def test_a_scalar_call_is_planned_as_in_flink() -> None:
    """The name as written, an implicit cast, CHAR as STRING without one; two calls of a volatile function stay two."""
    node = calc("SELECT ADDUP(i, l), shout(t), shout('x') FROM s", "a BIGINT, b STRING, c STRING")
    column = {"kind": "INPUT_REF", "inputIndex": 2, "type": STRING}
    assert without_python(node["projection"]) == [
        {
            "kind": "CALL",
            "catalogName": "`default_catalog`.`default_database`.`ADDUP`",
            "operands": [
                {
                    "kind": "CALL",
                    "syntax": "SPECIAL",
                    "internalName": "$CAST$1",
                    "operands": [{"kind": "INPUT_REF", "inputIndex": 0, "type": "INT"}],
                    "type": "BIGINT",
                },
                {"kind": "INPUT_REF", "inputIndex": 1, "type": "BIGINT NOT NULL"},
            ],
            "type": "BIGINT",
        },
        {
            "kind": "CALL",
            "catalogName": "`default_catalog`.`default_database`.`shout`",
            "operands": [column],
            "type": STRING,
        },
        {
            "kind": "CALL",
            "catalogName": "`default_catalog`.`default_database`.`shout`",
            "operands": [{"kind": "LITERAL", "value": "x", "type": "CHAR(1) NOT NULL"}],
            "type": STRING,
        },
    ]
    assert node["projection"][1]["python"] == {
        "module": __name__,
        "class": "Shout",
        "kind": "SCALAR",
        "method": "eval",
        "signature": f"shout(text => {STRING})",
        "file": str(Path(__file__).resolve()),
        "deterministic": False,
    }


def test_a_correlate_is_planned_as_in_flink() -> None:
    query = "SELECT k, word, length, w FROM s, LATERAL TABLE(split_it(t))"
    query += " LEFT JOIN LATERAL TABLE(words(shout(k))) AS q(w) ON TRUE"
    first, second = (
        node
        for node in nodes(environment(), query, "a STRING, b STRING, c INT, d STRING")
        if "correlate" in node["type"]
    )
    assert first["functionCall"]["catalogName"].endswith(".`split_it`")
    assert first["functionCall"]["type"] == f"ROW<`word` {STRING}, `length` INT> NOT NULL"
    assert first["description"].startswith("Correlate(invocation=[split_it($cor0.t)]")
    assert (second["joinType"], second["functionCall"]["type"]) == ("LEFT", f"ROW<`EXPR$0` {STRING}> NOT NULL")


def test_a_group_aggregate_is_planned_as_in_flink() -> None:
    query = "SELECT k, mean(n, 1) FILTER (WHERE n > 2), COUNT(*) FROM (SELECT k, t, COUNT(*) AS n FROM s GROUP BY k, t)"
    compiled_nodes = nodes(environment(), query + " GROUP BY k", "a STRING, b DOUBLE, c BIGINT")
    last = [node for node in compiled_nodes if "group-aggregate" in node["type"]][-1]
    assert without_python(last["aggCalls"][0]) == {
        "name": "EXPR$1",
        "catalogName": "`default_catalog`.`default_database`.`mean`",
        "argList": [1, 2],
        "filterArg": 3,
        "distinct": False,
        "approximate": False,
        "ignoreNulls": False,
        "type": "DOUBLE",
    }
    assert last["aggCallNeedRetractions"] == [True, True]
    assert "mean_RETRACT(n, $f2) FILTER $f3" in last["description"]
    assert last["aggCalls"][0]["python"]["method"] == "accumulate"


def test_an_over_aggregate_is_planned_as_in_flink() -> None:
    compiled_nodes = nodes(
        environment(), "SELECT mean(l, i) OVER (PARTITION BY k ORDER BY PROCTIME()) FROM s", "a DOUBLE"
    )
    over = next(node for node in compiled_nodes if "over" in node["type"])
    assert over["overSpec"]["groups"][0]["aggCalls"][0]["python"]["class"] == "Mean"


def test_null_for_a_parameter_that_is_not_null_makes_the_result_nullable() -> None:
    node = calc("SELECT strict(i), strict(l) FROM s", "a BIGINT, b BIGINT")
    assert [item["type"] for item in node["projection"]] == ["BIGINT", "BIGINT NOT NULL"]
    assert node["projection"][0]["systemName"] == "strict"


def test_named_and_omitted_arguments() -> None:
    node = calc("SELECT strict(flag => TRUE, number => l) FROM s", "a BIGINT")
    assert [item.get("value") for item in node["projection"][0]["operands"]] == [None, "x", True, "0.5"]
    with pytest.raises(ProgramError, match=r"strict\(text => .*\)(.|\n)*supported signatures: strict\(number => "):
        calc("SELECT strict(text => t) FROM s", "a BIGINT")
    with pytest.raises(ProgramError, match="some arguments have names and some have not"):
        calc("SELECT strict(l, text => t) FROM s", "a BIGINT")
    with pytest.raises(UnsupportedError, match="by name of a built-in function"):
        calc("SELECT UPPER(text => t) FROM s", "a STRING")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT addup(l) FROM s", r"addup\(BIGINT NOT NULL\)(.|\n)*addup\(a => BIGINT, b => BIGINT\)"),
        ("SELECT addup(l, t) FROM s", r"invalid function call: addup\(BIGINT NOT NULL, VARCHAR"),
        ("SELECT addup(l, 1.5) FROM s", r"invalid function call: addup\(.*DECIMAL\(2, 1\)"),
        ("SELECT shout(l) FROM s", r"invalid function call: shout\(BIGINT"),
        ("SELECT adup(l, l) FROM s", "did you mean 'addup'"),
        ("SELECT words(t) FROM s", r"words is a table function(.|\n)*LATERAL TABLE"),
        ("SELECT * FROM s, LATERAL TABLE(shout(t)) AS q(a)", "shout is no table function, but a scalar function"),
        ("SELECT * FROM s, LATERAL TABLE(split_it(t)) AS q(a)", r"the table has 2 column\(s\)"),
        ("SELECT k FROM s WHERE mean(l, l) > 1", "aggregate expression is illegal in WHERE clause"),
        ("SELECT shout(DISTINCT t) FROM s", "shout is no aggregate"),
        (
            "SELECT a.k FROM s a LEFT JOIN s b ON a.k = b.k AND addup(a.l, b.l) > 3",
            "a Python function in the condition of a LEFT join",
        ),
    ],
)
def test_errors(query: str, message: str) -> None:
    with pytest.raises(CompiledPlanError, match=message):
        nodes(environment(), query, "a STRING")


# --- names and statements --------------------------------------------------------------------------------------------


class Upper(ScalarFunction):
    def eval(self, text: str | None) -> int: ...


def type_of_call(env: TableEnvironment, call: str) -> str:
    condition = calc(f"SELECT {call} IS NULL, 1 FROM s", "a BOOLEAN, b INT", env)["projection"][0]
    return str(condition["operands"][0]["type"]) if "operands" in condition else "NOT NULL"


def test_resolution_order_of_function_names() -> None:
    """Temporary system functions precede built-in ones, those catalog functions; names are case-insensitive."""
    env = environment()
    env.create_temporary_function("upper", Upper)
    assert type_of_call(env, "UPPER(t)") == STRING
    assert type_of_call(env, "default_database.`UpPer`(t)") == "NOT NULL"
    env.create_temporary_system_function("Upper", Upper)
    assert type_of_call(env, "upper(t)") == "NOT NULL"
    assert env.drop_temporary_system_function("UPPER")
    assert type_of_call(env, "upper(t)") == STRING
    with pytest.raises(ProgramError, match=r"temporary function .*`UPPER` already exists"):
        env.create_temporary_function("UPPER", Upper)
    assert env.drop_temporary_function("upper") and not env.drop_temporary_function("upper")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "functions_of_a_test.py").write_text(
        "from compiled_plan import ScalarFunction\n"
        "class Outer:\n    class Twice(ScalarFunction):\n        def eval(self, a: int) -> int: ...\n"
        "class Vague(ScalarFunction):\n    def eval(self, a) -> int: ...\n"
        "class Nothing: ...\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return "functions_of_a_test"


def test_create_and_drop_function(module: str) -> None:
    env = environment()
    env.execute_sql(f"CREATE FUNCTION twice AS '{module}.Outer.Twice' LANGUAGE PYTHON")
    env.execute_sql(f"CREATE FUNCTION IF NOT EXISTS twice AS '{module}.None' LANGUAGE PYTHON; SHOW FUNCTIONS")
    operand = calc("SELECT twice(l) FROM s", "a BIGINT", env)["projection"][0]
    assert (operand["class"], operand["python"]["class"]) == (f"{module}.Outer.Twice", "Outer.Twice")
    env.execute_sql(f"CREATE TEMPORARY FUNCTION twice AS '{module}.Outer.Twice' LANGUAGE PYTHON")
    with pytest.raises(ProgramError, match="DROP TEMPORARY FUNCTION first"):
        env.execute_sql("DROP FUNCTION twice")
    env.execute_sql("DROP TEMPORARY FUNCTION twice; DROP FUNCTION twice; DROP FUNCTION IF EXISTS twice")
    env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION twice AS '{module}.Outer.Twice' LANGUAGE PYTHON")
    assert calc("SELECT twice(l) FROM s", "a BIGINT", env)["projection"][0]["systemName"] == "twice"
    env.execute_sql("DROP TEMPORARY SYSTEM FUNCTION twice")
    with pytest.raises(ProgramError, match="no function is named 'twice'"):
        calc("SELECT twice(l) FROM s", "a BIGINT", env)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("AS 'nowhere.F' LANGUAGE PYTHON", "no module named 'nowhere'(.|\n)*PYTHONPATH"),
        ("AS '{}.F' LANGUAGE PYTHON", "has no class 'F'(.|\n)*it has: .*Vague"),
        ("AS '{}.Nothing' LANGUAGE PYTHON", "is no function class(.|\n)*ScalarFunction"),
        ("AS '{}.Vague' LANGUAGE PYTHON", r"parameter `a` of Vague.eval(.|\n)*annotate it"),
        ("AS 'F' LANGUAGE PYTHON", "write 'module.Class'"),
        ("AS 'com.shop.F' LANGUAGE SQL", "a function in SQL"),
    ],
)
def test_create_function_errors(statement: str, message: str, module: str) -> None:
    with pytest.raises(CompiledPlanError, match=message) as caught:
        TableEnvironment().execute_sql(f"CREATE FUNCTION f {statement.format(module)}")
    assert "line 1, column 1" in str(caught.value)


class Times(ScalarFunction):
    def __init__(self, factor: Any) -> None:
        self.factor = factor

    def eval(self, a: int) -> int: ...


def test_objects() -> None:
    env = environment()
    env.create_temporary_function("triple", Times(3))
    assert calc("SELECT triple(l) FROM s", "a BIGINT", env)["projection"][0]["python"]["instance"] == {"factor": 3}
    with pytest.raises(ProgramError, match=r"register an object, Times\(\.\.\.\)"):
        env.create_temporary_function("f", Times)
    with pytest.raises(ProgramError, match=r"holds what a plan cannot: factor(.|\n)*`open`"):
        env.create_temporary_function("f", Times(object()))
    with pytest.raises(ProgramError, match="is no function"):
        env.create_temporary_function("f", 3)
    with pytest.raises(ProgramError, match="has no method `eval`"):
        env.create_temporary_function("f", type("Empty", (ScalarFunction,), {}))
