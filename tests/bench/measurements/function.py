"""Scalar functions in Python: of rows, and of pandas."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import random_keys, sink, split, table, write
from tests.bench.harness import alternate, compile_plan, execute_plan, native

_GOAL = 0.9


@measurement("function")
def function(setting: Setting) -> Iterator[Line]:
    """A Python function of 1,000,000 rows in 5 micro-batches, against an Arrow UDF written by hand in PySpark."""
    return _beside(setting, "function", "Label", "STRING")


@measurement("pandas")
def pandas(setting: Setting) -> Iterator[Line]:
    """A pandas function of 1,000,000 rows in 5 micro-batches, against Spark's pandas UDF."""
    return _beside(setting, "pandas", "scaled_udf", "DOUBLE")


def _beside(setting: Setting, name: str, python: str, result: str) -> Iterator[Line]:
    rows = 200_000 if setting.quick else 1_000_000
    data = write(setting.folder / "rows", split(random_keys(rows, rows // 10, seed=1), 5), setting.format)
    declared = f"CREATE FUNCTION f AS 'tests.bench.functions.{python}' LANGUAGE PYTHON;\n"
    program = declared + table("r", data) + sink(f"k BIGINT, t {result}")
    plan = compile_plan(f"{program}INSERT INTO done SELECT k, f(k, v) FROM r;", setting.folder, "p")
    pair = alternate(
        setting.runs,
        lambda: execute_plan(plan, "--max-files-per-batch", "1", "--functions-from", "tests.bench.functions"),
        lambda: native(name, setting.folder, str(data)),
    )
    yield from pair.lines(name, _GOAL)
