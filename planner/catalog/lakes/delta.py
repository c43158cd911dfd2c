"""The type `delta`: tables of Delta Lake in the folders of a warehouse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from compiled_plan.planner.catalog.in_memory import COMMON
from compiled_plan.planner.catalog.lakes.catalog import LakeCatalog
from compiled_plan.planner.catalog.tables import ObjectIdentifier
from compiled_plan.plans.connectors.specs.delta import SPEC
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.lakes.delta import DeltaLake
from compiled_plan.plans.lakes.folders import LakeFolder
from compiled_plan.plans.text.options import Kind

_WAREHOUSE = "warehouse"


class DeltaCatalog(LakeCatalog):
    """A folder of databases with tables of Delta Lake."""

    DOC: ClassVar[str] = (
        "Tables of Delta Lake in the folders `DATABASE/TABLE`, `DATABASE.db/TABLE` and, of the database `default`, "
        "`TABLE` of a warehouse."
    )
    OPTIONS: ClassVar[Mapping[str, TableOption]] = {
        _WAREHOUSE: TableOption(Kind.PATH, doc="The folder of the databases; any Hadoop URI.", required=True),
        **COMMON,
    }

    def open(self, options: Mapping[str, str]) -> DeltaLake:
        return DeltaLake(LakeFolder(self.name, options[_WAREHOUSE]))

    def located(self, identifier: ObjectIdentifier) -> dict[str, str]:
        lake = self.lake
        place = f"{identifier.database}/{identifier.name}"
        if isinstance(lake, DeltaLake):
            place = lake.place(identifier.database, identifier.name)
        return {"connector": SPEC.name, "path": f"{self.options[_WAREHOUSE].rstrip('/')}/{place}"}


CATALOG = DeltaCatalog
