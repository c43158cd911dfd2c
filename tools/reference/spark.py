"""The versions of Spark on which plans run."""

from __future__ import annotations

from compiled_plan.plans.connectors.jars import KAFKA, Package, for_spark
from compiled_plan.plans.connectors.lakes import LAKES
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion
from tools.reference.markdown import table


def versions() -> str:
    """The versions with what each has."""
    own = ("Spark", "tested with", "real-time mode", "positions of sources", "Kafka connector", "Hadoop")
    titles = (*own, *(lake.title for lake in LAKES.values()))
    return table(titles, (_row(version) for version in SPARK_VERSIONS))


def _row(version: SparkVersion) -> tuple[str, ...]:
    names = "named by Spark" if version.names_sources else "named by the kernel"
    real_time = "yes" if version.real_time else "no"
    lakes = (_release(lake.packages[-1], version) for lake in LAKES.values())
    return (str(version), version.tested, real_time, names, _release(KAFKA[-1], version), version.hadoop, *lakes)


def _release(package: Package, version: SparkVersion) -> str:
    release = for_spark(package, str(version))
    return "none yet" if release is None else release.coordinates.rpartition(":")[2]
