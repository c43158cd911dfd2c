"""Run settings of a pipeline, and the command that results from them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from compiled_plan.plans.errors import CompiledPlanError, ExecutionError, PlanError, UnsupportedError
from compiled_plan.plans.execution.kernel import kernel_jar
from compiled_plan.plans.execution.session.options import REAL_TIME, RUN_OPTIONS, arguments
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.text.masking import HIDDEN, masked
from compiled_plan.service.common.texts import Argument, Text


def _duration(text: str) -> str:
    try:
        ms = parse_duration(text) if text else 1
    except CompiledPlanError as fault:
        raise ValueError(fault.message) from None
    if ms <= 0:
        raise ValueError("the duration must be greater than 0")
    return text


def option(name: str, **more: Any) -> Any:
    """Declare a field of a request body for a run option, with its default, description and bounds."""
    declared = RUN_OPTIONS[name]
    default = list(declared.default) if isinstance(declared.default, tuple) else declared.default
    return Field(default=default, description=declared.help, ge=declared.least, **more)


def _trigger(text: str) -> str:
    name, equals, interval = text.partition("=")
    if name != REAL_TIME:
        return _duration(text)
    if equals and not interval:
        raise ValueError("write real-time, or real-time=1m")
    return f"{name}{equals}{_duration(interval)}"


Duration = Annotated[str, AfterValidator(_duration), Field(max_length=40)]
_Master = Annotated[Argument, Field(max_length=200)]
_Key = Annotated[str, Field(max_length=200, pattern=r"^[A-Za-z][\w.-]*$")]
_Value = Annotated[Text, Field(max_length=4000)]


def _or_default(stop_within: str) -> str:
    return stop_within or str(RUN_OPTIONS["stop_within"].default)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a run: its plan, and its Spark settings as a properties file."""

    plan: str
    conf: str


