"""How a run ended: by its exit code, and by what it said of itself in its progress; with what is secret hidden."""

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

from compiled_plan.plans.telemetry.progress_file import last_messages
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.properties import read_properties
from compiled_plan.plans.text.secrets import hidden, secrets_in
from compiled_plan.service.common.texts import cut
from compiled_plan.service.runs.folders import COMMAND, CONF, PLAN, RunFolder
from compiled_plan.service.runs.processes import Phase, ProcessState

_STOPPED = (130, 143, -signal.SIGTERM, -signal.SIGINT)
_USAGE = 2


class Outcome(Enum):
    """How a run ended."""

    FINISHED = "its input has ended"
    STOPPED = "it was stopped"
    REFUSED = "the same start would be refused again"
    CRASHED = "it failed, and may go well the next time"


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a run."""

    outcome: Outcome
    message: str = ""
    where: str = ""
    remedy: str = ""


def messages_since(progress: Path, number: int) -> list[dict[str, Any]]:
    """The messages after a number, in order; read from the end of the file."""
    return list(takewhile(lambda message: message["seq"] > number, last_messages(progress)))[::-1]


def last_of(progress: Path, number: int, *events: str) -> dict[str, Any] | None:
    """The last message of some kinds after a number."""
    recent: Iterator[dict[str, Any]] = takewhile(lambda message: message["seq"] > number, last_messages(progress))
    return next((message for message in recent if message["event"] in events), None)


def ending_of(state: ProcessState, progress: Path, number: int, output: str) -> Ending:
    """How a run ended.

    Args:
        number: of the last message before the run.
        output: the end of what it printed.
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
        return Ending(Outcome.REFUSED if state.code == _USAGE else Outcome.CRASHED, _told(state))
    outcome = Outcome.REFUSED if state.code == _USAGE else Outcome.CRASHED
    return Ending(outcome, *error)


def _told(state: ProcessState) -> str:
    if state.phase is Phase.LOST:
        return "the run has ended, and nobody saw how: its machine may have been started again"
    if state.code is not None and state.code < 0:
        return f"the run was ended by {signal.Signals(-state.code).name}"
    return f"the run ended with exit code {state.code}"


def error_in(output: str) -> tuple[str, str, str] | None:
    """Message, place and remedy of the last error that a command printed."""
    lines = output.splitlines()
    # The last is how the library of the command line says what is wrong with its usage.
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
    """Values of sensitive options in the run's plan and in its settings of Spark."""
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
    """A text of a run with what is secret hidden."""
    shown = hidden(text, secrets_of(run))
    # The value of an option ends with its line.
    return "\n".join(map(masked_text, shown.split("\n")))


def ending_without_secrets(ending: Ending, run: RunFolder) -> Ending:
    """How a run ended, with what is secret hidden."""
    texts = (without_secrets(cut(text), run) for text in (ending.message, ending.where, ending.remedy))
    return Ending(ending.outcome, *texts)
