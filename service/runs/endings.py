"""Outcomes of runs, from their exit codes and progress messages, with secrets masked."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from compiled_plan.commands.interrupts import ENDING, code_of
from compiled_plan.plans.telemetry.progress_file import last_messages
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.properties import read_properties
from compiled_plan.plans.text.secrets import hidden, secrets_in
from compiled_plan.service.common.texts import cut
from compiled_plan.service.runs.folders import COMMAND, CONF, PLAN, RunFolder
from compiled_plan.service.runs.processes import Phase, ProcessState

_STOPPED = {code for number in ENDING for code in (code_of(number), -number)}
_USAGE = 2


class Outcome(Enum):
    FINISHED = "its input has ended"
    STOPPED = "it was stopped"
    REFUSED = "it was refused, and would be refused again"
    CRASHED = "it failed, and a restart may succeed"


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a run: its outcome, and the error."""

    outcome: Outcome
    message: str = ""
    where: str = ""
    remedy: str = ""


def messages_since(progress: Path, number: int) -> list[dict[str, Any]]:
    """The messages after a sequence number, in order; the file is read from its end."""
    return list(takewhile(lambda message: message["seq"] > number, last_messages(progress)))[::-1]


def last_of(progress: Path, number: int, *events: str) -> dict[str, Any] | None:
    """The last message with one of these events after a sequence number."""
    recent: Iterator[dict[str, Any]] = takewhile(lambda message: message["seq"] > number, last_messages(progress))
    return next((message for message in recent if message["event"] in events), None)


def ending_of(state: ProcessState, progress: Path, number: int, output: str) -> Ending:
    """The end of a run.

    Args:
        state: the state of its process.
        progress: the progress file of the pipeline.
        number: the sequence number of the last message before the run.
        output: the end of its output.
    """
    said = last_of(progress, number, "end", "failed")
    if said is not None and said["event"] == "failed":
        outcome = Outcome.REFUSED if said["refused"] else Outcome.CRASHED
        return Ending(outcome, said["message"], said["where"], said["remedy"])
    if said is not None:
        return Ending(Outcome.STOPPED if said["stopped"] else Outcome.FINISHED)
    if state.code in _STOPPED:
        return Ending(Outcome.STOPPED)
    if state.code == 0:
        return Ending(Outcome.FINISHED)
    error = error_in(output)
    if error is None:
        return Ending(Outcome.REFUSED if state.code == _USAGE else Outcome.CRASHED, _message(state))
    outcome = Outcome.REFUSED if state.code == _USAGE else Outcome.CRASHED
    return Ending(outcome, *error)


def _message(state: ProcessState) -> str:
    if state.phase is Phase.LOST:
        return "the run ended with an unknown exit code: the machine may have been restarted"
    if state.code is not None and state.code < 0:
        return f"the run was ended by {signal.Signals(-state.code).name}"
    return f"the run ended with exit code {state.code}"


def error_in(output: str) -> tuple[str, str, str] | None:
    """Message, location and remedy of the last error in the output of a command."""
    lines = output.splitlines()
    # Typer prints usage errors with "Error: ".
    starts = [at for at, line in enumerate(lines) if line.startswith(("error: ", "internal error: ", "Error: "))]
    if not starts:
        return None
    message, where, remedy = lines[starts[-1]].partition("rror: ")[2], "", ""
    for line in lines[starts[-1] + 1 :]:
        if line.startswith("  at: "):
            where = line.removeprefix("  at: ")
        elif line.startswith("  try: "):
            remedy = line.removeprefix("  try: ")
        elif not line.startswith("  "):
            break
    return message, where, remedy


def secrets_of(run: RunFolder) -> frozenset[str]:
    """Values of sensitive options in the run's plan and Spark settings."""
    try:
        return _secrets(run.path, (run.path / COMMAND).stat().st_mtime_ns)
    except FileNotFoundError:
        return frozenset()


@lru_cache(maxsize=256)
def _secrets(path: Path, written: int) -> frozenset[str]:
    conf, file = path / CONF, path / PLAN
    secrets = secrets_in(read_properties(conf.read_text(), CONF)) if conf.exists() else frozenset()
    return secrets | secrets_in(json.loads(file.read_text())) if file.exists() else secrets


def without_secrets(text: str, run: RunFolder) -> str:
    """A text of a run with secrets masked."""
    shown = hidden(text, secrets_of(run))
    # Mask line by line, since the value of an option ends with its line.
    return "\n".join(map(masked_text, shown.split("\n")))


def ending_without_secrets(ending: Ending, run: RunFolder) -> Ending:
    """The end of a run with secrets masked."""
    texts = (without_secrets(cut(text), run) for text in (ending.message, ending.where, ending.remedy))
    return Ending(ending.outcome, *texts)
