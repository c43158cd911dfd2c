"""Cost of many live keys for a small micro-batch."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.base import Line, Setting, measurement
from tests.bench.data import each_key, random_keys, sink, split, table, write
from tests.bench.harness import compile_plan, execute_plan

_FEW, _ROWS, _TIMES, _GOAL_SECONDS = 1_000, 1_000, 10, 0.2
_DEFAULT_HOST, _OTHER_HOST = "transformWithState", "flatMapGroupsWithState"
_LARGEST_FILE = 1_000_000


@measurement("live-keys")
def live_keys(setting: Setting) -> Iterator[Line]:
    """A micro-batch of 1,000 rows with very many live keys with a TTL, against 1,000 live keys."""
    many = (200_000,) if setting.quick else (1_000_000, 10_000_000)
    for host in (_DEFAULT_HOST, _OTHER_HOST):
        few, _ = _small_batch(setting, _FEW, host)
        for keys in many:
            seconds, checkpoint = _small_batch(setting, keys, host)
            judged = host == _DEFAULT_HOST and keys <= _LARGEST_FILE
            yield Line(
                f"{host}, 1,000 rows with {keys:,} live keys",
                f"{seconds - few:+.2f} s ({seconds:.2f} s, with {_FEW:,} keys {few:.2f} s)",
                f"<= +{_GOAL_SECONDS} s" if judged else "",
                seconds - few <= _GOAL_SECONDS if judged else None,
            )
            size = sum(file.stat().st_size for file in checkpoint.rglob("*") if file.is_file())
            yield Line(f"{host}, checkpoint for each of {keys:,} keys", f"{size / keys:.0f} bytes")
            shutil.rmtree(checkpoint)


def _small_batch(setting: Setting, keys: int, host: str) -> tuple[float, Path]:
    """The median seconds of micro-batches of 1,000 rows for existing keys, after warm ones; the checkpoint."""
    first = split(each_key(keys, seed=1), max(keys // _LARGEST_FILE, 1))
    small = [random_keys(_ROWS, keys, seed=at) for at in range(_TIMES)]
    data = write(setting.folder / f"rows-{keys}", [*first, *small], setting.format)
    program = "SET 'table.exec.state.ttl' = '1 h';\n" + table("r", data) + sink("k BIGINT, c BIGINT, s BIGINT")
    sql = f"{program}INSERT INTO done SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k;"
    plan = compile_plan(sql, setting.folder, f"plan-{keys}")
    checkpoint = setting.folder / f"checkpoint-{keys}-{host}"
    options = ("--max-files-per-batch", "1", "--host", host, "--checkpoint", str(checkpoint))
    batches = execute_plan(plan, *options).batches
    return median(batch.seconds for batch in batches[len(first) + 3 :]), checkpoint
