"""Hints in all positions, against Flink 2.3.0: `flink_hints.json` has the TTLs and options of its plans.

Each text is the state entries of a node, or the options of a table; "refused" marks an error.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, ProgramWarning
from compiled_plan.plans.plan import CompiledPlan

RECORDED = json.loads((Path(__file__).parent / "flink_hints.json").read_text())
DATAGEN = "WITH ('connector' = 'datagen')"
SETUP = f"""
CREATE TABLE a (id INT, v INT, s STRING) {DATAGEN}; CREATE TABLE b (id INT, w INT, s STRING) {DATAGEN};
CREATE TABLE c (id INT, z INT, s STRING) {DATAGEN}; CREATE TABLE `My Table` (id INT, v INT) {DATAGEN};
CREATE TABLE f (id INT, v INT) WITH ('connector' = 'filesystem', 'path' = '/tmp/x', 'format' = 'json');
CREATE TABLE o (x INT, y INT) WITH ('connector' = 'blackhole');
CREATE VIEW va AS SELECT id, v FROM a;
CREATE VIEW vh AS SELECT /*+ STATE_TTL('a' = '7s', 'b' = '8s') */ a.id, b.w FROM a JOIN b ON a.id = b.id;
CREATE VIEW vg AS SELECT /*+ STATE_TTL('a' = '7s') */ id, COUNT(*) AS n FROM a GROUP BY id;
CREATE DATABASE d2; CREATE TABLE d2.a (id INT, v INT) {DATAGEN};
"""


def compiled(query: str) -> CompiledPlan:
    env = TableEnvironment()
    env.execute_sql(SETUP)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProgramWarning)
        return env.compile_plan_sql(query if query.startswith("INSERT") else f"INSERT INTO o {query}")


def shape(plan: CompiledPlan, *, sinks: bool) -> set[str]:
    result = set()
    for node in plan.to_dict()["nodes"]:
        where = "dynamicTableSink" if sinks else "scanTableSource"
        options = dict(node.get(where, {}).get("table", {}).get("resolvedTable", {}).get("options", {}))
        options = {key: value for key, value in options.items() if key not in ("connector", "format")}
        state = ",".join(f"{entry['name']}={entry['ttl']}" for entry in node.get("state", ()))
        result |= {state, str(options) if options else ""}
    return result - {""}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("query", RECORDED)
def test_hints_have_the_effect_of_flinks(query: str) -> None:
    wanted = RECORDED[query]
    if wanted == "refused":
        with pytest.raises(CompiledPlanError):
            compiled(query)
        return
    assert shape(compiled(query), sinks=query.startswith("INSERT")) == set(wanted)


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("SELECT /*+ OPTIONS('rows-per-second' = '5') */ id, v FROM a", "OPTIONS"),
        ("SELECT id, v FROM a /*+ STATE_TTL('a' = '3s') */", "STATE_TTL"),
        ("SELECT id, v FROM a /*+ OPTIONS('rows-per-second' = '5'), OPTIONS('number-of-rows' = '6') */", "OPTIONS"),
        ("WITH q AS (SELECT id, v FROM a) SELECT id, v FROM q /*+ OPTIONS('rows-per-second' = '5') */", "OPTIONS"),
    ],
)
def test_hints_that_flink_ignores_give_a_warning(query: str, hint: str) -> None:
    env = TableEnvironment()
    env.execute_sql(SETUP)
    with pytest.warns(ProgramWarning, match=f"{hint} has no effect .line 1, column"):
        env.compile_plan_sql(f"INSERT INTO o {query}")
