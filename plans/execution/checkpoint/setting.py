"""What the run at hand adds to a plan: versions, places, the code of functions."""

from __future__ import annotations

import platform
from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.checkpoint.description import Setting
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.session.spark_session import ASKED
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.storage import folder_of
from compiled_plan.plans.functions.code import code_digest
from compiled_plan.plans.inspection.lineage.table_identity import at_rest, local_place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def setting_of(spark: SparkSession, host: str, functions: PythonFunctions) -> Setting:
    """The setting of a run in a session."""
    asked = spark.conf.get(ASKED, "")
    return Setting(
        host,
        int(spark.conf.get("spark.sql.shuffle.partitions", "0") or 0),
        int(asked) if asked else None,
        spark.version,
        _java(spark),
        platform.python_version(),
        product_version(),
        cache(lambda function: code_digest(type(functions.callables(function, "").function))),
        functions.accumulator,
        _place(spark),
    )


def _java(spark: SparkSession) -> int:
    version = str(java_class(spark._jvm, "java.lang.System").getProperty("java.specification.version"))
    return int(version.removeprefix("1.").partition(".")[0])


def product_version() -> str:
    """The release of the product; empty where it is not installed."""
    try:
        return metadata.version("compiled-plan")
    except metadata.PackageNotFoundError:
        return ""


def _place(spark: SparkSession) -> Callable[[str], str]:
    @cache
    def place(path: str) -> str:
        """A path with its file system, from the root on."""
        if not path:
            return path
        try:
            return at_rest(folder_of(spark, path).uri)
        except Exception:
            # A file system that is not there is named where the table is opened.
            return local_place(path)

    return place
