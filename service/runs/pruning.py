"""Folders of runs that nobody needs any more."""

from __future__ import annotations

import shutil
from pathlib import Path

from compiled_plan.service.runs.folders import RunFolder, runs_of

#: How many runs of a pipeline stay, the newest ones.
KEPT = 20


def prunable(runs: list[RunFolder], kept: int = KEPT) -> list[RunFolder]:
    """Those of the runs, newest first, that may go; never the newest one, by which runs are counted."""
    return runs[max(1, kept) :]


def prune_runs(pipeline: Path, kept: int = KEPT) -> list[int]:
    """Remove the folders of old runs; their numbers."""
    found = prunable(list(runs_of(pipeline)), kept)
    for each in found:
        shutil.rmtree(each.path, ignore_errors=True)
    return [each.number for each in found]
