"""What tasks know of a store of state from those before them: its keys, and that it is made."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.plans.execution.options import RunOptions
from compiled_plan.plans.execution.run import Run
from tests.support.files import lines, put, table
from tests.support.kernel.hidden import Hidden

PROGRAM = "INSERT INTO s SELECT k, COUNT(*), SUM(v) FROM r GROUP BY k;"


def test_no_key_that_was_written_is_missed(spark: SparkSession) -> None:
    """Also where filters follow one another, and after so many keys that they are let go of."""
    keys = Hidden(spark, "host.WrittenKeys", [1])
    assert not keys.call("mayHave", "op", "0")
    for at in range(250):
        keys.call("add", "op", str(at))
        assert keys.call("mayHave", "op", str(at))
    assert all(keys.call("mayHave", "op", str(at)) for at in range(250))
    # Five filters of 1 to 256 keys: room for 341.
    others = sum(keys.call("mayHave", op, str(at)) for op in ("op", "another") for at in range(500, 600))
    assert others < 20
    for at in range(250, 450):
        keys.call("add", "op", str(at))
    assert keys.call("mayHave", "op", "never written")


def versions(spark: SparkSession) -> set[tuple[int, bool]]:
    """The versions that tasks have left, and whether the keys of each are known."""
    known = Hidden(spark, "host.KnownStore")
    left = known.field("LEFT").values()
    return {(known.field("version", each), known.field("keys", each) is not None) for each in left}


@pytest.mark.parametrize(("ttl", "many"), [("0 s", 97), ("1 h", 97), ("0 s", 20_011)])
def test_keys_of_all_batches_and_starts_are_found(spark: SparkSession, tmp_path: Path, ttl: str, many: int) -> None:
    """Keys come back in later batches, and after a start that knows nothing of the store."""
    script = (
        f"SET 'table.exec.state.ttl' = '{ttl}';"
        + table(tmp_path, "r", "k BIGINT, v BIGINT")
        + table(tmp_path, "s", "k BIGINT, n BIGINT, v BIGINT", "debezium-json")
    )
    plan = TableEnvironment().compile_script(script + PROGRAM)
    checkpoint = str(tmp_path / "checkpoint")
    rows = [[{"k": at * batch % many, "v": at} for at in range(many)] for batch in range(1, 9)]
    for start in range(0, 8, 4):
        for batch in range(start, start + 4):
            put(tmp_path / "r", f"{batch}.json", *rows[batch])
        Run(spark, plan, RunOptions(checkpoint=checkpoint, max_files_per_batch=1)).execute()
        known = (start + 4, start == 0)
        assert known in versions(spark), "the first run knows the keys from the beginning, the second does not"
    expected: dict[int, tuple[int, int]] = {}
    for row in (row for batch in rows for row in batch):
        count, total = expected.get(row["k"], (0, 0))
        expected[row["k"]] = (count + 1, total + row["v"])
    found: dict[int, tuple[int, int]] = {}
    for change in lines(tmp_path / "s"):
        if change["after"] is not None:
            found[change["after"]["k"]] = (change["after"]["n"], change["after"]["v"])
    assert found == expected
