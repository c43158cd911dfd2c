"""Join keys extracted from conditions with OR, as Flink 2.3 extracts them (its plans of the same programs)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment

TABLES = "".join(
    f"CREATE TABLE {name} (k INT, j INT, s STRING, p INT, d {kind}) "
    f"WITH ('connector' = 'filesystem', 'path' = '/{name}', 'format' = 'json');"
    for name, kind in (("a", "DOUBLE"), ("b", "BIGINT"), ("c", "INT"))
)
SINK = "CREATE TABLE o (x INT, y INT) WITH ('connector' = 'blackhole');"
SINK_3 = "CREATE TABLE o3 (x INT, y INT, z INT) WITH ('connector' = 'blackhole');"


def nodes(select: str, sink: str) -> list[dict[str, Any]]:
    env = TableEnvironment()
    plan = json.loads(env.compile_script(f"{TABLES}{SINK}{SINK_3}INSERT INTO {sink} SELECT {select}").to_json())
    result: list[dict[str, Any]] = plan["nodes"]
    return result


def joins(select: str, sink: str = "o") -> list[dict[str, Any]]:
    return [node for node in nodes(select, sink) if node["type"] == "stream-exec-join_1"]


def filters(select: str, sink: str = "o") -> list[str]:
    calcs = [node for node in nodes(select, sink) if node["type"] == "stream-exec-calc_1"]
    return [node["description"] for node in calcs if node["condition"]]


def where(node: dict[str, Any]) -> str:
    text: str = node["description"]
    return text.split("where=[")[1].split("], select=")[0]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("(a.k = b.k AND a.p > 1) OR (a.k = b.k AND b.p > 2)", "((k = k0) AND ((p > 1) OR (p0 > 2)))"),
        ("(a.k = b.k AND a.p > 1) OR (b.k = a.k AND b.p > 2)", "((k = k0) AND ((p > 1) OR (p0 > 2)))"),
        (
            "(a.k = b.k AND a.j = b.j AND a.p > 1) OR (a.k = b.k AND b.p > 2 AND a.j = b.j)"
            " OR (b.j = a.j AND b.k = a.k AND a.s = 'x')",
            "((k = k0) AND (j = j0) AND ((p > 1) OR (p0 > 2) OR (s = 'x')))",
        ),
        ("a.k = b.k OR (a.k = b.k AND b.p > 2)", "(k = k0)"),
        ("(a.k = b.k AND a.p > 1) OR (a.k = b.k AND a.p > 1 AND b.p > 2)", "(k = k0)"),
        (
            "((a.k = b.k AND a.p > 1) OR (a.k = b.k AND b.p > 2)) AND a.s = b.s",
            "((k = k0) AND ((p > 1) OR (p0 > 2)) AND (s = s0))",
        ),
        ("(a.k > b.k AND a.p > 1) OR (b.k < a.k AND b.p > 2)", "((k > k0) AND ((p > 1) OR (p0 > 2)))"),
        (
            "NOT ((a.k <> b.k OR a.p > 1) AND (a.k <> b.k OR b.p > 2))",
            "((k = k0) AND ((p <= 1) OR (p0 <= 2)))",
        ),
        (
            "CASE WHEN (a.k = b.k AND a.p > 1) OR (a.k = b.k AND b.p > 2) THEN TRUE ELSE FALSE END",
            "((k = k0) AND ((p > 1) OR (p0 > 2)))",
        ),
        (
            "(a.k = b.k AND a.p > 1) OR (a.k = b.k AND a.p IS NULL) OR (a.k = b.j AND a.s = 'z')",
            "(((k = k0) AND (p > 1)) OR ((k = k0) AND p IS NULL) OR ((k = j) AND (s = 'z')))",
        ),
        (
            "a.k = b.k AND (a.p > 1 OR a.j = 2 OR b.p = 4) AND (a.p > 1 OR a.j = 2 OR b.j = 5)",
            "((k = k0) AND ((p > 1) OR (j = 2) OR (p0 = 4)) AND ((p > 1) OR (j = 2) OR (j0 = 5)))",
        ),
    ],
)
@pytest.mark.parametrize("place", ["FROM a, b WHERE", "FROM a JOIN b ON"])
def test_conditions_common_to_all_branches_are_keys(condition: str, expected: str, place: str) -> None:
    (join,) = joins(f"a.p, b.p {place} {condition}")
    assert where(join) == expected


@pytest.mark.parametrize("kind", ["LEFT", "RIGHT", "FULL"])
def test_outer_joins_have_keys_but_filter_no_side(kind: str) -> None:
    text = "(a.k = b.k AND a.p = 1 AND b.p = 2) OR (b.k = a.k AND a.p = 3 AND b.p = 4)"
    (join,) = joins(f"a.p, b.p FROM a {kind} JOIN b ON {text}")
    assert where(join) == "((k = k0) AND (((p = 1) AND (p0 = 2)) OR ((p = 3) AND (p0 = 4))))"
    assert filters(f"a.p, b.p FROM a {kind} JOIN b ON {text}") == []


def test_casts_and_computed_keys_are_factored_too() -> None:
    for key in ("a.k = b.d", "a.k + 1 = b.k", "a.k + 1 = b.j * 2"):
        (join,) = joins(f"a.p, b.p FROM a, b WHERE ({key} AND a.p > 1) OR ({key} AND b.p > 2)")
        assert len(join["joinSpec"]["leftKeys"]) == 1
        assert "((p > 1) OR (p0 > 2))" in where(join)


def test_a_null_safe_key() -> None:
    key = "a.k IS NOT DISTINCT FROM b.k"
    (join,) = joins(f"a.p, b.p FROM a, b WHERE ({key} AND a.p > 1) OR ({key} AND b.p > 2)")
    assert (join["joinSpec"]["leftKeys"], join["joinSpec"]["filterNulls"]) == ([0], [False])


def test_nested_branches() -> None:
    inner = "((a.k = b.k AND a.p > 1) OR (b.k = a.k AND b.p > 2)) AND b.j = 1"
    (join,) = joins(f"a.p, b.p FROM a, b WHERE ({inner}) OR (a.k = b.k AND b.j = 3)")
    assert join["joinSpec"]["leftKeys"] == [0]


def test_three_tables() -> None:
    condition = "(a.k = b.k AND b.j = c.j AND a.p > 1) OR (c.j = b.j AND a.k = b.k AND c.p > 2)"
    first, second = joins(f"a.p, b.p, c.p FROM a, b, c WHERE {condition}", "o3")
    assert where(first) == "(k = k0)"
    assert len(second["joinSpec"]["leftKeys"]) == 1


@pytest.mark.parametrize("text", ["EXISTS", "NOT EXISTS"])
def test_subqueries(text: str) -> None:
    condition = "(a.k = b.k AND a.p > 1) OR (b.k = a.k AND b.p > 2)"
    (join,) = joins(f"a.p, a.j FROM a WHERE {text} (SELECT 1 FROM b WHERE {condition})")
    assert where(join) == "((k = k0) AND ((p > 1) OR (p0 > 2)))"


def test_common_conjuncts_of_one_side_are_pushed_down() -> None:
    condition = "a.k = b.k AND ((a.p = 1 AND b.p = 2) OR (a.p = 3 AND b.p = 4))"
    assert filters(f"a.p, b.p FROM a, b WHERE {condition}") == [
        "Calc(select=[k, p], where=[SEARCH(p, Sarg[1, 3])])",
        "Calc(select=[k, p], where=[SEARCH(p, Sarg[2, 4])])",
    ]
    far = "a.k = b.k AND b.j = c.j AND ((a.p = 1 AND c.p = 2) OR (a.p = 3 AND c.p = 4))"
    assert filters(f"a.p, b.p, c.p FROM a, b, c WHERE {far}", "o3") == [
        "Calc(select=[k, p], where=[SEARCH(p, Sarg[1, 3])])",
        "Calc(select=[j, p], where=[SEARCH(p, Sarg[2, 4])])",
    ]
    one = "a.k = b.k AND ((a.p = 1 AND b.p = 2) OR b.p = 4)"
    assert filters(f"a.p, b.p FROM a, b WHERE {one}") == ["Calc(select=[k, p], where=[SEARCH(p, Sarg[2, 4])])"]


def test_nondeterministic_calls_are_not_factored_out() -> None:
    (join,) = joins("a.p, b.p FROM a JOIN b ON (a.k = b.k AND RAND() > 0.5) OR (a.j = b.j AND RAND() > 0.5)")
    assert join["joinSpec"]["leftKeys"] == []


@pytest.mark.parametrize("condition", ["a.k + b.k = b.j", "a.p + b.k = b.j", "a.k = b.k + a.j"])
def test_an_equality_with_columns_of_both_sides_on_one_side_is_no_key(condition: str) -> None:
    (join,) = joins(f"a.k, b.k FROM a JOIN b ON {condition}")
    assert join["joinSpec"]["leftKeys"] == []
