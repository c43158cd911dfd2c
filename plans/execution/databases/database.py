"""Database access from a run's driver: looks up tables and columns, and waits for databases that are down."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import DataError, ExecutionError
from compiled_plan.plans.execution.databases.dialects import Dialect, Target, dialect_of
from compiled_plan.plans.execution.spark.java import java_array, java_class
from compiled_plan.plans.execution.spark.patience import Patience
from compiled_plan.plans.execution.spark.types import ddl
from compiled_plan.plans.text.masking import masked_url
from compiled_plan.plans.types import ArrayType, LogicalType, TimeType

_T = TypeVar("_T")
_AWAY, _REFUSED = "DatabaseAwayException", "DatabaseException"


@dataclass(frozen=True, slots=True)
class Database:
    """A database of a table.

    Args:
        jvm: of the Spark session.
        table: the table's identifier, for messages.
        options: the table's options.
    """

    jvm: object
    table: str
    options: Values

    @property
    def url(self) -> str:
        return self.options.text("url")

    @property
    def dialect(self) -> Dialect:
        return dialect_of(self.url)

    @property
    def patience(self) -> float:
        """Seconds to wait for the database."""
        return self.options.number("connection.max-retry-timeout") / 1000

    def description(self) -> dict[str, object]:
        """The parameters of the kernel's Database."""
        return {
            "url": self.url,
            "driver": self.options.get("driver"),
            "user": self.options.get("username"),
            "password": self.options.get("password"),
            "timeout": max(1, int(self.patience)),
            "properties": {
                name: value for name, value in self.dialect.properties.items() if f"{name}=" not in self.url
            },
        }

    def find(self, columns: tuple[str, ...], keys: tuple[str, ...] = ()) -> Target:
        """The table and some of its columns, with their names in statements.

        Raises:
            DataError: the table or a column does not exist.
            ExecutionError: the database does not answer.
        """
        candidates = self.dialect.tables(self.options.text("table-name"))
        description = json.loads(self._ask("describe", candidates))
        known = {column["name"]: (column["code"], column["type"]) for column in description["columns"]}
        names = [self.dialect.column(name, list(known)) for name in columns]
        missing = [name for name, own in zip(columns, names, strict=True) if own is None]
        if missing:
            raise DataError(
                f"table {description['table']} of {masked_url(self.url)} has no column {missing[0]!r}",
                where=f"table {self.table}",
                remedy=f"its columns are {', '.join(known)}: correct the CREATE TABLE of either",
            )
        own = [name for name in names if name is not None]
        return Target(
            description["table"],
            tuple(map(self.dialect.quoted, own)),
            tuple(columns.index(key) for key in keys),
            tuple(known[name] for name in own),
        )

    def run_first(self, statements: tuple[str, ...]) -> None:
        """Run the first of several statements that succeeds.

        Raises:
            DataError: all fail.
            ExecutionError: the database does not answer.
        """
        self._ask("runFirst", statements)

    def _ask(self, method: str, texts: tuple[str, ...]) -> str:
        kernel = java_class(self.jvm, "org.compiledplan.kernel.jdbc.Database")
        description = json.dumps(self.description())
        array = java_array(self.jvm, "java.lang.String", texts)
        return self.patiently(lambda: str(getattr(kernel, method)(description, array)))

    def patiently(self, action: Callable[[], _T], attempts: int | None = None) -> _T:
        """Run an action; retry it while the database is down, for as long as the table's options allow.

        Args:
            action: talks to the database.
            attempts: maximum number of retries; None for no limit but time.

        Raises:
            DataError: the database refuses.
            ExecutionError: it does not answer in time, or failed too often.
        """
        waiting = Patience(_AWAY, _REFUSED, self.patience, self._refused, self._unavailable)
        return waiting.patiently(action, attempts)

    def _refused(self, message: str) -> DataError:
        remedy = "correct the table's options, or what the database says"
        return DataError(message, where=f"table {self.table}", remedy=remedy)

    def _unavailable(self, message: str) -> ExecutionError:
        return ExecutionError(
            f"the database does not answer: {message}",
            where=f"table {self.table}",
            remedy="start the database, and then the plan again on its checkpoint: what was committed is "
            "kept; 'connection.max-retry-timeout' says how long it is waited for",
        )


def jdbc_type(type_: LogicalType) -> str:
    """A column's type as the kernel's JdbcValues expects it."""
    if isinstance(type_, ArrayType):
        return f"array<{jdbc_type(type_.element)}>"
    return "time" if isinstance(type_, TimeType) else ddl(type_)
