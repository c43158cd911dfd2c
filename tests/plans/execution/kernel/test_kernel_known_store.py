"""Knowledge that tasks inherit about a state store: its keys, and that it exists."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.files import lines, put, table
from tests.support.kernel.hidden import hidden_field
from tests.support.waiting import wait_until

pytestmark = pytest.mark.wide

PROGRAM = "INSERT INTO s SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k;"


class Asked(StreamingQueryListener):
    """RocksDB lookups of micro-batches."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def are(self, many: int) -> bool:
        return len(self.counts) == many

    def onQueryStarted(self, event: QueryStartedEvent) -> None: ...

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None: ...

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        if event.progress.numInputRows:
            self.counts += [
                int(operator.customMetrics["rocksdbGetCount"]) for operator in event.progress.stateOperators
            ]


def test_new_keys_are_not_looked_up(spark: SparkSession, tmp_path: Path) -> None:
    """If the run began with an empty store; repeated keys are looked up, and all of them after another start."""
    script = table(tmp_path, "r", "k BIGINT, v BIGINT") + table(
        tmp_path, "s", "k BIGINT, n BIGINT, v BIGINT", "debezium-json"
    )
    plan = TableEnvironment().compile_script(script + PROGRAM)
    checkpoint, lookups = str(tmp_path / "checkpoint"), Asked()
    spark.streams.addListener(lookups)
    try:
        for start, firsts, expected in [(0, (0, 1_000, 0), 3), (1, (2_000, 3_000), 5)]:
            for batch, first in enumerate(firsts):
                put(tmp_path / "r", f"{start}-{batch}.json", *({"k": first + at, "v": at} for at in range(1_000)))
            Run(spark, plan, RunOptions(checkpoint=checkpoint, max_files_per_batch=1)).execute()
            wait_until(partial(lookups.are, expected))
    finally:
        spark.streams.removeListener(lookups)
    new, newer, again, *later = lookups.counts
    assert max(new, newer) < 100
    assert again >= 1_000
    assert min(later) >= 1_000


def versions(spark: SparkSession) -> set[tuple[int, bool]]:
    """The versions that tasks have left, and whether the keys of each are known."""
    known = partial(hidden_field, spark, "host.store.KnownStore$Left")
    left = hidden_field(spark, "host.store.KnownStore", "LEFT").values()
    return {(known("version", snapshot), known("keys", snapshot) is not None) for snapshot in left}


@pytest.mark.parametrize(("ttl", "many"), [("0 s", 97), ("1 h", 20_011)])
def test_keys_of_all_batches_and_starts_are_known(spark: SparkSession, tmp_path: Path, ttl: str, many: int) -> None:
    """Keys return in later batches, and after a start that knows nothing of the store."""
    script = (
        f"SET 'table.exec.state.ttl' = '{ttl}';"
        + table(tmp_path, "r", "k BIGINT, v BIGINT")
        + table(tmp_path, "s", "k BIGINT, n BIGINT, v BIGINT", "debezium-json")
    )
    plan = TableEnvironment().compile_script(script + PROGRAM)
    checkpoint = str(tmp_path / "checkpoint")
    rows = [[{"k": at * batch % many, "v": at} for at in range(many)] for batch in range(1, 5)]
    for start in (0, 2):
        for batch in (start, start + 1):
            put(tmp_path / "r", f"{batch}.json", *rows[batch])
        Run(spark, plan, RunOptions(checkpoint=checkpoint, max_files_per_batch=1)).execute()
        known = (start + 2, start == 0)
        assert known in versions(spark), "the first run knows the keys from the beginning, the second does not"
    expected: dict[int, tuple[int, int]] = {}
    for row in (row for batch in rows for row in batch):
        count, total = expected.get(row["k"], (0, 0))
        expected[row["k"]] = (count + 1, total + row["v"])
    sums: dict[int, tuple[int, int]] = {}
    for change in lines(tmp_path / "s"):
        if change["after"] is not None:
            sums[change["after"]["k"]] = (change["after"]["n"], change["after"]["v"])
    assert sums == expected
