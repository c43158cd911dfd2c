"""Libraries that a plan's connectors need and the class path lacks: Spark fetches them from Maven, like `ADD JAR`.

Spark's settings name the repositories (`spark.jars.repositories`, `spark.jars.ivySettings`) and the cache
(`spark.jars.ivy`). A jar is loaded only if it has the SHA-256 declared beside its coordinates. Libraries from `--jars`
or `spark.jars.packages` are used instead, unchecked.

Code loaded by options of tables is refused unless allowed: a plan may come from anybody.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from compiled_plan.plans.connectors.checks import formats_of
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.jars import Package, for_spark
from compiled_plan.plans.connectors.outside import reached_by
from compiled_plan.plans.connectors.reached import Reach
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.connectors.spec import ConnectorSpec
from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.execution.spark.java import JavaObject, java_class
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.spark_versions import spark_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def needed(plan: CompiledPlan) -> dict[Package, str]:
    """The libraries that the tables of a plan need, once each, with the connector or format."""
    return {
        package: name for node in plan.nodes for _, table in node.tables() for package, name in _of(_options(table))
    }


def _options(table: Any) -> dict[str, str]:
    return dict((table.resolved_table.options if table.resolved_table else None) or {})


def _of(options: dict[str, str]) -> Iterator[tuple[Package, str]]:
    connector = connector_spec(options.get("connector"))
    if connector is None:
        return
    specs: list[ConnectorSpec | FormatSpec] = [connector, *formats_of(options, connector).values()]
    for spec in specs:
        kind = "connector" if spec is connector else "format"
        yield from ((package, f"{kind} {spec.name!r}") for package in spec.packages if package.serves(options))


def provide(spark: SparkSession, plan: CompiledPlan) -> None:
    """Fetch the libraries of a plan that the class path lacks, and report it on stderr.

    Raises:
        ExecutionError: one is unavailable; the remedy works without a network.
    """
    version = str(spark_version(spark.version))
    releases = {for_spark(package, version): user for package, user in needed(plan).items()}
    add_packages(spark, {package: user for package, user in releases.items() if package is not None})


def has_class(spark: SparkSession, name: str) -> bool:
    """Return True if a class is visible to this thread, or to the session, whose loader the thread then gets."""
    jvm = spark._jvm
    thread = java_class(jvm, "java.lang.Thread").currentThread()
    if _loads(jvm, name, thread.getContextClassLoader()):
        return True
    session: JavaObject = spark._jsparkSession
    added = session.sharedState().jarClassLoader()
    if not _loads(jvm, name, added):
        return False
    thread.setContextClassLoader(added)
    return True


def _loads(jvm: object, name: str, loader: object) -> bool:
    try:
        java_class(jvm, "java.lang.Class").forName(name, False, loader)
    except Py4JJavaError:
        return False
    return True


def add_packages(spark: SparkSession, users: Mapping[Package, str]) -> None:
    """Fetch the libraries that the class path lacks, verify them, and add them to the session.

    Args:
        spark: the session.
        users: for each library, the part of the plan that needs it.

    Raises:
        ExecutionError: one is unavailable; the remedy works without a network.
    """
    missing = {package: user for package, user in users.items() if not has_class(spark, package.holds)}
    for user in dict.fromkeys(missing.values()):
        names = [package.coordinates for package in missing if missing[package] == user]
        print(f"adding {', '.join(names)}, which {user} needs", file=sys.stderr, flush=True)
    for package, user in missing.items():
        _add(spark, package, user)


def _add(spark: SparkSession, package: Package, user: str) -> None:
    try:
        jar = _fetched(spark, package)
        if (actual := hashlib.sha256(jar.read_bytes()).hexdigest()) != package.sha256:
            raise ExecutionError(
                f"{package.coordinates}, which {user} needs, has the wrong checksum: "
                f"its SHA-256 is {actual}, expected {package.sha256}",
                where=str(jar),
                remedy="remove it from Ivy's folders, `jars` and `cache`, and check the repository it came from; "
                "a jar of your own choice is given with --conf spark.jars=FILE",
            )
        spark.sql(f"ADD JAR '{jar.as_uri()}'").collect()
        if has_class(spark, package.holds):
            return
        reason = f"it does not hold {package.holds}"
    except (Py4JJavaError, PySparkException) as fault:
        reason = str(getattr(fault, "java_exception", None) or fault).splitlines()[0]
    group, name, version = package.coordinates.split(":")
    place = f"{group.replace('.', '/')}/{name}/{version}/{name}-{version}.jar"
    raise ExecutionError(
        f"{user} needs {package.coordinates}, and it cannot be fetched from Maven: {reason}",
        remedy=f"put https://repo1.maven.org/maven2/{place} on this machine and give it with --conf spark.jars=FILE; "
        "a mirror is set with --conf spark.jars.repositories=URL or spark.jars.ivySettings=FILE",
    )


def _fetched(spark: SparkSession, package: Package) -> Path:
    """The jar in Ivy's cache, not loaded yet."""
    uri = java_class(spark._jvm, "java.net.URI").create(f"ivy://{package.coordinates}?transitive=false")
    jars = spark._jsparkSession.sessionState().resourceLoader().resolveJars(uri)
    return Path(java_class(spark._jvm, "java.net.URI").create(jars.head()).getPath() or jars.head())


#: Spark's setting with the classes, login modules and parameters that a plan's tables may use, separated by commas.
ALLOWED = "spark.compiledPlan.classes"
#: The same for the classes that its tables may use as providers of the connector `spark`.
PROVIDERS = "spark.compiledPlan.providers"


def check_loaded_code(plan: CompiledPlan, spark: SparkSession) -> None:
    """Refuse a plan whose tables load code that is not allowed.

    Raises:
        UnsupportedError: names the table and the option.
    """
    allowed = {
        setting: {name.strip().lower() for name in (spark.conf.get(setting, "") or "").split(",")}
        for setting in (ALLOWED, PROVIDERS)
    }
    for node in plan.nodes:
        for _, table in node.tables():
            for reached in reached_by(_options(table)):
                setting = PROVIDERS if reached.option == "provider" else ALLOWED
                if reached.kind is Reach.CODE and not allowed[setting] & {reached.name.lower(), reached.value.lower()}:
                    raise UnsupportedError(
                        f"{reached.message}, and a plan may not choose which code runs",
                        where=f"table {table.identifier}, WITH, {reached.option!r}",
                        remedy=f"{reached.remedy}, or allow it: --conf {setting}={reached.name}",
                    )
