"""Programs that use the Table API are fully typed: mypy's strict mode passes and infers the result of each call."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

PROGRAM = """
from decimal import Decimal

from compiled_plan import (
    CompiledPlan,
    Over,
    StatementSet,
    Table,
    TableEnvironment,
    TablePipeline,
    Tumble,
    call,
    col,
    if_then_else,
    lit,
)


def main(env: TableEnvironment) -> TablePipeline:
    orders = env.from_path("orders")
    reveal_type(orders)
    reveal_type(orders.price)
    reveal_type(col("price") > 5)
    reveal_type((col("price") * Decimal("1.1")).round(2).alias("p"))
    reveal_type(1 + col("price"))
    reveal_type(orders.price == orders["amount"])
    reveal_type((orders.price > 3) & ~orders.item.is_null | (col("a").upper_case == "X"))
    reveal_type(col("a").sum.distinct)
    reveal_type(lit(10).minutes)
    reveal_type(orders.where(col("price") > 5).select(col("item"), "price", call("F", orders.price)))
    reveal_type(orders.group_by("item"))
    reveal_type(orders.group_by("item").select("item", col("price").sum))
    window = Tumble.over(lit(10).minutes).on(col("ts"))
    reveal_type(orders.window(window))
    reveal_type(orders.group_window(window.alias("w")).group_by("w").select(col("w").start))
    reveal_type(orders.over_window(Over.partition_by("item").order_by("ts").alias("w")))
    reveal_type(orders.split([0.8, 0.2]))
    reveal_type(orders.fillna({"a": 1}).fillna(0, ["b"]).dropna(1).replace({1: 2}, ["a"]))
    reveal_type(orders.deduplicate([orders.item], orders.ts, True).topn(3, [orders.item], [orders.price.desc]))
    reveal_type(orders.join(env.from_path("rates").as_of(orders.ts), orders.currency == col("c")))
    reveal_type(if_then_else(col("a") > 1, "x", col("s")).cast("STRING"))
    reveal_type(env.create_statement_set().add_insert("sink", orders))
    reveal_type(orders.insert_into("sink").compile_plan())
    reveal_type(orders.columns)
    return orders.insert_into("sink")


def wrong(env: TableEnvironment, table: Table, plan: CompiledPlan, statements: StatementSet) -> None:
    table.select(5)
    table.where("a > 1")
    table.limit("3")
    table.window(lit(10).minutes)
"""

REVEALED = """
Table
Expression
Expression
Expression
Expression
Expression
Expression
Expression
Expression
Table
GroupedTable[Table]
Table
Table
Table
OverWindowedTable[Table]
list[Table]
Table
Table
Table
Expression
StatementSet
CompiledPlan
list[str]
""".split()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The output of mypy for the program."""
    from mypy import api

    folder = tmp_path_factory.mktemp("typed")
    (folder / "program.py").write_text(PROGRAM)
    cache = ROOT / ".mypy_cache"
    if cache.exists():
        shutil.copytree(cache, folder / "cache")
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(folder / "cache")]
    recursion_limit = sys.getrecursionlimit()
    out, err, _ = api.run([*options, "--no-error-summary", "--show-error-codes", str(folder / "program.py")])
    sys.setrecursionlimit(recursion_limit)  # mypy raises it
    assert not err
    return out.splitlines()


def test_strict_mode_infers_every_result(report: list[str]) -> None:
    revealed = [re.sub(r"[\w.]+\.", "", line.split('"')[1]) for line in report if "Revealed type" in line]
    assert revealed == REVEALED


def test_wrong_arguments_are_type_errors(report: list[str]) -> None:
    errors = [line for line in report if "error:" in line]
    assert [line.rsplit("[")[-1].rstrip("]") for line in errors] == [
        "arg-type",
        "arg-type",
        "arg-type",
        "call-overload",
    ]
