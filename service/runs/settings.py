"""How a pipeline runs: what an operator decides of it, and the command that comes of it."""

from __future__ import annotations

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
        raise ValueError("a duration above 0 is needed")
    return text


def option(name: str, **more: Any) -> Any:
    """Declare a field of a request's body that is an option of a run: its default, description and bounds."""
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
    """The files of a run: its plan, and Spark's settings as properties."""

    plan: str
    conf: str


class RunSettings(BaseModel):
    """How a pipeline runs."""

    model_config = ConfigDict(extra="forbid")

    trigger: Annotated[str, AfterValidator(_trigger), Field(max_length=40)] = option("trigger", examples=["2s"])
    every: Duration = Field(default="", description="Start so often, read what is there, end.", examples=["15 min"])
    available_now: bool = option("available_now")
    master: _Master = Field(default="", description="Spark's master.")
    conf: dict[_Key, _Value] = Field(default_factory=dict, description="Spark's settings.")
    max_files_per_batch: int | None = option("max_files_per_batch")
    stop_within: Annotated[Duration, AfterValidator(_or_default)] = option("stop_within")
    launcher: Literal["process", "spark-submit"] = Field(
        default="process", description="`process`; or `spark-submit`, in client mode."
    )

    def shown(self) -> RunSettings:
        """With what is secret hidden."""
        return self.model_copy(update={"conf": masked(self.conf)})

    def unmasked(self, known: RunSettings) -> RunSettings:
        """With the values of before in place of those that are hidden.

        Raises:
            PlanError: there is no such value.
        """
        before = known.shown().conf
        for key, value in self.conf.items():
            if HIDDEN in value and before.get(key) != value:
                raise PlanError(f"the value of {key!r} is hidden", where="conf", remedy="write the value")
        conf = {key: known.conf[key] if HIDDEN in value else value for key, value in self.conf.items()}
        return self.model_copy(update={"conf": conf})

    def next_start(self, moment: datetime) -> datetime | None:
        """The first start of the schedule after a time; None without one.

        Starts are at fixed distances, so that those that divide a day are at the same times every day. One that was
        missed, or fell into a run, is left out.
        """
        if not self.every:
            return None
        every, epoch = timedelta(milliseconds=parse_duration(self.every)), datetime(1970, 1, 1, tzinfo=UTC)
        return epoch + ((moment - epoch) // every + 1) * every

    def spark(self, conf: str) -> list[str]:
        """Spark's master and settings as options of `execute-plan`.

        Args:
            conf: the file with the settings: secrets among them are in no list of processes.
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
        """The command of a run.

        Args:
            checkpoint: its folder.
            more: options of this start alone.

        Raises:
            ExecutionError: spark-submit is asked for, and not there.
            UnsupportedError: in a mode in which nobody can look after it.
        """
        spark = [] if self.launcher == "process" else submitted(self.master, self.conf, files.conf)
        words = [*(spark or command), "--checkpoint", str(checkpoint), "--progress-file", str(progress)]
        words += ["--name", name, "--quiet", *([] if spark else self.spark(files.conf))]
        ends = self.available_now or bool(self.every)
        options: dict[str, Any] = {"available_now": True} if ends else {"trigger": self.trigger}
        options |= {"max_files_per_batch": self.max_files_per_batch, "stop_within": self.stop_within}
        return [*words, *arguments(options), *more, files.plan]


def settings_of(document: Mapping[str, object]) -> RunSettings:
    """The settings that a pipeline keeps."""
    return RunSettings.model_validate(document)


# ---- spark-submit in client mode, so that the run is a process of this machine

_DEPLOY_MODE = "spark.submit.deployMode"
#: The command's file: spark-submit takes no script without the ending `.py`.
_SCRIPT = "compiled_plan.cli.execute_plan"


def submitted(master: str, conf: Mapping[str, str], file: str) -> list[str]:
    """The command line that runs `execute-plan` by spark-submit, without its arguments.

    Args:
        master: Spark's; what spark-submit takes by itself if empty.
        file: the properties file that has them.

    Raises:
        ExecutionError: there is no spark-submit.
        UnsupportedError: cluster mode.
    """
    if conf.get(_DEPLOY_MODE, "client") != "client":
        raise UnsupportedError(
            f"{_DEPLOY_MODE}={conf[_DEPLOY_MODE]}: the run would be a process of another machine",
            where="conf",
            remedy="leave it out: the driver runs here, its executors on the cluster",
        )
    command = shutil.which("spark-submit") or shutil.which("spark-submit", path=str(Path(sys.executable).parent))
    if command is None:
        raise ExecutionError(
            "spark-submit is not on the service's PATH", remedy="install it, or set `launcher` to `process`"
        )
    script = find_spec(_SCRIPT)
    assert script is not None and script.origin is not None
    settings = ["--properties-file", file, "--load-spark-defaults"] if conf else []
    return [command, *(["--master", master] if master else []), "--jars", str(kernel_jar()), *settings, script.origin]


def submitting_environment() -> dict[str, str]:
    """Variables that spark-submit needs: the Python of the service, which has all that runs plans."""
    return {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
