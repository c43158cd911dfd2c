"""Constructs of other SQL dialects: cause, place and a remedy that compiles."""

from __future__ import annotations

import warnings

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.diagnostics import foreign
from compiled_plan.planner.functions.registry import is_aggregate, is_function
from compiled_plan.plans.errors import CompiledPlanError, ProgramWarning
from compiled_plan.plans.functions import ScalarFunction
from compiled_plan.plans.plan import CompiledPlan

TABLES = """
CREATE TABLE r (s STRING, t STRING, n INT, m INT, x STRING, y STRING, ts TIMESTAMP(3), ts2 TIMESTAMP(3), d DATE,
  cond BOOLEAN, items ARRAY<STRING>, proc AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
CREATE TABLE v (n INT, name STRING, ts TIMESTAMP(3)) WITH ('connector' = 'datagen');
"""
FORMS = sorted({*foreign.FUNCTIONS.values(), *foreign.OPERATORS.values(), *foreign.BARE.values()})
FORMS += [entry.form for entry in foreign.MISFITS]


def compiled(query: str) -> CompiledPlan:
    """Compile a query over the tables, into a sink of its own columns."""
    return TableEnvironment().compile_script(f"{TABLES}CREATE TABLE k WITH ('connector' = 'print') AS {query};")


def test_every_form_compiles() -> None:
    for form in FORMS:
        for choice in form.removesuffix(", which counts from 0").split(" for a number, "):
            choice = choice.removesuffix(" for a time")
            assert compiled(choice if choice.startswith("SELECT") else f"SELECT {choice} AS e FROM r").nodes


def test_every_type_is_one_of_flink() -> None:
    for name, form in foreign.TYPES.items():
        TableEnvironment().compile_script(
            f"CREATE TABLE c (a {form}) WITH ('connector' = 'datagen');"
            "CREATE TABLE k (a INT) WITH ('connector' = 'print'); INSERT INTO k SELECT 1 FROM c;"
        )
        with pytest.raises(CompiledPlanError) as raised:
            TableEnvironment().compile_script(f"CREATE TABLE c (a {name}) WITH ('connector' = 'datagen');")
        assert raised.value.remedy == f"write {form}", name


def test_no_function_of_flink_is_foreign() -> None:
    assert [name for name in foreign.FUNCTIONS if is_function(name) or is_aggregate(name)] == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", foreign.FUNCTIONS)
def test_every_function_has_its_form(name: str) -> None:
    for call in (f"{name}(s)", f"{name}(DAY, 1, ts)", f"{name}(ts, ts2, DAY)"):
        with pytest.raises(CompiledPlanError) as raised:
            compiled(f"SELECT {call} FROM r")
        if name != "UNNEST" and (name != "CONTAINS" or call == f"{name}(s)"):
            assert raised.value.remedy == f"write {foreign.FUNCTIONS[name]}"


def test_a_function_of_the_program_comes_first() -> None:
    declared = "CREATE FUNCTION NVL AS 'tests.planner.diagnostics.test_foreign.Second' LANGUAGE PYTHON;"
    plan = TableEnvironment().compile_script(
        f"{TABLES}{declared}CREATE TABLE k WITH ('connector' = 'print') AS SELECT NVL(s, 'x') AS e FROM r;"
    )
    assert "test_foreign.Second" in plan.to_json()


class Second(ScalarFunction):
    def eval(self, first: str, second: str) -> str:
        return second


@pytest.mark.parametrize(
    ("keys", "missing"),
    [("window_start", "window_end"), ("s, window_end", "window_start"), ("window_start, window_end", ""), ("s", "")],
)
def test_groups_by_one_bound_of_a_window_are_warned_of(keys: str, missing: str) -> None:
    table = "(SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) WHERE n > 1)"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ProgramWarning)
        compiled(f"SELECT {keys}, COUNT(*) AS c FROM {table} GROUP BY {keys}")
    if not missing:
        assert caught == []
        return
    (warning,) = caught
    assert f"without {missing}" in str(warning.message) and f"try: group by {missing}, too" in str(warning.message)
    assert f"GROUP BY {keys}" in str(warning.message)


@pytest.mark.parametrize("quoted", ['"table.exec.state.ttl" = "1h"', "'table.exec.state.ttl' = \"1h\""])
def test_options_in_double_quotes_are_refused(quoted: str) -> None:
    with pytest.raises(CompiledPlanError) as raised:
        TableEnvironment().compile_script(f"SET {quoted};")
    assert raised.value.where.startswith(f"line 1, column {5 + quoted.index(chr(34))}\n")
    assert raised.value.remedy == "put options and values in single quotes: SET 'key' = 'value'"
