"""The data source of a table, as configured for Spark's readers and writers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from compiled_plan.plans.connectors.specs.spark import SPEC, UNTYPED
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.text.masking import masked_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The last line of a Python traceback.
_RAISED = re.compile(r"[\w.]+(Error|Exception|Failure)\b")


@dataclass(frozen=True, slots=True)
class Opened:
    """A data source of a table.

    Args:
        name: the provider's name.
        options: its options.
    """

    spark: SparkSession
    table: TableSpec
    name: str
    options: dict[str, str]

    @classmethod
    def of(cls, spark: SparkSession, table: TableSpec) -> Opened:
        """The data source of a table."""
        own = {"connector", *SPEC.options}
        passed = {key: value for key, value in table.options.items() if key not in own}
        return cls(spark, table, table.options["provider"], passed)

    @property
    def title(self) -> str:
        """Its name, for messages."""
        return f"provider {self.name!r}"

    @property
    def typed(self) -> bool:
        """Return True if it knows the types of its columns; otherwise the declared types apply."""
        return self.name.lower() not in UNTYPED

    @contextmanager
    def errors_named(self, doing: str) -> Iterator[None]:
        """Re-raise errors of Spark with the name of the table.

        Raises:
            ExecutionError: Spark or the data source refuses.
        """
        try:
            yield
        except (PySparkException, Py4JJavaError) as fault:
            raise self.refused(doing, fault) from fault

    def refused(self, doing: str, fault: PySparkException | Py4JJavaError) -> ExecutionError:
        """The error of the table for an exception of Spark."""
        return ExecutionError(
            f"{self.title} cannot be {doing}: {masked_text(message_of(fault))}",
            where=f"table {self.table.identifier}",
            remedy="correct the table's options; they go to the data source as they are",
        )


def message_of(fault: PySparkException | Py4JJavaError) -> str:
    """Spark's message in one line: the first; for a data source in Python the last of its traceback."""
    text = str(fault.java_exception) if isinstance(fault, Py4JJavaError) else str(fault)
    lines = [line.rstrip() for line in text.split("\n\nJVM stacktrace:")[0].split("\n")]
    if "Traceback (most recent call last)" not in text:
        return lines[0].strip()
    return next((line for line in reversed(lines) if _RAISED.match(line)), lines[0]).strip()
