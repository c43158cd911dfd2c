"""The options of a program that shape its plan, with Flink's defaults.

Source: Flink's "Configuration" page of the Table API.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from compiled_plan.planner.options.session import TableConfig
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.text.durations import format_duration, parse_duration

#: Whether COMPILE PLAN may replace a file that is there.
FORCE_RECOMPILE = "table.plan.force-recompile"


class Settings:
    """A program's options over Flink's defaults."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = TableConfig(options)
        self.ttl_ms = self.duration_ms("table.exec.state.ttl")

    def text(self, key: str) -> str:
        """The value of an option."""
        return self._options.value(key)

    def default(self, key: str) -> str:
        """The default of an option; empty where it has none."""
        return self._options.default(key)

    def changed(self, keys: Iterable[str]) -> dict[str, str]:
        """Those of the options that have another value than their default."""
        return self._options.changed(keys)

    def boolean(self, key: str) -> bool:
        """The value of a boolean option."""
        return self._options.boolean(key)

    def duration_ms(self, key: str) -> int:
        """The value of a duration option, in milliseconds.

        Raises:
            ProgramError: not a duration; names the option.
        """
        try:
            return parse_duration(self.text(key))
        except CompiledPlanError as fault:
            raise ProgramError(fault.message, where=f"SET '{key}'", remedy=fault.remedy) from None

    @property
    def ttl(self) -> str:
        """The TTL of all state for which nothing else is said, as plans write it."""
        return format_duration(self.ttl_ms)

    def subset(self, *keys: str) -> dict[str, str]:
        """The named options, as nodes keep them."""
        return {key: self.text(key) for key in sorted(keys)}

    @property
    def mini_batch(self) -> dict[str, str]:
        """The options of mini-batching, which many nodes keep."""
        return self.subset("table.exec.mini-batch.enabled", "table.exec.mini-batch.size")
