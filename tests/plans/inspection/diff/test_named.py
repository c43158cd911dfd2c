"""The columns of sinks that a difference names."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.named import named_columns
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.plan import CompiledPlan

TABLES = """
CREATE TABLE sales (shop STRING, price INT, pieces INT)
  WITH ('connector' = 'filesystem', 'path' = '/sales', 'format' = 'json');
CREATE TABLE totals (shop STRING, total BIGINT, pieces BIGINT {key})
  WITH ('connector' = 'filesystem', 'path' = '/totals', 'format' = 'debezium-json');
"""
KEY = ", PRIMARY KEY (shop) NOT ENFORCED"
TOTALS = "INSERT INTO totals SELECT shop, SUM(price), SUM(pieces) FROM sales GROUP BY shop;"
#: Two aggregations in a row, the second one by a column of the first.
NESTED = (
    "INSERT INTO totals SELECT shop, SUM(a) + 0, SUM(b) FROM (SELECT shop, pieces, SUM(price) AS a, COUNT(price) AS b "
    "FROM sales GROUP BY shop, pieces) AS s GROUP BY shop;"
)


def compiled(program: str, key: str = KEY) -> CompiledPlan:
    return TableEnvironment().compile_script(TABLES.replace("{key}", key) + program)


@pytest.mark.parametrize(
    ("program", "change", "columns"),
    [
        (TOTALS, ("SUM(pieces)", "SUM(pieces) + 1"), {"pieces"}),
        (TOTALS, ("SUM(pieces)", "MAX(pieces)"), {"pieces"}),
        (TOTALS, ("GROUP", "WHERE price > 2 GROUP"), None),
        # Behind a partial operator only the columns that are computed from its empty calls differ.
        (NESTED, ("SUM(price)", "MAX(price)"), {"total"}),
        (NESTED, ("COUNT(price)", "COUNT(DISTINCT price)"), {"pieces"}),
        # A filter chooses rows by a call that starts empty.
        (TOTALS.replace(";", " HAVING SUM(pieces) > 3;"), ("SUM(pieces)", "MAX(pieces)"), None),
    ],
)
def test_named_columns(program: str, change: tuple[str, str], columns: set[str] | None) -> None:
    assert named(compiled(program), compiled(program.replace(*change))) == columns


def test_a_changed_column_changes_whole_rows_without_a_key() -> None:
    plans = [compiled(text, key="") for text in (TOTALS, TOTALS.replace("SUM(pieces)", "SUM(pieces) + 1"))]
    assert named(plans[0], plans[1]) is None


def test_the_key_of_rows_changes_all_of_them() -> None:
    assert named(compiled(TOTALS), compiled(TOTALS.replace("SELECT shop", "SELECT UPPER(shop)"))) is None


def named(old: CompiledPlan, new: CompiledPlan) -> frozenset[str] | None:
    both = PlanPair.of(old, new)
    diff = diff_of(both)
    (sink,) = diff.sinks
    return named_columns(both, diff, sink)
