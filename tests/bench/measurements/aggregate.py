"""A keyed count and sum."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import random_keys, sink, split, table, write
from tests.bench.harness import alternate, compile_plan, execute_plan, native

_GOAL = 1.0


@measurement("aggregate")
def aggregate(setting: Setting) -> Iterator[Line]:
    """Count and sum over 1,000,000 rows and 100,000 keys in 5 micro-batches, against Spark's own aggregate."""
    rows, keys = (200_000, 20_000) if setting.quick else (1_000_000, 100_000)
    data = write(setting.folder / "rows", split(random_keys(rows, keys, seed=1), 5), setting.format)
    program = table("r", data) + sink("k BIGINT, c BIGINT, s BIGINT")
    plan = compile_plan(f"{program}INSERT INTO done SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k;", setting.folder, "p")
    pair = alternate(
        setting.runs,
        lambda: execute_plan(plan, "--max-files-per-batch", "1"),
        lambda: native("aggregate", setting.folder, str(data)),
    )
    yield from pair.lines("aggregate", _GOAL)
