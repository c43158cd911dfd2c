"""Table formats of lakes: their libraries, and the settings of sessions that read and write them.

A format is on the class path before a session starts, because it extends Spark's parser and planner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from compiled_plan.plans.connectors import jars
from compiled_plan.plans.connectors.jars import Package, for_spark
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion


@dataclass(frozen=True, slots=True)
class Lake:
    """A table format.

    Args:
        name: the name of its connector.
        title: its name in messages.
        packages: its libraries, as declared.
        extension: its class among the values of `spark.sql.extensions`.
        settings: further settings of a session, which settings of the user replace.
        partitions: a setting whose default is the number of shuffle partitions; empty for none.
    """

    name: str
    title: str
    packages: tuple[Package, ...]
    extension: str
    settings: Mapping[str, str]
    partitions: str = ""

    def release(self, spark: SparkVersion) -> tuple[Package, ...] | None:
        """The libraries for a version of Spark; None if there is no release for it."""
        packages = [for_spark(package, str(spark)) for package in self.packages]
        return None if None in packages else tuple(filter(None, packages))

    @property
    def versions(self) -> list[SparkVersion]:
        """The versions of Spark with a release, newest first."""
        return [version for version in SPARK_VERSIONS if self.release(version) is not None]


DELTA = Lake(
    "delta",
    "Delta Lake",
    jars.DELTA,
    "io.delta.sql.DeltaSparkSessionExtension",
    {"spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"},
    # Delta's own default are 50 tasks, several times a commit.
    "spark.databricks.delta.snapshotPartitions",
)

ICEBERG = Lake(
    "iceberg",
    "Apache Iceberg",
    jars.ICEBERG,
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    {},
)

LAKES: Mapping[str, Lake] = {lake.name: lake for lake in (DELTA, ICEBERG)}


def lakes_named(names: Iterable[str | None]) -> tuple[Lake, ...]:
    """The formats of connectors by their names, once each, in the order of `LAKES`."""
    wanted = set(names)
    return tuple(lake for name, lake in LAKES.items() if name in wanted)
