"""Savepoints that are written from the neutral form, and read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.plans.execution.state.flink.savepoint.head import VERSION
from compiled_plan.plans.execution.state.flink.savepoint.reading import read_savepoint
from compiled_plan.plans.execution.state.flink.savepoint.writing import write_savepoint

pytestmark = pytest.mark.slow

STATE = {
    "name": "accState",
    "kind": "VALUE",
    "key": {"row": ["INT"]},
    "namespace": None,
    "userKey": None,
    "value": {"row": ["BIGINT"]},
    "ttl": False,
}


@pytest.mark.wide
def test_entries_of_more_key_groups_than_files_may_be_open_come_back(tmp_path: Path) -> None:
    entries = [{"state": "accState", "key": [key], "value": [key + 1]} for key in range(2000)]
    form = tmp_path / "form"
    form.mkdir()
    (form / "entries").write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    operator = {"uid": "3_group-aggregate", "maxParallelism": 512, "states": [STATE], "files": ["entries"]}
    (form / "savepoint.json").write_text(json.dumps({"version": VERSION, "operators": [operator]}))
    write_savepoint(form, tmp_path / "savepoint")
    head = read_savepoint(tmp_path / "savepoint", tmp_path / "read", uids=["3_group-aggregate"])
    (read,) = head.operators
    lines = [json.loads(line) for file in read.files for line in (tmp_path / "read" / file).read_text().splitlines()]
    assert (read.uid, read.max_parallelism, read.entries) == ("3_group-aggregate", 512, len(entries))
    assert sorted((line["key"], line["value"]) for line in lines) == [
        (entry["key"], entry["value"]) for entry in entries
    ]
