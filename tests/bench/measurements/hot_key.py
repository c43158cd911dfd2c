"""A join in which one key has very many rows."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import numpy as np

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import Columns, each_key, sink, table, write
from tests.bench.harness import compile_plan, execute_plan

_ROWS, _ADDED, _GOAL_SECONDS, _TIMES = 100_000, 100, 0.5, 8
_SQL = "INSERT INTO done SELECT l.k, l.v, r.v FROM l JOIN r ON l.k = r.k;"


@measurement("hot-key")
def hot_key(setting: Setting) -> Iterator[Line]:
    """A micro-batch that adds 100 rows to a key with 100,000 rows, against 100 rows on fresh keys."""
    files = [_hot(_ROWS, 0)]
    for at in range(_TIMES):
        files += [_hot(_ADDED, at + 1), each_key(_ADDED, seed=at, first=1 + at * _ADDED)]
    left = write(setting.folder / "left", files, setting.format)
    right = write(setting.folder / "right", [each_key(1, seed=0, first=-1)], setting.format)
    program = "SET 'table.exec.state.ttl' = '1 h';\n" + table("l", left) + table("r", right)
    plan = compile_plan(program + sink("k BIGINT, a BIGINT, b BIGINT") + _SQL, setting.folder, "plan")
    batches = execute_plan(plan, "--max-files-per-batch", "1").batches
    hot = median(batch.seconds for batch in batches[3::2])
    fresh = median(batch.seconds for batch in batches[4::2])
    figure = f"{hot - fresh:+.2f} s ({hot:.2f} s, on fresh keys {fresh:.2f} s)"
    yield Line(
        "join, 100 rows more on a key of 100,000", figure, f"<= +{_GOAL_SECONDS} s", hot - fresh <= _GOAL_SECONDS
    )


def _hot(rows: int, seed: int) -> Columns:
    return {"k": np.zeros(rows, dtype=np.int64), "v": np.random.default_rng(seed).integers(0, 1000, rows)}
