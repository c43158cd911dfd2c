"""What is started for a pipeline: the command of a run, of an upgrade, or of the way back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from compiled_plan.plans.telemetry.progress_file import last_number
from compiled_plan.plans.text.properties import properties_text
from compiled_plan.service.common.outside import Allowed, check_outside, objects_of
from compiled_plan.service.runs.folders import CONF, PLAN
from compiled_plan.service.runs.processes import Launch, checkpoint_lock
from compiled_plan.service.runs.settings import Files, settings_of, submitting_environment
from compiled_plan.service.store import versions
from compiled_plan.service.store.tables import Pipeline, Wanted

#: What is done with a checkpoint: a run, or an option of the command alone.
RUN, ROLLBACK, PRUNE, ADOPT = "run", "rollback", "prune", "adopt-generation"


@dataclass(frozen=True, slots=True)
class Places:
    """Where a pipeline's runs are."""

    home: Path
    checkpoint: Path
    progress: Path


def launch_of(
    session: Session,
    pipeline: Pipeline,
    wanted: Wanted,
    command: Sequence[str],
    places: Places,
    allowed: Allowed,
    what: str = RUN,
) -> Launch:
    """What is to be started.

    Args:
        allowed: what the operator allows plans to reach, now.

    Raises:
        UnsupportedError: the plan reaches what is not allowed, or not any more.
        ExecutionError: the command is not there.
    """
    checkpoint = places.checkpoint
    facts: dict[str, Any] = {"version": wanted.version, "seq": last_number(places.progress), "what": what}
    facts["upgrade"] = wanted.upgrade
    files: dict[str, str] = {}
    environment: dict[str, str] = {}
    if what != RUN:
        value = wanted.options[:1] if what == ADOPT else []
        argv = [*command, "--checkpoint", str(checkpoint), f"--{what}", *value, "--json"]
    else:
        settings = settings_of(pipeline.run_settings)
        facts["launcher"] = settings.launcher
        files[PLAN] = versions.plan_text(session, versions.find(session, pipeline, wanted.version))
        plan = json.loads(files[PLAN])
        more = ["--upgrade", wanted.upgrade] if wanted.upgrade != "check" else []
        more += wanted.options
        functions, environment = functions_of(plan, allowed)
        more += functions
        if settings.launcher == "spark-submit":
            environment |= submitting_environment()
        files[CONF] = properties_text(settings.conf)
        paths = Files(f"{{run}}/{PLAN}", f"{{run}}/{CONF}")
        argv = settings.argv(command, paths, pipeline.name, checkpoint, places.progress, more)
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    lock = checkpoint_lock(places.home / "locks", str(checkpoint))
    return Launch(argv, Path.cwd(), lock, environment, facts, files)


def functions_of(plan: Any, allowed: Allowed) -> tuple[list[str], dict[str, str]]:
    """What a plan's Python functions need: options of `execute-plan`, and variables.

    Args:
        allowed: the folders that functions may come from.

    Raises:
        UnsupportedError: the plan reaches what is not allowed.
    """
    check_outside(plan, allowed)
    modules = sorted(set(function_modules(plan)))
    folders = os.pathsep.join(allowed.programs)
    options = [part for module in modules for part in ("--functions-from", f"{module}={folders}")]
    return options, {"PYTHONPATH": path_of(allowed.programs)} if modules else {}


def function_modules(plan: Any) -> Iterator[str]:
    """The modules of a plan's Python functions, the first part of their names."""
    for function in objects_of(plan, "python"):
        if function.value.get("module"):
            yield str(function.value["module"]).partition(".")[0]


def path_of(folders: Sequence[str]) -> str:
    """Python's path with folders in front of what the service has."""
    return os.pathsep.join([*folders, *filter(None, [os.environ.get("PYTHONPATH", "")])])
