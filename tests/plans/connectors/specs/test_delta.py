"""Declarations of the connector `delta`: contradictory options, changelog modes."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors.checks import changelog_of, table_faults
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.types import INT, STRING, TimeType, row_of
from compiled_plan.plans.types.changelog import ChangelogMode

ROW = row_of(["k", "v"], [INT, STRING])
PLACE = {"connector": "delta", "path": "/tmp/t"}


def faults(options: dict[str, str], *, reading: bool = True) -> list[str]:
    return [fault.message for fault in table_faults("t", options, ROW, reading=reading)]


def test_a_table_has_a_path_or_a_name() -> None:
    assert faults(PLACE) == faults({"connector": "delta", "table-name": "shop.orders"}) == []
    assert faults({"connector": "delta"}) == ["table t has neither 'path' nor 'table-name'"]
    assert faults(PLACE | {"table-name": "a"}) == ["table t has both 'path' and 'table-name'"]
    for name in ("SELECT 1;", "delta.`/etc`", "a..b", ""):
        assert "is no plain name of a table" in faults({"connector": "delta", "table-name": name})[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("startingVersion=1 startingTimestamp=2026-01-01", "both 'startingVersion' and 'startingTimestamp'"),
        ("versionAsOf=1", "'versionAsOf' of table t applies to batch reads alone"),
        ("endingVersion=1", "'endingVersion' of table t applies to batch reads alone"),
        ("scan.mode=batch versionAsOf=1 timestampAsOf=2026-01-01", "both 'versionAsOf' and 'timestampAsOf'"),
        ("scan.mode=batch startingVersion=1", "reads one version, and 'startingVersion' selects several"),
        ("scan.mode=batch readChangeFeed=true", "a batch read of the changes of table t has no start"),
        ("scan.mode=batch readChangeFeed=true startingVersion=1 versionAsOf=1", "'versionAsOf', one version"),
        ("readChangeFeed=true skipChangeCommits=true", "both 'readChangeFeed' and 'skipChangeCommits'"),
        ("ignoreChanges=true", "ignoreChanges"),
    ],
)
def test_contradictory_options_of_a_source(options: str, message: str) -> None:
    (fault,) = faults(PLACE | dict(part.split("=") for part in options.split()))
    assert message in fault


@pytest.mark.parametrize(
    "options",
    [
        "startingVersion=latest",
        "scan.mode=batch versionAsOf=0",
        "scan.mode=batch readChangeFeed=true startingVersion=0 endingVersion=3",
        "readChangeFeed=true startingTimestamp=2026-01-01",
        "skipChangeCommits=true maxFilesPerTrigger=10",
    ],
)
def test_options_of_a_source_that_go_together(options: str) -> None:
    assert faults(PLACE | dict(part.split("=") for part in options.split())) == []


def test_columns_that_no_delta_table_holds() -> None:
    row = row_of(["t"], [TimeType()])
    (fault,) = table_faults("t", PLACE, row, reading=False)
    assert "cannot be held in a Delta Lake table" in fault.message


def test_names_of_columns_that_a_created_table_refuses() -> None:
    row, created = row_of(["a b"], [INT]), PLACE | {"sink.create-table": "true"}
    assert list(table_faults("t", PLACE, row, reading=False)) == []
    (fault,) = table_faults("t", created, row, reading=False)
    assert fault.remedy == "add 'delta.columnMapping.mode' = 'name'"
    assert list(table_faults("t", created | {"delta.columnMapping.mode": "name"}, row, reading=False)) == []


def test_only_the_change_data_feed_has_updates() -> None:
    assert changelog_of(PLACE, reading=True) == ChangelogMode.INSERT
    assert changelog_of(PLACE | {"readChangeFeed": "true"}, reading=True) == ChangelogMode.ALL
    assert changelog_of(PLACE, reading=False) == ChangelogMode.UPSERT


def compiled(key: str, query: str, options: str = "") -> str:
    text = (
        f"CREATE TABLE t (k INT {key}, n BIGINT) WITH ('connector' = 'delta', 'path' = '/tmp/t'{options});"
        "CREATE TABLE p (k INT, n BIGINT) WITH ('connector' = 'print');"
    )
    return TableEnvironment().compile_script(text + query).to_json()


def test_a_query_with_updates_needs_a_primary_key() -> None:
    query = "INSERT INTO t SELECT k, COUNT(*) FROM p2 GROUP BY k;"
    source = "CREATE TABLE p2 (k INT) WITH ('connector' = 'datagen');"
    assert compiled("PRIMARY KEY NOT ENFORCED", source + query)
    with pytest.raises(CompiledPlanError, match="needs a primary key"):
        compiled("", source + query)


def test_an_aggregate_over_the_change_data_feed_retracts() -> None:
    query = "INSERT INTO p SELECT k, COUNT(*) FROM t GROUP BY k;"
    assert '"UPDATE_BEFORE"' in compiled("", query, ", 'readChangeFeed' = 'true'")
