"""Files read by sources, from Spark's logs, and written back into one."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.upgrade.history import (
    Gap,
    ReadFile,
    by_batch,
    files_read,
    gaps,
    in_order,
    write_log,
)
from tests.plans.execution.state.upgrade.checkpoints import Times


def file(name: str, time: int = 0, batch: int = 0) -> ReadFile:
    return ReadFile(f"file:///{name}", time, batch)


@pytest.mark.parametrize("interval", [10, 3, 1])
def test_a_log_survives_a_round_trip(tmp_path: Path, interval: int) -> None:
    folder = LocalFolder(tmp_path)
    logged = [[file("a", 5), file("b", 4)], [file("c", 1)], [], [file("d", 9)]]
    for number in range(1, len(logged) + 1):
        write_log(folder, "orders", logged[:number], interval)
    read = files_read(folder, "orders", 3)
    assert read == (file("b", 4, 0), file("a", 5, 0), file("c", 1, 1), file("d", 9, 3))
    assert files_read(folder, "orders", 1) == read[:3], "what is behind a position was not read"
    assert [*by_batch(read)] == [0, 1, 3]
    compacted = {name for name in folder.names("sources/orders") if name.endswith(".compact")}
    assert compacted == {f"{at}.compact" for at in range(4) if (at + 1) % interval == 0}


def test_a_log_of_spark_whose_older_files_are_gone(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    line = '{{"path":"file:///data/a%20{0}.json","timestamp":{0},"batchId":{0}}}'
    folder.write_text("sources/s/9.compact", "v1\n" + "\n".join(line.format(at) for at in range(10)))
    folder.write_text("sources/s/9", "v1\n" + line.format(9))
    folder.write_text("sources/s/10", "v1\n" + line.format(10))
    files = files_read(folder, "s", 10)
    assert [file.batch for file in files] == list(range(11))
    assert files[3].path == "file:///data/a%203.json"


def test_removed_and_changed_files_are_gaps() -> None:
    files = [file("a", 1000), file("b", 1000), file("c", 1000)]
    assert gaps(Times(), files) == ()
    missing = gaps(Times({"file:///b": None, "file:///c": 1001}), files)
    assert missing == (Gap("file:///b", "is gone"), Gap("file:///c", "was written again since it was read"))


def test_few_micro_batches_that_keep_the_order() -> None:
    a, b, late, c = file("a", 1), file("b", 2, 1), file("late", 1, 2), file("c", 3, 2)
    assert in_order([a, b, c], None) == [(a, b, c)]
    assert in_order([a, b, late, c], None) == [(a, b), (late, c)], "it was read after b, and would come before"
    assert in_order([a, b, c], 2) == [(a, b), (c,)]
    assert in_order([], None) == []


def test_files_of_equal_time_share_a_micro_batch_in_the_order_of_their_paths() -> None:
    a, b = file("a", 1), file("b", 1)
    assert in_order([a, b], None) == [(a, b)]
    assert in_order([b, a], None) == [(b,), (a,)]
