"""Figures of state, derived from the rows, at fixed times."""

from __future__ import annotations

import pytest

from compiled_plan.plans.execution.state.reading.figures import EDGES, state_report, tried_of
from compiled_plan.plans.execution.state.reading.model import Bucket, OperatorState, Part
from tests.plans.execution.state.reading.programs import HOUR, QUERIES, Looked

pytestmark = pytest.mark.wide

#: 2024-01-01 10:00 in ms.
TEN = 1_704_103_200_000
MINUTE = 60_000


def test_every_operator_is_there_in_the_order_of_the_stages(looked: Looked) -> None:
    uids = [operator.uid for operator in looked.report.operators]
    assert uids == list(looked.reader.operators)
    assert {looked.operator(sink).uid for sink in QUERIES} < set(uids)
    assert looked.operator("keyed").uid == uids[-1]


@pytest.mark.parametrize(
    ("sink", "kind", "keys", "entries"),
    [
        ("aggregate", "group-aggregate", 4, [4]),
        ("by_two", "group-aggregate", 5, [5]),
        ("inner_join", "join", 6, [6, 3]),
        ("left_join", "join", 6, [6, 3]),
        ("semi_join", "join", 6, [6, 3]),
        ("ranked", "rank", 4, [5]),
        ("last_row", "deduplicate", 4, [4]),
        ("first_row", "deduplicate", 4, [4]),
        ("normalized", "changelog-normalize", 2, [2]),
        # The windows until 10:10 have fired.
        ("tumbled", "window-aggregate", 2, [2]),
        ("sessions", "session-aggregate", 2, [2]),
        # One for the window of a key, and one for each waiting row.
        ("over_rows", "over-rowtime", 4, [5]),
        ("versions", "temporal-join", 3, [1, 2]),
        ("matched", "match", 2, [2]),
        ("keyed", "sink-upsert-materializer", 2, [2]),
    ],
)
def test_keys_and_rows(sink: str, kind: str, keys: int, entries: list[int], looked: Looked) -> None:
    figures = looked.figures(sink)
    assert (figures.kind, figures.keys, figures.entries) == (kind, keys, sum(entries))
    assert [part.entries for part in figures.parts] == entries
    assert figures.bytes > 10 * keys


def test_an_interval_join_keeps_the_rows_of_both_sides_by_their_times(looked: Looked) -> None:
    left, right = looked.figures("near").parts
    assert (left.entries, left.oldest_time, left.newest_time) == (6, TEN + MINUTE, TEN + 31 * MINUTE)
    assert right.entries >= 1
    assert right.newest_time == TEN + 31 * MINUTE
    assert {left.written, left.ttl, left.expired} == {0}


def test_keys_have_names_and_types(looked: Looked) -> None:
    def columns(sink: str) -> list[list[str]]:
        return [[f"{column.name} {column.type}" for column in key] for key in looked.figures(sink).columns]

    text = "VARCHAR(2147483647)"
    assert columns("by_two") == [[f"item {text}", "d DATE"]]
    assert columns("inner_join") == [["id INT"], ["oid INT"]]
    assert columns("tumbled") == [[f"item {text}"]]
    assert columns("keyed") == [["EXPR$0 BIGINT NOT NULL"]]


def test_entries_are_called_as_in_the_plan(looked: Looked) -> None:
    def names(sink: str) -> list[tuple[str, str, int]]:
        return [(part.name, part.of, part.ttl) for part in looked.figures(sink).parts]

    assert names("left_join") == [("leftState", "orders", 2 * HOUR), ("rightState", "ships", 0)]
    # A key is evicted as a whole: one TTL applies to both inputs.
    assert names("versions") == [("idleState", "orders", HOUR), ("idleState", "rates", HOUR)]
    assert names("tumbled") == [("", "orders", 0)]


