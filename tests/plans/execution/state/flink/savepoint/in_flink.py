"""Savepoints of a job in a real Flink: a script for the Python of Flink's environment.

    FLINK/bin/python in_flink.py FOLDER [NAME:ROWS]...

The job reads the numbers 1, 2, 3, ... and is stopped after some 50 of them, or after as many as wanted for. FOLDER gets
a folder for each form, which has the savepoint, or the folder of the job with its retained checkpoint.
`python -m tests.plans.execution.state.flink.savepoint.record` packs them for the tests.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from pyflink.java_gateway import get_gateway  # type: ignore[import-not-found]
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

_LIMIT, _FEW = 60, "50"
_HEAP = {"state.backend.type": "hashmap"}
_ROCKS = {"state.backend.type": "rocksdb", "taskmanager.memory.managed.size": "64 mb"}
_TTL = {"table.exec.state.ttl": "1 h"}
_SNAPPY = {"execution.checkpointing.snapshot-compression": "true"}
_CHECKPOINT = "CHECKPOINT"
#: Options and format of each form; CHECKPOINT is a retained incremental one.
FORMS: dict[str, tuple[dict[str, str], str]] = {
    "heap-canonical": ({**_HEAP, **_TTL}, "CANONICAL"),
    "heap-canonical-snappy": ({**_HEAP, **_SNAPPY}, "CANONICAL"),
    "heap-native": ({**_HEAP, **_TTL}, "NATIVE"),
    "heap-native-snappy": ({**_HEAP, **_SNAPPY}, "NATIVE"),
    "rocksdb-canonical": ({**_ROCKS, **_TTL}, "CANONICAL"),
    "rocksdb-native": ({**_ROCKS, **_TTL}, "NATIVE"),
    "rocksdb-incremental": ({**_ROCKS, **_TTL}, _CHECKPOINT),
    "heap-timers": ({**_ROCKS, "state.backend.rocksdb.timer-service.factory": "HEAP"}, _CHECKPOINT),
    "unaligned": ({**_HEAP, "execution.checkpointing.unaligned.enabled": "true"}, _CHECKPOINT),
    "file-merging": ({**_ROCKS, "execution.checkpointing.file-merging.enabled": "true"}, _CHECKPOINT),
    "many-keys": ({**_HEAP, **_TTL}, "CANONICAL"),
    "many-keys-rocksdb": ({**_ROCKS, **_TTL}, "NATIVE"),
}
_RATE = 50
_NUMBERS = """CREATE TABLE numbers (
  k BIGINT, ts AS TO_TIMESTAMP_LTZ(k * 1000, 3), WATERMARK FOR ts AS ts
) WITH ('connector' = 'datagen', 'fields.k.kind' = 'sequence', 'fields.k.start' = '1', 'fields.k.end' = '{end}',
  'rows-per-second' = '{rate}', 'scan.parallelism' = '1')"""
_TUMBLE = "TABLE(TUMBLE(TABLE numbers, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
#: A value state, map states, list states and timers.
_QUERIES = {
    "totals": "SELECT MOD(a, 3), MAX(n), CAST(NULL AS STRING) FROM "
    "(SELECT MOD(k, 20) AS a, COUNT(*) AS n FROM numbers GROUP BY MOD(k, 20)) GROUP BY MOD(a, 3)",
    "windows": f"SELECT MOD(k, 4), COUNT(DISTINCT k), CAST(window_start AS STRING) FROM {_TUMBLE} "
    "GROUP BY MOD(k, 4), window_start, window_end",
    "pairs": f"SELECT l.k, r.k, CAST(l.window_start AS STRING) FROM (SELECT * FROM {_TUMBLE}) l JOIN "
    f"(SELECT * FROM {_TUMBLE}) r ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end",
}
_MANY = {"totals": "SELECT k, COUNT(*), CAST(MAX(k) AS STRING) FROM numbers GROUP BY k"}


def main() -> None:
    """Take the savepoints."""
    folder = Path(sys.argv[1])
    wanted = dict(one.partition(":")[::2] for one in sys.argv[2:]) or dict.fromkeys(FORMS, _FEW)
    for name, rows in wanted.items():
        options, form = FORMS[name]
        print(name, _stopped(folder / name, options, form, int(rows), many=name.startswith("many")), flush=True)


def _stopped(folder: Path, options: dict[str, str], form: str, rows: int, *, many: bool) -> str:
    folder.mkdir(parents=True)
    environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    retained = {
        "execution.checkpointing.interval": "1 h",
        "execution.checkpointing.incremental": "true",
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
    }
    settings = {
        "parallelism.default": "2",
        "pipeline.max-parallelism": "8",
        "table.local-time-zone": "UTC",
        "restart-strategy.type": "none",
        "pipeline.operator-chaining.enabled": "false",
        "metrics.fetcher.update-interval": "100 ms",
        "rest.bind-port": "0",
        "table.exec.uid.generation": "ALWAYS",
        **({"execution.checkpointing.dir": folder.as_uri()} if many or form == _CHECKPOINT else {}),
        **options,
        **(retained if form == _CHECKPOINT else {}),
    }
    for key, value in settings.items():
        environment.get_config().set(key, value)
    # The source holds all its numbers; they last for some time after the savepoint.
    rate = _RATE if rows < 1000 else 100_000
    environment.execute_sql(_NUMBERS.format(rate=rate, end=rows + 40 * rate if rows < 1000 else 2 * rows))
    for name in _QUERIES:
        environment.execute_sql(f"CREATE TABLE {name} (a BIGINT, b BIGINT, c STRING) WITH ('connector' = 'blackhole')")
    statements = environment.create_statement_set()
    for name, query in (_MANY if many else _QUERIES).items():
        statements.add_insert_sql(f"INSERT INTO {name} {query}")
    client = statements.execute().get_job_client()._j_job_client
    try:
        return _saved(client, folder, form, rows)
    except BaseException:
        # Else its threads keep the JVM alive.
        client.cancel()
        raise


def _saved(client: Any, folder: Path, form: str, rows: int) -> str:
    seconds = get_gateway().jvm.java.util.concurrent.TimeUnit.SECONDS
    runtime = get_gateway().jvm.org.apache.flink
    field = client.getClass().getDeclaredField("miniCluster")
    field.setAccessible(True)
    cluster = field.get(client)
    url = f"{cluster.getRestAddress().get(_LIMIT, seconds).toString()}/jobs/{client.getJobID().toString()}"
    _await_rows(url, rows)
    if form != _CHECKPOINT:
        kind = getattr(runtime.core.execution.SavepointFormatType, form)
        return str(client.stopWithSavepoint(False, folder.as_uri(), kind).get(_LIMIT, seconds))
    kind = runtime.core.execution.CheckpointType.CONFIGURED
    # The second one refers to files of the first.
    cluster.triggerCheckpoint(client.getJobID(), kind).get(_LIMIT, seconds)
    _await_rows(url, 2 * rows)
    number = cluster.triggerCheckpoint(client.getJobID(), kind).get(_LIMIT, seconds)
    client.cancel().get(_LIMIT, seconds)
    return str(folder / client.getJobID().toString() / f"chk-{number}")


def _await_rows(url: str, rows: int) -> None:
    """Wait until every operator behind a source has received some rows."""
    deadline = time.monotonic() + _LIMIT
    while time.monotonic() < deadline:
        with urlopen(url, timeout=_LIMIT) as answer:
            vertices = json.load(answer)["vertices"]
        received = [one["metrics"]["read-records"] for one in vertices if "Aggregate[" in one["name"]]
        if all(one["status"] == "RUNNING" for one in vertices) and received and max(received) >= rows:
            return
        time.sleep(0.1)
    states = {one["name"]: (one["status"], one["metrics"]["read-records"]) for one in vertices}
    raise TimeoutError(f"{rows} rows did not arrive: {states}")


if __name__ == "__main__":
    main()
