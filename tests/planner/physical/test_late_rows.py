"""Tables for late rows in plans: the option and the hint, their operators, and refusals by name."""

from __future__ import annotations

import json

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.plan import CompiledPlan

A = """CREATE TABLE a (k STRING, v INT, more STRING, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem', 'path' = 'a', 'format' = 'json'{option});
"""
OTHERS = """
CREATE TABLE b (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED) WITH (
  'connector' = 'kafka', 'topic' = 'b', 'properties.bootstrap.servers' = 'h', 'format' = 'debezium-json');
CREATE TABLE c (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem', 'path' = 'c', 'format' = 'json');
CREATE TABLE late ({columns}) WITH ({connector});
CREATE VIEW view_of_late AS SELECT * FROM c;
CREATE TABLE o (k STRING, n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO o {query};
"""
OPTION = ", 'late.table' = '{}'"
COLUMNS = "k STRING, more STRING, ts TIMESTAMP(3), late_operator STRING, late_watermark TIMESTAMP(3), late_by BIGINT"
PRINT = "'connector' = 'print'"
TUMBLE = (
    "SELECT {hint} k, COUNT(*) FROM TABLE(TUMBLE(TABLE {table}, DESCRIPTOR(ts), INTERVAL '10' SECOND)) {alias} "
    "GROUP BY k, window_start, window_end"
)
HINT = "/*+ LATE_ROWS('{}' = '{}') */"
WINDOWS = TUMBLE.format(hint="", table="a", alias="")


def hinted(name: str, table: str, target: str = "late", alias: str = "") -> str:
    return TUMBLE.format(hint=HINT.format(name, target), table=table, alias=alias)


def compiled(
    query: str = WINDOWS, option: str = OPTION.format("late"), columns: str = COLUMNS, connector: str = PRINT
) -> CompiledPlan:
    others = OTHERS.format(columns=columns, connector=connector, query=query)
    return TableEnvironment().compile_script(A.format(option=option) + others)


def late_tables(plan: CompiledPlan) -> list[tuple[str, int, str]]:
    nodes = json.loads(plan.to_json())["nodes"]
    return [
        (node["type"], late["input"], late["table"]["identifier"].rpartition(".")[2])
        for node in nodes
        for late in node.get("lateRows", ())
    ]


GLOBAL = [("stream-exec-global-window-aggregate_1", 0, "`late`")]


@pytest.mark.parametrize("name", ["late", "`late`", "default_database.late", "default_catalog.default_database.late"])
def test_the_operator_has_the_table_of_an_option(name: str) -> None:
    plan = compiled(option=OPTION.format(name))
    assert late_tables(plan) == GLOBAL
    assert CompiledPlan.from_json(plan.to_json()).to_json() == plan.to_json()
    assert list(check(plan.to_json())) == []
    # Flink would not know it.
    assert "late.table" not in plan.to_json()


@pytest.mark.parametrize(
    "query",
    [
        hinted("a", "a"),
        hinted("w", "a", alias="AS w"),
        "SELECT " + HINT.format("x", "late") + " k, COUNT(*) FROM (SELECT * FROM a WHERE v > 0) AS x "
        "GROUP BY k, TUMBLE(ts, INTERVAL '1' DAY)",
        "WITH x AS (SELECT k, ts, more FROM a) " + hinted("x", "x"),
    ],
)
def test_the_operator_has_the_table_of_a_hint(query: str) -> None:
    assert [late[1:] for late in late_tables(compiled(query, ""))] == [(0, "`late`")]


