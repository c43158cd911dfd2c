"""An inner join of two insert-only tables with TTLs."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, sink, split, table, write
from tests.bench.harness import alternate, compile_plan, execute_plan, native

_GOAL, _GOAL_EXIT_SECONDS = 1.2, 10.0
_SQL = "INSERT INTO done SELECT l.k, l.v, r.v FROM l JOIN r ON l.k = r.k;"


@measurement("join")
def join(setting: Setting) -> Iterator[Line]:
    """1,000,000 rows joined with 1,000,000, one row a key and side, TTLs of 1 h, against a stream-stream join."""
    rows = 200_000 if setting.quick else 1_000_000
    left = write(setting.folder / "left", split(each_key(rows, seed=1), 5))
    right = write(setting.folder / "right", split(each_key(rows, seed=2), 5))
    program = "SET 'table.exec.state.ttl' = '1 h';\n" + table("l", left) + table("r", right)
    plan = compile_plan(program + sink("k BIGINT, a BIGINT, b BIGINT") + _SQL, setting.folder, "plan")
    pair = alternate(
        setting.runs,
        lambda: execute_plan(plan, "--max-files-per-batch", "1"),
        lambda: native("join", setting.folder, str(left), str(right)),
    )
    ratio = pair.ratio(lambda run: run.batch_seconds)
    figure = f"{ratio:.2f} ({pair.text(lambda run: run.batch_seconds)})"
    yield Line("join, micro-batches, by hand / execute-plan", figure, f">= {_GOAL}", ratio >= _GOAL)
    whole = f"{pair.ratio(lambda run: run.seconds):.2f} ({pair.text(lambda run: run.seconds)})"
    yield Line("join, whole process", whole)
    yield Line("join, processor time", f"{pair.ratio(lambda run: run.cpu):.2f} ({pair.text(lambda run: run.cpu)})")
    slowest = max(run.after_last for run in pair.ours)
    goal = f"<= {_GOAL_EXIT_SECONDS:.0f} s"
    yield Line("join, end of the process after its last batch", f"{slowest:.1f} s", goal, slowest <= _GOAL_EXIT_SECONDS)
