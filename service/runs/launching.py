"""Commands of runs, upgrades, rollbacks and pruning."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.nodes.configuration import freshness_of
from compiled_plan.plans.secrets.sources import written
from compiled_plan.plans.telemetry.progress_file import last_number
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.properties import properties_text
from compiled_plan.plans.text.references import names_in, replaced
from compiled_plan.service.common.outside import check_outside, confined, jars_of, objects_of
from compiled_plan.service.common.places import Allowed
from compiled_plan.service.runs.folders import CONF, PLAN
from compiled_plan.service.runs.processes import SECRETS, Launch, checkpoint_lock
from compiled_plan.service.runs.settings import Files, settings_of, submitting_environment
from compiled_plan.service.store import versions
from compiled_plan.service.store.secrets import Vault, values_for
from compiled_plan.service.store.tables import Pipeline, Wanted

#: Actions of a command: a run, or an option that acts on the checkpoint only.
RUN, ROLLBACK, PRUNE = "run", "rollback", "prune"
#: The upgrade by a shadow run, which puts its program in force once the run has stopped; no command of its own.
PROMOTE = "promote"
#: Actions before a run, whose value is the first option of the desired state.
BEFORE_RUN = ADOPT, REWIND = "adopt-generation", "rewind-to"


@dataclass(frozen=True, slots=True)
class Places:
    """Folders and files of a pipeline's runs."""

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
    vault: Vault,
    what: str = RUN,
) -> Launch:
    """The command to start.

    Args:
        session: the database session.
        pipeline: the pipeline.
        wanted: its desired state.
        command: the command `execute-plan`.
        places: folders and files of the runs.
        allowed: the resources that the operator allows now.
        vault: the encryption of secrets.
        what: the action.

    Raises:
        UnsupportedError: the plan uses a resource that is not allowed, or no longer.
        PlanError: the plan refers to secrets that the pipeline may not use; names them all.
        ExecutionError: the command does not exist.
    """
    checkpoint = places.checkpoint
    facts: dict[str, object] = {"version": wanted.version, "seq": last_number(places.progress), "what": what}
    facts["pipeline"] = pipeline.name
    facts["upgrade"] = wanted.upgrade
    files: dict[str, str] = {}
    environment: Mapping[str, str] = {}
    secrets = b""
    if what != RUN:
        value = wanted.options[:1] if what in BEFORE_RUN else []
        argv = [*command, "--checkpoint", str(checkpoint), f"--{what}", *value, "--json"]
    else:
        settings = settings_of(pipeline.run_settings)
        facts["launcher"], facts["stop_within"] = settings.launcher, settings.stop_within
        plan = runnable(versions.plan_text(session, versions.find(session, pipeline, wanted.version)), allowed)
        files[PLAN] = plan.text
        facts["trigger"] = "" if settings.ends else settings.trigger or freshness_in(plan.document)
        more = [] if wanted.upgrade in ("check", PROMOTE) else ["--upgrade", wanted.upgrade]
        more += wanted.options
        more += plan.options
        if values := plan.secrets(session, vault, allowed, pipeline.name):
            if settings.launcher == "spark-submit":
                raise UnsupportedError(
                    "spark-submit does not pass secrets on to the run",
                    where=pipeline.name,
                    remedy="set the launcher `process`",
                )
            secrets = written(values)
            more += ["--secrets", f"fd:{SECRETS}"]
        if settings.launcher == "spark-submit":
            environment = submitting_environment()
        files[CONF] = properties_text(settings.conf)
        paths = Files(f"{{run}}/{PLAN}", f"{{run}}/{CONF}")
        argv = settings.argv(command, paths, pipeline.name, checkpoint, places.progress, more)
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    lock = checkpoint_lock(places.home / "locks", str(checkpoint))
    return Launch(argv, Path.cwd(), lock, environment, facts, files, secrets)


@dataclass(frozen=True, slots=True)
class Runnable:
    """A plan as a run gets it.

    Args:
        text: its text, with the paths that its tables open.
        document: its JSON.
        options: options of `execute-plan` for its functions.
    """

    text: str
    document: object
    options: Sequence[str]

    def secrets(
        self, session: Session, vault: Vault, allowed: Allowed, pipeline: str, *, preview: bool = False
    ) -> Mapping[str, str]:
        """The values of the secrets to which the plan refers; what they make it reach is checked.

        Raises:
            PlanError: secrets that the pipeline may not use; names them all.
            UnsupportedError: with the values, the plan uses a resource that is not allowed.
        """
        tables = [table.value for table in objects_of(self.document, "options")]
        names = names_in(value for table in tables for value in table.values() if isinstance(value, str))
        if not names:
            return {}
        values = values_for(session, vault, pipeline, names, preview=preview)
        resolved = jsontext.loads(self.text)
        for table in objects_of(resolved, "options"):
            for key, value in table.value.items():
                if isinstance(value, str):
                    table.value[key] = replaced(value, lambda name: values.get(name, ""))
        check_outside(resolved, allowed)
        return values


def runnable(text: str, allowed: Allowed) -> Runnable:
    """A plan as a run gets it.

    Raises:
        UnsupportedError: the plan uses a resource that is not allowed.
    """
    text, plan = confined(text, allowed)
    modules = sorted(set(function_modules(plan)))
    folders = os.pathsep.join(allowed.programs)
    places = [*(f"{module}={folders}" for module in modules), *map(str, jars_of(plan, allowed))]
    options = [part for place in places for part in ("--functions-from", place)]
    return Runnable(text, plan, options)


def freshness_in(plan: object) -> str:
    """The shortest freshness of a plan's materialized tables, from which `execute-plan` takes its trigger.

    Args:
        plan: the JSON of the plan.
    """
    return freshness_of(item.value for item in objects_of(plan, "configuration"))


def function_modules(plan: object) -> Iterator[str]:
    """The top-level modules of a plan's Python functions."""
    for function in objects_of(plan, "python"):
        if function.value.get("module"):
            yield str(function.value["module"]).partition(".")[0]
