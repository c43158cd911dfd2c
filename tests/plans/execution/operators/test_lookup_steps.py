"""Lookups that join micro-batches with a table: their place in a plan, and refusals. Without Spark."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare
from compiled_plan.plans.inspection.placement import needs_step
from compiled_plan.plans.nodes.lookup import LookupJoin

DELTA = "'connector' = 'delta', 'path' = '/lake/rates'"
ICEBERG = "'connector' = 'iceberg', 'catalog-name' = 'c', 'catalog-table' = 'rates'"
JOIN = "SELECT {}o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.p AS r ON o.currency = r.currency"
RETRY = (
    "/*+ LOOKUP('table' = 'r', 'retry-predicate' = 'lookup_miss', 'retry-strategy' = 'fixed_delay', "
    "'fixed-delay' = '1 s', 'max-attempts' = '3') */ "
)
RESOLVE = "SET 'table.optimizer.non-deterministic-update.strategy' = 'TRY_RESOLVE';\n"


def prepared(options: str, query: str, format_: str = "json") -> PreparedPlan:
    text = (
        f"CREATE TABLE rates (currency STRING, rate INT) WITH ({options});\n"
        "CREATE TABLE orders (id INT, currency STRING, p AS PROCTIME()) WITH ('connector' = 'filesystem', "
        f"'path' = '/orders', 'format' = '{format_}');\n"
        "CREATE TABLE p (id INT, rate INT) WITH ('connector' = 'print');\n"
    )
    head = RESOLVE if format_ != "json" else ""
    return prepare(TableEnvironment().compile_script(f"{head}{text}INSERT INTO p {query};"))


@pytest.mark.parametrize("options", [DELTA, ICEBERG, f"{ICEBERG}, 'streaming' = 'true'"])
def test_a_join_with_a_table_has_a_level_of_its_own(options: str) -> None:
    plan = prepared(options, JOIN.format(""))
    (lookup,) = (node for node in plan.plan.nodes if isinstance(node, LookupJoin))
    assert needs_step(lookup) and plan.layout.stages == ((lookup.id,),)


@pytest.mark.parametrize(
    ("hint", "format_", "message"),
    [
        (RETRY, "json", "the hint LOOKUP repeats lookups, and a table of connector 'delta' is read once a micro-batch"),
        ("", "debezium-json", "it stores the rows that it looks up"),
    ],
)
def test_lookups_row_by_row_are_refused(hint: str, format_: str, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        prepared(DELTA, JOIN.format(hint), format_)
