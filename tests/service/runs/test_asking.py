from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from compiled_plan.plans.errors import PlanError
from compiled_plan.service.common.lanes import BusyError
from compiled_plan.service.runs import asking
from compiled_plan.service.runs.asking import ask
from compiled_plan.service.runs.supervisor import INSPECT_STATE
from tests.support.waiting import wait_until

pytestmark = pytest.mark.attack


def test_wrong_usage_is_explained(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="--key and --export take one operator"):
        ask(INSPECT_STATE, [str(tmp_path), "--json", "--key", "x"])


def test_requests_beyond_the_limit_are_refused_at_once(tmp_path: Path) -> None:
    """Each waiting request occupies a thread that others need."""
    gate = tmp_path / "gate"
    waits = f"import pathlib, time\nwhile not pathlib.Path({str(gate)!r}).exists(): time.sleep(0.02)\nprint('{{}}')"
    answers: list[object] = []
    threads = [
        threading.Thread(target=lambda: answers.append(ask((sys.executable, "-c", waits), ())))
        for _ in range(asking.LANE.places)
    ]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: asking.LANE._free._value == 0, "all places are taken")
        with pytest.raises(BusyError, match="too many requests wait for access to a checkpoint"):
            ask((sys.executable, "-c", waits), ())
    finally:
        gate.touch()
        for thread in threads:
            thread.join()
    assert answers == [{}] * len(threads)
    assert ask((sys.executable, "-c", waits), ()) == {}
