from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.text.durations import (
    MAX_MS,
    format_duration,
    format_iso_duration,
    parse_duration,
    parse_duration_nanos,
    parse_iso_duration,
)

HOUR = 3_600_000

# Flink 2.3's TimeUtils, value by value.
FLINK = [
    ("3600000 ms", HOUR, "1 h"),
    ("1 h", HOUR, "1 h"),
    ("2d", 48 * HOUR, "2 d"),
    ("90 min", 90 * 60_000, "90 min"),
    ("PT1H30M", 90 * 60_000, "90 min"),
    ("5", 5, "5 ms"),
    ("0", 0, "0 ms"),
    ("0 s", 0, "0 ms"),
    ("1 H", HOUR, "1 h"),
    ("1 Days", 24 * HOUR, "1 d"),
    ("1 m", 60_000, "1 min"),
    ("1 secs", 1000, "1 s"),
    ("1500 millis", 1500, "1500 ms"),
    ("1 micro", 0, "0 ms"),
    ("1  h", HOUR, "1 h"),
    (" 1 h ", HOUR, "1 h"),
    ("1\th", HOUR, "1 h"),
    ("pt1h", HOUR, "1 h"),
    ("P1DT2H", 26 * HOUR, "26 h"),
    ("PT0.5S", 500, "500 ms"),
    ("168 h", 168 * HOUR, "7 d"),
    ("9223372036854775807 ms", MAX_MS, "9223372036854775807 ms"),
    ("106751991167 d", 9223372036828800000, "106751991167 d"),
]


@pytest.mark.parametrize(("text", "milliseconds", "written"), FLINK)
def test_reads_and_writes_as_flink(text: str, milliseconds: int, written: str) -> None:
    assert parse_duration(text) == milliseconds
    assert format_duration(milliseconds) == written


LABELS = {
    86_400_000: "d day days",
    HOUR: "h hour hours",
    60_000: "min m minute minutes",
    1000: "s sec secs second seconds",
    1: "ms milli millis millisecond milliseconds",
}


@pytest.mark.parametrize(("label", "size"), [(one, size) for size, many in LABELS.items() for one in many.split()])
def test_every_label_of_flink(label: str, size: int) -> None:
    assert parse_duration(f"7 {label}") == parse_duration(f"7{label.upper()}") == 7 * size


SMALL = "µs micro micros microsecond microseconds ns nano nanos nanosecond nanoseconds"


@pytest.mark.parametrize("label", SMALL.split())
def test_parts_of_a_millisecond_are_cut_off(label: str) -> None:
    assert parse_duration(f"999 {label}") == 0
    assert parse_duration_nanos(f"999 {label}") > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must not be empty: ''"),
        ("  ", "must not be empty"),
        ("-1 ms", "must not be negative: '-1 ms'"),
        ("PT-1H", "must not be negative"),
        ("-PT1H", "must not be negative"),
        ("1 foo", "unknown unit 'foo' in the duration '1 foo'"),
        ("1.5 h", "unknown unit '.5 h'"),
        ("1h 30min", "unknown unit 'h 30min'"),
        ("5 us", "unknown unit 'us'"),
        ("1 w", "unknown unit 'w'"),
        ("1_000 ms", "unknown unit"),
        ("+5 s", "not a duration"),
        ("٣ s", "not a duration"),
        ("P1Y", "not a duration"),
        ("PT", "not a duration"),
        ("P", "not a duration"),
        ("h", "not a duration: 'h'"),
        ("9223372036854775808 ms", "must fit into 9223372036854775807 ms"),
        ("106751991168 d", "must fit"),
        ("9223372036854776 s", "must fit"),
    ],
)
def test_refuses_what_flink_refuses_and_names_the_value(text: str, message: str) -> None:
    with pytest.raises(PlanError) as raised:
        parse_duration(text)
    assert message in raised.value.message
    assert repr(text) in raised.value.message
    assert raised.value.remedy


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("3 huors", "did you mean `3 hours`?"),
        ("1w", "write `7 d`"),
        ("2 Weeks", "write `14 d`"),
        ("1 month", "write `30 d`"),
        ("1y", "write `365 d`"),
        ("3 hrs", "write `3 h`"),
        ("5 mins", "write `5 min`"),
        ("1.5 h", "write `90 min`"),
        ("1h30m", "write `90 min`"),
        ("1 d, 12 h", "write `36 h`"),
        ("1 d 5 parsecs", "units are d, h, min, s, ms"),
        ("5 us", "did you mean `5 µs`?"),
    ],
)
def test_an_unknown_unit_gets_a_suggestion(text: str, remedy: str) -> None:
    with pytest.raises(PlanError) as raised:
        parse_duration(text)
    assert remedy in raised.value.remedy


@given(st.integers(0, MAX_MS))
def test_durations_survive_a_round_trip(milliseconds: int) -> None:
    text = format_duration(milliseconds)
    assert parse_duration(text) == milliseconds
    number, unit = text.split(" ")
    assert number.isdigit() and unit in ("d", "h", "min", "s", "ms")


@given(st.integers(0, 10**6), st.sampled_from(["d", "h", "min", "s", "ms"]), st.sampled_from(["", " ", "  "]))
def test_the_largest_unit_that_divides_it(number: int, unit: str, space: str) -> None:
    written = format_duration(parse_duration(f"{number}{space}{unit}"))
    sizes = {labels.split()[0]: size for size, labels in LABELS.items()}
    assert sizes[written.split(" ")[1]] >= sizes[unit] or number == 0


@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 400), st.integers(0, 10**6))
def test_iso_durations_add_up(days: int, hours: int, minutes: int, milliseconds: int) -> None:
    text = f"P{days}DT{hours}H{minutes}M{milliseconds // 1000}.{milliseconds % 1000:03d}S"
    assert parse_iso_duration(text) == ((days * 24 + hours) * 60 + minutes) * 60_000 + milliseconds


def test_a_window_may_be_offset_backwards() -> None:
    assert parse_iso_duration("PT-2M") == parse_iso_duration("-PT2M") == -120_000


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (300_000, "PT5M"),
        (5_400_000, "PT1H30M"),
        (86_400_000, "PT24H"),
        (0, "PT0S"),
        (500, "PT0.5S"),
        (93_784_567, "PT26H3M4.567S"),
        (-28_800_000, "PT-8H"),
        (-1_500, "PT-1.5S"),
    ],
)
def test_sizes_of_windows_are_written_as_java_does(milliseconds: int, text: str) -> None:
    assert format_iso_duration(milliseconds) == text
    assert parse_iso_duration(text) == milliseconds


def test_a_text_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(PlanError, match="not a duration: a text of 5002 characters"):
        parse_duration(f"{'9' * 5_000} s")
