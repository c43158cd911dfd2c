"""An inner join of two insert-only tables with TTLs."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, sink, split, table, write
from tests.bench.harness import alternate, compile_plan, execute_plan, native

_GOAL = 1.2
_SQL = "INSERT INTO done SELECT l.k, l.v, r.v FROM l JOIN r ON l.k = r.k;"


@measurement("join")
def join(setting: Setting) -> Iterator[Line]:
    """1,000,000 rows joined with 1,000,000, one row a key and side, TTLs of 1 h, against a stream-stream join."""
    rows = 200_000 if setting.quick else 1_000_000
    left = write(setting.folder / "left", split(each_key(rows, seed=1), 5), setting.format)
    right = write(setting.folder / "right", split(each_key(rows, seed=2), 5), setting.format)
    program = "SET 'table.exec.state.ttl' = '1 h';\n" + table("l", left) + table("r", right)
    plan = compile_plan(program + sink("k BIGINT, a BIGINT, b BIGINT") + _SQL, setting.folder, "plan")
    pair = alternate(
        setting.runs,
        lambda: execute_plan(plan, "--max-files-per-batch", "1"),
        lambda: native("join", setting.folder, str(left), str(right)),
    )
    yield from pair.lines("join", _GOAL)
