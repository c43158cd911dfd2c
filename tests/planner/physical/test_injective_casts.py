"""Casts that keep a key, against Flink's plans: the keys of their sinks."""

from __future__ import annotations

import pytest

from compiled_plan.planner.physical.injective_casts import is_injective
from compiled_plan.plans.types import parse_type

#: The shortest VARCHAR, or VARBINARY, to which a cast keeps the key.
_SHORTEST = {
    "TINYINT": 4,
    "SMALLINT": 6,
    "INT": 11,
    "BIGINT": 20,
    "BOOLEAN": 5,
    "DATE": 10,
    "TIME(0)": 8,
    "TIMESTAMP(0)": 19,
    "TIMESTAMP(3)": 23,
    "TIMESTAMP(6)": 26,
    "FLOAT": 15,
    "DOUBLE": 24,
}


@pytest.mark.parametrize("source", _SHORTEST)
def test_a_text_keeps_a_key_if_it_holds_every_value(source: str) -> None:
    length = _SHORTEST[source]
    assert is_injective(parse_type(source), parse_type(f"VARCHAR({length})"))
    assert is_injective(parse_type(source), parse_type(f"CHAR({length})"))
    assert not is_injective(parse_type(source), parse_type(f"VARCHAR({length - 1})"))


@pytest.mark.parametrize(
    ("source", "target", "injective"),
    [
        ("INT", "INT NOT NULL", True),
        ("INT", "BIGINT", True),
        ("BIGINT", "INT", False),
        ("INT", "DOUBLE", False),
        ("INT", "DECIMAL(20, 0)", False),
        ("DECIMAL(5, 2)", "VARCHAR(30)", False),
        ("CHAR(3)", "VARCHAR(30)", True),
        ("CHAR(3)", "CHAR(30)", True),
        ("VARCHAR(3)", "VARCHAR(2)", False),
        ("VARCHAR(3)", "CHAR(30)", False),
        ("VARCHAR(3)", "VARBINARY(12)", True),
        ("CHAR(3)", "VARBINARY(11)", False),
        ("VARCHAR(2147483647)", "VARBINARY(2147483647)", True),
        ("VARBINARY(3)", "VARCHAR(30)", False),
        ("TIMESTAMP(3)", "TIMESTAMP(6)", False),
        # Flink keeps these: a change of clocks makes two values equal
        ("TIMESTAMP(6)", "TIMESTAMP_LTZ(6)", False),
        ("TIMESTAMP_LTZ(3)", "TIMESTAMP(3)", False),
        ("TIMESTAMP_LTZ(3)", "VARCHAR(30)", False),
    ],
)
def test_other_casts_that_keep_a_key(source: str, target: str, injective: bool) -> None:
    assert is_injective(parse_type(source), parse_type(target)) is injective
