"""A changed mapping of TO_CHANGELOG or FROM_CHANGELOG changes the output."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.plan import CompiledPlan

TABLES = "".join(
    f"CREATE TABLE {name} WITH ('connector' = 'filesystem', 'path' = '/{name}', 'format' = '{form}');"
    for name, form in (
        ("events (id INT, code STRING, amount INT)", "json"),
        ("coded (code STRING, amount INT)", "json"),
        ("totals (id INT, total INT)", "debezium-json"),
    )
)
CHANGES = "FROM_CHANGELOG(TABLE events, DESCRIPTOR(code), MAP[{}])"
FROM = f"INSERT INTO totals SELECT id, SUM(amount) FROM {CHANGES} GROUP BY id"
TO = "INSERT INTO coded SELECT op, amount FROM TO_CHANGELOG((SELECT amount FROM events), DEFAULT, MAP[{}])"


def plan(text: str) -> CompiledPlan:
    return TableEnvironment().compile_statements(TABLES + text).plan


@pytest.mark.parametrize(
    ("program", "old", "new", "same"),
    [
        (FROM, "'c', 'INSERT', 'd', 'DELETE'", "'d', 'DELETE', 'c', 'INSERT'", True),
        (FROM, "'c', 'INSERT'", "'c, r', 'INSERT'", False),
        (TO, "'INSERT', 'a', 'DELETE', 'b'", "'DELETE', 'b', 'INSERT', 'a'", True),
        (TO, "'INSERT', 'a', 'DELETE', 'b'", "'INSERT', 'a', 'DELETE', 'c'", False),
        (TO, "'INSERT', 'a'", "'INSERT', 'a', 'DELETE', 'b'", False),
    ],
)
def test_a_mapping_is_compared(program: str, old: str, new: str, same: bool) -> None:
    diff = diff_plans(plan(program.format(old)), plan(program.format(new)))
    assert diff.is_empty is same
