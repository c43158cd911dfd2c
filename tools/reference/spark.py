"""The versions of Spark on which plans run."""

from __future__ import annotations

from compiled_plan.plans.connectors.jars import KAFKA, for_spark
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion
from tools.reference.markdown import table


def versions() -> str:
    """The versions with what each has."""
    titles = ("Spark", "tested with", "real-time mode", "positions of sources", "Kafka connector", "Hadoop")
    return table(titles, (_row(version) for version in SPARK_VERSIONS))


def _row(version: SparkVersion) -> tuple[str, ...]:
    connector = for_spark(KAFKA[-1], str(version)).coordinates.rpartition(":")[2]
    names = "named by Spark" if version.names_sources else "named by the kernel"
    return (str(version), version.tested, "yes" if version.real_time else "no", names, connector, version.hadoop)
