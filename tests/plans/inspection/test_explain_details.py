"""Details of EXPLAIN: changelogs as in Flink, advice, costs and the JSON of operators."""

from __future__ import annotations

import json

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError

TABLES = """
CREATE TABLE o (id INT, k STRING, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
  WITH ('connector' = 'datagen');
CREATE TABLE p (id INT, k STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'datagen');
CREATE TABLE s (k STRING, n BIGINT) WITH ('connector' = 'print');
CREATE TABLE u (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'print');
"""


def explained(statement, **options):
    env = TableEnvironment(options)
    env.execute_sql(TABLES)
    (row,) = env.execute_sql(statement).collect()
    return row[0]


#: The modes that Flink 2.3 prints, from the first operator down.
MODES = {
    "INSERT INTO u SELECT k, COUNT(*) FROM o GROUP BY k": ["NONE", "I,UB,UA", "I", "I", "I", "I"],
    "INSERT INTO s SELECT k, v FROM o": ["NONE", "I", "I", "I"],
}


@pytest.mark.parametrize(("statement", "modes"), MODES.items())
def test_changelog_modes_are_those_of_flink(statement, modes):
    lines = explained(f"EXPLAIN CHANGELOG_MODE {statement}").splitlines()
    operators = [line for line in lines if "state:" not in line]
    assert [line.partition("changelogMode=[")[2].rstrip("])") for line in operators] == modes


def advice(statement, **options):
    text = explained(f"EXPLAIN PLAN_ADVICE {statement}", **options)
    tree, _, below = text.partition("\n\n")
    numbers = [number for part in tree.split("advice=[")[1:] for number in part.partition("]")[0].split(", ")]
    assert len(numbers) == below.count("advice[")
    return below


@pytest.mark.parametrize(
    ("statement", "texts"),
    [
        ("SELECT k, COUNT(*) FROM o GROUP BY k", ["groupAggregateState never expires; set 'table.exec.state.ttl'"]),
        ("SELECT o.id FROM o, p", ["never expires", "the join has no key"]),
        (
            "INSERT INTO u SELECT k, v FROM (SELECT id, k, MAX(v) AS v FROM o GROUP BY id, k) "
            "ON CONFLICT DO DEDUPLICATE",
            ["never expires", "the primary key of the sink (k) is not the key of the query's updates (none)"],
        ),
        ("SELECT k FROM o", ["No available advice..."]),
    ],
)
def test_advice_names_state_joins_and_keys(statement, texts):
    below = advice(statement)
    assert [text for text in texts if text not in below] == []


def test_a_ttl_answers_its_advice():
    query = "SELECT k, COUNT(*) FROM o GROUP BY k"
    assert advice(query, **{"table.exec.state.ttl": "1 h"}) == "No available advice..."


def test_costs_count_exchanges_and_state():
    first = explained("EXPLAIN ESTIMATED_COST SELECT k, COUNT(*) FROM o GROUP BY k").splitlines()[0]
    assert first.endswith(": cumulative cost = {1 shuffles, 1 state entries, 1 of them without TTL}")


def test_operators_as_json_know_how_they_are_reached():
    text = explained("EXPLAIN JSON_EXECUTION_PLAN, CHANGELOG_MODE INSERT INTO u SELECT k, COUNT(*) FROM o GROUP BY k")
    nodes = json.loads(text.partition("== Physical Execution Plan ==")[2])["nodes"]
    assert [node["pact"] for node in nodes] == ["Data Source", "Operator", "Operator", "Operator", "Data Sink"]
    assert [node["predecessors"][0]["ship_strategy"] for node in nodes[1:]] == ["FORWARD", "FORWARD", "HASH", "FORWARD"]
    assert (nodes[0]["type"], nodes[-1]["type"].partition("[")[0]) == ("Source: o[1]", "Sink: u")


def test_a_detail_is_named_once():
    with pytest.raises(ProgramError, match="named twice"):
        explained("EXPLAIN PLAN_ADVICE, PLAN_ADVICE SELECT 1")


def test_an_unknown_detail_is_refused_and_errors_show_the_statement_alone():
    env = TableEnvironment()
    with pytest.raises(ProgramError, match="unknown detail 'COST'"):
        env.explain_sql("SELECT 1", "COST")
    with pytest.raises(ProgramError) as caught:
        env.explain_sql("SELECT nope", "PLAN_ADVICE")
    assert caught.value.where.startswith("line 1, column 8\n    SELECT nope\n")
