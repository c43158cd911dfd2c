"""Durations and points in time, by the names of PyFlink."""

from __future__ import annotations

import datetime as dt

import pytest

from compiled_plan.pyflink.common.time import Duration, Instant, Time


@pytest.mark.parametrize("milliseconds", [0, 1, 1_999, 86_400_000, -1, -1_001])
def test_an_instant_keeps_its_milliseconds(milliseconds: int) -> None:
    instant = Instant.of_epoch_milli(milliseconds)
    assert instant.to_epoch_milli() == milliseconds and 0 <= instant.nanos < 10**9
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    assert instant.to_datetime() == epoch + dt.timedelta(milliseconds=milliseconds)


def test_durations_are_of_their_units() -> None:
    assert Duration.of_days(1) == Duration.of_hours(24) == Duration.of_minutes(1440) == dt.timedelta(days=1)
    assert Duration.of_seconds(1) == Duration.of_millis(1000) == Duration.of_nanos(10**9 + 999)
    assert Time.days(1) == Time.hours(24) == Time.minutes(1440) == Time.seconds(86_400) == Time.milliseconds(86_400_000)
    assert str(Time.seconds(2)) == "2000 ms" and Time.seconds(2) != Time.seconds(3)
