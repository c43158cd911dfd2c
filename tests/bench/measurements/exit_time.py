"""Shutdown time of execute-plan."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, sink, split, table, write
from tests.bench.harness import compile_plan, execute_plan

_GOAL_SECONDS = 10.0
_SQL = "INSERT INTO done SELECT l.k, l.v, r.v FROM l JOIN r ON l.k = r.k;"


@measurement("exit")
def exit_seconds(setting: Setting) -> Iterator[Line]:
    """From the last micro-batch of a join to the end of the process."""
    left = write(setting.folder / "left", split(each_key(20_000, seed=1), 2), setting.format)
    right = write(setting.folder / "right", split(each_key(20_000, seed=2), 2), setting.format)
    program = "SET 'table.exec.state.ttl' = '1 h';\n" + table("l", left) + table("r", right)
    plan = compile_plan(program + sink("k BIGINT, a BIGINT, b BIGINT") + _SQL, setting.folder, "plan")
    for host in ("transformWithState", "flatMapGroupsWithState"):
        seconds = execute_plan(plan, "--max-files-per-batch", "1", "--host", host).after_last
        what = f"{host}, from the last batch to the end of the process"
        yield Line(what, f"{seconds:.1f} s", f"<= {_GOAL_SECONDS:.0f} s", seconds <= _GOAL_SECONDS)
