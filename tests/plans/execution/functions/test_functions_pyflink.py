"""The plan of a PyFlink program, compiled by PyFlink 2.3, gives PyFlink's rows with the functions of a module."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDED = Path(__file__).parent / "pyflink"
MODULE = f"{__package__}.pyflink.functions"


def test_a_plan_of_pyflink_gives_its_rows(spark: SparkSession, tmp_path: Path) -> None:
    """Scalar, asynchronous, table and aggregate functions, general and of pandas, in one run."""
    program = json.loads((RECORDED / "program.json").read_text())
    (tmp_path / "rows.json").write_text("\n".join(map(json.dumps, program["rows"])))
    plan = CompiledPlan.from_json((RECORDED / "plan.json").read_text().replace("${data}", str(tmp_path)))
    lines: list[str] = []
    Run(spark, plan, RunOptions(functions_from=(MODULE,)), lines.append).execute()
    rows: dict[str, Counter[str]] = {name: Counter() for name in program["queries"]}
    for line in lines:
        name, _, change = line.partition("> ")
        rows[name][change[2:]] += -1 if change[:2] in ("-U", "-D") else 1
    expected = json.loads((RECORDED / "rows.json").read_text())
    assert {name: sorted(count.elements()) for name, count in rows.items()} == expected
