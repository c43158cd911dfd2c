"""Changes merged into a Delta table."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.bench.base import Line, Setting, measurement
from tests.bench.harness import Execution, alternate, compile_plan, execute_plan, native

_GOAL = 1.0
_FILES = 6
_PROGRAM = """
CREATE TABLE changes (id BIGINT, n BIGINT, s STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem', 'path' = '{folder}', 'format' = 'debezium-json');
CREATE TABLE rows_by_id (id BIGINT, n BIGINT, s STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'delta', 'path' = '{table}', 'sink.create-table' = 'true');
INSERT INTO rows_by_id SELECT * FROM changes;
"""


@measurement("merge")
def merge(setting: Setting) -> Iterator[Line]:
    """Six micro-batches of 100,000 upserts into a Delta table, against MERGE by hand in PySpark (Spark 4.2 or 4.1)."""
    changes, table = setting.folder / "changes.json", setting.folder / "table"
    _write(changes, 10_000 if setting.quick else 100_000)
    plan = compile_plan(_PROGRAM.format(folder=changes, table=table), setting.folder, "p")
    checkpoints = (str(setting.folder / f"checkpoint{number}") for number in itertools.count())

    def ours() -> Execution:
        shutil.rmtree(table, ignore_errors=True)
        return execute_plan(plan, "--max-files-per-batch", "1", "--checkpoint", next(checkpoints))

    def by_hand() -> Execution:
        shutil.rmtree(table, ignore_errors=True)
        return native("merge", setting.folder, str(changes), str(table))

    yield from alternate(setting.runs, ours, by_hand).lines("merge", _GOAL)


def _write(folder: Path, rows: int) -> None:
    """Write files of changes: inserts, then from file to file as many updates of earlier rows as inserts."""
    folder.mkdir()
    chance, ids = random.Random(1), range(0)
    for number in range(_FILES):
        updated = chance.sample(ids, rows // 2) if ids else []
        inserted = range(len(ids), len(ids) + rows - len(updated))
        changes = [_change("u", id_, number) for id_ in updated] + [_change("c", id_, number) for id_ in inserted]
        chance.shuffle(changes)
        file = folder / f"{number}.json"
        file.write_text("".join(changes), encoding="utf-8")
        os.utime(file, (1_700_000_000 + number,) * 2)
        ids = range(inserted.stop)


def _change(op: str, id_: int, number: int) -> str:
    """A line of Debezium's JSON."""
    before = {"id": id_, "n": -1, "s": "old"} if op == "u" else None
    return json.dumps({"before": before, "after": {"id": id_, "n": number, "s": f"row {id_}"}, "op": op}) + "\n"
