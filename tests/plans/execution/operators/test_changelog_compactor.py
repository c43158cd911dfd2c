"""ON CONFLICT DO NOTHING and DO ERROR as in Flink: the changes of a key are added up watermark by watermark."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.arrivals import arrivals, in_order, watermark
from tests.support.kernel.harness import Change, Harness, Step, short

COLUMNS = ["STRING", "INT", "BIGINT"]


def spec(conflict: str = "NOTHING", **more: Any) -> dict[str, Any]:
    return {
        "uid": "sink",
        "type": "sink-compactor",
        "timeDomain": "event",
        "inputTypes": [COLUMNS],
        "outputTypes": COLUMNS,
        "conflict": conflict,
        "primaryKey": [0],
        "keyNames": ["name"],
        "table": "c.d.t",
        **more,
    }


def rows(*pairs: tuple[str, int], at: int | None) -> list[Change]:
    return [Change(kind, ("k", value, 0), key="k", watermark=at) for kind, value in pairs]


def run(harness: Harness, conflict: str, *steps: Step, **more: Any) -> list[str]:
    return [text for answer in harness.run(spec(conflict, **more), steps) for text in short(answer.out)]


def test_a_row_and_its_replacement_in_any_order_are_no_conflict(harness: Harness) -> None:
    first = rows(("+I", 1), at=None)
    # The replacement comes before the retraction, at the same watermark.
    second = rows(("+U", 2), ("-U", 1), at=5)
    out = run(harness, "ERROR", Step(0, first, watermark=None), Step(1, second, watermark=5), Step(2, [], watermark=6))
    assert out == ["+I(k, 1, 0)", "+U(k, 2, 0)"]


def test_a_conflict(harness: Harness) -> None:
    first, second = rows(("+I", 1), at=1), rows(("+I", 2), at=3)
    steps = (Step(0, [*first, *second], watermark=1), Step(1, [], watermark=9))
    assert run(harness, "NOTHING", *steps) == ["+I(k, 1, 0)"]
    with pytest.raises(Exception, match=r"primary key conflict in c.d.t: 2 rows have the key \[name=k\]"):
        run(harness, "ERROR", *steps)


def test_the_upsert_key_replaces(harness: Harness) -> None:
    keyed: dict[str, Any] = {"upsertKey": [2]}
    steps = (Step(0, rows(("+I", 1), at=1), watermark=1), Step(1, rows(("+U", 2), at=3), watermark=3))
    assert run(harness, "ERROR", *steps, Step(2, [], watermark=9), **keyed) == ["+I(k, 1, 0)", "+U(k, 2, 0)"]


def test_state_is_gone_with_the_row(harness: Harness) -> None:
    steps = [Step(0, rows(("+I", 1), at=1), watermark=1), Step(1, rows(("-D", 1), at=3), watermark=3)]
    answers = harness.run(spec(), [*steps, Step(2, [], watermark=9)])
    assert [text for answer in answers for text in short(answer.out)] == ["+I(k, 1, 0)", "-D(k, 1, 0)"]
    assert (answers[-1].keys, answers[-1].state_rows, answers[-1].timers) == (0, 0, 0)


def test_an_expired_row_is_forgotten(harness: Harness) -> None:
    steps = [Step(0, rows(("+I", 1), at=1), watermark=1), Step(1, [], watermark=2)]
    later = Step(500, rows(("+I", 2), at=3), watermark=3)
    answers = harness.run(spec(ttl=[100]), [*steps, later, Step(501, [], watermark=9)])
    assert [text for answer in answers for text in short(answer.out)] == ["+I(k, 1, 0)", "+I(k, 2, 0)"]


def expected(changes: list[Change]) -> dict[str, tuple[Any, ...]]:
    """Output of DO NOTHING by key, by a fold over watermarks."""
    shown: dict[str, Any] = {}
    for key in {row.key for row in changes}:
        current: Any = None
        of_key = [row for row in changes if row.key == key]
        for at in sorted({watermark(row) for row in of_key}):
            left = [] if current is None else [current]
            waiting: list[Change] = []
            for row in of_key:
                if watermark(row) != at:
                    continue
                partner = next((w for w in waiting if w.adds != row.adds and w.values == row.values), None)
                if partner is None:
                    waiting.append(row)
                else:
                    waiting.remove(partner)
            for row in waiting:
                if row.adds:
                    left.append(row.values)
                elif row.values in left:
                    left.remove(row.values)
            if len(left) < 2 or current is None:
                current = left[0] if left else None
        if current is not None:
            shown[key] = current
    return shown


VALUES = st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.integers(0, 30))


@given(arrivals(VALUES, time=lambda row: int(row[2]), key=lambda row: str(row[0]), retracting=True))
def test_nothing_keeps_the_first_of_each_watermark(harness: Harness, steps: list[Step]) -> None:
    answers = harness.run(spec(), steps)
    shown: dict[str, Any] = {}
    for change in (change for answer in answers for change in answer.out):
        # An upsert changelog: a row replaces the one with its key.
        assert (change.kind == "+I") == (change.values[0] not in shown)
        shown[change.values[0]] = change.values
        if not change.adds:
            del shown[change.values[0]]
    assert shown == expected(in_order(steps))
