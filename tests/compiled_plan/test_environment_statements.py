"""Statements answer as in Flink: rows, plans and refusals, recorded by `flink_statements/record.py`.

The text of errors is ours, so a refusal by Flink only has to be one here. `DIFFERENCES` lists what differs on purpose.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.sql.binding.writes import writes_of
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.planner.sql.scripts import bind_script
from compiled_plan.plans.errors import CompiledPlanError

FOLDER = Path(__file__).with_name("flink_statements")
RECORDED = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
CASES = [(file, program) for file, programs in RECORDED.items() for program in programs]

#: Beginnings of statements with another answer than Flink's on purpose, and the reason.
DIFFERENCES = {
    "SHOW CREATE VIEW": "the query is as written, Flink qualifies its names",
    "SHOW CREATE CATALOG default_catalog": "Flink does not know the options of its built-in catalog",
    "DESCRIBE CATALOG EXTENDED default_catalog": "Flink does not know the options of its built-in catalog",
    "DESCRIBE TABLE": "accepted, too",
    "DESCRIBE FUNCTION EXTENDED": "the names of the families of types in signatures are ours",
    "SHOW CREATE TABLE tmp": "a password is masked",
    "SHOW CREATE TABLE c2": "Flink leaves a table whose sink it refused",
    "SHOW CREATE TABLE c10": "Flink leaves a table whose sink it refused",
    "SHOW JOBS": "Flink takes it in its SQL client alone",
    "REMOVE JAR": "Flink takes it in its SQL client alone",
    "EXPLAIN CREATE MATERIALIZED": "accepted, too",
    "CREATE MATERIALIZED TABLE spread": "Flink refuses buckets when it starts the job",
    "EXPLAIN REPLACE": "the text of EXPLAIN is ours",
    "SHOW PARTITIONS types PARTITION (zz": "Flink lists no partition for a column that is no partition key",
}


def answer(env, statement):
    """The answer of this product in the form of the recording."""
    try:
        if statement.startswith("PLAN "):
            text = f"COMPILE PLAN 'p' FOR {statement.removeprefix('PLAN ')}"
            return {"plan": json.loads(env.compile_script(text).as_json_string())}
        if any(map(writes_of, parse_script(statement))):
            bind_script(env.context, statement)  # declares tables and runs nothing
            return {}
        result = env.execute_sql(statement)
        if not hasattr(result, "_rows"):
            return {}
        return {"columns": list(result.column_names), "rows": [list(row) for row in result._rows]}
    except CompiledPlanError as fault:
        return {"error": fault.message}


def tables(plan):
    """The parts of a plan that a declaration decides."""
    return [
        node.get("scanTableSource", node.get("dynamicTableSink", {})).get("table")
        for node in plan["nodes"]
        if "scanTableSource" in node or "dynamicTableSink" in node
    ]


def differs(expected, actual):
    if "error" in expected or "error" in actual:
        return ("error" in expected) is not ("error" in actual)
    if "plan" in expected:
        return tables(expected["plan"]) != tables(actual["plan"])
    return {key: expected.get(key) for key in ("columns", "rows")} != {
        key: actual.get(key) for key in ("columns", "rows")
    }


@pytest.mark.parametrize(("file", "program"), CASES)
def test_statements_answer_as_in_flink(file, program):
    env = TableEnvironment()
    wrong = {}
    for expected in RECORDED[file][program]:
        statement = expected["statement"]
        actual = answer(env, statement)
        if differs(expected, actual) and not statement.startswith(tuple(DIFFERENCES)):
            wrong[statement] = {"flink": {**expected, "statement": None}, "here": actual}
    assert wrong == {}
