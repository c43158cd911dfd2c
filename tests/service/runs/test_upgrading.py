"""Progress of an upgrade."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compiled_plan.plans.telemetry.progress_file import ProgressFile
from compiled_plan.service.runs.endings import Ending, Outcome
from compiled_plan.service.runs.folders import PROGRESS, RunFolder, new_run
from compiled_plan.service.runs.upgrading import course_of, note
from compiled_plan.service.store.tables import Wanted

STEPS = [
    {"step": "finish-batch", "text": "a"},
    {"step": "carry", "text": "password=hush"},
    {"step": "read", "text": "c"},
]


def wanted(**values: Any) -> Wanted:
    return Wanted(**{"version": 2, "fallback": 1, "upgrade": "migrate", "outcome": "migrating", **values})


def begun(folder: Path, seq: int = 0, **command: Any) -> RunFolder:
    run = new_run(folder, {"seq": seq, "what": "run", **command})
    (run.output / "current").touch()
    return run


def states(folder: Path, what: Wanted) -> list[str]:
    return [step.state for step in course_of(folder, what).steps]


def test_steps_follow_the_reports_of_the_run(tmp_path: Path) -> None:
    begun(tmp_path, version=1, upgrade="check")
    assert states(tmp_path, wanted()) == ["going-on", "waiting", "waiting"]
    progress = ProgressFile(tmp_path / PROGRESS)
    progress.tell({"event": "batch", "batch": 9})
    run = begun(tmp_path, seq=1, version=2, upgrade="migrate")
    assert states(tmp_path, wanted()) == ["done", "going-on", "waiting"]
    progress.tell({"event": "upgrade", "steps": STEPS})
    progress.tell({"event": "start"})
    assert states(tmp_path, wanted()) == ["done", "waiting", "waiting", "waiting", "waiting"]
    # Steps begin in another order than they are shown in.
    for number, expected in (
        (2, ["waiting", "going-on", "waiting", "waiting"]),
        (1, ["going-on", "done", "waiting", "waiting"]),
        (3, ["done", "done", "done", "going-on"]),
    ):
        progress.tell({"event": "step", "number": number})
        assert states(tmp_path, wanted()) == ["done", *expected]
    course = course_of(tmp_path, wanted())
    assert [step.name for step in course.steps] == ["stop", "finish-batch", "carry", "read", "run"]
    assert course.steps[2].text == "password=******"
    note(run, wanted())
    begun(tmp_path, version=2, upgrade="check")
    assert set(states(tmp_path, wanted(outcome="done", upgrade="check", fallback=0))) == {"done"}


def test_a_refusal_has_place_and_reason(tmp_path: Path) -> None:
    run = begun(tmp_path, version=2, upgrade="migrate")
    progress = ProgressFile(tmp_path / PROGRESS)
    progress.tell({"event": "upgrade", "steps": STEPS})
    progress.tell({"event": "step", "number": 1})
    note(run, wanted(), Ending(Outcome.REFUSED, "it does not fit, password=hush", "there", "reset it"))
    course = course_of(tmp_path, wanted(outcome="refused"))
    assert [step.state for step in course.steps] == ["done", "failed", "waiting", "waiting", "waiting"]
    assert (course.message, course.remedy) == ("it does not fit, password=******", "reset it")


def test_rollback(tmp_path: Path) -> None:
    begun(tmp_path, version=2, upgrade="check")
    back = wanted(outcome="rolling-back", upgrade="rollback", fallback=0, previous=1)
    assert states(tmp_path, back) == ["going-on", "waiting", "waiting"]
    begun(tmp_path, version=2, upgrade="rollback", what="rollback")
    assert states(tmp_path, back) == ["done", "going-on", "waiting"]
    assert [step.text for step in course_of(tmp_path, back).steps][::2] == [
        "the run of version 2 ends",
        "version 1 runs",
    ]


def test_an_old_upgrade_leaves_no_steps(tmp_path: Path) -> None:
    begun(tmp_path, version=2, upgrade="check")
    assert course_of(tmp_path, wanted(outcome="done")).steps == ()
