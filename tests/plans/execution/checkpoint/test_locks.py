"""Who may write into a checkpoint, where the system's own locks do not reach."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.locks import leased
from compiled_plan.plans.execution.spark.storage import LocalFolder


def test_a_lease_that_holds_refuses_by_name(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    release = leased(folder, pytest.fail, 60.0)
    with pytest.raises(CheckpointError, match=r"process \d+ on .* runs a plan .*lease ends at"):
        leased(folder, pytest.fail, 60.0)
    release(False)
    leased(folder, pytest.fail, 60.0)(True)
    assert list(tmp_path.iterdir()) == []


def test_a_lease_is_put_off_while_its_owner_runs(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    release = leased(folder, pytest.fail, 0.4)
    first = until(tmp_path, 1)
    for _ in range(200):
        if until(tmp_path, 1) > first + 0.4:
            break
        threading.Event().wait(0.02)
    else:
        pytest.fail("it was not put off")
    with pytest.raises(CheckpointError):
        leased(folder, pytest.fail, 0.4)
    release(False)


def test_a_lease_whose_owner_has_ended_is_taken_over_and_he_is_told(tmp_path: Path) -> None:
    folder, told = LocalFolder(tmp_path), threading.Event()
    release = leased(folder, told.set, 0.4)
    path = tmp_path / "leases" / "1"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"until": 0}))
    second = leased(folder, pytest.fail, 60.0)
    assert told.wait(10)
    release(False)
    assert until(tmp_path, 2) > 0, "what is not his any more he leaves"
    assert [each.name for each in (tmp_path / "leases").iterdir()] == ["2"]
    second(False)


def until(root: Path, number: int) -> float:
    return float(json.loads((root / "leases" / str(number)).read_text())["until"])
