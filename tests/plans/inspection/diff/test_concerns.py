"""Parts of a difference that keep a start from continuing."""

from __future__ import annotations

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.concerns import concerns, start_options
from compiled_plan.plans.plan import CompiledPlan

TABLES = """CREATE TABLE orders (customer STRING, shop STRING, amount INT) WITH ('connector' = 'datagen');
CREATE TABLE totals (k STRING, total INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'print');"""


def _plan(key: str) -> CompiledPlan:
    return TableEnvironment().compile_script(
        f"{TABLES} INSERT INTO totals SELECT {key}, SUM(amount) FROM orders GROUP BY {key};"
    )


def test_an_operator_is_named_by_the_uid_that_its_option_takes() -> None:
    diff = diff_plans(_plan("customer"), _plan("shop"))
    (edit,) = diff.operators
    assert edit.old_uid not in ("", edit.uid)
    open_concerns = concerns(diff)
    assert open_concerns[0].what.startswith(f"operator {edit.uid} (was {edit.old_uid}) (")
    options = start_options(open_concerns)
    assert options is not None and f"--reset {edit.uid}" in options
