"""Rows from which each operator builds a state, and the files in `states/` with the bytes of all formats.

    python -m tests.plans.execution.kernel.kept_states        # writes missing files

A file is never rewritten: some release wrote it, and every later one must read it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.kernel.harness import Change, Harness, Step

FOLDER = Path(__file__).parent / "states"
DAY = 86_400_000
TYPES = ["STRING", "INT", "BIGINT"]
"""A name, a number, a time in ms."""


@dataclass(frozen=True)
class Case:
    """An operator's spec and the rows after which its state is recorded; or a state that needs more than rows."""

    spec: dict[str, Any]
    steps: Sequence[Step] = ()
    state: str | None = None


def _spec(kind: str, types: Sequence[Sequence[str]], output: Sequence[str], **fields: Any) -> dict[str, Any]:
    return {"uid": kind, "type": kind, "inputTypes": types, "outputTypes": output, **_keys(types), **fields}


def _keys(types: Sequence[Sequence[str]]) -> dict[str, Any]:
    return {"ports": [{"key": [0]} for _ in types]}


def _event(kind: str, types: Sequence[Sequence[str]], output: Sequence[str], **fields: Any) -> dict[str, Any]:
    return _spec(kind, types, output, timeDomain="event", **fields)


def _rows(*values: tuple[Any, ...], port: int = 0, kind: str = "+I") -> list[Change]:
    return [Change(kind, row, port, "a", watermark=0) for row in values]


A, B = ("a", 1, 1_000), ("a", None, 2_500)
INPUT = _rows(A, B)
ONCE = (Step(DAY, INPUT, watermark=0),)
ORDER = [{"index": 1}]
ALL_TYPES = [
    *("BOOLEAN", "BYTE", "SHORT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(20, 2)", "DECIMAL(38, 3)", "STRING"),
    *("BINARY", "DATE", "TIMESTAMP_NTZ", "ARRAY<INT>"),
]
ALL_VALUES = (
    *(True, -1, 300, -70_000, 1 << 40, 0.5, -0.0, "-12.30", "12345678901234567890123456789012345.678", "é€"),
    *("00ff", "2026-01-31", "1969-12-31T23:59:59.999999", [1, None, 3]),
)


def _call(function: str, *args: int, **fields: Any) -> dict[str, Any]:
    return {"function": function, "args": args, **fields}


