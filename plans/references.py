"""Where a plan is: a file, local or remote, or a text.

Source: Flink's `PlanReference`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plans.plan import CompiledPlan


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
