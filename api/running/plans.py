"""Plans in a program: what can be done with one, and where one is.

Source: Flink's `CompiledPlan` and `PlanReference`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from compiled_plan.api.results.table_result import TableResult
from compiled_plan.api.running import embedded
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.files import exists, quoted, write_text
from compiled_plan.plans.inspection.checked_plans import plan_from_dict
from compiled_plan.plans.inspection.explain import explain
from compiled_plan.plans.nodes.model import Json
from compiled_plan.plans.plan import CompiledPlan as Plan


class CompiledPlan(Plan):
    """A plan, which this program can write to a file, explain and run."""

    @classmethod
    def from_dict(cls, data: Json, source: str = "") -> Self:
        return cls.of(plan_from_dict(data, source))

    def write_file(self, path: str | Path) -> None:
        """Write a plan file, local or remote. A reader never sees half of it.

        Raises:
            PlanError: the place cannot be written to, or the plan reads or writes what only this process has.
        """
        embedded.check_can_leave(self)
        write_text(path, self.to_json())

    def write_to_file(self, path: str | Path, ignore_if_exists: bool = False) -> None:
        """Write a plan file that is not there yet.

        Args:
            path: the file, local or remote.
            ignore_if_exists: leave a file that is there as it is.

        Raises:
            PlanError: the file is there; or as `write_file`.
        """
        if not exists(path):
            self.write_file(path)
        elif not ignore_if_exists:
            raise PlanError(
                f"cannot overwrite the plan file {str(path)!r}",
                where=quoted(path),
                remedy="delete it, write another file, or give ignore_if_exists=True to keep it; write_file overwrites",
            )

    def as_json_string(self) -> str:
        """The plan as text, as Flink prints it."""
        return self.to_json()

    def print_json_string(self) -> None:
        """Print the plan's text."""
        print(self.to_json())

    def explain(self) -> str:
        """The operators as trees from the sinks down, each with its state entries."""
        return explain(self)

    @embedded.with_run_options(RunOptions)
    def execute(self, options: RunOptions) -> TableResult:
        """Run the plan on an embedded local Spark, in the background; `wait()` of the result waits for its end.

        Args:
            options: keyword arguments, by the names of the options of `execute-plan` that concern a run:
                `execute(checkpoint="/data/orders", upgrade="migrate", reset=["join-1"])`. `warm_up_from` has by table
                the options as a dictionary; the others that are repeatable are lists.

        Raises:
            UnsupportedError: the plan has something that does not run; names it.
            CheckpointError: the plan does not go on with the checkpoint's state.
            ExecutionError: an option does not fit, or Spark does not start.
        """
        return embedded.execute(self, options)


@dataclass(frozen=True)
class PlanReference:
    """A plan that is not read yet: `PlanReference.from_file("plan.json")`."""

    _path: str = ""
    _text: str = ""

    @classmethod
    def from_file(cls, path: str | Path) -> PlanReference:
        """The plan in a file, local or remote (`s3://...`)."""
        return cls(_path=str(path))

    @classmethod
    def from_json_string(cls, text: str) -> PlanReference:
        """The plan that a JSON text is."""
        return cls(_text=text)

    def load(self) -> CompiledPlan:
        """The plan.

        Raises:
            PlanError: no such file, or not a plan.
        """
        return CompiledPlan.read_file(self._path) if self._path else CompiledPlan.from_json(self._text)