def test_other_parts_of_a_plan_are_those_without_the_table() -> None:
    """The scan reads one column more, and a projection above it removes it."""
    with_table, without = compiled(columns="k STRING, ts TIMESTAMP(3)"), compiled(option="")
    nodes = [
        node.model_copy(update={"late_rows": ()}) if "late_rows" in type(node).model_fields else node
        for node in with_table.nodes
    ]
    assert [node.to_dict() for node in nodes] == [node.to_dict() for node in without.nodes]
    wider = {node.id: node.output_type.names for node in compiled().nodes[:2]}
    assert wider == {1: ("k", "more", "ts"), 2: ("k", "ts")}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, CAST(v AS BIGINT) FROM a",
        "SELECT MAX(k), COUNT(*) FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(p), INTERVAL '1' DAY)) "
        "GROUP BY window_start, window_end",
        "SELECT a.k, CAST(v AS BIGINT) FROM a JOIN b FOR SYSTEM_TIME AS OF a.ts ON a.k = b.k",
    ],
    ids=["no state", "processing time", "temporal join"],
)
def test_operators_that_drop_no_late_rows(query: str) -> None:
    assert late_tables(compiled(query)) == []
    with pytest.raises(CompiledPlanError, match="no operator drops late rows of the table that the hint LATE_ROWS"):
        compiled(query.replace("SELECT", "SELECT " + HINT.format("a", "late"), 1), "")


UNION = (
    "SELECT k, COUNT(*) FROM (SELECT k, ts FROM a UNION ALL SELECT k, ts FROM c) "
    "GROUP BY k, TUMBLE(ts, INTERVAL '1' DAY)"
)
KAFKA = "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h', 'format' = 'json'"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"option": OPTION.format("worse")}, "table 'worse', which takes late rows of .*`a`, is not there"),
        ({"option": OPTION.format("view_of_late")}, "table 'view_of_late', which takes late rows of .*`a`, is a view"),
        ({"option": OPTION.format(" ")}, "table ' ', which takes late rows of .*`a`, is not there"),
        ({"columns": "k STRING, w INT"}, "takes late rows, and they have no column 'w'"),
        ({"columns": "k STRING, more INT"}, "column 'more' is INT where they have VARCHAR"),
        ({"columns": "k STRING NOT NULL"}, "column 'k' is VARCHAR.* NOT NULL where they have VARCHAR"),
        ({"columns": "late_by INT"}, "column 'late_by' is INT where they have BIGINT"),
        (
            {"columns": "k STRING, h MAP<STRING, BYTES> METADATA FROM 'headers'", "connector": KAFKA},
            "they have no metadata for column 'h'",
        ),
        ({"connector": "'connector' = 'datagen'"}, "can only be read, not written"),
        ({"connector": "'connector' = 'print', 'x' = 'y'"}, "has no option 'x'"),
        ({"query": UNION, "columns": "k STRING"}, "and also receives rows of .*c"),
        ({"query": hinted("z", "a"), "option": ""}, "hint LATE_ROWS names 'z', which is no table, view or alias"),
        ({"query": hinted("a", "a", "worse"), "option": ""}, "table 'worse', which takes late rows of 'a', is not"),
        ({"query": WINDOWS.replace("SELECT", "SELECT /*+ LATE_ROWS(a) */"), "option": ""}, "takes keys and values"),
        (
            {
                "query": hinted("x", "x").replace(
                    "SELECT", "WITH x AS (SELECT MAX(k) AS k, ts FROM a GROUP BY ts) SELECT", 1
                ),
                "option": "",
            },
            "names 'x', whose rows are results of other operators",
        ),
    ],
)
def test_tables_that_take_no_late_rows(changes: dict[str, str], message: str) -> None:
    with pytest.raises(CompiledPlanError, match=message):
        compiled(**changes)


def test_updates_need_a_column_for_their_kind() -> None:
    query = hinted("b", "b")
    with pytest.raises(CompiledPlanError, match="may be updates and deletions, and it has no column for their kind"):
        compiled(query, "", "k STRING")
    assert late_tables(compiled(query, "", "k STRING, late_kind STRING"))


def test_edited_plans() -> None:
    plan = json.loads(compiled().to_json())
    (node,) = (node for node in plan["nodes"] if "lateRows" in node)
    node["lateRows"].append(node["lateRows"][0])
    assert ["two tables for late rows" in finding.message for finding in check(json.dumps(plan))] == [True]
    node["lateRows"].pop()
    node["lateRows"][0]["input"] = 1
    assert ["input 1 has no late rows" in finding.message for finding in check(json.dumps(plan))] == [True]
    node["lateRows"][0]["input"] = 0
    node["lateRows"][0]["table"]["resolvedTable"]["schema"]["columns"][0]["name"] = "z"
    assert ["they have no column 'z'" in finding.message for finding in check(json.dumps(plan))] == [True]
