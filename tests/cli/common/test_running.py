"""Progress of a run as text."""

from __future__ import annotations

import pytest

from compiled_plan.cli.common.running import Progress
from compiled_plan.plans.execution.batches.following import RunResult
from compiled_plan.plans.execution.batches.progress import BatchProgress


def test_single_rows_and_batches_are_singular(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress("plan.json", as_json=False, quiet=False)
    progress.batch(BatchProgress(0, rows_in=1, rows_out=1, millis=5, operators=()))
    progress.end(RunResult(batches=1, rows_in=1, rows_out=1, stopped=False))
    progress.end(RunResult(batches=2, rows_in=3, rows_out=1, stopped=False))
    assert capsys.readouterr().err.splitlines() == [
        "batch 0: 1 row in, 1 out, 5 ms",
        "finished after 1 batch, 1 row in",
        "finished after 2 batches, 3 rows in",
    ]
