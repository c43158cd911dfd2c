"""Plans of window programs against those that Flink compiled, node by node."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from tests.conformance.cases import CASES

#: Flink does not push the projection of unused columns through a ranking.
FEWER_COLUMNS = {"window/window_dedup_first", "window/window_dedup_last", "window/window_topn_direct"}
#: Statements of a set share nodes at other places than in Flink.
OTHER_NODES = {"window/days_at_both_ends", "window/days_in_new_york", "window/days_of_1969_and_1970"}
CHOSEN = sorted(
    name
    for path in [*CASES.glob("window/*/flink-plan.json"), CASES / "pipelines/window_agg_then_group/flink-plan.json"]
    if (name := f"{path.parent.parent.name}/{path.parent.name}") not in OTHER_NODES
)
#: Fields without effect on the run, which differ between plans of one program.
LEFT_OUT = ("id", "uid", "ttlAsCompiled", "description", "configuration")


def compiled(text: str) -> dict[str, Any]:
    plan: dict[str, Any] = TableEnvironment().compile_script(text).to_dict()
    return plan


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: value for key, value in node.items() if key not in LEFT_OUT} for node in plan["nodes"]]


@pytest.mark.parametrize("case", CHOSEN)
def test_plans_are_those_of_flink(case: str) -> None:
    mine = nodes(compiled((CASES / case / "program.sql").read_text()))
    theirs = nodes(json.loads((CASES / case / "flink-plan.json").read_text()))
    assert [node["type"] for node in mine] == [node["type"] for node in theirs]
    if case not in FEWER_COLUMNS:
        assert mine == theirs


DDL = """
CREATE TABLE v (k INT, i INT, l BIGINT, d DOUBLE, dc DECIMAL(10, 2), s STRING, da DATE, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '/v', 'format' = 'json');
CREATE TABLE c (k INT, i INT, s STRING, dc DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = '/c', 'format' = 'debezium-json');
"""


def accumulators(source: str, calls: str, *types: str, window: str = "TUMBLE") -> list[tuple[str, Any]]:
    """Name and type of each accumulator of the local phase, without group key and slice end."""
    slide = "INTERVAL '1' MINUTE, " if window == "HOP" else ""
    columns = ", ".join(f"c{at} {type_}" for at, type_ in enumerate(types))
    table = f"TABLE({window}(TABLE {source}, DESCRIPTOR(ts), {slide}INTERVAL '5' MINUTE))"
    plan = compiled(
        f"{DDL}CREATE TABLE snk ({columns}) WITH ('connector' = 'blackhole');"
        f"INSERT INTO snk SELECT {calls} FROM {table} GROUP BY window_start, window_end, k"
    )
    (local,) = [node for node in plan["nodes"] if node["type"].startswith("stream-exec-local-window-aggregate")]
    row = local["outputType"]
    if isinstance(row, str):
        from compiled_plan.plans.types import RowType
        from compiled_plan.plans.types.codec import type_from_json

        parsed = type_from_json(row)
        assert isinstance(parsed, RowType)
        return [(item.name, item.type.text()) for item in parsed.fields[1:-1]]
    return [(item["name"], item["fieldType"]) for item in row["fields"][1:-1]]


def test_accumulators_of_sums_and_averages() -> None:
    actual = accumulators("v", "SUM(dc), AVG(i), COUNT(*), COUNT(l)", "DECIMAL(38, 2)", "INT", "BIGINT", "BIGINT")
    assert actual == [
        ("sum$0", "DECIMAL(38, 2)"),
        ("sum$1", "BIGINT"),
        ("count$2", "BIGINT"),
        ("count1$3", "BIGINT"),
        ("count$4", "BIGINT"),
    ]


def test_a_retracting_sum_counts_its_values() -> None:
    actual = accumulators("c", "SUM(i), COUNT(*)", "INT", "BIGINT")
    assert actual == [("sum$0", "INT"), ("count$1", "BIGINT"), ("count1$2", "BIGINT")]


def test_windows_count_their_rows_where_they_may_become_empty() -> None:
    assert accumulators("c", "AVG(i)", "INT")[2:] == [("count1$2", "BIGINT")]
    assert accumulators("v", "SUM(i)", "INT") == [("sum$0", "INT")]
    assert accumulators("v", "SUM(i)", "INT", window="HOP") == [("sum$0", "INT"), ("count1$1", "BIGINT")]
    assert accumulators("v", "COUNT(*)", "BIGINT", window="HOP") == [("count1$0", "BIGINT")]


def test_a_retracting_maximum_stores_all_values() -> None:
    (name, type_), _ = accumulators("c", "MAX(dc)", "DECIMAL(10, 2)")
    assert name == "max$0"
    assert type_["implementationClass"].endswith("MaxWithRetractAggFunction$MaxWithRetractAccumulator")
    view_type = type_["attributes"][2]["attributeType"]["externalDataType"]
    assert "MAP<DECIMAL(10, 2) NOT NULL, BIGINT>" in view_type["logicalType"]
    assert view_type["fields"][0]["keyClass"]["conversionClass"].endswith("DecimalData")


def test_distinct_values_of_one_column_are_stored_once() -> None:
    actual = accumulators(
        "v", "COUNT(DISTINCT s), COUNT(DISTINCT s) FILTER (WHERE i > 1), SUM(DISTINCT i)", *["BIGINT"] * 2, "INT"
    )
    assert [name for name, _ in actual] == ["count$0", "count$1", "sum$2", "distinct$0", "distinct$1"]


def test_the_first_value_is_not_merged_from_parts() -> None:
    plan = compiled(
        f"{DDL}CREATE TABLE snk (a INT) WITH ('connector' = 'blackhole');"
        "INSERT INTO snk SELECT FIRST_VALUE(i) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(ts), INTERVAL '5' MINUTE)) "
        "GROUP BY window_start, window_end, k"
    )
    kinds = [node["type"].removeprefix("stream-exec-") for node in plan["nodes"]]
    assert "window-aggregate_1" in kinds
    assert "local-window-aggregate_1" not in kinds
