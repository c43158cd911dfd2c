"""Libraries and settings of table formats, which a session has from its start.

A format extends Spark's parser and planner, so that no running session can get it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.jars import Package
from compiled_plan.plans.connectors.lakes import Lake, lakes_named
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.session.configured import ARGUMENTS, CLASS_PATH, JARS, joined
from compiled_plan.plans.execution.session.partitions import PARTITIONS
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.files.maven import FetchError, artifact_of, cache, fetched
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.spark_versions import spark_version

if TYPE_CHECKING:
    import pyspark
    from pyspark import find_spark_home
    from pyspark.sql import SparkSession
else:
    pyspark = deferred("pyspark")
    find_spark_home = deferred("pyspark.find_spark_home")

#: The names of the formats with which a session starts, separated by commas.
SETTING = "spark.compiledPlan.lakes"
_EXTENSIONS = "spark.sql.extensions"


def lakes_of(plans: Iterable[CompiledPlan]) -> tuple[Lake, ...]:
    """The formats that the tables of plans need."""
    tables = (table.resolved_table for plan in plans for node in plan.nodes for _, table in node.tables())
    return lakes_named((table.options or {}).get("connector") for table in tables if table is not None)


def with_lakes(settings: Mapping[str, str], plans: Iterable[CompiledPlan]) -> Mapping[str, str]:
    """The settings of a session that runs plans, with the formats that these need."""
    lakes = lakes_of(plans)
    return {**settings, SETTING: joined(settings.get(SETTING), *(lake.name for lake in lakes))} if lakes else settings


def missing_lakes(spark: SparkSession, settings: Mapping[str, str]) -> bool:
    """Return True if a session lacks formats with which one with these settings starts."""
    lakes = lakes_named(settings.get(SETTING, "").split(","))
    return any(not _has(spark, lake) and libraries(lake, settings) is not None for lake in lakes)


def add_lakes(settings: dict[str, str], configured: Mapping[str, str], *, fresh: bool) -> list[Path]:
    """Add the libraries and settings of the formats that a session needs; formats without a release are left out.

    Args:
        settings: those of the session.
        configured: those from outside.
        fresh: True if Java starts with the class path of the settings.

    Returns:
        The libraries, for `expose`.

    Raises:
        ExecutionError: a library cannot be fetched.
    """
    files: list[Path] = []
    for lake in lakes_named(settings.get(SETTING, "").split(",")):
        packages = libraries(lake, {**configured, **settings})
        if packages is None:
            continue
        before = settings.get(_EXTENSIONS) or configured.get(_EXTENSIONS)
        settings[_EXTENSIONS] = joined(before, lake.extension)
        for name, value in lake.settings.items():
            if name not in configured:
                settings.setdefault(name, value)
        files += [_fetched(package, lake) for package in packages]
    for file in files:
        if fresh:
            settings[CLASS_PATH] = os.pathsep.join(filter(None, [settings.get(CLASS_PATH), str(file)]))
        else:
            settings[JARS] = joined(settings.get(JARS), file.as_uri())
    return files


def settle_lakes(spark: SparkSession) -> None:
    """Give the formats of a session as many partitions as its shuffles have, unless the user has set their number.

    Args:
        spark: the session, whose number of shuffle partitions is settled.
    """
    for lake in lakes_named((spark.conf.get(SETTING, None) or "").split(",")):
        if lake.partitions and spark.conf.get(lake.partitions, None) is None:
            spark.conf.set(lake.partitions, str(spark.conf.get(PARTITIONS)))


def libraries(lake: Lake, settings: Mapping[str, str]) -> tuple[Package, ...] | None:
    """The libraries of a format to fetch: none if the user or the installation has them; None without a release."""
    name = re.split(r"[-_]\d", lake.packages[-1].coordinates.split(":")[1])[0]
    named = (settings.get(key, "") for key in (JARS, CLASS_PATH, "spark.jars.packages"))
    installed = Path(find_spark_home._find_spark_home(), "jars").glob(f"{name}*.jar")
    if any(name in text for text in (*named, os.environ.get(ARGUMENTS, ""))) or any(installed):
        return ()
    return lake.release(spark_version(pyspark.__version__))


def _fetched(package: Package, lake: Lake) -> Path:
    artifact = artifact_of(package.coordinates, package.sha256)
    if not (cache() / artifact.file).is_file():
        print(f"fetching {package.coordinates}, which connector {lake.name!r} needs", file=sys.stderr, flush=True)
    try:
        return fetched(artifact)
    except FetchError as fault:
        raise ExecutionError(
            f"connector {lake.name!r} needs {package.coordinates}: {str(fault).splitlines()[0]}",
            remedy=f"put the jar into {cache()}, or give it and its dependencies with --conf spark.jars=FILE,FILE; "
            "the environment variable MAVEN_CENTRAL sets a mirror",
        ) from fault


def expose(jvm: object, libraries: Iterable[Path]) -> None:
    """Add libraries to the class path of a Java that has started without them."""
    loader = java_class(jvm, "java.lang.Thread").currentThread().getContextClassLoader()
    for file in libraries:
        loader.addURL(java_class(jvm, "java.io.File")(str(file)).toURI().toURL())


def check_lakes(spark: SparkSession, plan: CompiledPlan) -> None:
    """Refuse a plan with tables of a format that its session lacks.

    Raises:
        UnsupportedError: the format has no release for the session's version of Spark.
        ExecutionError: the session was started without it.
    """
    for lake in lakes_of([plan]):
        if _has(spark, lake):
            continue
        if lake.release(spark_version(spark.version)) is None:
            raise UnsupportedError(
                f"connector {lake.name!r}: {lake.title} has no release for Spark {spark.version}",
                remedy=f"run the plan on Spark {' or '.join(map(str, reversed(lake.versions)))}: "
                f'pip install "pyspark~={lake.versions[0].tested}"',
            )
        raise ExecutionError(
            f"the Spark session lacks {lake.title}, which connector {lake.name!r} needs from its start",
            remedy=f"start the session with --conf {SETTING}={lake.name}; in a program stop yours "
            f"(spark.stop()) and let the product start its own, or start it with {lake.title} and "
            f"{_EXTENSIONS}={lake.extension}",
        )


def _has(spark: SparkSession, lake: Lake) -> bool:
    """Return True if a session was started with a format, in any version."""
    return lake.extension in (spark.conf.get(_EXTENSIONS, "") or "")
