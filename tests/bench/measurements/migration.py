"""Cost of moving very many keys into a new generation of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, random_keys, sink, split, table, write, write_file
from tests.bench.harness import compile_plan, execute_plan

_GOAL_SECONDS, _GOAL_MEMORY, _LARGEST_FILE, _ROWS = 180, 8_000, 1_000_000, 1_000


@measurement("migration")
def migration(setting: Setting) -> Iterator[Line]:
    """Ten million keys with a TTL into another number of partitions, against a start that moves nothing."""
    keys = 1_000_000 if setting.quick else 10_000_000
    checkpoint = setting.folder / "checkpoint"
    rows = split(each_key(keys, seed=1), max(keys // _LARGEST_FILE, 1))
    data = write(setting.folder / "rows", rows, setting.format)
    program = "SET 'table.exec.state.ttl' = '1 d';\n" + table("r", data) + sink("k BIGINT, c BIGINT, s BIGINT")
    sql = f"{program}INSERT INTO done SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k;"
    plan = compile_plan(sql, setting.folder, "plan-migration")
    options = ("--checkpoint", str(checkpoint), "--available-now", "--max-files-per-batch", "1")
    execute_plan(plan, *options, "--conf", "spark.sql.shuffle.partitions=2")
    runs = []
    for at, more in enumerate(((), ("--conf", "spark.sql.shuffle.partitions=4"))):
        write_file(data / f"later-{at}.{setting.format}", random_keys(_ROWS, keys, seed=at))
        runs.append(execute_plan(plan, *options, *more))
    plain, moved = runs
    seconds = moved.seconds - plain.seconds
    yield Line(f"{keys:,} keys moved", f"{seconds:.0f} s", f"<= {_GOAL_SECONDS} s", seconds <= _GOAL_SECONDS)
    yield Line(f"{keys:,} keys moved, processor time", f"{moved.cpu - plain.cpu:.0f} s")
    memory = f"{moved.memory:.0f} MB, a plain start {plain.memory:.0f} MB"
    yield Line(f"{keys:,} keys moved, peak memory", memory, f"<= {_GOAL_MEMORY} MB", moved.memory <= _GOAL_MEMORY)
