"""State formats of operators in the checkpoint and now: compared by format, version and accumulator forms."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.comparison import check_states
from tests.plans.execution.kernel.kept_states import FOLDER as KEPT

FOLDER = cast("Folder", SimpleNamespace(uri="file:/checkpoint", shown="'/checkpoint'"))


def state(name: str) -> dict[str, Any]:
    path: Path = KEPT / f"{name}-v1.json"
    format_: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["format"]
    return format_


def test_equal_states_and_operators_that_come_or_go_are_fine() -> None:
    join, rank = state("join"), state("rank")
    check_states({"a": join, "b": rank}, {"a": join, "c": rank}, FOLDER)
    with pytest.raises(CheckpointError):
        check_states({"a": join, "b": rank}, {"a": rank, "c": rank}, FOLDER)


def test_another_version_is_refused_by_name() -> None:
    join = state("join")
    with pytest.raises(CheckpointError) as refused:
        check_states({"join-a": {**join, "version": 2}}, {"join-a": join}, FOLDER)
    assert "operator join-a: checkpoint has state join 2, this release has join 1" in str(refused.value)


def test_an_accumulator_of_another_form_is_refused_by_name() -> None:
    window = state("window-aggregate")
    changed = json.loads(json.dumps(window).replace('"sum-integral"', '"sum-decimal"'))
    with pytest.raises(CheckpointError) as refused:
        check_states({"w": changed}, {"w": window}, FOLDER)
    assert "checkpoint has state window-aggregate 1 of count 1, sum-decimal 1" in str(refused.value)
