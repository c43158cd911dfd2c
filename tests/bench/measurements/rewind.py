"""Cost of a rewind of very many keys."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from compiled_plan.plans.execution.spark.storage import LocalFolder
from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, random_keys, sink, split, table, write, write_file
from tests.bench.harness import compile_plan, execute_plan, run

_GOAL_SECONDS, _LARGEST_FILE, _ROWS, _LATER = 30, 1_000_000, 1_000, 3


@measurement("rewind")
def rewind(setting: Setting) -> Iterator[Line]:
    """Ten million keys, three micro-batches back: the command as a whole, and the run behind it."""
    keys = 1_000_000 if setting.quick else 10_000_000
    checkpoint = setting.folder / "checkpoint"
    rows = split(each_key(keys, seed=1), max(keys // _LARGEST_FILE, 1))
    data = write(setting.folder / "rows", rows, setting.format)
    program = table("r", data) + sink("k BIGINT, c BIGINT, s BIGINT")
    sql = f"{program}INSERT INTO done SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k;"
    plan = compile_plan(sql, setting.folder, "plan-rewind")
    options = ("--checkpoint", str(checkpoint), "--available-now", "--max-files-per-batch", "1")
    execute_plan(plan, *options)
    batch = LocalFolder(checkpoint / "generations/1").last("commits")
    for at in range(_LATER):
        write_file(data / f"later-{at}.{setting.format}", random_keys(_ROWS, keys, seed=at))
    plain = execute_plan(plan, *options)
    size = _bytes(checkpoint)
    command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", "--rewind-to", str(batch)]
    command += ["--checkpoint", str(checkpoint), "--master", "local[2]"]
    # A repetition starts Spark, and has nothing to do.
    rewound, repeated = (run(command, setting.folder) for _ in range(2))
    again = execute_plan(plan, *options)
    met = rewound.seconds <= _GOAL_SECONDS
    figure = f"{rewound.seconds:.1f} s, repeated {repeated.seconds:.1f} s"
    yield Line(f"{keys:,} keys rewound", figure, f"<= {_GOAL_SECONDS} s", met)
    yield Line(f"{keys:,} keys, the run behind it", f"{again.seconds:.1f} s, before {plain.seconds:.1f} s")
    yield Line(f"{keys:,} keys, checkpoint", f"{size / 1e6:.0f} MB, {_bytes(checkpoint) / 1e6:.0f} MB with both")


def _bytes(folder: Path) -> int:
    """The size of a folder; a file with several links counts once."""
    files = (path.stat() for path in folder.rglob("*") if path.is_file())
    return sum({status.st_ino: status.st_size for status in files}.values())
