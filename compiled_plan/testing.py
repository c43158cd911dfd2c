"""Tests of streaming programs in Python, with the steps of `test-plan`'s files as calls.

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
"""

from __future__ import annotations

from compiled_plan.api.testing.programs import ProgramTest
from compiled_plan.plans.execution.testing.quick import NotQuickError

__all__ = ["NotQuickError", "ProgramTest"]
