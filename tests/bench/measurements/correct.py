"""Cost of correcting a Delta table of very many keys, of which few differ."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, split, table, write
from tests.bench.harness import compile_plan, execute_plan

_GOAL_SECONDS, _LARGEST_FILE, _DIFFERING = 60, 1_000_000, 1_000
_SINK = """CREATE TABLE totals (k BIGINT, c BIGINT, s BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH (
  'connector' = 'delta', 'path' = '{path}', 'sink.create-table' = 'true');
"""
_QUERIES = {
    "as before": "SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k",
    "a filter in front of the aggregate": f"SELECT k, COUNT(*), SUM(v) FROM r WHERE k >= {_DIFFERING} GROUP BY k",
    "a projection behind it": f"SELECT k, COUNT(*), SUM(v) + CASE WHEN k < {2 * _DIFFERING} THEN 1 ELSE 0 END FROM r "
    f"WHERE k >= {_DIFFERING} GROUP BY k",
}


@measurement("correct")
def correct(setting: Setting) -> Iterator[Line]:
    """Ten million keys with 1,000 that differ, twice, against a start that changes nothing (Spark 4.2 or 4.1)."""
    keys = 1_000_000 if setting.quick else 10_000_000
    rows = split(each_key(keys, seed=1), max(keys // _LARGEST_FILE, 1))
    data = write(setting.folder / "rows", rows, setting.format)
    program = table("r", data) + _SINK.format(path=setting.folder / "totals")
    options = ("--checkpoint", str(setting.folder / "checkpoint"), "--available-now")
    plain = 0.0
    for number, (change, query) in enumerate(_QUERIES.items()):
        plan = compile_plan(f"{program}INSERT INTO totals {query};", setting.folder, f"plan-correct-{number}")
        if not number:
            execute_plan(plan, *options)
            plain = execute_plan(plan, *options).seconds
            continue
        execution = execute_plan(plan, *options, "--upgrade", "correct")
        seconds = execution.seconds - plain
        yield Line(
            f"{keys:,} keys, {_DIFFERING:,} differ, {change}",
            f"{seconds:.0f} s, peak memory {execution.memory:.0f} MB",
            f"<= {_GOAL_SECONDS} s",
            seconds <= _GOAL_SECONDS,
        )
