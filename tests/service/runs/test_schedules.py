"""When a run that ends is started again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from compiled_plan.service.runs.schedules import Schedule


def test_starts_are_at_fixed_times_and_none_is_made_up_for() -> None:
    schedule = Schedule(timedelta(minutes=15))
    assert schedule.next_after(datetime(2026, 1, 1, 8, 7, tzinfo=UTC)) == datetime(2026, 1, 1, 8, 15, tzinfo=UTC)
    assert schedule.next_after(datetime(2026, 1, 1, 8, 15, tzinfo=UTC)) == datetime(2026, 1, 1, 8, 30, tzinfo=UTC)
    daily = Schedule(timedelta(days=1), timedelta(hours=3))
    assert daily.next_after(datetime(2026, 1, 1, 8, tzinfo=UTC)) == datetime(2026, 1, 2, 3, tzinfo=UTC)
