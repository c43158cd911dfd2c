"""Declarations of the connector `iceberg`: contradictory options, columns."""

from __future__ import annotations

import pytest

from compiled_plan.plans.connectors.checks import table_faults
from compiled_plan.plans.types import INT, STRING, SmallIntType, row_of

ROW = row_of(["k", "v"], [INT, STRING])
PLACE = {"connector": "iceberg", "catalog-name": "lake", "catalog-table": "t"}


def faults(options: dict[str, str], *, reading: bool = True) -> list[str]:
    return [fault.message for fault in table_faults("t", options, ROW, reading=reading)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"catalog-name": "a.b"}, "no name of a catalog"),
        ({"catalog-table": "/etc/t"}, "is no plain name of a table"),
        ({"catalog-database": "a.`/b`"}, "is no plain name of a table"),
        ({"warehouse": "/w"}, "has 'warehouse' and no 'catalog-type'"),
        ({"catalog-type": "hadoop"}, "has a 'hadoop' catalog without 'warehouse'"),
        ({"snapshot-id": "1", "as-of-timestamp": "1"}, "both 'snapshot-id' and 'as-of-timestamp'"),
        ({"snapshot-id": "1", "streaming": "true"}, "applies to batch reads alone"),
        ({"start-snapshot-timestamp": "1"}, "applies to streams alone"),
        ({"catalog-impl": "a.B"}, "catalog-impl"),
    ],
)
def test_contradictory_options(options: dict[str, str], message: str) -> None:
    (fault,) = faults(PLACE | options)
    assert message in fault


@pytest.mark.parametrize("options", [{}, {"catalog-type": "hadoop", "warehouse": "/w"}, {"streaming": "true"}])
def test_options_that_go_together(options: dict[str, str]) -> None:
    assert faults(PLACE | options) == []


def test_columns_that_no_iceberg_table_holds() -> None:
    (fault,) = table_faults("t", PLACE, row_of(["n"], [SmallIntType()]), reading=False)
    assert fault.message == "column 'n' of type SMALLINT cannot be held in an Iceberg table"
