"""Checking the WITH options of a table that is about to be opened, by the specs that the planner reads too."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans.connectors.checks import table_faults
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.types import RowType


def check_table(
    table: str,
    options: Mapping[str, str],
    columns: RowType,
    partition_keys: tuple[str, ...] = (),
    *,
    reading: bool,
    lookup: bool = False,
    primary_key: tuple[str, ...] = (),
) -> None:
    """Refuse a table whose options, connector, format or columns do not run.

    Raises:
        UnsupportedError: names the table and the option or column.
    """
    for fault in table_faults(
        table, options, columns, partition_keys, reading=reading, lookup=lookup, primary_key=primary_key
    ):
        where = f"table {table}, WITH, '{fault.option}'" if fault.option else f"table {table}"
        raise UnsupportedError(fault.message, where=where, remedy=fault.remedy)
