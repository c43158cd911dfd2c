"""The names of `pyflink.table.catalog`."""

from __future__ import annotations

from compiled_plan.catalogs.catalog import PROCEDURES, Catalog
from compiled_plan.catalogs.functions import CatalogFunction
from compiled_plan.catalogs.models import CatalogModel
from compiled_plan.catalogs.partitions import CatalogPartition, CatalogPartitionSpec
from compiled_plan.catalogs.tables import CatalogBaseTable, CatalogDatabase, CatalogDescriptor
from compiled_plan.planner.catalog.statistics import CatalogColumnStatistics, CatalogTableStatistics
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
from compiled_plan.results.identifiers import ObjectIdentifier, ObjectPath

HiveCatalog = refused_class(
    "HiveCatalog",
    "a Hive metastore is not read",
    "declare the tables over their files: TableDescriptor.for_connector('filesystem') with the format parquet or orc",
)
Procedure = refused_class("Procedure", *PROCEDURES)

__all__ = [
    "Catalog",
    "CatalogBaseTable",
    "CatalogColumnStatistics",
    "CatalogDatabase",
    "CatalogDescriptor",
    "CatalogFunction",
    "CatalogModel",
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
