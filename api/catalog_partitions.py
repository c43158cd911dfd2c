"""Partitions and statistics of a catalog's tables.

Partitions and statistics that a program gives are stored with the table for as long as the session lasts, as in Flink's
in-memory catalog. Plans depend on neither: connectors find partitions in the data, and the planner reads no statistics.

Source: PyFlink's `CatalogPartition`, `CatalogPartitionSpec`; Flink's `GenericInMemoryCatalog`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from compiled_plan.api.results.identifiers import ObjectPath
from compiled_plan.planner.catalog.memory import Catalog as Catalogs
from compiled_plan.planner.catalog.statistics import CatalogColumnStatistics, CatalogTableStatistics
from compiled_plan.planner.catalog.tables import Annotations, CatalogTable, CatalogView, Partition
from compiled_plan.planner.sql.binding.altering import with_partition
from compiled_plan.plans.errors import ProgramError


@dataclass(frozen=True)
class CatalogPartitionSpec:
    """The values of partition keys, in any order: `CatalogPartitionSpec({"day": "2025-01-01"})`."""

    partition_spec: Mapping[str, str]

    def get_partition_spec(self) -> dict[str, str]:
        """The values by key."""
        return dict(self.partition_spec)

    def __hash__(self) -> int:
        return hash(frozenset(self.partition_spec.items()))

    def __str__(self) -> str:
        values = ", ".join(f"{key}={value}" for key, value in self.partition_spec.items())
        return f"CatalogPartitionSpec{{{{{values}}}}}"


@dataclass(frozen=True)
class CatalogPartition:
    """A partition: its properties and comment."""

    properties: Mapping[str, str]
    comment: str | None = None

    @staticmethod
    def create_instance(properties: Mapping[str, str], comment: str | None = None) -> CatalogPartition:
        """A partition for `Catalog.create_partition`."""
        return CatalogPartition(dict(properties), comment)

    def get_properties(self) -> dict[str, str]:
        """The properties by key."""
        return dict(self.properties)

    def get_comment(self) -> str | None:
        """The comment; None if there is none."""
        return self.comment

    def get_description(self) -> None:
        """None: a partition has no description."""

    def get_detailed_description(self) -> None:
        """None: a partition has no description."""

    def copy(self) -> CatalogPartition:
        """The same partition."""
        return CatalogPartition(dict(self.properties), self.comment)


#: The key of the table's own annotations.
_WHOLE: Partition = ()


class PartitionMethods:
    """Methods of a catalog for the partitions and statistics of its tables."""

    _catalogs: Catalogs
    _name: str

    def _existing(self, path: ObjectPath, operation: str) -> CatalogTable:
        table = self._catalogs.objects_in(self._name, path.database_name).get(path.object_name)
        if isinstance(table, CatalogTable):
            return table
        kind = "table, but a view" if isinstance(table, CatalogView) else "table"
        raise ProgramError(
            f"catalog {self._name!r} has no {kind} {path}", where=f"{operation}()", remedy="see list_tables(...)"
        )

    def _optional(self, path: ObjectPath, operation: str, ignore_if_not_exists: bool) -> CatalogTable | None:
        """The table; None if there is none and the program ignores that."""
        if ignore_if_not_exists and path.object_name not in self._catalogs.objects_in(self._name, path.database_name):
            return None
        return self._existing(path, operation)

    def _partitioned(self, path: ObjectPath, operation: str) -> CatalogTable:
        table = self._existing(path, operation)
        if not table.partition_keys:
            raise ProgramError(
                f"table {path} is not partitioned", where=f"{operation}()", remedy="declare PARTITIONED BY in it"
            )
        return table

    # --- partitions

    def list_partitions(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None
    ) -> list[CatalogPartitionSpec]:
        """The partitions that the program created, or those with the given values.

        Raises:
            ProgramError: there is no such table, or it is not partitioned.
        """
        wanted = set() if partition_spec is None else set(partition_spec.partition_spec.items())
        table = self._partitioned(table_path, "list_partitions")
        return [CatalogPartitionSpec(dict(one)) for one in table.partitions if wanted <= set(one)]

    def get_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogPartition:
        """The partition with exactly these values.

        Raises:
            ProgramError: there is none.
        """
        annotations = self._annotations(table_path, partition_spec, "get_partition")
        return CatalogPartition(annotations.properties, annotations.comment)

    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        """Return True if the table has the partition."""
        table = self._catalogs.objects_in(self._name, table_path.database_name).get(table_path.object_name)
        return isinstance(table, CatalogTable) and _partition(table, partition_spec) in table.partitions

    def create_partition(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition: CatalogPartition,
        ignore_if_exists: bool,
    ) -> None:
        """ALTER TABLE ... ADD PARTITION.

        Raises:
            ProgramError: the table has the partition, is not partitioned, has other partition keys, or does not exist.
        """
        table = self._partitioned(table_path, "create_partition")
        if partition_spec.partition_spec.keys() != set(table.partition_keys):
            raise ProgramError(
                f"{partition_spec} does not match the partition keys of table {table_path}",
                where="create_partition()",
                remedy=f"give a value for each of: {', '.join(table.partition_keys)}",
            )
        values = _partition(table, partition_spec)
        if values not in table.partitions:
            annotations = Annotations(partition.get_properties(), partition.comment)
            self._catalogs.alter(with_partition(table, values, annotations))
        elif not ignore_if_exists:
            raise ProgramError(
                f"{partition_spec} of table {table_path} already exists",
                where="create_partition()",
                remedy="give ignore_if_exists=True",
            )

    def drop_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, ignore_if_not_exists: bool
    ) -> None:
        """ALTER TABLE ... DROP PARTITION, which leaves the data where it is.

        Raises:
            ProgramError: there is no such partition.
        """
        if self.partition_exists(table_path, partition_spec):
            table = self._partitioned(table_path, "drop_partition")
            values = _partition(table, partition_spec)
            self._catalogs.alter(replace(table, partitions=tuple(one for one in table.partitions if one != values)))
        elif not ignore_if_not_exists:
            raise _no_partition(table_path, partition_spec, "drop_partition")

    def alter_partition(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        new_partition: CatalogPartition,
        ignore_if_not_exists: bool,
    ) -> None:
        """Set the properties and the comment of a partition.

        Raises:
            ProgramError: there is no such partition.
        """
        changes = {"properties": new_partition.get_properties(), "comment": new_partition.comment}
        self._change_partition(table_path, partition_spec, changes, ignore_if_not_exists, "alter_partition")

    # --- statistics

    def get_table_statistics(self, table_path: ObjectPath) -> CatalogTableStatistics:
        """The statistics that the program gave for a table; unknown if it gave none.

        Raises:
            ProgramError: there is no such table.
        """
        return _of_table(self._existing(table_path, "get_table_statistics")).statistics

    def get_table_column_statistics(self, table_path: ObjectPath) -> CatalogColumnStatistics:
        """The statistics of columns that the program gave for a table.

        Raises:
            ProgramError: there is no such table.
        """
        return _of_table(self._existing(table_path, "get_table_column_statistics")).column_statistics

    def get_partition_statistics(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec
    ) -> CatalogTableStatistics:
        """The statistics that the program gave for a partition; unknown if it gave none.

        Raises:
            ProgramError: there is no such partition.
        """
        return self._annotations(table_path, partition_spec, "get_partition_statistics").statistics

    def get_partition_column_statistics(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec
    ) -> CatalogColumnStatistics:
        """The statistics of columns that the program gave for a partition.

        Raises:
            ProgramError: there is no such partition.
        """
        return self._annotations(table_path, partition_spec, "get_partition_column_statistics").column_statistics

    def bulk_get_partition_statistics(
        self, table_path: ObjectPath, partition_specs: Iterable[CatalogPartitionSpec]
    ) -> list[CatalogTableStatistics]:
        """The statistics of several partitions; see `get_partition_statistics`."""
        return [self.get_partition_statistics(table_path, spec) for spec in partition_specs]

    def bulk_get_partition_column_statistics(
        self, table_path: ObjectPath, partition_specs: Iterable[CatalogPartitionSpec]
    ) -> list[CatalogColumnStatistics]:
        """The statistics of the columns of several partitions; see `get_partition_column_statistics`."""
        return [self.get_partition_column_statistics(table_path, spec) for spec in partition_specs]

    def alter_table_statistics(
        self, table_path: ObjectPath, table_statistics: CatalogTableStatistics, ignore_if_not_exists: bool
    ) -> None:
        """Store the statistics of a table; those of a partitioned table belong to its partitions, and are ignored.

        Raises:
            ProgramError: there is no such table.
        """
        table = self._optional(table_path, "alter_table_statistics", ignore_if_not_exists)
        if table is not None and not table.partition_keys:
            self._annotate(table, _WHOLE, replace(_of_table(table), statistics=table_statistics))

    def alter_table_column_statistics(
        self, table_path: ObjectPath, column_statistics: CatalogColumnStatistics, ignore_if_not_exists: bool
    ) -> None:
        """Store the statistics of a table's columns.

        Raises:
            ProgramError: there is no such table.
        """
        table = self._optional(table_path, "alter_table_column_statistics", ignore_if_not_exists)
        if table is not None:
            self._annotate(table, _WHOLE, replace(_of_table(table), column_statistics=column_statistics))

    def alter_partition_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        partition_statistics: CatalogTableStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        """Store the statistics of a partition.

        Raises:
            ProgramError: there is no such partition.
        """
        changes = {"statistics": partition_statistics}
        self._change_partition(table_path, partition_spec, changes, ignore_if_not_exists, "alter_partition_statistics")

    def alter_partition_column_statistics(
        self,
        table_path: ObjectPath,
        partition_spec: CatalogPartitionSpec,
        column_statistics: CatalogColumnStatistics,
        ignore_if_not_exists: bool,
    ) -> None:
        """Store the statistics of a partition's columns.

        Raises:
            ProgramError: there is no such partition.
        """
        operation, changes = "alter_partition_column_statistics", {"column_statistics": column_statistics}
        self._change_partition(table_path, partition_spec, changes, ignore_if_not_exists, operation)

    def _annotations(self, path: ObjectPath, spec: CatalogPartitionSpec, operation: str) -> Annotations:
        if not self.partition_exists(path, spec):
            raise _no_partition(path, spec, operation)
        table = self._existing(path, operation)
        return table.annotations.get(_partition(table, spec), Annotations())

    def _change_partition(
        self,
        path: ObjectPath,
        spec: CatalogPartitionSpec,
        changes: Mapping[str, Any],
        ignore_if_not_exists: bool,
        operation: str,
    ) -> None:
        if ignore_if_not_exists and not self.partition_exists(path, spec):
            return
        annotations = self._annotations(path, spec, operation)
        table = self._existing(path, operation)
        self._annotate(table, _partition(table, spec), replace(annotations, **changes))

    def _annotate(self, table: CatalogTable, partition: Partition, annotations: Annotations) -> None:
        self._catalogs.alter(replace(table, annotations={**table.annotations, partition: annotations}))


def _partition(table: CatalogTable, spec: CatalogPartitionSpec) -> Partition:
    """The values in the order of the table's partition keys; those of further keys last, so that none matches."""
    values = spec.partition_spec
    keys = [key for key in table.partition_keys if key in values]
    return tuple((key, values[key]) for key in (*keys, *(key for key in values if key not in keys)))


def _of_table(table: CatalogTable) -> Annotations:
    return table.annotations.get(_WHOLE, Annotations())


def _no_partition(path: ObjectPath, spec: CatalogPartitionSpec, operation: str) -> ProgramError:
    return ProgramError(
        f"table {path} has no partition {spec}", where=f"{operation}()", remedy="see list_partitions(...)"
    )
