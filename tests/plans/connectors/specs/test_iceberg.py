"""Declarations of the connector `iceberg`: contradictory options, columns."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors.checks import changelog_of, table_faults
from compiled_plan.plans.types import INT, STRING, SmallIntType, VariantType, row_of
from compiled_plan.plans.types.changelog import ChangelogMode

ROW = row_of(["k", "v"], [INT, STRING])
PLACE = {"connector": "iceberg", "catalog-name": "lake", "catalog-table": "t"}
CHANGES = {"streaming": "true", "changelog": "true"}


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
        ({"changelog": "true"}, "'changelog' of table t applies to streams alone"),
        (CHANGES | {"streaming-skip-delete-snapshots": "true"}, "both 'changelog' and 'streaming-skip-delete"),
        (CHANGES | {"streaming-skip-overwrite-snapshots": "true"}, "both 'changelog' and 'streaming-skip-overwrite"),
        ({"catalog-impl": "a.B"}, "catalog-impl"),
    ],
)
def test_contradictory_options(options: dict[str, str], message: str) -> None:
    (fault,) = faults(PLACE | options)
    assert message in fault


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"catalog-type": "hadoop", "warehouse": "/w"},
        {"streaming": "true"},
        CHANGES | {"start-snapshot-timestamp": "1", "streaming-max-files-per-micro-batch": "10"},
    ],
)
def test_options_that_go_together(options: dict[str, str]) -> None:
    assert faults(PLACE | options) == []


def test_columns_that_no_iceberg_table_holds() -> None:
    (fault,) = table_faults("t", PLACE, row_of(["n"], [SmallIntType()]), reading=False)
    assert fault.message == "column 'n' of type SMALLINT cannot be held in an Iceberg table"


def test_columns_that_no_changelog_has() -> None:
    row = row_of(["k", "v"], [INT, VariantType()])
    assert list(table_faults("t", PLACE, row, reading=True)) == []
    (fault,) = table_faults("t", PLACE | CHANGES, row, reading=True)
    assert fault.message == "column 'v' of type VARIANT cannot be compared with its earlier value"


def test_only_a_changelog_has_updates() -> None:
    assert changelog_of(PLACE | {"streaming": "true"}, reading=True) == ChangelogMode.INSERT
    assert changelog_of(PLACE | CHANGES, reading=True) == ChangelogMode.ALL
    assert changelog_of(PLACE | CHANGES, reading=False) == ChangelogMode.UPSERT


def test_an_aggregate_over_a_changelog_retracts() -> None:
    def compiled(options: dict[str, str], query: str) -> str:
        shown = ", ".join(f"'{name}' = '{value}'" for name, value in (PLACE | options).items())
        tables = f"CREATE TABLE t (k INT PRIMARY KEY NOT ENFORCED, n BIGINT) WITH ({shown});"
        tables += "CREATE TABLE p (k INT, n BIGINT) WITH ('connector' = 'print');"
        return TableEnvironment().compile_script(f"{tables}INSERT INTO p {query};").to_json()

    copied = "SELECT k, n FROM t"
    assert '"changelogMode"' not in compiled({"streaming": "true"}, copied)
    assert "UPDATE_BEFORE" in compiled(CHANGES, copied)
    maximum = "SELECT MAX(k), n FROM t GROUP BY n"
    assert '"needRetraction" : false' in compiled({"streaming": "true"}, maximum)
    assert '"needRetraction" : true' in compiled(CHANGES, maximum)
