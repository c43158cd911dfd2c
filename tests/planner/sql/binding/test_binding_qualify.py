"""QUALIFY: the same plans as the subquery form, with the operators and state entries of Flink's plans."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError

TABLES = """
CREATE TABLE s (k STRING, v INT, w BIGINT, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'datagen');
CREATE TABLE u (k STRING, n INT, PRIMARY KEY (k) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'debezium-json');
CREATE TABLE s1 (a STRING) WITH ('connector' = 'print');
CREATE TABLE s2 (a STRING, b BIGINT) WITH ('connector' = 'print');
CREATE TABLE s3 (a STRING, b BIGINT, c BIGINT) WITH ('connector' = 'print');
"""
NUMBER = "ROW_NUMBER() OVER (PARTITION BY k ORDER BY"

#: Sink, QUALIFY form, subquery form, and the operators between scan and sink in Flink 2.3's plan.
FORMS = {
    "first row": (
        "s2",
        f"SELECT k, v FROM s QUALIFY {NUMBER} ts) = 1",
        f"SELECT k, v FROM (SELECT k, v, {NUMBER} ts) AS rn FROM s) WHERE rn = 1",
        "deduplicate deduplicateState",
    ),
    "last row": (
        "s2",
        f"SELECT k, v FROM s QUALIFY {NUMBER} ts DESC) = 1",
        f"SELECT k, v FROM (SELECT k, v, {NUMBER} ts DESC) AS rn FROM s) WHERE rn = 1",
        "deduplicate deduplicateState",
    ),
    "first row by processing time": (
        "s1",
        f"SELECT k FROM s QUALIFY {NUMBER} p) = 1",
        f"SELECT k FROM (SELECT k, {NUMBER} p) AS rn FROM s) WHERE rn = 1",
        "deduplicate deduplicateState",
    ),
    "top n": (
        "s2",
        f"SELECT k, v FROM s QUALIFY {NUMBER} v DESC) <= 3",
        f"SELECT k, v FROM (SELECT k, v, {NUMBER} v DESC) AS rn FROM s) WHERE rn <= 3",
        "rank rankState",
    ),
    "alias of the select list": (
        "s3",
        f"SELECT k, v, {NUMBER} v DESC) AS rn FROM s QUALIFY rn <= 3",
        f"SELECT k, v, rn FROM (SELECT k, v, {NUMBER} v DESC) AS rn FROM s) WHERE rn <= 3",
        "rank rankState",
    ),
    "one rank that is selected": (
        "s3",
        f"SELECT k, v, {NUMBER} v DESC) AS rn FROM s QUALIFY rn = 2",
        f"SELECT k, v, rn FROM (SELECT k, v, {NUMBER} v DESC) AS rn FROM s) WHERE rn = 2",
        "rank rankState",
    ),
    "rank inside a selected expression": (
        "s3",
        f"SELECT k, v, {NUMBER} v DESC) - 1 FROM s QUALIFY {NUMBER} v DESC) <= 3",
        f"SELECT k, v, rn - 1 FROM (SELECT k, v, {NUMBER} v DESC) AS rn FROM s) WHERE rn <= 3",
        "rank rankState",
    ),
    "condition on a column that is not selected": (
        "s2",
        f"SELECT k, v FROM s QUALIFY {NUMBER} v DESC) BETWEEN 2 AND 4 AND w > 5",
        f"SELECT k, v FROM (SELECT k, v, w, {NUMBER} v DESC) AS rn FROM s) WHERE rn BETWEEN 2 AND 4 AND w > 5",
        "rank rankState",
    ),
    "limit of the row": (
        "s2",
        f"SELECT k, v FROM s QUALIFY {NUMBER} v DESC) <= w",
        f"SELECT k, v FROM (SELECT k, v, w, {NUMBER} v DESC) AS rn FROM s) WHERE rn <= w",
        "rank rankState",
    ),
    "over expressions": (
        "s2",
        "SELECT k, v FROM s QUALIFY 3 > ROW_NUMBER() OVER (PARTITION BY UPPER(k) ORDER BY v + w DESC)",
        "SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY UPPER(k) ORDER BY v + w DESC) AS rn FROM s) "
        "WHERE 3 > rn",
        "rank rankState",
    ),
    "named window": (
        "s2",
        "SELECT k, v FROM s WINDOW win AS (PARTITION BY k ORDER BY v DESC) QUALIFY ROW_NUMBER() OVER win <= 3",
        f"SELECT k, v FROM (SELECT k, v, {NUMBER} v DESC) AS rn FROM s) WHERE rn <= 3",
        "rank rankState",
    ),
    "changes as input": (
        "s2",
        "SELECT k, n FROM u QUALIFY ROW_NUMBER() OVER (PARTITION BY n ORDER BY k) <= 2",
        "SELECT k, n FROM (SELECT k, n, ROW_NUMBER() OVER (PARTITION BY n ORDER BY k) AS rn FROM u) WHERE rn <= 2",
        "rank rankState",
    ),
    "GROUP BY and HAVING": (
        "s2",
        "SELECT k, SUM(w) AS t FROM s GROUP BY k HAVING COUNT(*) > 1 QUALIFY ROW_NUMBER() OVER (ORDER BY t DESC) <= 3",
        "SELECT k, t FROM (SELECT k, t, ROW_NUMBER() OVER (ORDER BY t DESC) AS rn FROM "
        "(SELECT k, SUM(w) AS t FROM s GROUP BY k HAVING COUNT(*) > 1)) WHERE rn <= 3",
        "group-aggregate groupAggregateState, rank rankState",
    ),
    "window top n": (
        "s2",
        "SELECT k, v FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '5' MINUTE)) "
        "QUALIFY ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY v DESC) <= 3",
        "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY v DESC) "
        "AS rn FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '5' MINUTE))) WHERE rn <= 3",
        "window-table-function, window-rank",
    ),
    "window deduplication": (
        "s2",
        "SELECT k, v FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '5' MINUTE)) "
        "QUALIFY ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY ts DESC) = 1",
        "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY ts DESC) "
        "AS rn FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '5' MINUTE))) WHERE rn = 1",
        "window-table-function, window-deduplicate",
    ),
    "DISTINCT": (
        "s1",
        f"SELECT DISTINCT k FROM s QUALIFY {NUMBER} v DESC) <= 3",
        f"SELECT DISTINCT k FROM (SELECT k, {NUMBER} v DESC) AS rn FROM s) WHERE rn <= 3",
        "rank rankState, group-aggregate groupAggregateState",
    ),
    "ORDER BY a column that is not selected": (
        "s2",
        f"SELECT k, v FROM s QUALIFY {NUMBER} v DESC) <= 3 ORDER BY w LIMIT 5",
        f"SELECT k, v FROM (SELECT k, v, w, {NUMBER} v DESC) AS rn FROM s) WHERE rn <= 3 ORDER BY w LIMIT 5",
        "rank rankState, sort-limit rankState",
    ),
    "another window function": (
        "s2",
        "SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS t FROM s QUALIFY t > 10 AND w > 5",
        "SELECT k, t FROM (SELECT k, w, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS t FROM s) WHERE t > 10 AND w > 5",
        "over-aggregate",
    ),
    "two conditions on one rank": (
        "s2",
        f"SELECT k, v FROM s QUALIFY {NUMBER} ts) <= 3 AND {NUMBER} ts) > 1",
        f"SELECT k, v FROM (SELECT k, v, {NUMBER} ts) AS rn FROM s) WHERE rn <= 3 AND rn > 1",
        "rank rankState",
    ),
    "subquery in the condition": (
        "s2",
        f"SELECT k, v FROM s QUALIFY {NUMBER} v DESC) <= 3 AND EXISTS (SELECT 1 FROM u WHERE u.k = s.k)",
        f"SELECT k, v FROM (SELECT k, v, {NUMBER} v DESC) AS rn FROM s) AS t "
        "WHERE rn <= 3 AND EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
        "rank rankState, join leftState rightState",
    ),
}
#: Nodes of every plan that are not operators of the query.
AROUND = {"calc", "exchange", "watermark-assigner"}


def operators(sink, query):
    """Name and state entries of the operators between scans and sink, with the whole nodes."""
    plan = TableEnvironment().compile_script(f"{TABLES} INSERT INTO {sink} {query}").to_dict()
    nodes = [{key: value for key, value in node.items() if key != "description"} for node in plan["nodes"]]
    names = []
    for node in nodes:
        kind = node["type"].removeprefix("stream-exec-").split("_")[0]
        if kind not in AROUND and not kind.startswith(("table-source", "sink")):
            names.append(" ".join([kind, *(entry["name"] for entry in node.get("state", ()))]))
    return ", ".join(names), nodes


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
def test_qualify_compiles_to_the_plan_of_the_subquery_form(form):
    sink, qualify, subquery, expected = FORMS[form]
    names, nodes = operators(sink, qualify)
    assert names == expected
    if form != "GROUP BY and HAVING":  # names columns of its subqueries differently
        assert [node["type"] for node in nodes] == [node["type"] for node in operators(sink, subquery)[1]]
        assert [node.get("outputType") for node in nodes] == [
            node.get("outputType") for node in operators(sink, subquery)[1]
        ]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT k FROM s QUALIFY v > 3", "a condition of QUALIFY must contain a window function"),
        (f"SELECT k FROM s QUALIFY {NUMBER} v) > 3", "a condition on a rank must give it an upper end"),
        (f"SELECT k FROM s QUALIFY {NUMBER} v) = 1 AND {NUMBER} w) = 1", "must be computed on the same window"),
    ],
)
def test_qualify_that_flink_refuses_is_refused(query, message):
    with pytest.raises(CompiledPlanError, match=message):
        operators("s1", query)