COUNT, SUM = _call("$COUNT$1"), _call("$SUM$1", 1)
AGGREGATED = ["STRING", "INT", "DOUBLE", "DECIMAL(10, 2)", "STRING"]
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "count": ("BIGINT", COUNT),
    "count of values": ("BIGINT", _call("$COUNT$1", 1)),
    "filtered": ("BIGINT", _call("$COUNT$1", 1, filter=5)),
    "distinct": ("BIGINT", _call("$COUNT$1", 1, distinct=True)),
    "sum": ("INT", SUM),
    "sum of double": ("DOUBLE", _call("$SUM$1", 2)),
    "sum of decimal": ("DECIMAL(38, 2)", _call("$SUM$1", 3)),
    "avg": ("INT", _call("$AVG$1", 1)),
    "avg of double": ("DOUBLE", _call("$AVG$1", 2)),
    "avg of decimal": ("DECIMAL(38, 6)", _call("$AVG$1", 3)),
    "max": ("INT", _call("$MAX$1", 1)),
    "max, retracted": ("INT", _call("$MAX$1", 1, needRetract=True)),
    "last": ("INT", _call("$LAST_VALUE$1", 1)),
    "last, retracted": ("INT", _call("$LAST_VALUE$1", 1, needRetract=True)),
    "list": ("STRING", _call("$LISTAGG$1", 4)),
    "list with delimiter": ("STRING", _call("$LISTAGG$1", 4, 0)),
    "list, retracted": ("STRING", _call("$LISTAGG$1", 4, needRetract=True)),
    "array": ("ARRAY<INT>", _call("$ARRAY_AGG$1", 1)),
    "multiset": ("MULTISET", _call("$COLLECT$1", 4)),
    "single": ("INT", _call("$SINGLE_VALUE$1", 1, filter=6)),
    "percentile": ("DOUBLE", _call("$PERCENTILE$1", 1, 2)),
    "welford": ("DOUBLE", _call("$$WELFORD_M2$1$1", 2)),
    "object": ("STRING", _call("$JSON_OBJECTAGG_NULL_ON_NULL$1", 0, 4)),
    "json array": ("STRING", _call("$JSON_ARRAYAGG_NULL_ON_NULL$1", 4)),
}
PYTHON = _call("mean", 1, python={"executable": "none", "program": "", "payload": "", "token": "3f9c", "skips": []})
#: ARRAY<ROW<BIGINT, DOUBLE>>
NUMBER: dict[str, Any] = {"kind": "LONG", "precision": 0, "scale": 0, "children": []}
REAL: dict[str, Any] = {**NUMBER, "kind": "DOUBLE"}
PAIR = {"kind": "ROW", "precision": 0, "scale": 0, "children": [NUMBER, REAL]}
PAIRS = {"kind": "ARRAY", "precision": 0, "scale": 0, "children": [PAIR]}
PYTHON_VALUE = {**PYTHON, "python": {**PYTHON["python"], "accumulator": PAIRS}}
JAVA = _call(
    "com.shop.Mean",
    1,
    java={"function": json.dumps({"className": "com.shop.Mean", "kind": "AGGREGATE"}), "accumulator": PAIRS},
)
#: BITMAP_BUILD_AGG of the number; with and without retraction.
BITMAPS = [_call("$BITMAP_BUILD_AGG$1", 1, needRetract=retracts) for retracts in (False, True)]
AGGREGATE = {"grouping": [0], "aggs": [COUNT, SUM]}
WINDOWED = ["STRING", "BIGINT", "INT"]
JOIN = {"leftKeys": [0], "rightKeys": [0], "filterNulls": [True], "condition": None}
BOTH = (Step(DAY, [*INPUT, *_rows(A, port=1)], watermark=0),)
OVER = {"aggs": [COUNT, SUM]}
OVER_OUTPUT = [*TYPES, "BIGINT", "INT"]
MATCH = {
    "partition": [],
    "time": 2,
    "orderBy": [],
    "pattern": [{"min": 1, "max": 1, "greedy": True}] * 3,
    "defines": [[{"kind": "current", "column": 2}] * 2] * 3,
    "conditions": ["0=1"] * 3,
    "measures": [{"kind": "first", "variable": -1, "column": 1, "offset": 0}],
    "skip": "NEXT_ROW",
    "within": DAY,
}

