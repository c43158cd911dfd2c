"""Private fields of the kernel's classes, for tests of what remains between tasks."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def hidden_field(spark: SparkSession, class_name: str, field: str, of: Any = None) -> Any:
    """The value of a field of an object, or of a static field of a class, named without the kernel's package."""
    jvm: Any = spark._jvm
    declared = jvm.java.lang.Class.forName(f"org.compiledplan.kernel.{class_name}").getDeclaredField(field)
    declared.setAccessible(True)
    return declared.get(of)
