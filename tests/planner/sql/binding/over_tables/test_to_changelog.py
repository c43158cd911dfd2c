"""TO_CHANGELOG and FROM_CHANGELOG: their columns, and calls that Flink refuses as well."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.planner.sql.binding.core import Bound
from compiled_plan.plans.errors import CompiledPlanError

Bind = Callable[[str], Bound]
Refused = Callable[[str], CompiledPlanError]

COLUMNS = {
    "TO_CHANGELOG(TABLE u)": ("op", "a", "d", "e"),
    "TO_CHANGELOG(input => TABLE u, op => DESCRIPTOR(`Op`))": ("Op", "a", "d", "e"),
    "TABLE(TO_CHANGELOG((SELECT a FROM u)))": ("op", "a"),
    "to_changelog(TABLE u, DEFAULT, MAP[' INSERT ,DELETE', 'x, y']) AS c(p, q, r, s)": ("p", "q", "r", "s"),
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(y))": ("x", "a"),
    "FROM_CHANGELOG((SELECT y AS op, x FROM w))": ("x",),
    "FROM_CHANGELOG(input => TABLE w, op => DESCRIPTOR(y), uid => 'me')": ("x", "a"),
    "FROM_CHANGELOG(input => TABLE w, op => DESCRIPTOR(y), op_mapping => MAP['c, r', ' INSERT '])": ("x", "a"),
}


@pytest.mark.parametrize("call", COLUMNS)
def test_columns_of_a_call(call: str, bind: Bind) -> None:
    assert bind(f"SELECT * FROM {call}").names == COLUMNS[call]


REFUSED = {
    "FROM_CHANGELOG()": "needs a table",
    "FROM_CHANGELOG(TABLE w)": "has no column 'op'",
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(Y))": "has no column 'Y'",
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(x))": "must be a STRING, not INT",
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(x, y))": "a descriptor of one column",
    "FROM_CHANGELOG(TABLE w PARTITION BY x, DESCRIPTOR(y))": "takes no PARTITION BY",
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(y), MAP['c', 'INS'])": "unknown kind of change 'INS'",
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(y), MAP['c', 'insert'])": "unknown kind of change 'insert'",
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(y), MAP['c', 'INSERT', 'r', 'INSERT'])": "the kind 'INSERT' is there twice",
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(y), MAP['c, d', 'INSERT', 'd', 'DELETE'])": "the code 'd' is there twice",
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(y), MAP['u', 'UPDATE_AFTER'])": "UPDATE_AFTER needs UPDATE_BEFORE",
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(y), MAP[LOWER('C'), 'INSERT'])": "a MAP of text constants",
    "FROM_CHANGELOG(input => TABLE w, foo => 1)": "no argument 'foo'",
    "TO_CHANGELOG(TABLE u, DESCRIPTOR(a))": "has a column 'a' already",
    "TO_CHANGELOG(TABLE u, DEFAULT, MAP['INSERT, INSERT', 'x'])": "the kind 'INSERT' is there twice",
    "TO_CHANGELOG(TABLE u, DEFAULT, MAP['INSERT', 1])": "a MAP of text constants",
    "TO_CHANGELOG(TABLE clicks, on_time => DESCRIPTOR(ts))": "cannot be mixed",
    "TO_CHANGELOG(input => TABLE clicks, on_time => DESCRIPTOR(ts))": "on_time of TO_CHANGELOG is not supported",
}


@pytest.mark.parametrize("call", REFUSED)
def test_calls_that_are_refused(call: str, refused: Refused) -> None:
    assert REFUSED[call] in str(refused(f"SELECT * FROM {call}"))


def test_from_changelog_takes_inserts_alone(env: TableEnvironment) -> None:
    query = "SELECT n FROM FROM_CHANGELOG((SELECT d AS op, COUNT(*) AS n FROM u GROUP BY d))"
    with pytest.raises(CompiledPlanError, match="over a table that is updated"):
        env.compile_statements(f"INSERT INTO wide SELECT n, 'b' FROM ({query})")
