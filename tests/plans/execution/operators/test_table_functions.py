from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.files import lines, put, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_null_row_has_a_position(spark: SparkSession, tmp_path: Path) -> None:
    """Flink 2.3 fails here: docs/reference/limits.md."""
    parts = [{"sku": "s1", "n": 1}, None, {"sku": None, "n": 2}]
    put(tmp_path / "b", "1.json", {"id": 1, "parts": parts}, {"id": 2, "parts": []})
    script = table(tmp_path, "b", "id INT, parts ARRAY<ROW<sku STRING, n INT>>")
    script += table(tmp_path, "inner_rows", "id INT, sku STRING, n INT, o INT")
    script += table(tmp_path, "outer_rows", "id INT, sku STRING, n INT, o INT")
    unnest = "UNNEST(parts) WITH ORDINALITY AS p (sku, n, o)"
    script += f"""EXECUTE STATEMENT SET BEGIN
        INSERT INTO inner_rows SELECT id, sku, n, o FROM b CROSS JOIN {unnest};
        INSERT INTO outer_rows SELECT id, sku, n, o FROM b LEFT JOIN {unnest} ON TRUE;
    END;"""
    Run(spark, TableEnvironment().compile_script(script), RunOptions()).execute()
    rows = [(1, "s1", 1, 1), (1, None, None, 2), (1, None, 2, 3)]
    for name, expected in (("inner_rows", rows), ("outer_rows", [*rows, (2, None, None, None)])):
        written = [(row["id"], row["sku"], row["n"], row["o"]) for row in lines(tmp_path / name)]
        assert sorted(written, key=str) == sorted(expected, key=str)
