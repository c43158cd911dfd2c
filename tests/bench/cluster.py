"""Cost of a micro-batch by the number of workers and stages: `python -m tests.bench.cluster`.

Each run reads the same files in turn, one a micro-batch, of ten rows and of `--rows`. The first half warms up, since
each worker is a JVM of its own; the medians of the rest are the fixed cost of a micro-batch, and the cost of its
rows. All workers share this machine, so the figures show what more workers cost, not what they gain. They have the
kernel on their class path, and the product's local file system, as a single process has.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from compiled_plan.plans.execution.kernel import kernel_jar
from compiled_plan.plans.execution.session.settings import LOCAL

FEW = 10
#: Files of each size.
_TIMES = 16
MASTERS = ("local[2]", "local-cluster[1,1,1024]", "local-cluster[2,1,1024]", "local-cluster[4,1,1024]")
TABLES = """
CREATE TABLE t (k INT, v BIGINT) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json');
CREATE TABLE o (n BIGINT, s BIGINT) WITH ('connector' = 'blackhole');
"""
COUNTS = "SELECT COUNT(*) AS n, SUM(v) AS s FROM t GROUP BY k"
QUERIES = {1: COUNTS, 2: f"SELECT COUNT(*), SUM(s) FROM ({COUNTS}) GROUP BY n"}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="rows of a large micro-batch")
    parser.add_argument("--keys", type=int, default=20_000, help="keys that they are of")
    parser.add_argument("--partitions", type=int, default=4, help="shuffle partitions")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_files(folder / "t", chosen.rows, chosen.keys)
        print("| stages | master | ms of 10 rows | ms of all | rows/s without what it costs in itself |")
        print("| --- | --- | ---: | ---: | ---: |", flush=True)
        for stages, query in QUERIES.items():
            plan = compiled(folder, query)
            for master in MASTERS:
                few, many = times(plan, master, chosen.partitions)
                rate = chosen.rows * 1000 / max(many - few, 1)
                print(f"| {stages} | `{master}` | {few:.0f} | {many:.0f} | {rate:,.0f} |", flush=True)


def write_files(folder: Path, rows: int, keys: int) -> None:
    """Write files that are read in their order."""
    folder.mkdir()
    chance = random.Random(3)
    for number, count in enumerate((FEW, rows) * _TIMES):
        file = folder / f"{number}.json"
        lines = (f'{{"k": {chance.randrange(keys)}, "v": {chance.randrange(1000)}}}\n' for _ in range(count))
        file.write_text("".join(lines))
        os.utime(file, (1_700_000_000 + number * 60,) * 2)


def compiled(folder: Path, query: str) -> Path:
    """The plan file of a query."""
    from compiled_plan.environment import TableEnvironment

    plan = folder / "plan.json"
    text = f"{TABLES.format(folder=folder / 't')}INSERT INTO o {query};"
    plan.write_text(TableEnvironment().compile_script(text).to_json())
    return plan


def times(plan: Path, master: str, partitions: int) -> tuple[float, float]:
    """Milliseconds of a micro-batch of few rows and of one of many."""
    kernel = str(kernel_jar())
    settings = {
        "spark.sql.shuffle.partitions": partitions,
        "spark.driver.memory": "1g",
        "spark.executor.memory": "640m",
        "spark.driver.extraClassPath": kernel,
        "spark.executor.extraClassPath": kernel,
        **LOCAL,
    }
    options = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(plan), "--json", "--master", master]
    done = subprocess.run([*command, "--max-files-per-batch", "1", *options], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{master}: {done.stderr[-2000:]}")
    events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    batches = [event for event in events if event["event"] == "batch"]
    few = [event["batchMillis"] for event in batches if event["rowsIn"] == FEW]
    many = [event["batchMillis"] for event in batches if event["rowsIn"] > FEW]
    return median(few[_TIMES // 2 :]), median(many[_TIMES // 2 :])


if __name__ == "__main__":
    main()
