"""The interface between sinks, sources and lookups of lakes and the table formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from compiled_plan.plans.connectors.lake_tables import CREATE
from compiled_plan.plans.errors import DataError, ExecutionError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.lakes.history import LakeCommit
from compiled_plan.plans.execution.providers.provider import message_of
from compiled_plan.plans.text.masking import masked_text

if TYPE_CHECKING:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType


class LakeTable(Protocol):
    """A table of a lake, which may not exist yet."""

    #: Its term for a commit, and the option of a reader of batches with one.
    COMMIT: ClassVar[str]
    READS_COMMIT: ClassVar[str]

    @property
    def name(self) -> str:
        """Its identifier in Spark, with quotes."""

    @property
    def is_cached(self) -> bool:
        """True if its catalog in Spark caches it, with its version."""

    @property
    def title(self) -> str:
        """Its format and place, for messages."""

    def columns(self) -> StructType | None:
        """Its columns; None if it does not exist."""

    def load(self, reader: Any) -> DataFrame:
        """Its rows, from a reader of batches or streams with options."""

    def partition_keys(self) -> tuple[str, ...]:
        """The names of the columns by whose values its files are partitioned."""

    def create(self) -> None:
        """Create it, unless it exists."""

    def last_batch(self, writer: str) -> int:
        """The last micro-batch that a writer committed; -1 if there is none."""

    def commits(self) -> Iterator[LakeCommit]:
        """Its commits that the log still has, newest first."""

    def current_commit(self) -> int | None:
        """Its current commit; None if it does not exist or has none."""

    def restore(self, commit: int) -> None:
        """Give it the content of an earlier or abandoned commit."""

    def copied(self, folder: str) -> LakeTable | None:
        """A copy in a folder that refers to the same files; None if the format or a missing table has none."""

    def commit_settings(self, writer: str, batch: int) -> Mapping[str, str]:
        """Settings of a session whose commits record a micro-batch of a writer."""

    def is_conflict(self, class_name: str) -> bool:
        """Return True for the class of an exception that reports a commit of another writer."""


def missing(table: TableSpec, title: str, *, creates: bool = False) -> DataError:
    """The error for a table that does not exist."""
    way = f"let the sink do so: '{CREATE}' = 'true'" if creates else "correct the options of the table"
    return DataError(f"{title} does not exist", where=f"table {table.identifier}", remedy=f"create it, or {way}")


def failed(table: TableSpec, title: str, doing: str, fault: PySparkException | Py4JJavaError) -> ExecutionError:
    """The error for an exception of Spark."""
    return ExecutionError(
        f"{title} cannot be {doing}: {masked_text(message_of(fault))}",
        where=f"table {table.identifier}",
        remedy="correct the table's options, or what the message says",
    )
