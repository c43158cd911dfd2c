"""Scheduled restarts of runs that end."""

from __future__ import annotations

from datetime import UTC, datetime

from compiled_plan.service.runs.settings import RunSettings


def test_starts_are_at_fixed_times_and_missed_ones_are_skipped() -> None:
    settings = RunSettings(every="15 min")
    assert settings.next_start(datetime(2026, 1, 1, 8, 7, tzinfo=UTC)) == datetime(2026, 1, 1, 8, 15, tzinfo=UTC)
    assert settings.next_start(datetime(2026, 1, 1, 8, 15, tzinfo=UTC)) == datetime(2026, 1, 1, 8, 30, tzinfo=UTC)
    daily = RunSettings(every="1 d")
    assert daily.next_start(datetime(2026, 1, 1, 8, tzinfo=UTC)) == datetime(2026, 1, 2, tzinfo=UTC)
    assert RunSettings().next_start(datetime(2026, 1, 1, tzinfo=UTC)) is None
