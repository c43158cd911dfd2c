"""Tests of streaming programs: in Python with `ProgramTest`, and in the YAML files of `test-plan`.

>>> from compiled_plan.testing import ProgramTest
>>> program = '''
...     CREATE TABLE orders (customer STRING, price INT) WITH ('connector' = 'datagen');
...     CREATE TABLE totals (customer STRING, paid INT) WITH ('connector' = 'print');
...     INSERT INTO totals SELECT customer, SUM(price) FROM orders GROUP BY customer;
... '''
>>> def check() -> None:
...     with ProgramTest(sql=program) as test:
...         test.rows(orders=[{"customer": "ann", "price": 9}])
...         test.expect(totals=[{"+I": {"customer": "ann", "paid": 9}}])

The names are imported at their first use: pytest imports this package in each of its processes, for the plugin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred_names

if TYPE_CHECKING:
    from compiled_plan.plans.execution.testing.quick import NotQuickError
    from compiled_plan.testing.programs import ProgramTest

__all__ = ["NotQuickError", "ProgramTest"]

__getattr__ = deferred_names(
    __name__,
    {
        "NotQuickError": "compiled_plan.plans.execution.testing.quick",
        "ProgramTest": "compiled_plan.testing.programs",
    },
)
