"""Tables of Apache Iceberg.

Sources: Iceberg's pages "Spark Configuration" (catalogs, snapshot properties), "Spark Queries" (metadata tables) and
"Reliability".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from compiled_plan.plans.connectors.specs.iceberg import OF_CATALOG, PROPERTIES
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import DataError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.lakes.history import LakeCommit
from compiled_plan.plans.execution.spark.java import JavaObject, java_class
from compiled_plan.plans.execution.spark.types import schema_of
from compiled_plan.plans.text.masking import shown_value
from compiled_plan.plans.types import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CATALOGS = "spark.sql.catalog"
_CATALOG = "org.apache.iceberg.spark.SparkCatalog"
#: Setting whose suffix names a property of the snapshots that a session commits.
_PROPERTY = "spark.sql.iceberg.snapshot-property"
_WRITER, _BATCH = "compiled-plan.writer", "compiled-plan.batch"
#: The operation of a snapshot that rewrites files, and no rows.
_REPLACES = "replace"
_CONFLICTS = ("iceberg.exceptions.ValidationException", "iceberg.exceptions.CommitFailedException")


@dataclass
class IcebergTable:
    """A table of Iceberg.

    Args:
        spark: a session with Iceberg's classes.
        table: the table in the plan.
        options: its options.
    """

    is_cached: ClassVar[bool] = True
    COMMIT: ClassVar[str] = "snapshot"
    READS_COMMIT: ClassVar[str] = "snapshot-id"

    spark: SparkSession
    table: TableSpec
    options: Values

    def __post_init__(self) -> None:
        """Give the session the catalog.

        Raises:
            DataError: the session has another catalog of this name.
        """
        if "catalog-type" not in self.options.explicit:
            return
        name, conf = self.options.text("catalog-name"), self.spark.conf
        values = {setting: self.options.text(option) for option, setting in OF_CATALOG.items()}
        settings = {f"{_CATALOGS}.{name}.{setting}": value for setting, value in values.items() if value}
        if conf.get(f"{_CATALOGS}.{name}", None) is None:
            for setting, value in {f"{_CATALOGS}.{name}": _CATALOG, **settings}.items():
                conf.set(setting, value)
        for setting, value in settings.items():
            if (actual := conf.get(setting, None)) != value:
                option = setting.rpartition(".")[2]
                raise DataError(
                    f"the session has another catalog {name!r}: its {option} is "
                    f"{'not set' if actual is None else shown_value(option, actual)}, and not "
                    f"{shown_value(option, value)}",
                    where=f"table {self.table.identifier}",
                    remedy="write another 'catalog-name', or leave 'catalog-type' out to use that of the session",
                )

    @cached_property
    def parts(self) -> tuple[str, ...]:
        database = self.options.text("catalog-database").split(".")
        return (self.options.text("catalog-name"), *database, self.options.text("catalog-table"))

    @property
    def name(self) -> str:
        return ".".join(map(quote_identifier, self.parts))

    @property
    def title(self) -> str:
        return f"the Iceberg table {'.'.join(self.parts)}"

    def columns(self) -> StructType | None:
        return self.spark.table(self.name).schema if self.spark.catalog.tableExists(self.name) else None

    def create(self) -> None:
        if self.spark.catalog.tableExists(self.name):
            return
        writer = self.spark.createDataFrame([], schema_of(self.table.columns)).writeTo(self.name).using("iceberg")
        for name, value in self.table.options.items():
            if name.startswith(PROPERTIES):
                writer = writer.tableProperty(name, value)
        if self.table.partition_keys:
            writer = writer.partitionedBy(*(F.col(quote_identifier(key)) for key in self.table.partition_keys))
        writer.create()

    def load(self, reader: Any) -> DataFrame:
        frame: DataFrame = reader.format("iceberg").load(self.name)
        return frame

    def has_first_snapshot(self) -> bool:
        """Return False if the first of the snapshots that led to the current one has expired."""
        self.spark.catalog.refreshTable(self.name)
        parents = self.spark.table(f"{self.name}.history").where("is_current_ancestor").select("parent_id").collect()
        return not parents or any(parent is None for (parent,) in parents)

    def partition_keys(self) -> tuple[str, ...]:
        columns = self.spark.table(f"{self.name}.partitions").schema
        values: Any = columns["partition"].dataType if "partition" in columns.names else StructType()
        return tuple(values.names)

    def last_batch(self, writer: str) -> int:
        if not self.spark.catalog.tableExists(self.name):
            return -1
        self.spark.catalog.refreshTable(self.name)
        known = self.spark.table(f"{self.name}.history").where("is_current_ancestor").select("snapshot_id")
        snapshots = self.spark.table(f"{self.name}.snapshots").join(known, "snapshot_id")
        batch = F.max(F.col("summary")[_BATCH].cast("bigint"))
        (row,) = snapshots.where(F.col("summary")[_WRITER] == writer).agg(batch).collect()
        return -1 if row[0] is None else int(row[0])

    def commits(self) -> Iterator[LakeCommit]:
        self.spark.catalog.refreshTable(self.name)
        snapshots = self.spark.table(f"{self.name}.snapshots").orderBy(F.col("committed_at").desc())
        for at, parent, what, about in snapshots.select("snapshot_id", "parent_id", "operation", "summary").collect():
            yield LakeCommit(at, parent, what, about.get(_WRITER, ""), int(about.get(_BATCH, -1)), what == _REPLACES)

    def current_commit(self) -> int | None:
        if not self.spark.catalog.tableExists(self.name):
            return None
        self.spark.catalog.refreshTable(self.name)
        current = self._loaded().currentSnapshot()
        return None if current is None else int(current.snapshotId())

    def restore(self, commit: int) -> None:
        self._loaded().manageSnapshots().setCurrentSnapshot(commit).commit()
        self.spark.catalog.refreshTable(self.name)

    def copied(self, folder: str) -> None:
        """None: a copy would be another table of the catalog."""

    def _loaded(self) -> JavaObject:
        tools = java_class(self.spark._jvm, "org.apache.iceberg.spark.Spark3Util")
        table: JavaObject = tools.loadIcebergTable(self.spark._jsparkSession, self.name)
        return table

    def commit_settings(self, writer: str, batch: int) -> Mapping[str, str]:
        return {f"{_PROPERTY}.{_WRITER}": writer, f"{_PROPERTY}.{_BATCH}": str(batch)}

    def is_conflict(self, class_name: str) -> bool:
        return class_name.endswith(_CONFLICTS)
