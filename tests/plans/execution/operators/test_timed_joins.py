"""Interval and temporal joins over random lateness and batching, against Flink's operators row by row."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.arrivals import arrivals, in_order, watermark
from tests.support.kernel.flink_timers import TimedFunction
from tests.support.kernel.harness import Change, Harness, OperatorError, Step, short

COLUMNS = ["STRING", "INT", "BIGINT"]
NOTHING = (None, None, None)


def spec(type_: str, join_type: str, **fields: Any) -> dict[str, Any]:
    return {
        "uid": "join",
        "type": type_,
        "timeDomain": "event",
        "joinType": join_type,
        "inputTypes": [COLUMNS, COLUMNS],
        "outputTypes": [*COLUMNS, *COLUMNS],
        "leftKeys": [0],
        "rightKeys": [0],
        "filterNulls": [True],
        **({} if type_ == "proctime-temporal-join" else {"leftTime": 2, "rightTime": 2, "sharedWatermark": True}),
        **fields,
    }


def rows(port: int, *values: tuple[Any, ...], at: int = -1000, kind: str = "+I") -> list[Change]:
    return [Change(kind, row, port, str(row[0]), watermark=at) for row in values]


ROWS = st.tuples(st.sampled_from("ab") | st.none(), st.integers(0, 3), st.integers(-5, 40))


def _arrivals() -> st.SearchStrategy[list[Step]]:
    return arrivals(ROWS, time=lambda row: int(row[2]), key=lambda row: str(row[0]), ports=2)


@given(_arrivals(), st.sampled_from(["INNER", "LEFT", "RIGHT", "FULL"]), st.integers(-15, 15), st.integers(-15, 15))
def test_rows_match_within_their_interval(
    harness: Harness, steps: list[Step], join_type: str, lower: int, upper: int
) -> None:
    join = spec("interval-join", join_type, lowerBound=lower, upperBound=upper, condition="1<4")
    answers = harness.run(join, steps)
    out = Counter(change.values for answer in answers for change in answer.out)
    arrived = list(enumerate(in_order(steps)))
    lefts = [(at, row) for at, row in arrived if row.port == 0]
    rights = [(at, row) for at, row in arrived if row.port == 1]
    may: Counter[Any] = Counter()
    must: Counter[Any] = Counter()
    for i, left in lefts:
        for j, right in rights:
            near = right.values[2] + lower <= left.values[2] <= right.values[2] + upper
            if near and left.key == right.key != "None" and left.values[1] < right.values[1]:
                pair = (*left.values, *right.values)
                may[pair] += 1
                second = left if i > j else right
                # Rows in time find all their matches; late ones find the remaining rows.
                must[pair] += second.values[2] > watermark(second)
    joined = Counter({row: count for row, count in out.items() if NOTHING not in (row[:3], row[3:])})
    assert must - joined == Counter()
    assert joined - may == Counter()
    for port, side, sides in ((0, "LEFT", lefts), (1, "RIGHT", rights)):
        padded = Counter({row: count for row, count in out.items() if row[3 - 3 * port :][:3] == NOTHING})
        if join_type not in (side, "FULL"):
            assert not padded
            continue
        for values, count in Counter(row.values for _, row in sides).items():
            matched = sum(n for pair, n in joined.items() if pair[3 * port :][:3] == values)
            unmatched = padded[(*values, *NOTHING) if port == 0 else (*NOTHING, *values)]
            assert unmatched <= count
            if count == 1:
                assert unmatched == (0 if matched else 1)
    assert (answers[-1].keys, answers[-1].state_rows, answers[-1].timers) == (0, 0, 0)


def test_both_bounds_are_part_of_the_interval(harness: Harness) -> None:
    # left - 4 <= right <= left + 2, in ms
    join = spec("interval-join", "INNER", lowerBound=-2, upperBound=4)
    stream = [*rows(0, ("a", 0, 10)), *rows(1, *(("a", 0, time) for time in (5, 6, 12, 13)))]
    (only,) = harness.run(join, [Step(0, stream)])
    assert [change.values[5] for change in only.out] == [6, 12]


def test_an_unmatched_row_is_padded_half_an_interval_after_its_last_chance(harness: Harness) -> None:
    join = spec("interval-join", "LEFT", lowerBound=-10, upperBound=0)
    steps = [Step(0, rows(0, ("a", 0, 10))), Step(1, [], watermark=25), Step(2, [], watermark=26)]
    answers = harness.run(join, steps)
    assert [short(answer.out) for answer in answers] == [[], [], ["+I(a, 0, 10, null, null, null)"]]
    assert answers[2].out[0].at == 26


def test_a_late_row_matches_the_remaining_rows(harness: Harness) -> None:
    join = spec("interval-join", "FULL", lowerBound=-10, upperBound=0)
    steps = [
        Step(0, rows(0, ("a", 0, 10))),
        Step(1, rows(1, ("a", 1, 15), at=25)),
        Step(2, rows(1, ("a", 2, 15), at=26)),
    ]
    answers = harness.run(join, steps)
    assert [short(answer.out) for answer in answers] == [
        [],
        ["+I(a, 0, 10, a, 1, 15)"],
        ["+I(null, null, null, a, 2, 15)"],
    ]


def test_a_row_is_kept_until_the_watermark_passes_the_end_of_its_interval(harness: Harness) -> None:
    join = spec("interval-join", "LEFT", lowerBound=-10, upperBound=0)
    late = rows(1, ("a", 1, 15), ("a", 2, 20), at=20)
    answers = harness.run(join, [Step(0, rows(0, ("a", 0, 10))), Step(1, late, watermark=20)])
    assert short(answers[1].out) == ["+I(a, 0, 10, a, 1, 15)", "+I(a, 0, 10, a, 2, 20)"]

    (only,) = harness.run(join, [Step(0, rows(0, ("a", 0, 10), ("a", 1, 11), at=20), watermark=20)])
    assert (short(only.out), only.state_rows) == (["+I(a, 0, 10, null, null, null)"], 1)


def test_a_row_that_matched_is_not_padded_later(harness: Harness) -> None:
    # The right row is too old to be stored: only the match of the left row changes.
    join = spec("interval-join", "LEFT", lowerBound=-10, upperBound=0)
    late = Step(1, rows(1, ("a", 1, 15), at=20), watermark=20)
    answers = harness.run(join, [Step(0, rows(0, ("a", 0, 10))), late, Step(2, [], watermark=40)])
    assert [short(answer.out) for answer in answers] == [[], ["+I(a, 0, 10, a, 1, 15)"], []]


def test_a_watermark_of_one_input_alone_makes_nothing_late(harness: Harness) -> None:
    # The left input is far ahead; the batch's watermark is the minimum of both.
    left, right = rows(0, ("a", 0, 10), ("a", 0, 900)), rows(1, ("a", 1, 15), at=900)
    for type_, bounds in (("interval-join", {"lowerBound": -10, "upperBound": 0}), ("temporal-join", {})):
        join = spec(type_, "INNER", sharedWatermark=False, **bounds)
        steps = [Step(0, left, watermark=5), Step(1, right, watermark=5), Step(2, rows(0, ("a", 0, 15), at=900))]
        answers = harness.run(join, [*steps, Step(3, [], watermark=1000)])
        values = [change.values[2] for answer in answers for change in answer.out]
        assert values == ([10, 15] if type_ == "interval-join" else [15, 900])
        assert answers[-1].keys == (0 if type_ == "interval-join" else 1)


def test_processing_time_is_that_of_the_batch(harness: Harness) -> None:
    join = spec("interval-join", "INNER", lowerBound=-10, upperBound=0, timeDomain="processing", leftTime=None)
    left, right = rows(0, ("a", 0, None)), rows(1, ("a", 1, None))
    answers = harness.run(join, [Step(0, left), Step(10, right), Step(11, right), Step(1000, [])])
    assert [len(answer.out) for answer in answers] == [0, 1, 0, 0]
    assert answers[-1].keys == 0


class Temporal(TimedFunction):
    """TemporalRowTimeJoinOperator without its cleanup."""

    def __init__(self, outer: bool) -> None:
        super().__init__()
        self.outer = outer
        self.versions: dict[str, dict[int, Change]] = defaultdict(dict)
        self.left: dict[tuple[str, int], list[Change]] = defaultdict(list)

    def process(self, row: Change) -> None:
        time = row.values[2]
        if row.port == 1:
            self.versions[row.key][time] = row
        else:
            self.left[row.key, time].append(row)
            self.register(row.key, time)

    def fire(self, key: str, time: int) -> None:
        held = [version for at, version in sorted(self.versions[key].items()) if at <= time]
        version = held[-1] if held and held[-1].kind == "+I" and key != "None" else None
        for row in self.left.pop((key, time), []):
            if version is not None and row.values[1] < version.values[1]:
                self.emit(key, *row.values, *version.values)
            elif self.outer:
                self.emit(key, *row.values, *NOTHING)


@given(_arrivals(), st.booleans(), st.sets(st.integers(0, 25)))
def test_rows_see_the_version_that_held_at_their_time(
    harness: Harness, steps: list[Step], outer: bool, deleted: set[int]
) -> None:
    at = 0
    for step in steps:
        for place, row in enumerate(step.rows):
            if row.port == 1 and at in deleted:
                step.rows[place] = Change("-D", row.values, 1, row.key, row.watermark)  # type: ignore[index]
            at += 1
    answers = harness.run(spec("temporal-join", "LEFT" if outer else "INNER", condition="1<4"), steps)
    out = Counter(change.values for answer in answers for change in answer.out)
    expected = Counter(values for _, values in Temporal(outer).run(in_order(steps)))
    # A late row may find its version evicted.
    late = {row.values for row in in_order(steps) if row.port == 0 and row.values[2] <= watermark(row)}
    for values in {row[:3] for row in expected | out} - late:
        assert {row: n for row, n in out.items() if row[:3] == values} == {
            row: n for row, n in expected.items() if row[:3] == values
        }
    assert out - expected - Counter({(*values, *NOTHING): 99 for values in late}) == Counter()
    assert sum(out.values()) == sum(expected.values()) or late
    assert answers[-1].state_rows <= 2


def test_a_version_that_arrives_late_is_not_seen_by_rows_due_before_it(harness: Harness) -> None:
    stream = [*rows(0, ("a", 0, 10), at=5), *rows(1, ("a", 1, 8), at=12)]
    (only,) = harness.run(spec("temporal-join", "LEFT"), [Step(0, stream, watermark=20)])
    assert short(only.out) == ["+I(a, 0, 10, null, null, null)"]


def test_old_versions_are_evicted(harness: Harness) -> None:
    join = spec("temporal-join", "LEFT")
    versions = rows(1, ("a", 1, 1), ("a", 2, 5), ("a", 3, 9))
    steps = [Step(0, versions), Step(1, [], watermark=4), Step(2, [], watermark=5), Step(3, [], watermark=20)]
    answers = harness.run(join, steps)
    assert [answer.state_rows for answer in answers] == [3, 3, 2, 1]
    (gone,) = harness.run(join, [Step(0, [*versions, *rows(1, ("a", 3, 9), kind="-D")], watermark=9)])
    assert (gone.keys, gone.timers) == (0, 0)


def test_the_kind_of_the_left_row_stays(harness: Harness) -> None:
    stream = [*rows(1, ("a", 1, 1)), *rows(0, ("a", 0, 2), kind="-U"), *rows(0, ("a", 9, 2), kind="+U")]
    (only,) = harness.run(spec("temporal-join", "INNER"), [Step(0, stream, watermark=5)])
    assert short(only.out) == ["-U(a, 0, 2, a, 1, 1)", "+U(a, 9, 2, a, 1, 1)"]


def test_the_row_before_an_update_of_a_version_changes_nothing(harness: Harness) -> None:
    versions = [*rows(1, ("a", 1, 1)), *rows(1, ("a", 1, 1), kind="-U"), *rows(1, ("a", 2, 6), kind="+U")]
    (only,) = harness.run(spec("temporal-join", "LEFT"), [Step(0, [*versions, *rows(0, ("a", 0, 3))], watermark=9)])
    assert short(only.out) == ["+I(a, 0, 3, a, 1, 1)"]


def test_state_survives_a_restart(harness: Harness) -> None:
    join = spec("temporal-join", "LEFT")
    stream = [rows(1, ("a", 1, 1)), rows(0, ("a", 0, 5)), rows(1, ("a", 2, 6)), rows(0, ("a", 0, 6))]
    steps = [Step(at, batch, join, watermark=-5) for at, batch in enumerate(stream)]
    answers = harness.run(join, [*steps, Step(9, [], join, watermark=10)])
    assert [(change.values[2], change.values[4]) for change in answers[-1].out] == [(5, 1), (6, 2)]


def test_processing_time_joins_match_current_rows(harness: Harness) -> None:
    join = spec("proctime-temporal-join", "LEFT", timeDomain="processing")
    left = rows(0, ("a", 0, 0))
    stream = [
        [*left, *rows(1, ("a", 1, 0)), *left],
        [*rows(1, ("a", 2, 0), kind="+U"), *left, *rows(1, ("a", 2, 0), kind="-D"), *left],
    ]
    answers = harness.run(join, [Step(at, batch, join) for at, batch in enumerate(stream)])
    assert [change.values[4] for answer in answers for change in answer.out] == [None, 1, 2, None]
    assert answers[-1].keys == 0


@pytest.mark.parametrize(
    ("type_", "kind"),
    [("interval-join", "SEMI"), ("temporal-join", "FULL"), ("proctime-temporal-join", "RIGHT")],
)
def test_other_joins_are_refused(harness: Harness, type_: str, kind: str) -> None:
    with pytest.raises(OperatorError, match=f"cannot join as {kind}"):
        harness.run(spec(type_, kind), [])
