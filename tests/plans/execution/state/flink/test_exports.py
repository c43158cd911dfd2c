"""State of operators in Flink's form: an import and an export of it give the same entries."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plans.execution.operators.test_aggregate_savepoints import call, spec, view
from tests.plans.execution.operators.test_join_savepoints import entry as joined
from tests.plans.execution.operators.test_join_savepoints import spec as join
from tests.plans.execution.operators.test_rank_savepoints import rank, sink
from tests.support.kernel.harness import Harness, OperatorError, Savepoint

TEXT = "VARCHAR(2147483647)"
WRITTEN = 1000
COLUMNS = [TEXT, TEXT, "INT", "DECIMAL(10, 2)", "BOOLEAN", "DOUBLE"]


def entry(state: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"state": state, "key": ["k"], "value": value, "written": WRITTEN, **more}


def timed(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one if "writtenEach" in one else one | {"written": WRITTEN} for one in entries]


def in_order(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(entries, key=lambda one: json.dumps(one, sort_keys=True))


def back(harness: Harness, described: dict[str, Any], entries: list[dict[str, Any]], **facts: Any) -> dict[str, Any]:
    """Import entries, and compare them with those of an export; returns the described states by name."""
    states, lines = harness.exported(described, Savepoint(entries, facts=facts))
    assert in_order(lines) == in_order(entries)
    assert {line["state"] for line in lines} <= {state["name"] for state in states}
    return {state["name"]: state for state in states}


#: An aggregate call over insert-only input, its type, Flink's columns, their types, and views.
INSERTED = [
    (call("COUNT"), "BIGINT", [4], ["BIGINT"], []),
    (call("SUM", 2), "INT", [7], ["INT"], []),
    (call("SUM", 2), "INT", [None], ["INT"], []),
    (call("SUM", 3), "DECIMAL(38,2)", ["7.25"], ["DECIMAL(38, 2)"], []),
    (call("SUM", 5), "DOUBLE", ["-Infinity"], ["DOUBLE"], []),
    ({"function": "$$SUM0$1", "args": [2]}, "INT", [0], ["INT"], []),
    (call("AVG", 2), "INT", [7, 3], ["BIGINT", "BIGINT"], []),
    (call("AVG", 3), "DECIMAL(38,6)", ["7.50", 3], ["DECIMAL(38, 2)", "BIGINT"], []),
    (call("MIN", 2), "INT", [3], ["INT"], []),
    (call("MAX", 1), "STRING", [None], [TEXT], []),
    (call("LISTAGG", 1), "STRING", [",", "a,b"], [TEXT, TEXT], []),
    (
        call("FIRST_VALUE", 2),
        "INT",
        [[4, WRITTEN]],
        [{"accumulator": {"function": "FirstValueAggFunction", "arguments": ["INT"]}}],
        [],
    ),
    (
        call("COUNT", 1, distinct=True),
        "BIGINT",
        [2, None],
        ["BIGINT", "VOID"],
        [*view("distinctAcc_0", {"x": 1, "y": 1})],
    ),
]


@pytest.mark.parametrize(("aggregate", "type_", "columns", "types", "views"), INSERTED)
def test_an_aggregate_over_insertions(
    harness: Harness,
    aggregate: dict[str, Any],
    type_: str,
    columns: list[Any],
    types: list[Any],
    views: list[dict[str, Any]],
) -> None:
    result = type_.replace("STRING", TEXT).replace(",", ", ")
    entries = [*timed(views), entry("accState", columns)]
    states = back(harness, spec([aggregate], [type_]), entries, types=[COLUMNS], results=[result])
    assert states["accState"] == {
        "name": "accState",
        "kind": "VALUE",
        "key": {"row": [TEXT]},
        "namespace": None,
        "userKey": None,
        "value": {"row": types},
        "ttl": True,
    }


#: The same over input with retractions; COUNT(*) follows the columns.
RETRACTED = [
    (call("SUM", 2), "INT", [7, 2], ["INT", "BIGINT"], []),
    (call("COUNT", 1), "BIGINT", [3], ["BIGINT"], []),
    (
        call("MAX", 2),
        "INT",
        [[4, 2, None]],
        [{"accumulator": {"function": "MaxWithRetractAggFunction", "arguments": ["INT"]}}],
        view("agg0$map", {4: 1, 3: 2}),
    ),
    (
        call("COLLECT", 1),
        "MULTISET",
        [[None]],
        [{"accumulator": {"function": "CollectAggFunction", "arguments": [TEXT]}}],
        view("agg0$map", {"x": 2, "y": 1}),
    ),
    (
        call("LISTAGG", 1),
        "STRING",
        [[None, None]],
        [{"accumulator": {"function": "ListAggWithRetractAggFunction", "arguments": [TEXT]}}],
        [{"state": "agg0$list", "key": ["k"], "value": ["b", "a"], "writtenEach": [WRITTEN, WRITTEN]}],
    ),
    (
        call("LAST_VALUE", 1),
        "STRING",
        [["b", WRITTEN, None, None]],
        [{"accumulator": {"function": "LastValueWithRetractAggFunction", "arguments": [TEXT]}}],
        [
            *view("agg0$orderToValueMap", {WRITTEN - 2: ["b"], WRITTEN - 1: ["a"], WRITTEN: ["b"]}),
            *view("agg0$valueToOrderMap", {"b": [WRITTEN - 2, WRITTEN], "a": [WRITTEN - 1]}),
        ],
    ),
]


@pytest.mark.parametrize(("aggregate", "type_", "columns", "types", "views"), RETRACTED)
def test_an_aggregate_over_retractions(
    harness: Harness,
    aggregate: dict[str, Any],
    type_: str,
    columns: list[Any],
    types: list[Any],
    views: list[dict[str, Any]],
) -> None:
    described = spec([aggregate], [type_], needRetraction=True)
    entries = [*timed(views), entry("accState", [*columns, 3])]
    states = back(harness, described, entries, types=[COLUMNS], results=[type_])
    assert states["accState"]["value"] == {"row": [*types, "BIGINT"]}


def test_calls_over_the_same_columns_share_a_view(harness: Harness) -> None:
    calls = [call("COUNT", 2, distinct=True, filter=4), call("SUM", 2, distinct=True)]
    inserted = [
        entry("accState", [1, 9, None]),
        *timed(view("distinctAcc_0", {9: 0b11, 7: 0b10})),
        entry("distinctAcc_0_null_state", 0b01),
    ]
    states = back(harness, spec(calls, ["BIGINT", "INT"]), inserted, types=[COLUMNS], results=["BIGINT", "INT"])
    assert states["distinctAcc_0"]["userKey"] == {"external": "INT"}
    retracted = [entry("accState", [1, 9, 1, 3, None]), *timed(view("distinctAcc_0", {9: [1, 2]}))]
    described = spec(calls, ["BIGINT", "INT"], needRetraction=True)
    back(harness, described, retracted, types=[COLUMNS], results=["BIGINT", "INT"])


def test_an_accumulator_without_a_form_in_flink_is_refused(harness: Harness) -> None:
    described = spec([call("ARRAY_AGG", 2)], ["ARRAY<INT>"])
    entries = [entry("accState", [[[4], []]])]
    with pytest.raises(OperatorError, match=r"aggregate call 0 \(\$ARRAY_AGG\$1\): its accumulator is not converted"):
        back(harness, described, entries, types=[COLUMNS], results=["ARRAY<INT>"])


TWO = {"types": [["INT", "INT"], ["INT", "INT"]]}


def test_sides_of_a_join(harness: Harness) -> None:
    rows = [joined("left", [1, 5], [2, 1]), joined("right", [1, 7], 1)]
    states = back(harness, join("LEFT"), rows, **TWO)
    assert states["left-records"]["value"] == {"tuple": ["INT", "INT"]}
    assert states["right-records"]["value"] == "INT"
    unique = {"leftUpsertKeys": [[0]], "rightUpsertKeys": [[0, 1], [1]]}
    one = {"state": "left-records", "key": [1], "value": [[1, 5], 1]}
    many = {"state": "right-records", "key": [1], "uk": [7], "value": [1, 7]}
    states = back(harness, join("LEFT", **unique), [one, many], **TWO)
    assert states["left-records"]["kind"] == "VALUE"
    assert states["right-records"]["userKey"] == {"row": ["INT"]}


def test_a_row_that_is_kept(harness: Harness) -> None:
    columns = {"inputTypes": [["INT", "STRING"]], "outputTypes": ["INT", "STRING"], "ports": [{"key": [0]}]}
    last = {"uid": "keep", "type": "deduplicate", **columns, "keepLast": True}
    facts = {"types": [["INT", TEXT]]}
    row = {"state": "deduplicate-state", "key": [1], "value": [1, "x"]}
    assert back(harness, last, [row], **facts)["deduplicate-state"]["value"] == {"row": ["INT", TEXT]}
    flag = {**row, "value": True}
    assert back(harness, {**last, "keepLast": False}, [flag], **facts)["deduplicate-state"]["value"] == "BOOLEAN"


RANKED = {"types": [[TEXT, "INT"]]}


def ranked(state: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"state": state, "key": ["a"], "value": value, **more}


@pytest.mark.parametrize(
    ("fields", "entries"),
    [
        ({}, [ranked("data-state-with-append", [["a", 5], ["a", 5]], uk=[5])]),
        ({"end": 1}, [ranked("Top1-Rank-State", ["a", 5])]),
        (
            {"strategy": "update", "primaryKeys": [1], "end": 3},
            [ranked("data-state-with-update", [["a", at], 1], uk=[at]) for at in (1, 2)],
        ),
        (
            {"strategy": "retract"},
            [ranked("data-state", [["a", 5]], uk=[5]), ranked("sorted-map", [[[5], 1]])],
        ),
        ({"end": None, "endColumn": 1}, [ranked("data-state-with-append", [["a", 5]], uk=[5]), ranked("rankEnd", 1)]),
    ],
)
def test_rows_of_a_rank(harness: Harness, fields: dict[str, Any], entries: list[dict[str, Any]]) -> None:
    back(harness, rank(**fields), entries, **RANKED)


def test_the_first_rows_by_processing_time_are_counted(harness: Harness) -> None:
    types = ["STRING", "TIMESTAMP"]
    order = [{"index": 1, "ascending": True, "nullsLast": True}]
    described = rank(inputTypes=[types], outputTypes=types, orderBy=order)
    facts = {"types": [[TEXT, "TIMESTAMP_LTZ(3)"]], "proctimes": [[1]]}
    states = back(harness, described, [ranked("counterState", 2)], **facts)
    assert states["counterState"]["value"] == "INT"


def test_rows_of_a_sink(harness: Harness) -> None:
    states = back(harness, sink(), [ranked("values", [["a", 1], ["a", 2]])], **RANKED)
    assert states["values"]["value"] == {"list": {"row": [TEXT, "INT"]}}


def test_other_operators_are_refused(harness: Harness) -> None:
    fields = {"inputTypes": [["INT", "TIMESTAMP"]], "outputTypes": ["INT", "TIMESTAMP"], "timeDomain": "event"}
    described = {"uid": "any", "type": "rowtime-sort", "ports": [{"key": []}], "time": 1, **fields}
    with pytest.raises(OperatorError, match="the state of this operator is not converted into Flink's"):
        harness.exported(described, Savepoint([], facts={"types": [["INT", "TIMESTAMP(3)"]]}))
