"""Options that a program sets and the run needs: stored in the nodes that use them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compiled_plan.cli.compile_plan import app
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import ZONE, with_zone, zones_of

TABLES = """
CREATE TABLE t (id INT, ts TIMESTAMP_LTZ(3), l TIMESTAMP(3), x BIGINT, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'datagen');
CREATE TABLE o (s STRING) WITH ('connector' = 'print');
CREATE TABLE n (n BIGINT) WITH ('connector' = 'print');
"""


def configured(query: str, key: str = ZONE, value: str = "Asia/Tokyo") -> list[str]:
    """The kinds of the nodes that store an option."""
    plan = TableEnvironment({key: value}).compile_script(TABLES + query)
    return [node.kind for node in plan.nodes if node.configuration.get(key) == value]


@pytest.mark.parametrize(
    "call",
    [
        *("CAST(ts AS STRING)", "TRY_CAST('x' AS TIMESTAMP_LTZ(3))", "CAST(l AS TIMESTAMP_LTZ(3))", "CAST(ts AS DATE)"),
        *("DATE_FORMAT(ts, 'HH')", "EXTRACT(HOUR FROM ts)", "FLOOR(ts TO DAY)", "CEIL(ts TO HOUR)", "YEAR(ts)"),
        *("FROM_UNIXTIME(x)", "UNIX_TIMESTAMP('2020-01-01 00:00:00')", "CURRENT_DATE", "LOCALTIME", "CURRENT_TIME"),
        *("LOCALTIMESTAMP", "ts > l", "CAST(ROW(ts, 1) AS STRING)", "CAST(ARRAY[ts] AS STRING)"),
        *("COALESCE(ts, l)", "CAST(MAP['a', ts] AS STRING)"),
    ],
)
def test_nodes_with_zone_dependent_calls_store_the_zone(call: str) -> None:
    assert configured(f"INSERT INTO o SELECT CAST({call} AS STRING) FROM t;") == ["calc"]


@pytest.mark.parametrize(
    "call", ["id + 1", "ts < CURRENT_TIMESTAMP", "UNIX_TIMESTAMP()", "ts IS NULL", "DATE_FORMAT(l, 'HH')", "YEAR(l)"]
)
def test_nodes_without_zone_dependent_calls_store_no_zone(call: str) -> None:
    assert configured(f"INSERT INTO o SELECT CAST({call} AS STRING) FROM t;") == []


def test_every_computing_node_stores_the_zone() -> None:
    join = "INSERT INTO n SELECT a.x FROM t a JOIN t b ON a.id = b.id AND YEAR(a.ts) > YEAR(b.ts);"
    assert configured(join) == ["join"]
    window = (
        "INSERT INTO n SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY)) "
        "GROUP BY window_start, window_end;"
    )
    assert configured(window) == ["local-window-aggregate", "global-window-aggregate"]
    where = "INSERT INTO n SELECT x FROM t WHERE HOUR(ts) > 3;"
    assert configured(where) == ["calc"]


def test_without_options_the_plan_equals_flinks() -> None:
    query = TABLES + "INSERT INTO o SELECT CAST(ts AS STRING) FROM t;"
    plain = TableEnvironment().compile_script(query)
    assert zones_of(plain) == ()
    assert TableEnvironment({ZONE: "default"}).compile_script(query).to_json() == plain.to_json()


def test_the_zone_set_before_the_statement_applies() -> None:
    env = TableEnvironment()
    env.execute_sql(TABLES)
    insert = "INSERT INTO o SELECT CAST(ts AS STRING) FROM t"
    env.execute_sql(
        "SET 'table.local-time-zone' = 'Asia/Tokyo'; CREATE VIEW v AS SELECT CAST(ts AS STRING) AS s FROM t"
    )
    first = env.compile_plan_sql(insert)
    env.get_config().set(ZONE, "GMT-08:00")
    second, view = env.compile_plan_sql(insert), env.compile_plan_sql("INSERT INTO o SELECT s FROM v")
    env.execute_sql("RESET 'table.local-time-zone'")
    third = env.compile_plan_sql(insert)
    assert [zones_of(plan) for plan in (first, second, view, third)] == [
        ("Asia/Tokyo",),
        ("GMT-08:00",),
        ("GMT-08:00",),
        (),
    ]


def test_an_option_wins_over_the_plan_and_the_plan_over_a_session() -> None:
    query = TABLES + "INSERT INTO o SELECT CAST(ts AS STRING) FROM t;"
    plan = TableEnvironment({ZONE: "Asia/Tokyo"}).compile_script(query)
    open_ = TableEnvironment().compile_script(query)
    assert zones_of(with_zone(plan, "UTC", otherwise="CET")) == ("UTC",)
    assert zones_of(with_zone(plan, otherwise="CET")) == ("Asia/Tokyo",)
    assert zones_of(with_zone(open_, otherwise="CET")) == ("CET",)
    assert zones_of(with_zone(open_)) == ()


def test_options_of_the_set_command(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    (tmp_path / "p.sql").write_text(TABLES + "INSERT INTO o SELECT CAST(ts AS STRING) FROM t;")
    out = tmp_path / "plan.json"
    arguments = [str(tmp_path / "p.sql"), "-o", str(out)]
    assert CliRunner().invoke(app, [*arguments, "--set", f"{ZONE}=Asia/Tokyo"]).exit_code == 0
    assert zones_of(CompiledPlan.read_file(out)) == ("Asia/Tokyo",)
    refused = CliRunner().invoke(app, [*arguments, "--force", "--set", f"{ZONE}=UTC+8"])
    assert refused.exit_code == 1


@pytest.mark.parametrize(
    ("key", "value", "kinds"),
    [
        ("table.exec.source.idle-timeout", "5 s", ["watermark-assigner"]),
        ("table.exec.sink.nested-constraint-enforcer", "ROWS", ["sink"]),
        ("table.exec.sink.not-null-enforcer", "DROP", ["sink"]),
        ("table.exec.sink.type-length-enforcer", "ERROR", ["sink"]),
    ],
)
def test_all_stored_options(key: str, value: str, kinds: list[str]) -> None:
    assert configured("INSERT INTO o SELECT CAST(x AS STRING) FROM t;", key, value) == kinds


VERSIONS = """
CREATE TABLE v (id INT, w INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '/tmp/v', 'format' = 'debezium-json');
"""
OVER = "INSERT INTO n SELECT COUNT(*) OVER (PARTITION BY id ORDER BY ts {}) FROM t;"


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        (OVER.format(""), ["over-aggregate"]),
        (OVER.format("ROWS BETWEEN 3 PRECEDING AND CURRENT ROW"), ["over-aggregate"]),
        (OVER.format("RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW"), []),
        ("INSERT INTO n SELECT t.x FROM t JOIN v FOR SYSTEM_TIME AS OF t.ts ON t.id = v.id;", ["temporal-join"]),
        ("INSERT INTO n SELECT a.x FROM t a JOIN t b ON a.id = b.id AND a.ts = b.ts;", []),
        ("INSERT INTO n SELECT COUNT(*) FROM t GROUP BY TUMBLE(ts, INTERVAL '1' DAY);", []),
        ("INSERT INTO n SELECT COUNT(*) FROM t GROUP BY id;", []),
    ],
)
def test_the_ttl_of_operators_without_a_state_array(query: str, kinds: list[str]) -> None:
    assert configured(VERSIONS + query, "table.exec.state.ttl", "1 h") == kinds


def test_the_configuration_is_stored_where_flink_stores_it() -> None:
    plan = TableEnvironment({ZONE: "Asia/Tokyo"}).compile_script(
        TABLES + "INSERT INTO o SELECT CAST(ts AS STRING) FROM t;"
    )
    calc: dict[str, Any] = next(node for node in plan.to_dict()["nodes"] if node["type"] == "stream-exec-calc_1")
    assert list(calc)[:3] == ["id", "type", "configuration"]
    assert CompiledPlan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("table.exec.legacy-cast-behaviour", "ENABLED"),
        ("execution.runtime-mode", "batch"),
        ("table.column-expansion-strategy", "EXCLUDE_DEFAULT_VIRTUAL_METADATA_COLUMNS"),
        ("table.legacy-nested-row-nullability", "true"),
        ("table.sql-dialect", "hive"),
    ],
)
def test_options_that_would_change_results_are_refused(key: str, value: str) -> None:
    with pytest.raises(UnsupportedError, match=key):
        TableEnvironment({key: value}).compile_script(TABLES + "INSERT INTO n SELECT x FROM t;")
