"""Spark's log of positions, when another generation continues from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.offsets import (
    continue_from,
    positions,
    progress_of,
    sources_in,
    watermark_of,
)

STATE = {"0": [["a"], ["b"]]}


@pytest.fixture
def folder(tmp_path: Path) -> LocalFolder:
    """A generation that one micro-batch has filled."""
    folder = LocalFolder(tmp_path)
    about = {"batchWatermarkMs": 0, "batchTimestampMs": 7, "conf": {"p": "2"}, "sourceMetadataInfo": {}}
    folder.write_text("offsets/0", f'v2\n{json.dumps(about)}\nseed:{{"logOffset":0}}')
    folder.write_text("commits/0", f"v2\n{json.dumps({'nextBatchWatermarkMs': 0, 'stateUniqueIds': STATE})}")
    return folder


def test_a_generation_continues_at_given_positions_and_watermark(folder: LocalFolder) -> None:
    continue_from(folder, {"orders": '{"logOffset":3}', "new": None, "shops": "5:6"}, 1234)
    assert positions(folder) == {"orders": '{"logOffset":3}', "shops": "5:6"}
    assert watermark_of(folder) == 1234
    assert sources_in(folder, 0) == {"orders", "new", "shops"}, "a source without a position is no lost one"
    lines = (folder.read_text("offsets/0") or "").splitlines()
    assert json.loads(lines[1]) == {
        "batchWatermarkMs": 1234,
        "batchTimestampMs": 7,
        "conf": {"p": "2"},
        "sourceMetadataInfo": {},
    }
    done = json.loads((folder.read_text("commits/0") or "").splitlines()[1])
    assert done["stateUniqueIds"] == STATE, "what Spark wrote of the state"
    assert (progress_of(folder).committed, progress_of(folder).planned) == (0, None)


def test_before_the_first_batch_there_is_no_watermark(tmp_path: Path) -> None:
    assert watermark_of(LocalFolder(tmp_path)) == 0


def test_a_log_of_another_form_is_refused_by_name(folder: LocalFolder) -> None:
    folder.write_text("commits/0", "v2")
    with pytest.raises(CheckpointError, match="commits/0 of the checkpoint is not the log"):
        watermark_of(folder)
    folder.write_text("offsets/0", "v1\n{}\n0")
    with pytest.raises(CheckpointError, match="offsets/0 of the checkpoint is not the log"):
        continue_from(folder, {}, 0)
