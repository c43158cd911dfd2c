"""The active generation and program of a pipeline's checkpoint."""

from __future__ import annotations

from pathlib import Path

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.files.folders import LocalReads
from compiled_plan.plans.inspection.checkpoints import GENERATIONS, CheckpointReader, ProgramFiles


def checkpoint_folder(home: Path, pipeline_id: int) -> Path:
    """The folder of a pipeline's checkpoint."""
    return home / "checkpoints" / str(pipeline_id)


def program_of(checkpoint: Path) -> ProgramFiles | None:
    """The program of a checkpoint's state; None before the first start, or if it cannot be read."""
    if not checkpoint.is_dir():
        return None
    try:
        return CheckpointReader(LocalReads(checkpoint)).program_in_force()
    except CompiledPlanError:
        return None


def next_generation(checkpoint: Path) -> int:
    """The number of the generation that the next change of the state creates."""
    return max(LocalReads(checkpoint).numbers(GENERATIONS), default=0) + 1


def generation_of(checkpoint: Path) -> int:
    """The number of the active generation; 0 before the first start, or if it cannot be read."""
    if not checkpoint.is_dir():
        return 0
    try:
        head = CheckpointReader(LocalReads(checkpoint)).head()
    except CompiledPlanError:
        return 0
    return 0 if head is None else head.generation
