"""TO_CHANGELOG and FROM_CHANGELOG: their columns, and calls that Flink refuses as well."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.sql.binding.core import Bound
from compiled_plan.plans.errors import CompiledPlanError

Bind = Callable[[str], Bound]
Refused = Callable[[str], CompiledPlanError]

COLUMNS = {
    "TO_CHANGELOG(TABLE u)": ("op", "a", "d", "e"),
    "TO_CHANGELOG(input => TABLE u, op => DESCRIPTOR(`Op`))": ("Op", "a", "d", "e"),
    "TABLE(TO_CHANGELOG((SELECT a FROM u)))": ("op", "a"),
    "to_changelog(TABLE u, DEFAULT, MAP[' INSERT ,DELETE', 'x, y']) AS c(p, q, r, s)": ("p", "q", "r", "s"),
    "TO_CHANGELOG(input => TABLE u, op_mapping => MAP['INSERT, DELETE,', 'x'], uid => '_a-1')": ("op", "a", "d", "e"),
    "TO_CHANGELOG(input => TABLE clicks, on_time => DESCRIPTOR(ts))": ("op", "id", "ts", "p", "rowtime"),
    "TO_CHANGELOG((SELECT ts FROM clicks), DESCRIPTOR(rowtime), DEFAULT, DESCRIPTOR(ts))": (
        "rowtime",
        "ts",
        "rowtime0",
    ),
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
    "FROM_CHANGELOG(TABLE w, DESCRIPTOR(y), MAP['c, ,c', 'INSERT'])": "the code 'c' is there twice",
    "FROM_CHANGELOG(input => TABLE w, foo => 1)": "no argument 'foo'",
    "FROM_CHANGELOG(input => TABLE w, input => TABLE w)": "the argument 'input' of FROM_CHANGELOG is there twice",
    "FROM_CHANGELOG((SELECT d AS op FROM u))": "no columns besides the codes",
    "FROM_CHANGELOG(input => TABLE w, op => DESCRIPTOR(y), uid => '1a')": "'1a' is no uid",
    "TO_CHANGELOG(TABLE u, DESCRIPTOR(a))": "has a column 'a' already",
    "TO_CHANGELOG(TABLE u, DEFAULT, MAP['INSERT, INSERT', 'x'])": "the kind 'INSERT' is there twice",
    "TO_CHANGELOG(TABLE u, DEFAULT, MAP['INSERT', 1])": "a MAP of text constants",
    "TO_CHANGELOG(TABLE clicks, on_time => DESCRIPTOR(ts))": "cannot be mixed",
    "TO_CHANGELOG(TABLE u, DEFAULT, MAP[',INSERT', 'x'])": "unknown kind of change ''",
    "TO_CHANGELOG(input => TABLE clicks, on_time => DESCRIPTOR(tz))": "no column 'tz'",
    "TO_CHANGELOG(input => TABLE clicks, on_time => DESCRIPTOR(ts, p))": "a descriptor of one column",
    "TO_CHANGELOG(input => TABLE clicks, on_time => DESCRIPTOR(id))": "column 'id' is INT",
    "TO_CHANGELOG((SELECT CAST(ts AS TIMESTAMP(6)) AS t FROM clicks), DEFAULT, DEFAULT, DESCRIPTOR(t))": "up to 3",
    "TO_CHANGELOG((SELECT CAST(ts AS TIMESTAMP(3)) AS t FROM clicks), DEFAULT, DEFAULT, DESCRIPTOR(t))": (
        "on_time requires a time attribute"
    ),
}


@pytest.mark.parametrize("call", REFUSED)
def test_calls_that_are_refused(call: str, refused: Refused) -> None:
    assert REFUSED[call] in str(refused(f"SELECT * FROM {call}"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("FROM_CHANGELOG((SELECT d AS op, a FROM (SELECT d, COUNT(*) AS a FROM u GROUP BY d)))", "that is updated"),
        (
            "FROM_CHANGELOG((SELECT 'c' AS op, id AS a, ts FROM clicks), DEFAULT, DEFAULT, DESCRIPTOR(ts))",
            "on_time of a changelog function",
        ),
        (
            "TO_CHANGELOG((SELECT ts, COUNT(*) AS a FROM clicks GROUP BY ts), DEFAULT, DEFAULT, DESCRIPTOR(ts))",
            "on_time of a changelog function",
        ),
    ],
)
def test_updates_that_are_refused(call: str, message: str, env: TableEnvironment) -> None:
    with pytest.raises(CompiledPlanError, match=message):
        env.compile_statements(f"INSERT INTO wide SELECT a, 'b' FROM {call}")