def test_windows_are_listed_one_by_one(looked: Looked) -> None:
    def ends(sink: str) -> list[tuple[int, int]]:
        (operator,) = state_report(looked.reader, [looked.operator(sink).uid]).operators
        assert operator.event_time
        return [((window.end - TEN) // MINUTE, window.entries) for window in operator.windows]

    assert ends("tumbled") == [(40, 2)]
    assert ends("sessions") == [(40, 1), (41, 1)]
    # The total is not requested.
    assert looked.figures("tumbled").windows == ()


def written(state: OperatorState) -> int:
    """Write time of the rows, which is one micro-batch's time."""
    (part,) = {(part.oldest_write, part.newest_write) for part in state.parts if part.entries}
    oldest, newest = part
    assert oldest is not None
    assert oldest == newest
    return oldest


def at(looked: Looked, sink: str, millis: int, *what_if: str) -> tuple[Part, ...]:
    """The figures of an operator so many ms after its rows were written."""
    operator = looked.operator(sink)
    now = written(looked.figures(sink)) + millis
    report = state_report(looked.reader, [operator.uid], now, tried_of(what_if, operator))
    assert (report.at, report.batch) == (now, looked.report.batch)
    return report.operators[0].parts


def test_expirations_by_the_ttl(looked: Looked) -> None:
    then = written(looked.figures("left_join"))
    left, right = at(looked, "left_join", HOUR)
    assert (left.written, left.expired, left.next_expiry, left.last_expiry) == (6, 0, then + 2 * HOUR, then + 2 * HOUR)
    assert left.ages == (Bucket(HOUR, 6 * HOUR, 6),)
    assert left.expiries == (Bucket(HOUR, 6 * HOUR, 6),)
    # TTL 0 never expires.
    assert (right.written, right.expired, right.next_expiry, right.expiries) == (3, 0, None, ())
    assert right.ages == (Bucket(HOUR, 6 * HOUR, 3),)


def test_an_entry_is_past_its_ttl_from_that_very_moment_on(looked: Looked) -> None:
    before, _ = at(looked, "left_join", 2 * HOUR - 1)
    assert (before.expired, before.expiries) == (0, (Bucket(0, 1000, 6),))
    after, _ = at(looked, "left_join", 2 * HOUR)
    assert (after.expired, after.next_expiry, after.expiries) == (6, None, ())


@pytest.mark.parametrize("sink", ["aggregate", "ranked", "last_row", "normalized", "keyed"])
def test_kinds_that_expire(sink: str, looked: Looked) -> None:
    (part,) = at(looked, sink, HOUR)
    assert part.expired == part.entries == part.written > 0


def test_keys_with_rows_that_wait_for_the_watermark_do_not_expire(looked: Looked) -> None:
    (part,) = at(looked, "over_rows", HOUR)
    assert (part.entries, part.written, part.expired) == (5, 3, 3)


def test_what_if_figures_of_another_ttl(looked: Looked) -> None:
    then = written(looked.figures("left_join"))
    left, right = at(looked, "left_join", HOUR, "30 min")
    assert left.what_if is not None
    assert right.what_if is not None
    assert (left.what_if.expired, left.what_if.kept) == (6, 0)
    assert (right.what_if.expired, right.what_if.kept) == (3, 0)
    left, right = at(looked, "left_join", HOUR, "3d", "right=1 h")
    assert left.what_if is not None
    assert right.what_if is not None
    day = 24 * HOUR
    assert (left.what_if.ttl, left.what_if.expired, left.what_if.next_expiry) == (3 * day, 0, then + 3 * day)
    assert (right.what_if.ttl, right.what_if.expired, right.what_if.kept) == (HOUR, 3, 0)
    (left, right) = at(looked, "left_join", HOUR, "rightState=0")
    assert left.what_if is None
    assert right.what_if is not None
    assert (right.what_if.ttl, right.what_if.expired, right.what_if.kept) == (0, 0, 3)


def test_ages_before_the_clock_was_put_back_count_as_none(looked: Looked) -> None:
    (part,) = at(looked, "aggregate", -5000)
    assert part.ages == (Bucket(0, 1000, 4),)


def test_the_last_range_has_no_end(looked: Looked) -> None:
    (part,) = at(looked, "aggregate", EDGES[-1] + 1)
    assert part.ages == (Bucket(EDGES[-1], None, 4),)
