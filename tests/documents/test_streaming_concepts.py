"""The examples of Flink's page "Streaming Concepts", "Configure Operator-level State TTL", in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan import PlanReference, TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = """
CREATE TABLE Orders (order_id INT, line_order_id INT)
  WITH ('connector' = 'filesystem', 'path' = '{data}/orders.json', 'format' = 'json');
CREATE TABLE LineOrders (line_order_id INT, ship_mode STRING)
  WITH ('connector' = 'filesystem', 'path' = '{data}/line_orders.json', 'format' = 'json');
CREATE TABLE OrdersShipInfo (order_id INT, line_order_id INT, ship_mode STRING)
  WITH ('connector' = 'filesystem', 'path' = '{data}/out', 'format' = 'json');
"""
INSERT = """INSERT INTO OrdersShipInfo
SELECT {hint} a.order_id, a.line_order_id, b.ship_mode
FROM Orders a JOIN LineOrders b ON a.line_order_id = b.line_order_id"""


@pytest.fixture
def env(tmp_path: Path) -> TableEnvironment:
    (tmp_path / "orders.json").write_text('{"order_id": 1, "line_order_id": 7}\n{"order_id": 2, "line_order_id": 8}\n')
    (tmp_path / "line_orders.json").write_text('{"line_order_id": 7, "ship_mode": "AIR"}\n')
    env = TableEnvironment()
    env.execute_sql(TABLES.format(data=tmp_path))
    return env


def state(plan: CompiledPlan) -> list[dict[str, Any]]:
    """The `state` arrays of a plan, concatenated."""
    return [entry for node in json.loads(plan.to_json())["nodes"] for entry in node.get("state", [])]


def entries(left: str, right: str) -> list[dict[str, Any]]:
    return [{"index": 0, "ttl": left, "name": "leftState"}, {"index": 1, "ttl": right, "name": "rightState"}]


def written(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted(folder.rglob("part-*")) for line in file.read_text().splitlines()]


def test_generate_a_compiled_plan(env: TableEnvironment, tmp_path: Path) -> None:
    plan = env.compile_plan_sql(INSERT.format(hint=""))
    plan.write_to_file(str(tmp_path / "plan.json"))
    assert state(CompiledPlan.read_file(tmp_path / "plan.json")) == entries("0 ms", "0 ms")


def test_generate_a_compiled_plan_refuses_a_bare_select(env: TableEnvironment) -> None:
    with pytest.raises(ProgramError, match="SELECT"):
        env.compile_plan_sql("SELECT * FROM Orders")


def test_generate_a_compiled_plan_in_sql(env: TableEnvironment, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    body = f"EXECUTE STATEMENT SET BEGIN {INSERT.format(hint='')}; {INSERT.format(hint='')}; END"
    env.execute_sql(f"COMPILE PLAN '{plan.as_uri()}' FOR {body}")
    assert state(CompiledPlan.read_file(plan)) == entries("0 ms", "0 ms")
    plan.write_text("kept")
    env.execute_sql(f"COMPILE PLAN IF NOT EXISTS '{plan.as_uri()}' FOR {body}")
    assert plan.read_text() == "kept"


def test_execute_the_compiled_plan_if_there_is_one(env: TableEnvironment, tmp_path: Path) -> None:
    env.execute_sql(f"EXECUTE PLAN IF EXISTS '{tmp_path}/none.json'").wait()
    with pytest.raises(CompiledPlanError, match=r"none\.json"):
        env.execute_sql(f"EXECUTE PLAN '{tmp_path}/none.json'")


def test_the_ttl_of_a_pipeline_a_hint_and_the_plan(env: TableEnvironment) -> None:
    """The table of "Configure Operator-level State TTL": the later one wins."""
    env.execute_sql("SET 'table.exec.state.ttl' = '1 h'")
    assert state(env.compile_plan_sql(INSERT.format(hint=""))) == entries("1 h", "1 h")
    hinted = env.compile_plan_sql(INSERT.format(hint="/*+ STATE_TTL('a' = '3 s') */"))
    assert state(hinted) == entries("3 s", "1 h")
    join = next(node.id for node in hinted.nodes if node.state_entries)
    edited, _ = set_ttls(hinted.to_json(), [parse_edit(f"{join}.rightState=9000 ms")])
    assert state(CompiledPlan.from_json(edited)) == entries("3 s", "9 s")


def test_windows_and_interval_joins_have_no_state_to_configure(env: TableEnvironment, tmp_path: Path) -> None:
    env.execute_sql(
        "CREATE TABLE t (k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
        f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/t.json', 'format' = 'json');"
        "CREATE TABLE n (k INT, c BIGINT) WITH ('connector' = 'blackhole')"
    )
    windows = "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE) GROUP BY k, window_start, window_end"
    near = "a.k = b.k AND a.ts BETWEEN b.ts AND b.ts + INTERVAL '1' HOUR"
    for query in (
        f"SELECT k, COUNT(*) FROM {windows}",
        f"SELECT a.k, CAST(b.k AS BIGINT) FROM t a JOIN t b ON {near}",
    ):
        assert state(env.compile_plan_sql(f"INSERT INTO n {query}")) == []


@pytest.mark.wide
def test_a_full_example(env: TableEnvironment, tmp_path: Path, spark: SparkSession) -> None:
    """Compile, set 3000 ms on the left and 9000 ms on the right by hand, execute the file."""
    path = tmp_path / "plan.json"
    env.execute_sql(f"COMPILE PLAN '{path}' FOR {INSERT.format(hint='')}")
    text = path.read_text()
    entry = '"ttl" : "{}"'
    assert text.count(entry.format("0 ms")) == 2
    for ttl in ("3000 ms", "9000 ms"):
        text = text.replace(entry.format("0 ms"), entry.format(ttl), 1)
    path.write_text(text)
    # The plan's TTLs count, whatever the configuration says.
    env.execute_sql("SET 'table.exec.state.ttl' = '1 d'")
    plan = env.load_plan(PlanReference.from_file(str(path)))
    assert state(plan) == entries("3000 ms", "9000 ms")
    assert "leftState = 3 s" in plan.explain() or "3000 ms" in plan.explain()
    env.execute_sql(f"EXECUTE PLAN '{path}'").wait()
    assert written(tmp_path / "out") == [{"order_id": 1, "line_order_id": 7, "ship_mode": "AIR"}]
