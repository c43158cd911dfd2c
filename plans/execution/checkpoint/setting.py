"""What the run at hand adds to a plan: versions, places, the code of functions."""

from __future__ import annotations

import platform
from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from plans.execution.checkpoint.description import Setting
from plans.execution.functions.columns import PythonFunctions
from plans.execution.java import java_class
from plans.execution.session import ASKED
from plans.execution.storage import Folder
from plans.functions.code import code_digest
from plans.lineage import at_rest

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
        _product(),
        cache(lambda function: code_digest(type(functions.callables(function, "").function))),
        _place(spark),
    )


def _java(spark: SparkSession) -> int:
    jvm = spark._jvm
    assert jvm is not None
    version = str(java_class(jvm, "java.lang.System").getProperty("java.specification.version"))
    return int(version.removeprefix("1.").partition(".")[0])


def _product() -> str:
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
            return at_rest(Folder(spark, path).uri)
        except Exception:
            # A file system that is not there is named where the table is opened.
            return at_rest(path)

    return place
