"""What is secret of a run: it may print it, and nobody is to see it."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.properties import read_properties
from compiled_plan.plans.text.secrets import hidden, secrets_in
from compiled_plan.service.common.texts import cut
from compiled_plan.service.runs.endings import Ending
from compiled_plan.service.runs.folders import COMMAND, RunFolder
from compiled_plan.service.runs.launching import CONF, PLAN


def secrets_of(run: RunFolder) -> frozenset[str]:
    """Values of sensitive options in the run's plan and in its settings of Spark."""
    try:
        return _secrets(run.path, (run.path / COMMAND).stat().st_mtime_ns)
    except FileNotFoundError:
        return frozenset()


@lru_cache(maxsize=256)
def _secrets(path: Path, written: int) -> frozenset[str]:
    conf, file = path / CONF, path / PLAN
    found = secrets_in(read_properties(conf.read_text(), CONF)) if conf.exists() else frozenset()
    return found | secrets_in(json.loads(file.read_text())) if file.exists() else found


def without_secrets(text: str, run: RunFolder) -> str:
    """A text of a run with what is secret hidden."""
    shown = hidden(text, secrets_of(run))
    # The value of an option ends with its line.
    return "\n".join(map(masked_text, shown.split("\n")))


def ending_without_secrets(ending: Ending, run: RunFolder) -> Ending:
    """How a run ended, with what is secret hidden."""
    texts = (without_secrets(cut(text), run) for text in (ending.message, ending.where, ending.remedy))
    return Ending(ending.outcome, *texts)
