"""Fields of the kernel's classes that no other package may read, for tests of what is left between tasks."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def hidden_field(spark: SparkSession, class_name: str, field: str, of: Any = None) -> Any:
    """The value of a field of an object, or a static one of a class, named without the kernel's package."""
    jvm: Any = spark._jvm
    declared = jvm.java.lang.Class.forName(f"org.compiledplan.kernel.{class_name}").getDeclaredField(field)
    declared.setAccessible(True)
    return declared.get(of)
