"""The progress of an upgrade or rollback: its steps, from the progress messages of the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from compiled_plan.plans.text.masking import masked_text
from compiled_plan.service.runs.endings import Ending, messages_since
from compiled_plan.service.runs.folders import COMMAND, EXIT, RunFolder, runs_of
from compiled_plan.service.runs.launching import PROMOTE
from compiled_plan.service.store.tables import UNDER_WAY, Wanted

#: The record of a completed upgrade, in the folder of its run.
UPGRADE = "upgrade.json"
State = Literal["waiting", "going-on", "done", "failed"]
_MESSAGES = ("upgrade", "start", "step", "batch")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of an upgrade.

    Args:
        name: `stop`, `move`, `back`, `promote`, `run`, or the name of a migration step in `execute-plan`.
        text: its description.
        state: its state.
    """

    name: str
    text: str
    state: State


@dataclass(frozen=True, slots=True)
class Course:
    """The steps of an upgrade, and its error."""

    steps: Sequence[Step] = ()
    message: str = ""
    remedy: str = ""


def course_of(pipeline: Path, wanted: Wanted) -> Course:
    """The course of a pipeline's last upgrade or rollback; without steps after a rewind, or without a record."""
    if wanted.outcome in UNDER_WAY:
        return Course(_going_on(pipeline, wanted))
    if wanted.outcome == "rewound":
        return Course()
    course = next((recorded for run in runs_of(pipeline) if (recorded := run.read(UPGRADE))), None)
    if course is None:
        return Course()
    return Course([Step(**step) for step in course["steps"]], course["message"], course["remedy"])


def note(run: RunFolder, wanted: Wanted, ending: Ending | None = None) -> None:
    """Record a completed or refused upgrade.

    Args:
        run: the run that moved the state, or rolled it back.
        wanted: the desired state of the pipeline during the upgrade.
        ending: the end of a refused run; None after a success.
    """
    steps = list(_going_on(run.path.parent, wanted))
    if ending is None:
        steps = [replace(step, state="done") for step in steps]
    else:
        at = next((at for at, step in enumerate(steps) if step.state == "going-on"), len(steps) - 1)
        steps[at] = replace(steps[at], state="failed")
    said = ("", "") if ending is None else (masked_text(ending.message), masked_text(ending.remedy))
    run.write(UPGRADE, {"steps": [asdict(step) for step in steps], "message": said[0], "remedy": said[1]})


def _going_on(pipeline: Path, wanted: Wanted) -> Sequence[Step]:
    back = wanted.outcome == "rolling-back"
    run = next(runs_of(pipeline), None)
    command = {} if run is None else run.read(COMMAND) or {}
    begun = command.get("upgrade") == wanted.upgrade and (back or command.get("version") == wanted.version)
    before, after = (wanted.version, wanted.previous) if back else (wanted.fallback, wanted.version)
    over = begun or (wanted.upgrade == PROMOTE and run is not None and run.read(EXIT) is not None)
    stop = Step("stop", f"the run of version {before} ends", "done" if over else "going-on")
    if wanted.upgrade == PROMOTE:
        state: State = "done" if begun else "going-on" if over else "waiting"
        middle: list[Step] = [Step("promote", "the state of the shadow becomes the next generation", state)]
    elif back:
        middle = [Step("back", "the previous state is restored", "going-on" if begun else "waiting")]
    else:
        said = list(_said(run, command)) if run is not None and begun else []
        middle = list(_moves(said, begun))
    runs = begun and not back and not any(step.state in ("going-on", "waiting") for step in middle)
    return [stop, *middle, Step("run", f"version {after} runs", "going-on" if runs else "waiting")]


def step_under_way(run: RunFolder) -> str:
    """The current step of the migration that a run performs; empty before the migration begins."""
    said = list(_said(run, run.read(COMMAND) or {}))
    steps = next((message["steps"] for message in said if message["event"] == "upgrade"), ())
    if not steps:
        return ""
    number = next((message["number"] for message in reversed(said) if message["event"] == "step"), 1)
    return f"step {number} of {len(steps)}: {masked_text(steps[number - 1]['text'])}"


def _said(run: RunFolder, command: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (message for message in messages_since(run.progress, command["seq"]) if message["event"] in _MESSAGES)


def _moves(said: Sequence[dict[str, Any]], begun: bool) -> Iterator[Step]:
    upgrade = next((message for message in said if message["event"] == "upgrade"), None)
    if upgrade is None:
        if not any(message["event"] == "start" for message in said):
            yield Step("move", "move the state into a new generation", "going-on" if begun else "waiting")
        return
    numbers = [message["number"] for message in said if message["event"] == "step"]
    over = any(message["event"] == "batch" for message in said) or len(set(numbers)) == len(upgrade["steps"])
    for number, step in enumerate(upgrade["steps"], 1):
        state: State = "done" if number in numbers else "waiting"
        if numbers and number == numbers[-1] and not over:
            state = "going-on"
        yield Step(step["step"], masked_text(step["text"]), state)
