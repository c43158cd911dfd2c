"""Figures of a generation that continues another one."""

from __future__ import annotations

from pathlib import Path

from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.copying import copy_figures
from compiled_plan.plans.inspection.checkpoints import STATE_ROWS, StateFigures
from compiled_plan.plans.inspection.use_ages import UseAges


def test_figures_follow_moved_state_and_begin_anew_with_filled_state(tmp_path: Path) -> None:
    old, new = LocalFolder(tmp_path / "old"), LocalFolder(tmp_path / "new")
    ages = (UseAges(1000, 7, {64: 3}),)
    old.write_text(STATE_ROWS, StateFigures({"a": 1, "b": 2, "gone": 3}, {"a": 10}, {"a": ages, "b": ages}).text())
    copy_figures(old, new, {"a2": "a", "b2": "b", "unknown": "c"}, {"b2": 9})
    assert StateFigures.read(new.read_text(STATE_ROWS)) == StateFigures({"a2": 1, "b2": 9}, {"a2": 10}, {"a2": ages})
