"""Cost of a micro-batch by the number of workers and stages: `python -m tests.bench.cluster`.

Each run reads the same files in turn, one a micro-batch, of ten rows and of `--rows`. The first half warms up, since
each worker is a JVM of its own; the medians of the rest are the fixed cost of a micro-batch, and the cost of its
rows. All workers share this machine, so the figures show what more workers cost, not what they gain. They have the
kernel on their class path, and the product's local file system, as a single process has. `--hot 0.5` gives half of the
rows to one key, `--live N` begins with a batch of as many keys, and `--s3` keeps the checkpoint in an object store.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from compiled_plan.plans.execution.kernel import kernel_jar
from compiled_plan.plans.execution.session.configured import CLASS_PATH
from compiled_plan.plans.execution.session.partitions import PARTITIONS
from compiled_plan.plans.execution.session.settings import LOCAL
from tools.services import s3
from tools.services.server import running

FEW, BUCKET = 10, "bench"
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
    parser.add_argument("--hot", type=float, default=0.0, metavar="SHARE", help="share of the rows with one key")
    parser.add_argument("--live", type=int, default=0, metavar="N", help="keys of a first batch")
    parser.add_argument("--s3", action="store_true", help="the checkpoint is in an object store")
    parser.add_argument("--masters", nargs="*", default=MASTERS)
    parser.add_argument("--stages", nargs="*", type=int, default=[*QUERIES])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, store(Path(scratch), wanted=chosen.s3) as settings:
        folder = Path(scratch)
        write_files(folder / "t", chosen)
        print("| stages | master | s of the first batch | ms of 10 rows | ms of all | rows/s without what it costs |")
        print("| --- | --- | ---: | ---: | ---: | ---: |", flush=True)
        for stages in chosen.stages:
            plan = compiled(folder, QUERIES[stages])
            for number, master in enumerate(chosen.masters):
                options = ["--checkpoint", f"s3a://{BUCKET}/{stages}-{number}"] if chosen.s3 else []
                first, few, many = times(plan, master, options, {**settings, PARTITIONS: str(chosen.partitions)})
                rate = chosen.rows * 1000 / max(many - few, 1)
                cells = f"{first / 1000:.1f} | {few:.0f} | {many:.0f} | {rate:,.0f}"
                print(f"| {stages} | `{master}` | {cells} |", flush=True)


@contextmanager
def store(folder: Path, *, wanted: bool) -> Iterator[Mapping[str, str]]:
    """An object store where wanted; yields settings of its clients."""
    if not wanted:
        yield {}
        return
    with running(s3.SERVICE, folder / "s3") as server:
        s3.make_bucket(server.address, BUCKET)
        client = {f"spark.hadoop.{name}": value for name, value in s3.hadoop_settings(server.address, BUCKET).items()}
        yield {**client, CLASS_PATH: os.pathsep.join(map(str, s3.client_jars()))}


def write_files(folder: Path, chosen: argparse.Namespace) -> None:
    """Write files that are read in their order."""
    folder.mkdir()
    chance = random.Random(3)

    def key() -> int:
        return 0 if chance.random() < chosen.hot else chance.randrange(max(chosen.keys, chosen.live))

    files: list[Iterable[int]] = [range(chosen.live)] if chosen.live else []
    files += [(key() for _ in range(count)) for count in (FEW, chosen.rows) * _TIMES]
    for number, keys in enumerate(files):
        file = folder / f"{number}.json"
        with file.open("w") as out:
            out.writelines(f'{{"k": {k}, "v": {chance.randrange(1000)}}}\n' for k in keys)
        os.utime(file, (1_700_000_000 + number * 60,) * 2)


def compiled(folder: Path, query: str) -> Path:
    """The plan file of a query."""
    from compiled_plan.environment import TableEnvironment

    plan = folder / "plan.json"
    text = f"{TABLES.format(folder=folder / 't')}INSERT INTO o {query};"
    plan.write_text(TableEnvironment().compile_script(text).to_json())
    return plan


def times(plan: Path, master: str, options: list[str], more: Mapping[str, str]) -> tuple[float, float, float]:
    """Milliseconds of the first micro-batch, of one of few rows and of one of many."""
    jars = os.pathsep.join(filter(None, [str(kernel_jar()), more.get(CLASS_PATH)]))
    settings = {
        "spark.driver.memory": "1g",
        "spark.executor.memory": "640m",
        **LOCAL,
        **more,
        CLASS_PATH: jars,
        "spark.executor.extraClassPath": jars,
    }
    options += [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(plan), "--json", "--master", master]
    done = subprocess.run([*command, "--max-files-per-batch", "1", *options], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{master}: {done.stderr[-2000:]}")
    events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    batches = [event for event in events if event["event"] == "batch"]
    warm = batches[-_TIMES:]
    few = [event["batchMillis"] for event in warm if event["rowsIn"] == FEW]
    many = [event["batchMillis"] for event in warm if event["rowsIn"] > FEW]
    return batches[0]["batchMillis"], median(few), median(many)


if __name__ == "__main__":
    main()
