"""Partitions of a catalog's tables, as objects.

Partitions and statistics that a program gives are stored with the table for as long as the session lasts, as in Flink's
in-memory catalog. Plans depend on neither: connectors find partitions in the data, and the planner reads no statistics.

Source: PyFlink's `CatalogPartition`, `CatalogPartitionSpec`; Flink's `GenericInMemoryCatalog`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from compiled_plan.catalogs.base import CatalogBase
from compiled_plan.planner.catalog.tables import Annotations, CatalogTable, Partition
from compiled_plan.planner.sql.binding.altering import with_partition
from compiled_plan.plans.errors import ProgramError
from compiled_plan.results.identifiers import ObjectPath


@dataclass(frozen=True)
class CatalogPartitionSpec:
    """The values of partition keys, in any order: `CatalogPartitionSpec({"day": "2025-01-01"})`."""

    partition_spec: Mapping[str, str]

    def get_partition_spec(self) -> dict[str, str]:
        """The values of the partition columns by name."""
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
        """A partition to pass to `Catalog.create_partition`."""
        return CatalogPartition(dict(properties), comment)

    def get_properties(self) -> dict[str, str]:
        """The properties of the partition by key."""
        return dict(self.properties)

    def get_comment(self) -> str | None:
        """The comment; None if there is none."""
        return self.comment

    def get_description(self) -> None:
        """None: a partition has no description."""

    def get_detailed_description(self) -> None:
        """None: a partition has no description."""

    def copy(self) -> CatalogPartition:
        """A new object with the same partition."""
        return CatalogPartition(dict(self.properties), self.comment)


class PartitionMethods(CatalogBase):
    """Methods of a catalog for the partitions of its tables."""

    def list_partitions(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None
    ) -> list[CatalogPartitionSpec]:
        """The partitions that the program created; with `partition_spec`, only those with its values.

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
        annotations = self._annotations_of(table_path, partition_spec, "get_partition")
        return CatalogPartition(annotations.properties, annotations.comment)

    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        """Return True if the table has the partition."""
        return self._find_partition(table_path, partition_spec) is not None

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
        if not self.partition_exists(table_path, partition_spec):
            values = tuple((key, partition_spec.partition_spec[key]) for key in table.partition_keys)
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
        if ignore_if_not_exists and not self.partition_exists(table_path, partition_spec):
            return
        table, dropped = self._existing_partition(table_path, partition_spec, "drop_partition")
        partitions = tuple(partition for partition in table.partitions if partition != dropped)
        self._catalogs.alter(replace(table, partitions=partitions))

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
        properties, comment = new_partition.get_properties(), new_partition.comment
        self._change_partition(
            table_path, partition_spec, ignore_if_not_exists, "alter_partition", properties=properties, comment=comment
        )

    def _partitioned(self, path: ObjectPath, operation: str) -> CatalogTable:
        table = self._existing(path, operation)
        if not table.partition_keys:
            raise ProgramError(
                f"table {path} is not partitioned", where=f"{operation}()", remedy="declare PARTITIONED BY in it"
            )
        return table

    def _find_partition(self, path: ObjectPath, spec: CatalogPartitionSpec) -> tuple[CatalogTable, Partition] | None:
        """The table and its partition with exactly these values; None if there is none."""
        table = self._object(path)
        if isinstance(table, CatalogTable):
            for partition in table.partitions:
                if dict(partition) == spec.partition_spec:
                    return table, partition
        return None

    def _existing_partition(
        self, path: ObjectPath, spec: CatalogPartitionSpec, operation: str
    ) -> tuple[CatalogTable, Partition]:
        table_partition = self._find_partition(path, spec)
        if table_partition is None:
            raise ProgramError(
                f"table {path} has no partition {spec}", where=f"{operation}()", remedy="see list_partitions(...)"
            )
        return table_partition

    def _annotations_of(self, path: ObjectPath, spec: CatalogPartitionSpec, operation: str) -> Annotations:
        table, partition = self._existing_partition(path, spec, operation)
        return table.annotations.get(partition, Annotations())

    def _change_partition(
        self,
        path: ObjectPath,
        spec: CatalogPartitionSpec,
        ignore_if_not_exists: bool,
        operation: str,
        **changes: object,
    ) -> None:
        if ignore_if_not_exists and not self.partition_exists(path, spec):
            return
        table, partition = self._existing_partition(path, spec, operation)
        self._annotate(table, partition, **changes)

    def _annotate(self, table: CatalogTable, partition: Partition, **changes: Any) -> None:
        annotations = replace(table.annotations.get(partition, Annotations()), **changes)
        self._catalogs.alter(replace(table, annotations={**table.annotations, partition: annotations}))
