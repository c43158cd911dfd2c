"""The sample that merges into a Delta table: its programs, its change, and a run over files in place of topics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors.lakes import DELTA
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan
from samples.generate import COUNTRIES, upgrade
from tests.support.lakes import needs_delta, rows_of, run_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES = """
CREATE TABLE orders (order_id INT, customer INT, item STRING, amount INT) WITH (
  'connector' = 'filesystem', 'path' = 'data/orders', 'format' = 'json');
CREATE TABLE customers (customer INT, country STRING) WITH (
  'connector' = 'filesystem', 'path' = 'data/customers', 'format' = 'json');
"""


def compiled(root: Path, name: str, tables: str = "", folder: Path | None = None) -> CompiledPlan:
    text = tables + (root / f"samples/lake/{name}.sql").read_text()
    for part in ("data", "lake") if folder is not None else ():
        text = text.replace(f"'{part}/", f"'{folder}/{part}/")
    return TableEnvironment().compile_script(text)


def test_the_demo_inserts_the_broker_and_has_a_spark_with_delta(root: Path) -> None:
    demo = (root / "samples/demo_lake.sh").read_text()
    assert "s|localhost:9092|" in demo
    assert "'localhost:9092'" in (root / "samples/kafka/tables.sql").read_text()
    assert f"demo-lake: kernel $(VENV)-spark{DELTA.versions[0]}/.ready" in (root / "Makefile").read_text()


def test_the_change_keeps_all_state(root: Path) -> None:
    """Rows of the table that no new row updates have no value in the new column, which the verdict says."""
    tables = (root / "samples/kafka/tables.sql").read_text()
    diff = diff_plans(compiled(root, "first", tables), compiled(root, "second", tables))
    assert {edit.verdict for edit in diff.operators} == {Verdict.FULL}
    assert diff.verdict is Verdict.PARTIAL


@needs_delta
@pytest.mark.usefixtures("lakes")
def test_the_table_follows_the_program_and_keeps_its_versions(spark: SparkSession, tmp_path: Path, root: Path) -> None:
    upgrade(tmp_path / "days", 300)
    orders: dict[str, list[int]] = {}

    def day(number: int, program: str, **options: str) -> None:
        for name in ("orders", "customers"):
            (tmp_path / "data" / name).mkdir(parents=True, exist_ok=True)
            target = tmp_path / "data" / name / f"{number}.json"
            target.write_bytes((tmp_path / f"days/{number}/{name}.json").read_bytes())
        run_plan(spark, compiled(root, program, FILES, tmp_path), tmp_path / "c", available_now=True, **options)
        for row in rows_of(spark, tmp_path / "lake/sales"):
            orders.setdefault(row[0], []).append(row[1])

    day(1, "first")
    day(2, "second", upgrade="migrate-partial")
    assert set(orders) == set(COUNTRIES)
    lines = run_plan(spark, compiled(root, "growth", folder=tmp_path))
    shown = {}
    for line in lines:
        country, then, now, _, amount, average = line[3:-1].split(", ")
        shown[country] = [int(then), int(now)]
        assert float(average) == pytest.approx(int(amount) / int(now), abs=0.005)
    assert shown == orders
    assert all(then < now for then, now in orders.values())
