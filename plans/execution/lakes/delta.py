"""Tables of Delta Lake.

Sources: Delta's pages "Table streaming reads and writes" (idempotent writes) and "Concurrency control".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from compiled_plan.plans.connectors.specs.delta import PROPERTIES
from compiled_plan.plans.execution.files.hadoop import Files
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.lakes.history import LakeCommit
from compiled_plan.plans.execution.spark.java import JavaObject, frame_of, java_array, java_class
from compiled_plan.plans.execution.spark.types import schema_of
from compiled_plan.plans.types import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_TABLES = "io.delta.tables.DeltaTable"
_LOG = "org.apache.spark.sql.delta.DeltaLog"
_WRITE = "spark.databricks.delta.write"
_COPIES = "spark.databricks.delta.merge.materializeSource"
_LOG_FOLDER = "_delta_log"
#: Operations in the log that restore a version, and that leave the rows as they are.
_RESTORE, _MAINTENANCE = "RESTORE", ("OPTIMIZE", "VACUUM START", "VACUUM END")
#: Parts of the names of Delta's exceptions for conflicts between commits.
_CONFLICTS = ("Concurrent", "MetadataChangedException", "ProtocolChangedException")


@dataclass
class DeltaTable:
    """A table of Delta Lake.

    Args:
        spark: a session with Delta's extension.
        table: the table in the plan.
    """

    is_cached: ClassVar[bool] = False
    COMMIT: ClassVar[str] = "version"
    READS_COMMIT: ClassVar[str] = "versionAsOf"

    spark: SparkSession
    table: TableSpec

    @cached_property
    def path(self) -> str | None:
        """Its folder with a scheme; None for a table of a catalog."""
        path = self.table.options.get("path")
        return None if path is None else Files(self.spark, path).root

    @cached_property
    def name(self) -> str:
        if self.path is not None:
            return f"delta.{quote_identifier(self.path)}"
        return ".".join(quote_identifier(part) for part in self.table.options["table-name"].split("."))

    @property
    def title(self) -> str:
        return f"the Delta table {self.path or self.table.options['table-name']}"

    def exists(self) -> bool:
        if self.path is not None:
            tables = java_class(self.spark._jvm, _TABLES)
            return bool(tables.isDeltaTable(self.spark._jsparkSession, self.path))
        return self.spark.catalog.tableExists(self.name)

    def columns(self) -> StructType | None:
        return self.spark.table(self.name).schema if self.exists() else None

    def create(self) -> None:
        if self.exists():
            return
        keys, properties = self.table.partition_keys, self.table.options
        schema = schema_of(self.table.columns)
        builder = java_class(self.spark._jvm, _TABLES).createIfNotExists(self.spark._jsparkSession)
        builder = builder.location(self.path) if self.path is not None else builder.tableName(self.name)
        types = java_class(self.spark._jvm, "org.apache.spark.sql.types.DataType")
        builder = builder.addColumns(types.fromJson(schema.json()))
        if keys:
            builder = builder.partitionedBy(java_array(self.spark._jvm, "java.lang.String", keys))
        for name, value in properties.items():
            if name.startswith(PROPERTIES):
                builder = builder.property(name, value)
        builder.execute()

    def load(self, reader: Any) -> DataFrame:
        frame: DataFrame = reader.table(self.name) if self.path is None else reader.format("delta").load(self.path)
        return frame

    def partition_keys(self) -> tuple[str, ...]:
        return tuple(self._strings(self._snapshot().metadata().partitionColumns()))

    def property(self, name: str) -> str:
        """A property of the table; empty if it has none of that name."""
        value = self._snapshot().metadata().configuration().get(name)
        return str(value.get()) if value.isDefined() else ""

    def last_batch(self, writer: str) -> int:
        if not self.exists():
            return -1
        version = self._snapshot().transactions().get(writer)
        return int(version.get()) if version.isDefined() else -1

    def commits(self) -> Iterator[LakeCommit]:
        log = Files(self.spark, f"{self._location}/{_LOG_FOLDER}")
        for version in range(self.current_commit() or 0, -1, -1):
            text = log.text(f"{log.root}/{version:020}.json")
            if text is None:
                # Delta removes old entries; those that remain have no gap.
                return
            yield _commit_of(version, text)

    def current_commit(self) -> int | None:
        return int(self._snapshot().version()) if self.exists() else None

    def restore(self, commit: int) -> None:
        session, tables = self.spark._jsparkSession, java_class(self.spark._jvm, _TABLES)
        table = tables.forName(session, self.name) if self.path is None else tables.forPath(session, self.path)
        table.restoreToVersion(commit)

    def copied(self, folder: str) -> DeltaTable | None:
        if not self.exists():
            return None
        copy = DeltaTable(self.spark, replace(self.table, options={"path": folder}))
        self.spark.sql(f"CREATE TABLE {copy.name} SHALLOW CLONE {self.name}")
        return copy

    def commit_settings(self, writer: str, batch: int) -> Mapping[str, str]:
        # The rows are computed once already; by default Delta copies them before it reads them twice.
        return {f"{_WRITE}.txnAppId": writer, f"{_WRITE}.txnVersion": str(batch), _COPIES: "none"}

    def is_conflict(self, class_name: str) -> bool:
        return ".delta." in class_name and any(part in class_name for part in _CONFLICTS)

    def _snapshot(self) -> JavaObject:
        session = self.spark._jsparkSession
        snapshot: JavaObject = java_class(self.spark._jvm, _LOG).forTableWithSnapshot(session, self._location)._2()
        return snapshot

    @cached_property
    def _location(self) -> str:
        if self.path is not None:
            return self.path
        details = java_class(self.spark._jvm, _TABLES).forName(self.spark._jsparkSession, self.name).detail()
        (row,) = frame_of(details, self.spark).select("location").collect()
        return str(row[0])

    @staticmethod
    def _strings(values: JavaObject) -> list[str]:
        return [str(values.apply(at)) for at in range(values.size())]


def _commit_of(version: int, text: str) -> LakeCommit:
    """A version of a table, from the actions in its entry of the log."""
    actions = [json.loads(line) for line in text.splitlines() if line]
    about: dict[str, Any] = next((action["commitInfo"] for action in actions if "commitInfo" in action), {})
    sink: dict[str, Any] = next((action["txn"] for action in actions if "txn" in action), {})
    what, restored = str(about.get("operation", "a commit")), about.get("operationParameters", {}).get("version")
    content, adds_nothing = version - 1 if version else None, what in _MAINTENANCE
    if what == _RESTORE and restored is not None:
        # Of a time the log does not name the version.
        content, adds_nothing = int(str(restored)), True
    return LakeCommit(version, content, what, str(sink.get("appId", "")), int(sink.get("version", -1)), adds_nothing)