class RunSettings(BaseModel):
    """The run settings of a pipeline."""

    model_config = ConfigDict(extra="forbid")

    trigger: Annotated[str, AfterValidator(_trigger), Field(max_length=40)] = option("trigger", examples=["2s"])
    every: Duration = Field(
        default="",
        description="Interval of scheduled runs, which read the available data and end.",
        examples=["15 min"],
    )
    available_now: bool = option("available_now")
    master: _Master = Field(default="", description="Spark master.")
    conf: dict[_Key, _Value] = Field(default_factory=dict, description="Spark settings.")
    max_files_per_batch: int | None = option("max_files_per_batch")
    retain_batches: int | None = option("retain_batches")
    retain_for: Duration = option("retain_for", examples=["7d"])
    stop_within: Annotated[Duration, AfterValidator(_or_default)] = option("stop_within")
    launcher: Literal["process", "spark-submit"] = Field(
        default="process", description="`process`, or `spark-submit` in client mode."
    )

    def shown(self) -> RunSettings:
        """The settings with secrets masked."""
        return self.model_copy(update={"conf": masked(self.conf)})

    def unmasked(self, known: RunSettings) -> RunSettings:
        """The settings with masked values replaced by the previous ones.

        Args:
            known: the previous settings.

        Raises:
            PlanError: a masked value has no previous one.
        """
        before = known.shown().conf
        for key, value in self.conf.items():
            if HIDDEN in value and before.get(key) != value:
                raise PlanError(f"the value of {key!r} is masked", where="conf", remedy="write the value")
        conf = {key: known.conf[key] if HIDDEN in value else value for key, value in self.conf.items()}
        return self.model_copy(update={"conf": conf})

    @property
    def ends(self) -> bool:
        """True if a run reads the available data and ends."""
        return self.available_now or bool(self.every)

    def next_start(self, moment: datetime) -> datetime | None:
        """The next scheduled start after a time; None without a schedule.

        Starts are at multiples of the interval since the epoch, so that intervals that divide a day have the same times
        every day. A start that was missed, or during a run, is skipped.
        """
        if not self.every:
            return None
        every, epoch = timedelta(milliseconds=parse_duration(self.every)), datetime(1970, 1, 1, tzinfo=UTC)
        return epoch + ((moment - epoch) // every + 1) * every

    def spark(self, conf: str) -> list[str]:
        """Spark master and settings as options of `execute-plan`.

        Args:
            conf: the file with the settings, which keeps secrets out of process lists.
        """
        return [*(["--master", self.master] if self.master else []), *(["--conf-file", conf] if self.conf else [])]

    def argv(
        self,
        command: Sequence[str],
        files: Files,
        name: str,
        checkpoint: Path,
        progress: Path,
        more: Sequence[str] = (),
    ) -> list[str]:
        """The command line of a run.

        Args:
            command: the command `execute-plan`.
            files: the files of the run.
            name: the name of the pipeline.
            checkpoint: the checkpoint folder.
            progress: the progress file.
            more: options of this start only.

        Raises:
            ExecutionError: the launcher is spark-submit, which is not installed.
            UnsupportedError: spark-submit runs in cluster mode, which cannot be supervised.
        """
        spark = [] if self.launcher == "process" else submitted(self.master, self.conf, files.conf)
        words = [*(spark or command), "--checkpoint", str(checkpoint), "--progress-file", str(progress)]
        words += ["--name", name, "--log", *([] if spark else self.spark(files.conf))]
        options: dict[str, object] = {"available_now": True} if self.ends else {"trigger": self.trigger}
        more_names = ("max_files_per_batch", "retain_batches", "retain_for", "stop_within")
        options |= {name: getattr(self, name) for name in more_names}
        return [*words, *arguments(options), *more, files.plan]


def settings_of(document: Mapping[str, object]) -> RunSettings:
    """The settings from a pipeline's database row."""
    return RunSettings.model_validate(document)


# ---- spark-submit in client mode, so that the driver is a process of this machine

_DEPLOY_MODE, _DRIVER_PYTHON = "spark.submit.deployMode", "spark.pyspark.driver.python"
#: The command as a module; spark-submit accepts only files with the suffix `.py`.
_SCRIPT = "compiled_plan.cli.execute_plan"


def submitted(master: str, conf: Mapping[str, str], file: str) -> list[str]:
    """The command line that runs `execute-plan` with spark-submit, without its arguments.

    Args:
        master: the Spark master; empty for the default of spark-submit.
        conf: the Spark settings.
        file: the properties file with these settings.

    Raises:
        ExecutionError: spark-submit is not installed.
        UnsupportedError: the settings choose cluster mode.
    """
    if conf.get(_DEPLOY_MODE, "client") != "client":
        raise UnsupportedError(
            f"{_DEPLOY_MODE}={conf[_DEPLOY_MODE]}: the driver would run on another machine",
            where="conf",
            remedy="remove the setting: the driver runs here, its executors on the cluster",
        )
    command = shutil.which("spark-submit") or shutil.which("spark-submit", path=str(Path(sys.executable).parent))
    if command is None:
        raise ExecutionError(
            "spark-submit is not on the service's PATH", remedy="install it, or set `launcher` to `process`"
        )
    script = find_spec(_SCRIPT)
    assert script is not None and script.origin is not None
    settings = ["--properties-file", file, "--load-spark-defaults"] if conf else []
    if _DRIVER_PYTHON not in conf:
        # Otherwise `spark.pyspark.python`, the workers' Python, is that of the driver, too.
        settings += ["--conf", f"{_DRIVER_PYTHON}={sys.executable}"]
    words = [command, *(["--master", master] if master else []), "--jars", str(kernel_jar())]
    return [*words, *settings, script.origin, "--no-config"]


def submitting_environment() -> dict[str, str]:
    """Environment variables for spark-submit: the service's Python, unless the operator chooses that of the workers.

    Spark starts a script with its folder first on the path, and Python's workers with the working folder.
    """
    return {"PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON") or sys.executable, "PYTHONSAFEPATH": "1"}
