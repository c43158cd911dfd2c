"""Faults of a task that become errors for the client."""

from __future__ import annotations

from importlib import import_module

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.service.workers.tasks import TaskName


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (MemoryError(), "the task exceeds the memory limit"),
        (RecursionError(), "nested too deeply"),
        (FileNotFoundError(2, "no such file", "/data/in"), "the file does not exist"),
    ],
)
def test_a_fault_of_resources_is_an_error_with_a_remedy(
    fault: Exception, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(plan: str) -> None:
        raise fault

    monkeypatch.setattr(import_module("compiled_plan.service.workers.tasks.stored"), "state", fails)
    with pytest.raises(CompiledPlanError, match=message) as refused:
        TaskName("stored", "state").run({"plan": ""})
    assert refused.value.remedy
