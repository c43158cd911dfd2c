"""Options with methods of their own: time zone, TTL, dialect.

Source: PyFlink's `TableConfig`.
"""

from __future__ import annotations

import datetime as dt
from abc import abstractmethod
from collections.abc import MutableMapping
from enum import Enum
from typing import Self

from compiled_plan.planner.options.configuration import Configuration
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.text.durations import parse_duration

_TTL = "table.exec.state.ttl"


class SqlDialect(Enum):
    DEFAULT = "default"
    HIVE = "hive"


class OptionMethods(MutableMapping[str, str]):
    """Methods of a configuration that read and write single options."""

    @abstractmethod
    def set(self, key: str, value: str) -> Self:
        """Set an option."""

    @abstractmethod
    def value(self, key: str) -> str:
        """The value of an option, or its default."""

    @classmethod
    def get_default(cls) -> Self:
        """A configuration without any option set."""
        return cls()

    def get(self, key: str, default_value: str | None = None) -> str | None:  # type: ignore[override]
        """The value of an option that is set, or the default value."""
        return super().get(key, default_value)

    def to_map(self) -> dict[str, str]:
        """The options that are set, by key."""
        return dict(self)

    def get_configuration(self) -> Configuration:
        """The options with typed methods; it writes into this object."""
        return Configuration.view(self)

    def add_configuration(self, configuration: Configuration) -> None:
        """Set all options of a configuration."""
        self.update(configuration.to_dict())

    def get_local_timezone(self) -> str:
        """The session's time zone: `table.local-time-zone`."""
        return self.value("table.local-time-zone")

    def set_local_timezone(self, timezone_id: str) -> None:
        """Set the session's time zone: "Europe/Berlin", or "GMT+02:00"."""
        self.set("table.local-time-zone", timezone_id)

    def get_idle_state_retention(self) -> dt.timedelta:
        """The time to live of state: `table.exec.state.ttl`."""
        return dt.timedelta(milliseconds=parse_duration(self.value(_TTL)))

    def set_idle_state_retention(self, duration: dt.timedelta) -> None:
        """Set the time to live of state; 0 keeps it for ever."""
        self.set(_TTL, f"{duration // dt.timedelta(milliseconds=1)} ms")

    def get_max_generated_code_length(self) -> int:
        """The option `table.generated-code.max-length`, which has no effect here."""
        return int(self.value("table.generated-code.max-length"))

    def set_max_generated_code_length(self, max_generated_code_length: int) -> None:
        """Set the option `table.generated-code.max-length`, which has no effect here."""
        self.set("table.generated-code.max-length", str(max_generated_code_length))

    def get_sql_dialect(self) -> SqlDialect:
        return SqlDialect(self.value("table.sql-dialect").lower())

    def set_sql_dialect(self, sql_dialect: SqlDialect) -> None:
        """Set the dialect of SQL.

        Raises:
            UnsupportedError: any other than DEFAULT.
        """
        if sql_dialect is not SqlDialect.DEFAULT:
            raise UnsupportedError(
                f"the SQL dialect {sql_dialect.name} is not supported",
                where="set_sql_dialect()",
                remedy="write the statements in Flink's SQL; Spark itself runs statements of Hive: spark.sql(...)",
            )
        self.set("table.sql-dialect", sql_dialect.value)

    def get_python_executable(self) -> str | None:
        """The interpreter of Python functions: `python.executable`."""
        return self.get("python.executable")

    def set_python_executable(self, python_exec: str) -> None:
        """Set the option `python.executable`; functions run in Spark's interpreter, PYSPARK_PYTHON."""
        self.set("python.executable", python_exec)
