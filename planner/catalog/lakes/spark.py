"""The type `spark`: a catalog that Spark's session has, and no library here reads.

Programs declare its tables with their columns; the catalog gives connector and name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from compiled_plan.planner.catalog.in_memory import COMMON
from compiled_plan.planner.catalog.lakes.catalog import LakeCatalog
from compiled_plan.planner.catalog.tables import ObjectIdentifier
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.lakes.lake import Lake
from compiled_plan.plans.text.options import Kind

_PROVIDER, _NAME = "provider", "catalog-name"

_Name = Callable[[str, ObjectIdentifier], dict[str, str]]
#: By provider the options of a table in a catalog of Spark.
_PROVIDERS: Mapping[str, _Name] = {
    "delta": lambda catalog, table: {
        "connector": "delta",
        "table-name": f"{catalog}.{table.database}.{table.name}",
    },
    "iceberg": lambda catalog, table: {
        "connector": "iceberg",
        "catalog-name": catalog,
        "catalog-database": table.database,
        "catalog-table": table.name,
    },
}


class SparkCatalog(LakeCatalog):
    """A catalog of Spark's session."""

    DOC: ClassVar[str] = (
        "A catalog that only Spark reads, such as Unity Catalog. Programs declare its tables with their columns."
    )
    OPTIONS: ClassVar[Mapping[str, TableOption]] = {
        _PROVIDER: TableOption(Kind.WORD, choices=tuple(_PROVIDERS), doc="The connector of its tables.", required=True),
        _NAME: TableOption(Kind.TEXT, doc="Its name in Spark's session; by default its name here."),
        **COMMON,
    }

    @property
    def is_read(self) -> bool:
        return False

    def open(self, options: Mapping[str, str]) -> Lake:
        raise AssertionError("only Spark reads it")

    def located(self, identifier: ObjectIdentifier) -> dict[str, str]:
        return _PROVIDERS[self.options[_PROVIDER]](self.options.get(_NAME, self.name), identifier)


CATALOG = SparkCatalog
