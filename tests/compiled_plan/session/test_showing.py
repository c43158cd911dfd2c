from __future__ import annotations

import re
import time

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.sql.nodes.statements import NamePattern
from compiled_plan.session.showing import _fits


def fits(name: str, pattern: str) -> bool:
    return _fits(name, NamePattern(pattern=pattern, negated=False, any_case=False))


@pytest.mark.parametrize("name", ["", "a", "ab", "aba", "abab", "a%b", "orders_2024", "x\ny"])
@pytest.mark.parametrize("pattern", ["", "%", "a%", "%b", "a%b", "%a%", "%a%a%", "a%a%b", "_b%", "%%", "a\\%b", "%_%b"])
def test_like_patterns_match_as_regular_expressions_would(name: str, pattern: str) -> None:
    plain = "".join(
        {"%": ".*", "_": "."}.get(part) or re.escape(part[-1]) for part in re.findall(r"(?s)\\.|.", pattern)
    )
    assert fits(name, pattern) == bool(re.fullmatch(plain, name, re.DOTALL))


@pytest.mark.attack
def test_like_patterns_take_linear_time() -> None:
    begun = time.process_time()
    assert not fits("a" * 10_000, "%a" * 30 + "b")
    assert not fits("ab" * 10_000, "%a%b_" * 30 + "c")
    assert time.process_time() - begun < 1


def test_set_lists_the_options_with_secrets_masked() -> None:
    env = TableEnvironment()
    env.execute_sql("SET 'table.exec.state.ttl' = '1 h'; SET 'my.password' = 'hunter2'")
    result = env.execute_sql("SET")
    assert result.column_names == ("key", "value")
    assert [tuple(row) for row in result.collect()] == [("my.password", "******"), ("table.exec.state.ttl", "1 h")]
