from __future__ import annotations

import pytest

from compiled_plan.planner.functions import plan_literals
from compiled_plan.plans.errors import ProgramError


@pytest.mark.parametrize(
    ("text", "value", "type_"),
    [
        ("1", 1, "INT NOT NULL"),
        ("3000000000", 3000000000, "BIGINT NOT NULL"),
        ("1.5", "1.5", "DECIMAL(2, 1) NOT NULL"),
        (".5", "0.5", "DECIMAL(1, 1) NOT NULL"),
        ("0.5", "0.5", "DECIMAL(2, 1) NOT NULL"),
        ("1e0", "1", "DOUBLE NOT NULL"),
        ("1.0E-3", "0.0010", "DOUBLE NOT NULL"),
    ],
)
def test_numbers_are_typed_by_how_they_are_written(text: str, value: object, type_: str) -> None:
    actual = plan_literals.number(text)
    assert (actual.value, str(actual.type)) == (value, type_)


@pytest.mark.parametrize(
    ("text", "unit", "value", "type_"),
    [
        ("1", "DAY", "86400000", "INTERVAL DAY(2) NOT NULL"),
        ("-2", "DAY", "-172800000", "INTERVAL DAY(2) NOT NULL"),
        ("1.5", "SECOND", "1500", "INTERVAL SECOND(6) NOT NULL"),
        ("10", "MINUTES", "600000", "INTERVAL MINUTE NOT NULL"),
        ("1 10:00:00.123", "DAY TO SECOND(3)", "122400123", "INTERVAL DAY(2) TO SECOND(3) NOT NULL"),
        ("10:20", "HOUR TO MINUTE", "37200000", "INTERVAL HOUR TO MINUTE NOT NULL"),
        ("1-2", "YEAR TO MONTH", "14", "INTERVAL YEAR(2) TO MONTH NOT NULL"),
        ("1", "QUARTER", "3", "INTERVAL MONTH NOT NULL"),
        ("100", "DAY(3)", "8640000000", "INTERVAL DAY(3) NOT NULL"),
        ("3600.5", "SECOND(4, 1)", "3600500", "INTERVAL SECOND(1) NOT NULL"),
        ("1", "WEEK", "604800000", "INTERVAL DAY(2) NOT NULL"),
    ],
)
def test_intervals_are_milliseconds_or_months(text: str, unit: str, value: str, type_: str) -> None:
    actual = plan_literals.interval(text, unit)
    assert (actual.value, str(actual.type)) == (value, type_)


def test_timestamps_have_the_precision_of_their_text() -> None:
    actual = plan_literals.timestamp("2020-01-01 00:00:00.1200")
    assert (actual.value, str(actual.type)) == ("2020-01-01 00:00:00.12", "TIMESTAMP(4) NOT NULL")


def test_binary_is_base64() -> None:
    actual = plan_literals.binary("4142")
    assert (actual.value, str(actual.type)) == ("QUI=", "BINARY(2) NOT NULL")


@pytest.mark.parametrize(
    "make",
    [
        lambda: plan_literals.date("2020-02-30"),
        lambda: plan_literals.interval("25:61", "HOUR TO MINUTE"),
        lambda: plan_literals.interval("100", "DAY"),
        lambda: plan_literals.interval("3600", "SECOND"),
        lambda: plan_literals.interval("1.1234567", "SECOND"),
        lambda: plan_literals.interval("1 24:00:00", "DAY TO SECOND"),
        lambda: plan_literals.time("25:00:00"),
        lambda: plan_literals.timestamp("2020-01-01"),
        lambda: plan_literals.interval("x", "DAY"),
        lambda: plan_literals.interval("1", "FORTNIGHT"),
        lambda: plan_literals.binary("4"),
        lambda: plan_literals.number("12345678901234567890"),
    ],
)
def test_invalid_literals_are_refused(make: object) -> None:
    with pytest.raises(ProgramError) as caught:
        make()  # type: ignore[operator]
    assert caught.value.remedy
