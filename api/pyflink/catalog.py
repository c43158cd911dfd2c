"""The names of `pyflink.table.catalog`."""

from __future__ import annotations

from compiled_plan.api.catalog_objects import (
    Catalog,
    CatalogBaseTable,
    CatalogDatabase,
    CatalogDescriptor,
)
from compiled_plan.api.results.identifiers import ObjectIdentifier, ObjectPath
from compiled_plan.planner.diagnostics.refusing import refused_class
from compiled_plan.planner.table.columns import (
    ComputedColumn,
    MetadataColumn,
    PhysicalColumn,
    WatermarkSpec,
)
from compiled_plan.planner.table.columns import SchemaColumn as Column
from compiled_plan.planner.table.constraints import Constraint, UniqueConstraint
from compiled_plan.planner.table.schemas import ResolvedSchema

_PARTITIONS = "partitions are found in the table's files when it is read", "add and remove files in the table's folder"
_STATISTICS = "the optimizer here uses no statistics", "leave the call out; join order and operators follow the program"

CatalogFunction = refused_class(
    "CatalogFunction",
    "a function is stored with its class",
    "write t_env.create_function(name, function), or CREATE FUNCTION in SQL",
)
CatalogPartition = refused_class("CatalogPartition", *_PARTITIONS)
CatalogPartitionSpec = refused_class("CatalogPartitionSpec", *_PARTITIONS)
CatalogTableStatistics = refused_class("CatalogTableStatistics", *_STATISTICS)
CatalogColumnStatistics = refused_class("CatalogColumnStatistics", *_STATISTICS)
HiveCatalog = refused_class(
    "HiveCatalog",
    "a Hive metastore is not read",
    "declare the tables over their files: TableDescriptor.for_connector('filesystem') with the format parquet or orc",
)
Procedure = refused_class("Procedure", "there are no procedures", "run the statement with the database's own client")

__all__ = [
    "Catalog",
    "CatalogBaseTable",
    "CatalogColumnStatistics",
    "CatalogDatabase",
    "CatalogDescriptor",
    "CatalogFunction",
    "CatalogPartition",
    "CatalogPartitionSpec",
    "CatalogTableStatistics",
    "Column",
    "ComputedColumn",
    "Constraint",
    "HiveCatalog",
    "MetadataColumn",
    "ObjectIdentifier",
    "ObjectPath",
    "PhysicalColumn",
    "Procedure",
    "ResolvedSchema",
    "UniqueConstraint",
    "WatermarkSpec",
]