CASES: dict[str, Case] = {
    "group-aggregate": Case(
        _spec(
            "group-aggregate",
            [[*AGGREGATED, "BOOLEAN", "BOOLEAN"]],
            ["STRING", *(type_ for type_, _ in CALLS.values())],
            grouping=[0],
            aggs=[call for _, call in CALLS.values()],
            ttl=[DAY],
        ),
        [
            Step(
                DAY,
                _rows(
                    ("a", 7, 0.25, "1.10", "x", True, True),
                    ("a", None, 0.5, "-2.00", None, False, False),
                    ("a", 7, -0.0, None, "y", None, None),
                ),
            )
        ],
    ),
    "group-aggregate-python": Case(
        _spec("group-aggregate", [TYPES], ["STRING", "DOUBLE"], grouping=[0], aggs=[PYTHON], ttl=[0]),
        state="01" + f"{DAY:016x}" + "0401070161" + "06" + "0717010403" + "80054e",
    ),
    "group-aggregate-python-value": Case(
        _spec("group-aggregate", [TYPES], ["STRING", "DOUBLE"], grouping=[0], aggs=[PYTHON_VALUE], ttl=[0]),
        # [(1, 1.5), (2, NULL)]
        state="01" + f"{DAY:016x}" + "0401070161" + "06" + "1618011310020f020302043ff80000000000000f010304",
    ),
    "group-aggregate-python-unfit": Case(
        _spec("group-aggregate", [TYPES], ["STRING", "DOUBLE"], grouping=[0], aggs=[PYTHON_VALUE], ttl=[0]),
        state="01" + f"{DAY:016x}" + "0401070161" + "06" + "0717010403" + "80054e",
    ),
    "group-aggregate-java": Case(
        _spec("group-aggregate", [TYPES], ["STRING", "DOUBLE"], grouping=[0], aggs=[JAVA], ttl=[0]),
        # [(1, 1.5), (2, NULL)]
        state="01" + f"{DAY:016x}" + "0401070161" + "06" + "161b011310020f020302043ff80000000000000f010304",
    ),
    "group-aggregate-bitmap": Case(
        _spec("group-aggregate", [TYPES], ["STRING", "BINARY", "BINARY"], grouping=[0], aggs=BITMAPS, ttl=[DAY]),
        [Step(DAY, _rows(A, ("a", -1, 2_500), ("a", 1, 3_000)))],
    ),
    "deduplicate": Case(
        _spec("deduplicate", [ALL_TYPES], ALL_TYPES, keepLast=True, ttl=[DAY]), [Step(DAY, _rows(ALL_VALUES))]
    ),
    "deduplicate-first": Case(_spec("deduplicate", [TYPES], TYPES, keepLast=False, ttl=[DAY]), ONCE),
    "keep-first-in-order": Case(_event("keep-first-in-order", [TYPES], TYPES, rowtime=2, ttl=[DAY]), ONCE),
    "keep-first-in-order-given-out": Case(
        _event("keep-first-in-order", [TYPES], TYPES, rowtime=2, ttl=[DAY]),
        [*ONCE, Step(DAY, [], watermark=DAY)],
    ),
    "rank": Case(_spec("rank", [TYPES], TYPES, orderBy=ORDER, end=3, ttl=[DAY]), ONCE),
    "rank-variable": Case(
        _spec("rank", [TYPES], TYPES, orderBy=[{"index": 2}], endColumn=1, ttl=[0], strategy="append"), ONCE
    ),
    "changelog-normalize": Case(
        _spec("changelog-normalize", [[*TYPES, "BOOLEAN"]], TYPES, filterColumn=3, ttl=[DAY]),
        [Step(DAY, _rows((*A, True)))],
    ),
    "lookup-materializer": Case(
        _spec("lookup-materializer", [["STRING", "ARRAY<INT>"]], ["STRING", "INT"], rowsColumn=1, ttl=[DAY]),
        [Step(DAY, _rows(("a", [1, None])))],
    ),
    "sink-upsert-materializer": Case(_spec("sink-upsert-materializer", [TYPES], TYPES, upsertKey=[2], ttl=[DAY]), ONCE),
    "sink-compactor": Case(
        _event(
            "sink-compactor",
            [TYPES],
            TYPES,
            conflict="NOTHING",
            primaryKey=[0],
            keyNames=["name"],
            table="t",
            ttl=[0],
        ),
        [Step(DAY, _rows(A), watermark=5), Step(DAY, [Change("+U", B, 0, "a", watermark=9)], watermark=9)],
    ),
    "join": Case(_spec("join", [TYPES, TYPES], [*TYPES, *TYPES], joinType="LEFT", ttl=[DAY, 0], **JOIN), BOTH),
    "join-semi": Case(_spec("join", [TYPES, TYPES], TYPES, joinType="SEMI", ttl=[0, 0], **JOIN), ONCE),
    "multi-join": Case(
        _spec(
            "multi-join",
            [TYPES] * 3,
            TYPES * 3,
            joinTypes=["INNER", "INNER", "LEFT"],
            conditions=[None, "0=3", "0=6"],
            inputUniqueKeys=[[[0]], [], []],
            ttl=[0, DAY, 0],
        ),
        BOTH,
    ),
    "window-aggregate": Case(
        _event(
            "window-aggregate",
            [TYPES],
            WINDOWED,
            window={"type": "hopping", "size": 3_000, "slide": 1_000, "offset": 0},
            time=2,
            **AGGREGATE,
        ),
        ONCE,
    ),
    "window-aggregate-attached": Case(
        _event(
            "window-aggregate",
            [["STRING", "INT", "BIGINT", "BIGINT"]],
            WINDOWED,
            window={"type": "attached"},
            windowStart=2,
            windowEnd=3,
            **AGGREGATE,
        ),
        [Step(DAY, _rows(("a", 1, 0, 1_000)), watermark=0)],
    ),
    "count-window-aggregate": Case(
        _spec("count-window-aggregate", [TYPES], WINDOWED, window={"size": 3, "slide": 2}, **AGGREGATE), ONCE
    ),
    "session-aggregate": Case(
        _event("session-aggregate", [TYPES], WINDOWED, window={"gap": 1_000}, time=2, **AGGREGATE),
        ONCE,
    ),
    "session-rows": Case(
        _event(
            "session-rows",
            [TYPES],
            [*TYPES, "TIMESTAMP_NTZ", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"],
            window={"gap": 2_000},
            time=2,
        ),
        ONCE,
    ),
    "window-rank": Case(
        _event("window-rank", [TYPES], TYPES, windowEnds=[2], orderBy=ORDER, start=1, end=2), [Step(DAY, _rows(A, A))]
    ),
    "window-deduplicate": Case(
        _event("window-deduplicate", [TYPES], TYPES, windowEnds=[2], orderColumn=1, keepLast=False),
        [Step(DAY, _rows(A))],
    ),
    "window-join": Case(
        _event("window-join", [TYPES, TYPES], [*TYPES, *TYPES], windowEnds=[2, 2], joinType="INNER", **JOIN),
        [Step(DAY, [*_rows(A), *_rows(A, port=1)])],
    ),
    "over-rowtime": Case(
        _event("rowtime-over", [TYPES], OVER_OUTPUT, time=2, ttl=[DAY], **OVER),
        [*ONCE, Step(DAY, [], watermark=1_000)],
    ),
    "over-rowtime-bounded": Case(
        _event("rowtime-over", [TYPES], OVER_OUTPUT, time=2, preceding=5_000, ttl=[], **OVER),
        [*ONCE, Step(DAY, [], watermark=1_000)],
    ),
    "over-proctime": Case(
        _spec(
            "proctime-over",
            [TYPES],
            [*OVER_OUTPUT, "INT"],
            ttl=[DAY],
            **{**OVER, "aggs": [COUNT, SUM, _call("$LAG$1", 1)]},
        ),
        ONCE,
    ),
    "over-proctime-bounded": Case(
        _spec("proctime-over", [TYPES], OVER_OUTPUT, rows=True, preceding=1, ttl=[0], **OVER), ONCE
    ),
    "over-columns": Case(_spec("column-over", [TYPES], OVER_OUTPUT, orderBy=ORDER, ttl=[DAY], **OVER), ONCE),
    "interval-join": Case(
        _event(
            "interval-join",
            [TYPES, TYPES],
            [*TYPES, *TYPES],
            joinType="LEFT",
            leftTime=2,
            rightTime=2,
            lowerBound=-1_000,
            upperBound=1_000,
            **JOIN,
        ),
        BOTH,
    ),
    "temporal-join": Case(
        _event(
            "temporal-join",
            [TYPES, TYPES],
            [*TYPES, *TYPES],
            joinType="LEFT",
            leftTime=2,
            rightTime=2,
            ttl=[DAY, DAY],
            **JOIN,
        ),
        [
            Step(
                DAY,
                [*INPUT, *_rows(A, port=1), Change("-D", ("a", 1, 1_500), 1, "a", watermark=0)],
                watermark=0,
            )
        ],
    ),
    "temporal-join-proctime": Case(
        _spec("proctime-temporal-join", [TYPES, TYPES], [*TYPES, *TYPES], joinType="LEFT", ttl=[DAY, DAY], **JOIN), BOTH
    ),
    "row-counter": Case(_spec("row-counter", [TYPES], [*TYPES, "BIGINT", "BIGINT"]), ONCE),
    "match": Case(_event("match-recognize", [TYPES], ["INT"], **MATCH), [*ONCE, Step(DAY, [], watermark=1_000)]),
    "temporal-sort": Case(
        _event("rowtime-sort", [TYPES], TYPES, time=2, orderBy=ORDER), [*ONCE, Step(DAY, [], watermark=1_000)]
    ),
}


def written(harness: Harness, case: Case) -> dict[str, Any]:
    """The spec of a case, the format of its state, and the states of its keys: bytes, and their meaning."""
    states = {} if case.state is None else {"a": bytes.fromhex(case.state + "02")}
    return {"spec": case.spec, **harness.states(case.spec, case.steps, states)}


def main() -> None:
    """Write missing files."""
    harness = Harness()
    FOLDER.mkdir(exist_ok=True)
    for name, case in CASES.items():
        state = written(harness, case)
        assert state["states"], f"{name} keeps nothing"
        path = FOLDER / f"{name}-v{state['format']['version']}.json"
        if not path.exists():
            path.write_text(json.dumps(state, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    harness.close()


if __name__ == "__main__":
    main()
