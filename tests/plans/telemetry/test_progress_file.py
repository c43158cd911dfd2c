"""The messages of runs as lines of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.telemetry.progress_file import (
    ProgressFile,
    files_of,
    last_messages,
    last_number,
)


def write(path: Path, count: int, **options: int) -> None:
    file = ProgressFile(path, **options)
    for number in range(count):
        file.tell({"event": "batch", "batch": number, "text": "x" * 80})
    file.close()


def test_numbers_go_on_from_one_run_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    assert last_number(path) == 0
    write(path, 3)
    write(path, 2)
    assert [message["seq"] for message in last_messages(path)] == [5, 4, 3, 2, 1]
    assert [message["batch"] for message in last_messages(path)][:2] == [1, 0]


def test_a_partial_line_of_a_killed_process_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    write(path, 2)
    with path.open("a") as file:
        file.write('{"seq": 3, "event": "ba')
    write(path, 1)
    assert [message["seq"] for message in last_messages(path)] == [3, 2, 1]


def test_files_are_moved_aside_and_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    write(path, 40, length=1000, retained=3)
    files = files_of(path)
    assert len(files) == 4
    assert all(0 < file.stat().st_size <= 1000 for file in files)
    count = sum(len(file.read_text().splitlines()) for file in files)
    assert [message["seq"] for message in last_messages(path)] == list(range(40, 40 - count, -1))


def test_long_files_are_read_from_their_end(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_text("".join(json.dumps({"seq": number, "text": "y" * (number % 977)}) + "\n" for number in range(1500)))
    assert path.stat().st_size > 1 << 18
    assert [message["seq"] for message in last_messages(path)] == list(range(1499, -1, -1))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="cannot write the progress file: there is no folder"):
        ProgressFile(tmp_path / "no" / "progress.jsonl")
