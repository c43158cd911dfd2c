"""Program options that shape the plan, with Flink's defaults.

Source: Flink's "Configuration" page of the Table API.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.planner.options.session import TableConfig
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.text.durations import format_duration, parse_duration

#: Lets COMPILE PLAN overwrite an existing file.
FORCE_RECOMPILE = "table.plan.force-recompile"


class Settings(TableConfig):
    """A program's options over Flink's defaults, with typed access for the planner."""

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.ttl_ms = self.duration_ms("table.exec.state.ttl")

    def duration_ms(self, key: str) -> int:
        """The value of a duration option, in milliseconds.

        Raises:
            ProgramError: not a duration; names the option.
        """
        try:
            return parse_duration(self.value(key))
        except CompiledPlanError as fault:
            raise ProgramError(fault.message, where=f"SET '{key}'", remedy=fault.remedy) from None

    @property
    def ttl(self) -> str:
        """The default state TTL, in the form of plans."""
        return format_duration(self.ttl_ms)

    def subset(self, *keys: str) -> dict[str, str]:
        """The named options, in the form of plan nodes."""
        return {key: self.value(key) for key in sorted(keys)}

    @property
    def mini_batch(self) -> dict[str, str]:
        """The mini-batch options, which many nodes store."""
        return self.subset("table.exec.mini-batch.enabled", "table.exec.mini-batch.size")
