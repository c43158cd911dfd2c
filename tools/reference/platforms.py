"""Releases of managed platforms with their Spark, from the platforms' public documents, and whether plans run on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiled_plan.plans.spark_versions import runs_plans, spark_version
from tools.reference.markdown import table

#: By platform: the release, and its version of Spark.
RELEASES: Mapping[str, Sequence[tuple[str, str]]] = {
    "databricks": (
        ("Databricks Runtime 19", "4.2.0"),
        ("Databricks Runtime 18 LTS", "4.1.0"),
        ("Databricks Runtime 17.3 LTS", "4.0.0"),
        ("Databricks Runtime 16.4 LTS", "3.5.2"),
    ),
    "aws": (
        ("Glue 6.0", "4.1.1"),
        ("Glue 5.1", "3.5.6"),
        ("EMR emr-spark-8.0.0", "4.0.2"),
        ("EMR emr-7.13.0", "3.5.6"),
    ),
    "dataproc": (
        ("Dataproc on Compute Engine, image 3.0.2", "4.1.2"),
        ("Serverless for Apache Spark, runtime 3.0.14", "4.0.1"),
    ),
}


def releases(platform: str) -> str:
    """The releases of a platform."""
    return table(("release", "Spark", "plans"), (_row(*entry) for entry in RELEASES[platform]))


def _row(release: str, spark: str) -> tuple[str, str, str]:
    if not runs_plans(spark):
        return release, spark, "refused: no version of Spark that runs plans"
    return release, spark, "should run" if spark_version(spark).real_time else "should run, without real-time mode"
