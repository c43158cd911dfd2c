"""The type `iceberg`: catalogs of Apache Iceberg.

Source: Iceberg's page "Flink Configuration", for the options.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from compiled_plan.planner.catalog.in_memory import COMMON
from compiled_plan.planner.catalog.lakes.catalog import LakeCatalog
from compiled_plan.planner.catalog.tables import ObjectIdentifier
from compiled_plan.plans.connectors.specs.iceberg import OF_CATALOG, SPEC, catalog_faults
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.lakes.folders import LakeFolder
from compiled_plan.plans.lakes.iceberg import HadoopLake, RestLake
from compiled_plan.plans.lakes.lake import Lake
from compiled_plan.plans.lakes.rest import RestClient


class IcebergCatalog(LakeCatalog):
    """A catalog of Iceberg."""

    DOC: ClassVar[str] = "A catalog of Apache Iceberg: the tables have the columns that they have there."
    OPTIONS: ClassVar[Mapping[str, TableOption]] = {
        **{name: SPEC.options[name] for name in (*OF_CATALOG, "catalog-impl")},
        **COMMON,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        located = {"catalog-name": self.name, **self._own}
        for fault in catalog_faults(f"catalog {self.name}", located, required=True):
            raise ProgramError(fault.message, remedy=fault.remedy)

    @property
    def _own(self) -> dict[str, str]:
        return {name: value for name, value in self.options.items() if name in OF_CATALOG}

    @property
    def is_read(self) -> bool:
        # A Hive metastore speaks Thrift.
        return self.options["catalog-type"].lower() != "hive"

    def open(self, options: Mapping[str, str]) -> Lake:
        if options["catalog-type"].lower() == "hadoop":
            return HadoopLake(LakeFolder(self.name, options["warehouse"]))
        return RestLake(RestClient(self.name, options))

    def located(self, identifier: ObjectIdentifier) -> dict[str, str]:
        place = {"catalog-database": identifier.database, "catalog-table": identifier.name}
        return {"connector": SPEC.name, "catalog-name": self.name, **self._own, **place}


CATALOG = IcebergCatalog
