"""Statistics of a catalog's tables and partitions.

Source: Flink's `GenericInMemoryCatalog`.
"""

from __future__ import annotations

from collections.abc import Iterable

from compiled_plan.catalogs.partitions import CatalogPartitionSpec, PartitionMethods
from compiled_plan.planner.catalog.statistics import CatalogColumnStatistics, CatalogTableStatistics
from compiled_plan.planner.catalog.tables import Annotations, CatalogTable, Partition
from compiled_plan.results.identifiers import ObjectPath

#: The key of the table's own annotations.
_WHOLE: Partition = ()


class StatisticsMethods(PartitionMethods):
    """Methods of a catalog for the statistics of its tables and partitions."""

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
        return self._annotations_of(table_path, partition_spec, "get_partition_statistics").statistics

    def get_partition_column_statistics(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec
    ) -> CatalogColumnStatistics:
        """The statistics of columns that the program gave for a partition.

        Raises:
            ProgramError: there is no such partition.
        """
        return self._annotations_of(table_path, partition_spec, "get_partition_column_statistics").column_statistics

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
        """Store the statistics of a table. A partitioned table ignores them: its partitions have statistics.

        Raises:
            ProgramError: there is no such table.
        """
        table = self._optional(table_path, "alter_table_statistics", ignore_if_not_exists)
        if table is not None and not table.partition_keys:
            self._annotate(table, _WHOLE, statistics=table_statistics)

    def alter_table_column_statistics(
        self, table_path: ObjectPath, column_statistics: CatalogColumnStatistics, ignore_if_not_exists: bool
    ) -> None:
        """Store the statistics of a table's columns.

        Raises:
            ProgramError: there is no such table.
        """
        table = self._optional(table_path, "alter_table_column_statistics", ignore_if_not_exists)
        if table is not None:
            self._annotate(table, _WHOLE, column_statistics=column_statistics)

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
        operation = "alter_partition_statistics"
        self._change_partition(
            table_path, partition_spec, ignore_if_not_exists, operation, statistics=partition_statistics
        )

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
        operation = "alter_partition_column_statistics"
        self._change_partition(
            table_path, partition_spec, ignore_if_not_exists, operation, column_statistics=column_statistics
        )

    def _optional(self, path: ObjectPath, operation: str, ignore_if_not_exists: bool) -> CatalogTable | None:
        """The table; None if there is none and the program ignores that."""
        if ignore_if_not_exists and self._object(path) is None:
            return None
        return self._existing(path, operation)


def _of_table(table: CatalogTable) -> Annotations:
    return table.annotations.get(_WHOLE, Annotations())
