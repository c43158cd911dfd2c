"""Tables of tests outside of a test."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.connectors.testing import sink, source
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.types import INT, row_of


@pytest.mark.parametrize("connector", [source, sink])
def test_a_table_of_a_test_that_does_not_run_is_refused(connector: Any) -> None:
    options = {"connector": "testing", "id": "t", "test": "ended", "columns": "a"}
    table = TableSpec("default_catalog.default_database.t", row_of(["a"], [INT]), options)
    with pytest.raises(UnsupportedError, match="t is a table of a test that does not run"):
        connector(table, None)
