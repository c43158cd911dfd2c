"""Aggregates of bitmaps against Flink 2.3.

The expected results are those of the functions in flink-table-runtime (`AbstractBitmap...AggFunction`), called with the
same values in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from compiled_plan.plans.types import bitmaps
from tests.support.kernel.harness import Change, Harness, Step, batches

A, B, C, EMPTY = {1, 2, 3}, {-1, 2, 3}, {3, 9}, set[int]()
BITMAPS: list[tuple[str, set[int]]]
BITMAPS = [("+I", A), ("+I", B), ("+I", C), ("-D", B), ("+I", A), ("-D", A), ("-D", A), ("-D", C), ("+I", B)]
NUMBERS = [("+I", 1), ("+I", -1), ("+I", 3), ("-D", -1), ("+I", 1), ("-D", 1), ("-D", 1), ("-D", 3), ("+I", -1)]
#: Operation -> members after each change; None: NULL.
RETRACTED: dict[str, list[set[int] | None]] = {
    "AND": [A, {2, 3}, {3}, {3}, {3}, {3}, C, None, B],
    "OR": [A, {-1, 1, 2, 3}, {-1, 1, 2, 3, 9}, {1, 2, 3, 9}, {1, 2, 3, 9}, {1, 2, 3, 9}, C, None, B],
    "XOR": [A, {-1, 1}, {-1, 1, 3, 9}, {1, 2, 9}, C, {1, 2, 9}, C, None, B],
    "BUILD": [{1}, {-1, 1}, {-1, 1, 3}, {1, 3}, {1, 3}, {1, 3}, {3}, None, {-1}],
}
EMPTY_BITMAPS = [("+I", EMPTY), ("+I", A), ("-D", EMPTY), ("-D", A)]
WITH_EMPTY: dict[str, list[set[int] | None]] = {
    "AND": [EMPTY, EMPTY, A, None],
    "OR": [EMPTY, A, A, None],
    "XOR": [EMPTY, A, A, None],
}


def _aggregated(
    harness: Harness, operation: str, changes: Sequence[tuple[str, set[int] | int]], *, retracts: bool
) -> tuple[list[set[int] | None], list[int | None]]:
    """The bitmap and the cardinality after each change of a group that begins with a row of NULL."""
    spec = {
        "uid": "agg",
        "type": "group-aggregate",
        "inputTypes": [["STRING", "INT" if operation == "BUILD" else "BINARY"]],
        "outputTypes": ["STRING", "BINARY", "BIGINT", "BIGINT"],
        "grouping": [0],
        "aggs": [
            {"function": f"$BITMAP_{operation}_AGG$1", "args": [1]},
            {"function": f"$BITMAP_{operation}_CARDINALITY_AGG$1", "args": [1]},
            # Every change is then an output.
            {"function": "$COUNT$1", "args": []},
        ],
        "ttl": [0],
        "generateUpdateBefore": False,
        "needRetraction": retracts,
    }
    values = [(kind, bitmaps.write(value).hex() if isinstance(value, set) else value) for kind, value in changes]
    rows = [Change("+I", ("a", None)), *(Change(kind, ("a", value)) for kind, value in values)]
    first, *results = [answer.out[-1].values for answer in harness.run(spec, batches([[row] for row in rows]))]
    assert first == ("a", None, None, 1)
    members = [None if data is None else set(bitmaps.read(bytes.fromhex(data))) for _, data, _, _ in results]
    return members, [number for _, _, number, _ in results]


def _sizes(expected: Sequence[set[int] | None]) -> list[int | None]:
    return [None if members is None else len(members) for members in expected]


@pytest.mark.parametrize("operation", RETRACTED)
def test_retracted_values(harness: Harness, operation: str) -> None:
    changes = NUMBERS if operation == "BUILD" else BITMAPS
    expected = RETRACTED[operation]
    assert _aggregated(harness, operation, changes, retracts=True) == (expected, _sizes(expected))


@pytest.mark.parametrize("operation", RETRACTED)
def test_appended_values(harness: Harness, operation: str) -> None:
    changes = (NUMBERS if operation == "BUILD" else BITMAPS)[:3]
    expected = RETRACTED[operation][:3]
    assert _aggregated(harness, operation, changes, retracts=False) == (expected, _sizes(expected))


@pytest.mark.parametrize("operation", WITH_EMPTY)
def test_an_empty_bitmap_is_a_value(harness: Harness, operation: str) -> None:
    expected = WITH_EMPTY[operation]
    assert _aggregated(harness, operation, EMPTY_BITMAPS, retracts=True) == (expected, _sizes(expected))


@pytest.mark.parametrize("operation", RETRACTED)
def test_merged_values(harness: Harness, operation: str) -> None:
    """A session window that a row joins from two; the third one is of rows without a value."""
    changes = NUMBERS if operation == "BUILD" else BITMAPS
    first, second, third = (bitmaps.write(value).hex() if isinstance(value, set) else value for _, value in changes[:3])
    spec = {
        "uid": "agg",
        "type": "session-aggregate",
        "timeDomain": "event",
        "inputTypes": [["STRING", "INT" if operation == "BUILD" else "BINARY", "BIGINT"]],
        "outputTypes": ["STRING", "BINARY", "BIGINT"],
        "ports": [{"key": [0]}],
        "grouping": [0],
        "aggs": [
            {"function": f"$BITMAP_{operation}_AGG$1", "args": [1]},
            {"function": f"$BITMAP_{operation}_CARDINALITY_AGG$1", "args": [1]},
        ],
        "window": {"gap": 1_000},
        "time": 2,
    }
    apart = [("a", first, 1_000), ("a", third, 2_500), ("a", None, 9_000)]
    steps = [
        Step(0, [Change("+I", row, key="a", watermark=0) for row in apart], watermark=0),
        Step(0, [Change("+I", ("a", second, 1_800), key="a", watermark=0)], watermark=0),
        Step(0, [], watermark=20_000),
    ]
    *_, last = harness.run(spec, steps)
    members = RETRACTED[operation][2]
    assert members is not None
    assert [change.values for change in last.out] == [
        ("a", bitmaps.write(members).hex(), len(members)),
        ("a", None, None),
    ]
