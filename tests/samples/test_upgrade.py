"""The sample with two changes: the first loses nothing, the second what the verdict names."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan
from samples.generate import COUNTRIES, ITEMS, upgrade
from samples.upgrade.same import Table, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = ("orders", "customers", "refunds")
SINKS = {"sales_by_country": COUNTRIES, "refunds_by_item": ITEMS}


def compiled(root: Path, name: str, folder: Path) -> CompiledPlan:
    text = (root / f"samples/upgrade/{name}.sql").read_text(encoding="utf-8")
    for part in ("data", "out"):
        text = text.replace(f"'{part}/", f"'{folder}/{part}/")
    return TableEnvironment().compile_script(text)


def arrive(folder: Path, *days: int) -> None:
    for day in days:
        for name in TABLES:
            target = folder / "data/upgrade" / name
            target.mkdir(parents=True, exist_ok=True)
            (target / f"{day}.json").write_bytes((folder.parent / f"days/{day}/{name}.json").read_bytes())


def run(spark: SparkSession, plan: CompiledPlan, folder: Path, how: str = "check") -> None:
    options = RunOptions(checkpoint=str(folder / "checkpoint"), available_now=True, upgrade=how)
    Run(spark, plan, options).execute()


def expected(data: Path) -> dict[str, Table]:
    """The results of the second program from scratch, computed without it."""
    rows = {
        name: [json.loads(line) for file in (data / name).iterdir() for line in file.read_text().splitlines()]
        for name in TABLES
    }
    country = {row["customer"]: row["country"] for row in rows["customers"]}
    orders, amounts, refunds = Counter[str](), Counter[str](), Counter[str]()
    for order in rows["orders"]:
        if order["customer"] in country:
            orders[country[order["customer"]]] += 1
            amounts[country[order["customer"]]] += order["amount"]
    for refund in rows["refunds"]:
        refunds[refund["item"]] += refund["amount"]
    return {
        "sales_by_country": {
            name: {"country": name, "orders": count, "amount": amounts[name]} for name, count in orders.items()
        },
        "refunds_by_item": {item: {"item": item, "amount": amount} for item, amount in refunds.items()},
    }


def test_the_verdicts_match_the_demos_text(root: Path) -> None:
    first, second, third = (compiled(root, name, Path("/d")) for name in ("first", "second", "third"))
    assert diff_plans(first, second).verdict is Verdict.FULL
    assert diff_plans(second, third).verdict is Verdict.PARTIAL


@pytest.mark.wide
def test_the_sample_continues_on_its_state(spark: SparkSession, tmp_path: Path, root: Path) -> None:
    upgrade(tmp_path / "days", 300)
    here = tmp_path / "here"
    arrive(here, 1)
    run(spark, compiled(root, "first", here), here)
    arrive(here, 2)
    run(spark, compiled(root, "second", here), here)
    results = {name: table(here / "out/upgrade" / name) for name in SINKS}
    assert results == expected(here / "data/upgrade")
    assert {name: set(rows) for name, rows in results.items()} == {name: set(keys) for name, keys in SINKS.items()}
    third = compiled(root, "third", here)
    arrive(here, 3)
    with pytest.raises(CheckpointError, match="--upgrade migrate-partial"):
        run(spark, third, here)
    run(spark, third, here, "migrate-partial")
    sales = table(here / "out/upgrade/sales_by_country")
    assert all(row["dearest"] is not None for row in sales.values())
