"""The versions of Spark on which plans run."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans.connectors.jars import KAFKA, Package, for_spark
from compiled_plan.plans.connectors.lakes import LAKES
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion
from tests import spark_matrix
from tests.older_spark import AREAS, counts_text
from tools.reference.markdown import table


def versions() -> str:
    """The versions with what each has."""
    own = ("Spark", "tested with", "real-time mode", "positions of sources", "Kafka connector", "Hadoop")
    titles = (*own, *(lake.title for lake in LAKES.values()))
    return table(titles, (_row(version) for version in SPARK_VERSIONS))


def matrix() -> str:
    """Outcomes of the tests by area and version, from the record of `make spark-matrix`."""
    record = spark_matrix.read()
    titles = ("tests of", *map(str, SPARK_VERSIONS))
    return table(
        titles,
        (
            (area.title, *(_outcome(record[str(version)][name]) for version in SPARK_VERSIONS))
            for name, area in AREAS.items()
        ),
    )


def _outcome(counts: Mapping[str, int] | None) -> str:
    return "not run" if counts is None else counts_text(counts)


def _row(version: SparkVersion) -> tuple[str, ...]:
    names = "named by Spark" if version.names_sources else "named by the kernel"
    real_time = "yes" if version.real_time else "no"
    lakes = (_release(lake.packages[-1], version) for lake in LAKES.values())
    return (str(version), version.tested, real_time, names, _release(KAFKA[-1], version), version.hadoop, *lakes)


def _release(package: Package, version: SparkVersion) -> str:
    release = for_spark(package, str(version))
    return "none yet" if release is None else release.coordinates.rpartition(":")[2]
