"""Plans with PyFlink's functions: one that PyFlink 2.3 compiled, with its rows, and one that is compiled here."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.functions import loading
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.pyflink.udf import udf
from tests.plans.execution.functions.pyflink import functions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.wide

RECORDED = Path(__file__).parent / "pyflink"
PROGRAM = json.loads((RECORDED / "program.json").read_text())
#: The rows of PyFlink 2.3, but for `asynchronous`, where it calls the function with values of later rows.
ROWS: dict[str, list[str]] = json.loads((RECORDED / "rows.json").read_text())
MODULE = f"{__package__}.pyflink.functions"


def part_of(plan: dict[str, Any], queries: Sequence[str]) -> dict[str, Any]:
    """The plan of some queries: their sinks, and the nodes in front of them."""
    ends = [f"`s_{query}`" for query in queries]
    sinks = {node["id"] for node in plan["nodes"] if "dynamicTableSink" in node and named(node).endswith(tuple(ends))}
    wanted: set[int] = set()
    while sinks - wanted:
        wanted |= sinks
        sinks = {edge["source"] for edge in plan["edges"] if edge["target"] in wanted}
    nodes = [node for node in plan["nodes"] if node["id"] in wanted]
    return {**plan, "nodes": nodes, "edges": [edge for edge in plan["edges"] if edge["target"] in wanted]}


def named(sink: dict[str, Any]) -> str:
    return str(sink["dynamicTableSink"]["table"]["identifier"])


@pytest.mark.parametrize("queries", [("vectorized", "grouped"), pytest.param(tuple(ROWS), marks=pytest.mark.deep)])
def test_a_plan_of_pyflink_gives_its_rows(spark: SparkSession, tmp_path: Path, queries: Sequence[str]) -> None:
    """Scalar, asynchronous, table and aggregate functions, general and of pandas, in one run."""
    (tmp_path / "rows.json").write_text("\n".join(map(json.dumps, PROGRAM["rows"])))
    document = json.loads((RECORDED / "plan.json").read_text().replace("${data}", str(tmp_path)))
    lines: list[str] = []
    plan = CompiledPlan.from_json(json.dumps(part_of(document, queries)))
    Run(spark, plan, RunOptions(functions_from=(MODULE,)), lines.append).execute()
    assert remaining(lines) == {query: ROWS[query] for query in queries}


def test_state_and_a_pickled_function_from_batch_to_batch(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Accumulators outlive a micro-batch and take rows back; the code of a lambda needs permission."""
    for name, rows in (("1.json", PROGRAM["rows"][:4]), ("2.json", PROGRAM["rows"][4:])):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
    env, step = TableEnvironment(), 3
    env.execute_sql(PROGRAM["table"].replace("${data}", str(tmp_path)))
    for name in ("total", "bag", "mean"):
        env.create_temporary_function(name, getattr(functions, name))
    env.create_temporary_function("stepped", udf(lambda number: number + step, result_type="BIGINT"))
    env.execute_sql(
        "CREATE TABLE s (n BIGINT, l BIGINT, a BIGINT, d BIGINT, m DOUBLE, b STRING) "
        "WITH ('connector' = 'print', 'print-identifier' = 's')"
    )
    plan = env.compile_plan_sql("""
        INSERT INTO s
        SELECT n, stepped(n), total(m), total(DISTINCT m) FILTER (WHERE m > 1), mean(m), bag(k)
        FROM (SELECT k, COUNT(*) AS n, MAX(b) AS m FROM t GROUP BY k) GROUP BY n
    """)
    # As in another process, which has no function objects.
    monkeypatch.setattr(loading, "_LIVE", {})
    options: dict[str, Any] = {"functions_from": (MODULE,), "max_files_per_batch": 1}
    with pytest.raises(UnsupportedError, match="holds the code of the function"):
        Run(spark, plan, RunOptions(**options), print)
    lines: list[str] = []
    Run(spark, plan, RunOptions(**options, allow_pickled_functions=True), lines.append).execute()
    assert any("> -" in line for line in lines)
    assert remaining(lines) == {
        "s": ["[1, 4, 1, null, 1.0, z|z=1]", "[2, 5, 7, 7, 7.0, y|y=1]", "[4, 7, 4, 4, 4.0, x|x=1]"]
    }


def remaining(lines: list[str]) -> dict[str, list[str]]:
    """The rows by `print` sink that remain after all changes."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        name, _, change = line.partition("> ")
        rows[name][change[2:]] += -1 if change[:2] in ("-U", "-D") else 1
    return {name: sorted(count.elements()) for name, count in rows.items()}
