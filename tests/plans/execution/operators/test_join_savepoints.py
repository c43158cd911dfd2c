"""Joins that continue Flink's state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plans.execution.operators import test_join
from tests.plans.execution.operators.test_join import left, right
from tests.support.kernel.harness import Change, Harness, OperatorError, Savepoint, Step, short


def spec(join_type: str, **fields: Any) -> dict[str, Any]:
    return test_join.spec(join_type, **{"ports": [{"key": [0]}, {"key": [0]}], **fields})


def entry(side: str, row: list[int], value: Any, key: list[int] | None = None, **more: Any) -> dict[str, Any]:
    """An entry of a side without a unique key."""
    return {"state": f"{side}-records", "key": key or row[:1], "uk": row, "value": value, **more}


def test_a_row_is_stored_as_often_as_flink_counts_it(harness: Harness) -> None:
    savepoint = Savepoint([entry("left", [1, 5], 2), entry("right", [2, 9], 1)])
    (answer,) = harness.run(spec("INNER"), [Step(1000, [right("+I", 1, 7)])], savepoint=savepoint)
    assert short(answer.out) == ["+I(1, 5, 1, 7)", "+I(1, 5, 1, 7)"]


def test_matches_are_counted_anew(harness: Harness) -> None:
    """Flink counts (1, 7) twice after an update without its -U; one retraction leaves no match."""
    rows = [entry("left", [1, 5], [1, 2]), entry("right", [1, 7], 1)]
    (answer,) = harness.run(spec("LEFT"), [Step(1000, [right("-D", 1, 7)])], savepoint=Savepoint(rows))
    assert short(answer.out) == ["-D(1, 5, 1, 7)", "+I(1, 5, null, null)"]


def test_a_side_with_a_unique_key_has_rows(harness: Harness) -> None:
    fields = {"leftUpsertKeys": [[0]], "rightUpsertKeys": [[1]]}
    one = {"state": "left-records", "key": [1], "value": [[1, 5], 1]}
    many = {"state": "right-records", "key": [1], "uk": [7], "value": [1, 7]}
    (answer,) = harness.run(spec("LEFT", **fields), [Step(1000, [left("-D", 1, 5)])], savepoint=Savepoint([one, many]))
    assert short(answer.out) == ["-D(1, 5, 1, 7)"]


def test_rows_expire_by_their_own_time(harness: Harness) -> None:
    rows = [entry("left", [1, 5], 1, written=1000), entry("left", [1, 6], 1, written=9000)]
    join = spec("INNER", ttl=[5000, 5000])
    (answer,) = harness.run(join, [Step(10_000, [right("+I", 1, 7)])], savepoint=Savepoint(rows))
    assert short(answer.out) == ["+I(1, 6, 1, 7)"]


def test_a_key_that_no_left_row_can_have_is_dropped_unless_its_rows_are_padded(harness: Harness) -> None:
    keys = {"leftKeys": [0, 0], "rightKeys": [0, 1], "filterNulls": [True, True]}
    ports = [{"key": [0, 0]}, {"key": [0, 1]}]
    rows = [entry("right", [1, 0], 1, key=[1, 0]), entry("right", [1, 1], 1, key=[1, 1])]
    inner = spec("INNER", ports=ports, **keys)
    row = Change("+I", (1, 5), 0, "1,1")
    (answer,) = harness.run(inner, [Step(1000, [row])], savepoint=Savepoint(rows))
    assert short(answer.out) == ["+I(1, 5, 1, 1)"]
    outer = spec("RIGHT", ports=ports, **keys)
    padded = [entry("right", [1, 0], [1, 0], key=[1, 0])]
    with pytest.raises(OperatorError, match="an outer join by one left column and two right ones"):
        harness.run(outer, [Step(1000, [row])], savepoint=Savepoint(padded))
