"""The options of a program that shape its plan, with Flink's defaults.

Source: Flink's "Configuration" page of the Table API.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.planner.options.session import TableConfig
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.text.durations import format_duration, parse_duration

#: Whether COMPILE PLAN may replace a file that is there.
FORCE_RECOMPILE = "table.plan.force-recompile"


class Settings(TableConfig):
    """A program's options over Flink's defaults, as its plan needs them."""

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
        """The TTL of all state for which nothing else is said, as plans write it."""
        return format_duration(self.ttl_ms)

    def subset(self, *keys: str) -> dict[str, str]:
        """The named options, as nodes keep them."""
        return {key: self.value(key) for key in sorted(keys)}

    @property
    def mini_batch(self) -> dict[str, str]:
        """The options of mini-batching, which many nodes keep."""
        return self.subset("table.exec.mini-batch.enabled", "table.exec.mini-batch.size")
