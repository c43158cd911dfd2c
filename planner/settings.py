"""The options of a program that shape its plan, with Flink's defaults.

Source: Flink's "Configuration" page of the Table API.
"""

from __future__ import annotations

from collections.abc import Mapping

from plans.durations import format_duration, parse_duration
from plans.errors import CompiledPlanError, ProgramError

DEFAULTS: dict[str, str] = {
    "table.exec.state.ttl": "0 ms",
    "table.exec.mini-batch.enabled": "false",
    "table.exec.mini-batch.size": "-1",
    "table.exec.mini-batch.allow-latency": "0 ms",
    "table.exec.source.cdc-events-duplicate": "false",
    "table.exec.deduplicate.insert-update-after-sensitive-enabled": "true",
    "table.exec.deduplicate.mini-batch.compact-changes-enabled": "false",
    "table.exec.rank.topn-cache-size": "10000",
    "table.exec.sink.keyed-shuffle": "AUTO",
    "table.exec.sink.not-null-enforcer": "ERROR",
    "table.exec.sink.rowtime-inserter": "ENABLED",
    "table.exec.sink.type-length-enforcer": "IGNORE",
    "table.exec.sink.upsert-materialize": "AUTO",
    "table.exec.sink.require-on-conflict": "true",
    "table.local-time-zone": "UTC",
}


class Settings:
    """A program's options over Flink's defaults."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = {**DEFAULTS, **options}
        self.ttl_ms = self.duration_ms("table.exec.state.ttl")

    def text(self, key: str) -> str:
        """The value of an option."""
        return self._options[key]

    def boolean(self, key: str) -> bool:
        """The value of a boolean option.

        Raises:
            ProgramError: neither true nor false.
        """
        value = self._options.get(key, "false").strip().lower()
        if value not in ("true", "false"):
            raise ProgramError(
                f"option {key!r} is {value!r}", where=f"SET '{key}'", remedy="set it to 'true' or 'false'"
            )
        return value == "true"

    def duration_ms(self, key: str) -> int:
        """The value of a duration option, in milliseconds.

        Raises:
            ProgramError: not a duration; names the option.
        """
        try:
            return parse_duration(self._options[key])
        except CompiledPlanError as fault:
            raise ProgramError(fault.message, where=f"SET '{key}'", remedy=fault.remedy) from None

    @property
    def ttl(self) -> str:
        """The TTL of all state for which nothing else is said, as plans write it."""
        return format_duration(self.ttl_ms)

    def subset(self, *keys: str) -> dict[str, str]:
        """The named options, as nodes keep them."""
        return {key: self._options[key] for key in sorted(keys)}

    @property
    def mini_batch(self) -> dict[str, str]:
        """The options of mini-batching, which many nodes keep."""
        return self.subset("table.exec.mini-batch.enabled", "table.exec.mini-batch.size")
