"""The hint LOOKUP: the node's retry options as Flink 2.3 writes them, and refused options."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError, ProgramWarning

_RETRY = "'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='{}', 'max-attempts'='{}'"
_FOR_D = "LOOKUP('table'='d', {})"


def nodes(hints: str) -> dict[str, dict[str, Any]]:
    """The nodes of a query with these hints, by type."""
    plan = TableEnvironment().compile_script(
        f"""
        CREATE TABLE o (id INT, cid INT, p AS PROCTIME()) WITH ('connector' = 'datagen');
        CREATE TABLE c (id INT, name STRING) WITH (
          'connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost/x', 'table-name' = 'c');
        CREATE TABLE s (id INT, name STRING) WITH ('connector' = 'blackhole');
        INSERT INTO s SELECT /*+ {hints} */ o.id, d.name
        FROM o JOIN c FOR SYSTEM_TIME AS OF o.p AS d ON o.cid = d.id;
        """
    )
    return {node["type"]: node for node in plan.to_dict()["nodes"]}


def lookup(hints: str) -> dict[str, Any]:
    """The JSON of the lookup join of a query with these hints."""
    return nodes(hints)["stream-exec-lookup-join_1"]


@pytest.mark.parametrize(
    ("hints", "retry"),
    [
        (_FOR_D.format(_RETRY.format("10s", 3)), ("lookup_miss", 10000, 3)),
        (_FOR_D.format(_RETRY.format("155 ms", 10)), ("lookup_miss", 155, 10)),
        (_FOR_D.format(_RETRY.format("1s", 1).replace("lookup_miss", "LOOKUP_MISS")), ("LOOKUP_MISS", 1000, 1)),
        # The first hint for a table counts.
        (f"{_FOR_D.format(_RETRY.format('1s', 1))}, {_FOR_D.format(_RETRY.format('2s', 2))}", ("lookup_miss", 1000, 1)),
        # The database's connector looks up synchronously.
        (_FOR_D.format("'async'='true', 'output-mode'='allow_unordered', 'capacity'='9', 'timeout'='5 min'"), None),
        (_FOR_D.format("'shuffle'='true'"), None),
        ("LOOKUP('table'='o', 'async'='false')", None),
    ],
)
def test_retries_go_into_the_plan(hints: str, retry: tuple[str, int, int] | None) -> None:
    node = lookup(hints)
    if retry is None:
        assert "retryOptions" not in node
        assert "retry" not in node["description"]
        return
    predicate, delay, attempts = retry
    assert node["retryOptions"] == {
        "retry-predicate": predicate,
        "retry-strategy": "FIXED_DELAY",
        "fixed-delay": delay,
        "max-attempts": attempts,
    }
    assert node["description"].endswith(f"name], retry=[{predicate}, FIXED_DELAY, {delay}ms, {attempts}])")


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        ("LOOKUP(d)", "needs the key 'table'"),
        ("LOOKUP('async'='true')", "needs the key 'table'"),
        ("LOOKUP('table'='c', 'async'='true')", "names 'c', which is no table"),
        (_FOR_D.format("'retry-predicate'='lookup_miss'"), "lacks 'retry-strategy', 'fixed-delay', 'max-attempts'"),
        (_FOR_D.format(_RETRY.format("soon", 1)), "invalid value 'soon' of 'fixed-delay'"),
        (_FOR_D.format(_RETRY.format("1s", 0)), "invalid value '0' of 'max-attempts'"),
        (_FOR_D.format(_RETRY.format("1s", 1).replace("miss", "hit")), "invalid value 'lookup_hit'"),
        (_FOR_D.format("'async'='maybe'"), "invalid value 'maybe' of 'async'"),
        (_FOR_D.format("'output-mode'='random'"), "invalid value 'random' of 'output-mode'"),
        (_FOR_D.format("'capacity'='0'"), "invalid value '0' of 'capacity'"),
    ],
)
def test_wrong_options_are_refused(hints: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        lookup(hints)


def test_an_unknown_key_has_no_effect() -> None:
    with pytest.warns(ProgramWarning, match="'time-out' of LOOKUP has no effect"):
        assert "retryOptions" not in lookup(_FOR_D.format("'time-out'='300 s'"))


def test_a_shuffle_is_an_exchange_by_the_keys() -> None:
    compiled = nodes(_FOR_D.format("'shuffle'='true'"))
    assert compiled["stream-exec-exchange_1"]["description"] == "Exchange(distribution=[hash[cid]])"
    assert compiled["stream-exec-lookup-join_1"]["description"].endswith(", shuffle=[true])")
    assert "stream-exec-exchange_1" not in nodes(_FOR_D.format("'shuffle'='false'"))
    both = lookup(_FOR_D.format(f"'shuffle'='true', {_RETRY.format('1 s', 3)}"))
    assert both["description"].endswith(", shuffle=[true], retry=[lookup_miss, FIXED_DELAY, 1000ms, 3])")
